"""The same covariates from another table, through JSON."""

import json

import numpy as np
import pandas as pd
import pytest

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
