"""The same covariates from another table, through JSON."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.data import PrepareOptions, Recipe, Table, prepare
from opnb.errors import DataError


def make_table(n=60, **changes):
    rng = np.random.default_rng(0)
    columns = {
        "size": rng.normal(size=n),
        "island": ["x", "y", "z"] * (n // 3),
        "level": [1, 2, 10] * (n // 3),
        "class": ["no", "yes"] * (n // 2),
    }
    return Table.from_frame(pd.DataFrame({**columns, **changes}), "t")


OPTIONS = PrepareOptions(roles={"level": "category"}, missing="impute")


def make_recipe(**options):
    return prepare(make_table(), "class", options=OPTIONS).recipe


def through_json(recipe):
    return Recipe.from_dict(json.loads(json.dumps(recipe.to_dict())))


def test_the_same_table_gives_the_same_covariates():
    data = prepare(make_table(), "class", options=OPTIONS)
    np.testing.assert_array_equal(data.recipe.apply(make_table()), data.X)
    again = through_json(data.recipe)
    np.testing.assert_array_equal(again.apply(make_table()), data.X)
    assert again.feature_names == data.feature_names
    assert again.to_dict() == data.recipe.to_dict()


def test_levels_sort_as_numbers_and_keep_their_names_as_floats_or_text():
    recipe = make_recipe()
    assert recipe.feature_names[-2:] == ("level = 2", "level = 10")
    floats = make_table(level=[1.0, 2.0, 10.0] * 20)
    np.testing.assert_array_equal(recipe.apply(floats), recipe.apply(make_table()))


def test_order_and_surplus_of_columns_do_not_matter():
    recipe, table = make_recipe(), make_table(other=3)
    turned = Table.from_frame(table.frame[table.frame.columns[::-1]], "turned")
    np.testing.assert_array_equal(recipe.apply(turned), recipe.apply(table))


def test_absent_columns():
    table = make_table()
    without = Table.from_frame(table.frame.drop(columns=["size", "island"]), "t")
    with pytest.raises(DataError, match="lacks 2 columns 'size', 'island'"):
        make_recipe().apply(without)


def test_unknown_categories_are_zeros_and_told():
    table = make_table(island=["x", "new", "z"] * 20)
    applied = make_recipe().transform(table)
    names = make_recipe().feature_names
    assert applied.X[1, [names.index("island = y"), names.index("island = z")]].tolist() == [0, 0]
    assert "20 values are not known" in applied.account[0]
    assert "'new' in row 2" in applied.account[0]
    assert "count as 'x'" in applied.account[0]


def test_missing_values_follow_the_rule():
    sizes = np.arange(60.0)
    sizes[4] = np.nan
    table = make_table(size=sizes)
    filled = make_recipe().apply(table)
    assert np.isfinite(filled).all()
    strict = prepare(make_table(), "class", options=PrepareOptions()).recipe
    with pytest.raises(DataError, match="row 5, column 'size'"):
        strict.apply(table)
    applied = strict.transform(table)
    assert len(applied.X) == 59
    assert 4 not in applied.rows
    assert applied.account == ("Left out 1 row with missing values (1.7 % of 60).",)


def test_infinite_values():
    with pytest.raises(DataError, match="infinite value in row 1"):
        make_recipe().apply(make_table(size=[np.inf] * 60))


def test_principal_components_are_part_of_the_recipe():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(330, 310)), columns=[f"v{i}" for i in range(310)])
    frame["class"] = np.arange(330) % 2
    table = Table.from_frame(frame, "wide")
    data = prepare(table, "class", options=PrepareOptions(preset="paper"))
    assert data.feature_names[:2] == ("PC1", "PC2")
    again = through_json(data.recipe).apply(table)
    assert again.shape == (330, 300)
    assert np.abs(again - data.X).max() < 0.1  # apart from the noise


def test_codes_are_part_of_the_recipe_and_only_then_written():
    options = PrepareOptions(missing="impute", missing_codes={"size": [-999], "island": [9]})
    recipe = prepare(make_table(), "class", options=options).recipe
    written = recipe.to_dict()["ingredients"]
    assert [item.get("codes") for item in written] == [[-999.0], [9.0], None]
    sizes = np.arange(60.0)
    sizes[4] = -999
    again = through_json(recipe)
    assert again.apply(make_table(size=sizes))[4, 0] == recipe.ingredients[0].fill
    assert "codes" not in str(make_recipe().to_dict())


def test_every_row_is_kept_with_a_reason_where_it_cannot_be_used():
    recipe = prepare(make_table(), "class", options=PrepareOptions()).recipe
    sizes = [1.5, None, "abc", "inf", *map(float, range(56))]
    islands = ["x", "y", "z", "x", "Mars", None, *["x"] * 54]
    applied = recipe.apply_rows(make_table(size=sizes, island=islands))
    assert applied.X.shape == (60, len(recipe.feature_names))
    assert applied.usable.tolist() == [True, False, False, False, False, False, *[True] * 54]
    assert np.isnan(applied.X[1:6]).all()
    assert applied.X[0].tolist() == [1.5, 0, 0, 1]
    assert applied.reasons[:7] == (
        "",
        "no value in 'size'",
        "'abc' in 'size' is no number",
        "an infinite value in 'size'",
        "'Mars' is not known in 'island'",
        "no value in 'island'",
        "",
    )
    assert set(applied.filled) == {""}


def test_rows_are_filled_in_where_the_recipe_imputes():
    table = make_table(size=[None, "abc", *map(float, range(58))], island=[None, "y", *["x"] * 58])
    applied = make_recipe().apply_rows(table)
    assert applied.usable.all()
    assert applied.filled[0] == "no value in 'size'; no value in 'island'"
    assert applied.filled[1] == "'abc' in 'size' is no number"
    np.testing.assert_array_equal(applied.X, make_recipe().apply(table))
    empty = make_table(size=[None] * 60, island=[None] * 60, level=[None] * 60)
    nothing = make_recipe().apply_rows(empty)
    assert not nothing.usable.any()
    assert nothing.reasons[0] == "no value in any column"


def test_reasons_are_few_and_short():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 8)), columns=[f"{{v{i}}}" for i in range(8)])
    recipe = prepare(Table.from_frame(frame.assign(target=["a", "b"] * 20), "t")).recipe
    applied = recipe.apply_rows(Table.from_frame(frame.map(lambda _: "x" * 100), "t"))
    assert applied.reasons[0].endswith("; and 5 more")
    assert "in '{v0}' is no number" in applied.reasons[0]
    assert len(applied.reasons[0]) < 300


def test_absent_columns_of_new_rows():
    without = Table.from_frame(make_table().frame.drop(columns=["size"]), "t")
    with pytest.raises(DataError, match="lacks the column 'size'"):
        make_recipe().apply_rows(without)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    holes=st.lists(st.tuples(st.integers(0, 59), st.sampled_from(["size", "island", "level"])), max_size=25),
    missing=st.sampled_from(["drop", "impute"]),
    level=st.sampled_from(["number", "category"]),
    codes=st.sampled_from([{}, {"level": [10]}]),
    seed=st.integers(0, 5),
)
def test_rows_that_are_fine_give_the_covariates_of_training(holes, missing, level, codes, seed):
    frame = make_table().frame.astype(object)
    for row, name in holes:
        frame.loc[row, name] = None
    table = Table.from_frame(frame, "t")
    options = PrepareOptions(missing=missing, roles={"level": level}, missing_codes=codes, seed=seed)
    data = prepare(table, "class", options=options)
    applied = through_json(data.recipe).apply_rows(table)
    np.testing.assert_array_equal(np.flatnonzero(applied.usable), data.rows)
    np.testing.assert_array_equal(applied.X[data.rows], data.X)
    turned = np.random.default_rng(seed).permutation(60)
    again = data.recipe.apply_rows(Table.from_frame(frame.iloc[turned], "turned"))
    np.testing.assert_array_equal(again.X, applied.X[turned])
    assert [reason == "" for reason in again.reasons] == again.usable.tolist()


GOOD = {
    "version": 1,
    "missing": "drop",
    "ingredients": [{"name": "a", "fill": 0.0, "levels": []}],
    "rotation": None,
}
CATEGORY = {"name": "k", "fill": "x", "levels": ["x", "y"]}


def changed(**parts):
    return {**GOOD, **parts}


@pytest.mark.parametrize(
    "values",
    [
        [],
        {},
        {**GOOD, "surplus": 1},
        changed(version=2),
        changed(missing="guess"),
        changed(ingredients=[]),
        changed(ingredients=["a"]),
        changed(ingredients=[{"name": "a", "fill": 0.0}]),
        changed(ingredients=[{"name": 3, "fill": 0.0, "levels": []}]),
        changed(ingredients=[{"name": "a", "fill": float("nan"), "levels": []}]),
        changed(ingredients=[{"name": "a", "fill": "x", "levels": []}]),
        changed(ingredients=[{"name": "a", "fill": True, "levels": []}]),
        changed(ingredients=GOOD["ingredients"] * 2),
        changed(ingredients=[{**CATEGORY, "levels": ["x"]}]),
        changed(ingredients=[{**CATEGORY, "levels": ["x", "x"]}]),
        changed(ingredients=[{**CATEGORY, "levels": ["x", 1]}]),
        changed(ingredients=[{**CATEGORY, "fill": "z"}]),
        changed(ingredients=[{**CATEGORY, "codes": ["x"]}]),
        changed(ingredients=[{**CATEGORY, "codes": 3}]),
        changed(ingredients=[{**CATEGORY, "codes": [float("nan")]}]),
        changed(ingredients=[{**CATEGORY, "other": []}]),
        changed(rotation=[]),
        changed(rotation={"mean": [0.0], "components": [["a"]]}),
        changed(rotation={"mean": [0.0, 1.0], "components": [[1.0]]}),
        changed(rotation={"mean": [0.0], "components": [[1.0, 2.0]]}),
        changed(rotation={"mean": [0.0], "components": [[float("inf")]]}),
        changed(rotation={"mean": [0.0], "components": [[1.0], [1.0, 2.0]]}),
    ],
)
def test_an_altered_recipe_is_refused(values):
    with pytest.raises(DataError, match="cannot be used"):
        Recipe.from_dict(values)


def test_a_good_recipe_is_not_refused():
    assert Recipe.from_dict(changed(ingredients=[*GOOD["ingredients"], CATEGORY])).feature_names == (
        "a",
        "k = y",
    )
