"""Preparing: options, accounts, errors."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.data import PrepareOptions, Table, paper_policy, prepare, read_table
from opnb.data.dataset import split_rows, stratified_rows
from opnb.errors import DataError

N = 60


def frame_of(**more):
    rng = np.random.default_rng(0)
    columns = {
        "a": rng.normal(size=N),
        "b": rng.normal(size=N),
        "island": ["x", "y", "z"] * (N // 3),
        "class": ["no", "yes"] * (N // 2),
    }
    return pd.DataFrame({**columns, **more})


def table_of(**more):
    return Table.from_frame(frame_of(**more), "test")


def holed(name="a", rows=(3, 7)):
    frame = frame_of()
    frame.loc[list(rows), name] = np.nan
    return Table.from_frame(frame, "test")


def refused(table, sentence, target=None, **options):
    with pytest.raises(DataError, match=sentence):
        prepare(table, target, options=PrepareOptions(**options))


def test_a_plain_table():
    data = prepare(table_of())
    assert data.X.shape == (N, 4)
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.feature_names == ("a", "b", "island = y", "island = z")
    assert data.is_binary.tolist() == [False, False, True, True]
    assert data.class_names == ("no", "yes")
    assert data.class_counts == {"no": 30, "yes": 30}
    assert len(data.test) == 15
    assert sorted([*data.train, *data.test]) == list(range(N))
    assert data.X_train.shape == (45, 4)
    assert len(data.y_test) == len(data.X_test) == 15
    assert set(np.unique(data.y_train)) == {"no", "yes"}
    assert data.rows.tolist() == list(range(N))
    assert data.account[0].startswith("Column 'island': a category with 3 values, encoded as 2 columns")
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"


def test_the_split_is_stratified_seeded_and_optional():
    table = table_of()
    first, again = prepare(table), prepare(table)
    assert first.test.tolist() == again.test.tolist()
    other = prepare(table, options=PrepareOptions(seed=1))
    assert first.test.tolist() != other.test.tolist()
    assert abs(int(np.sum(first.y_test == "no")) - 7.5) <= 0.5
    whole = prepare(table, options=PrepareOptions(test_size=None))
    assert len(whole.test) == 0
    assert len(whole.train) == N
    assert first.split(0.5, seed=3).X_test.shape[0] == 30


def test_rows_with_missing_values_are_left_out_and_counted():
    data = prepare(holed())
    assert len(data.X) == N - 2
    assert "Left out 2 rows with missing values (3.3 % of 60)." in data.account
    assert data.rows_left_out == ("Left out 2 rows with missing values (3.3 % of 60).",)
    assert 3 not in data.rows
    assert data.rows[3] == 4


def test_missing_values_are_filled_from_the_training_rows():
    data = prepare(holed(), options=PrepareOptions(missing="impute"))
    table = holed().frame
    training = table["a"].to_numpy()[data.rows[data.train]]
    assert data.X[3, 0] == np.nanmedian(training)
    assert any("put the median" in line and "2 missing values" in line for line in data.account)
    category = prepare(holed("island"), options=PrepareOptions(missing="impute"))
    assert any("most frequent value" in line for line in category.account)


def test_missing_values_can_be_refused():
    refused(holed(), "2 values are missing.*row 4, column 'a'", missing="error")


def test_missing_everywhere():
    refused(holed(rows=range(0, N, 2)), "only the class 'yes'")
    frame = frame_of()
    frame.loc[::2, "a"] = np.nan
    frame.loc[1::2, "b"] = np.nan
    refused(Table.from_frame(frame, "t"), "Every row lacks a value.*Leave out that column, or fill in")
    assert len(prepare(Table.from_frame(frame, "t"), options=PrepareOptions(missing="impute")).X) == N


def test_rows_without_any_value_go_even_when_imputing():
    frame = frame_of()
    frame.loc[5, ["a", "b", "island"]] = np.nan
    data = prepare(Table.from_frame(frame, "t"), options=PrepareOptions(missing="impute"))
    assert "Left out 1 row with no value at all (1.7 % of 60)." in data.account


def test_rows_without_target_are_left_out():
    data = prepare(holed("class"))
    assert "Left out 2 rows without a value of the target 'class'." in data.account


def test_useless_columns_are_left_out_with_a_reason():
    table = table_of(id=range(N), same=1, empty=None, day=pd.date_range("2020-01-01", periods=N), nil=[0.0] * N)
    account = " ".join(prepare(table, "class").account)
    assert "Left out the column 'id' (identifier): it counts the rows." in account
    assert "Left out 3 columns (constant): 'same', 'empty', 'nil'." in account
    assert "Left out the column 'day' (date): it holds dates." in account


def test_roles_can_be_changed():
    options = PrepareOptions(roles={"a": "leave out", "code": "category"})
    data = prepare(table_of(code=[1, 2] * (N // 2)), "class", options=options)
    assert data.feature_names == ("b", "island = y", "island = z", "code = 2")
    assert "Left out the column 'a' (leave out): as asked." in data.account
    assert hash(options) == hash(PrepareOptions(roles=(("code", "category"), ("a", "leave out"))))
    refused(table_of(), "no column 'absent'", roles={"absent": "number"})
    refused(table_of(), "'island' holds no numbers", roles={"island": "number"})
    nothing = dict.fromkeys(("a", "b", "island"), "leave out")
    refused(table_of(), "No column is left to tell 'class' from", roles=nothing)


def test_text_among_numbers_counts_as_missing():
    data = prepare(table_of(mixed=["oops", *map(str, range(N - 1))]), "class")
    account = " ".join(data.account)
    assert "1 value is no number and counts as missing (the first is 'oops' in row 1)" in account
    assert len(data.X) == N - 1


def test_infinite_values_are_named():
    values = np.zeros(N)
    values[[1, 4, 9]] = [1, np.inf, -np.inf]
    refused(table_of(c=values), r"Column 'c' holds an infinite value in row 5 \(2 in all\)", target="class")


def test_one_class():
    frame = frame_of()
    frame["class"] = "yes"
    refused(Table.from_frame(frame, "t"), "has only the class 'yes'.*two classes are needed", target="class")


def test_a_class_with_one_row_is_named_and_can_be_left_out():
    labels = ["no", "yes"] * (N // 2)
    labels[7] = "rare"
    table = table_of(**{"class": labels})
    refused(table, "The class 'rare' of the target 'class' has one row only.*Leave out such classes")
    data = prepare(table, options=PrepareOptions(min_class_rows=2))
    assert data.class_names == ("no", "yes")
    assert "Left out 1 class with fewer than 2 rows: 'rare' (1)." in data.account


def test_too_many_classes():
    labels = [f"k{i % 120}" for i in range(240)]
    table = Table.from_frame(pd.DataFrame({"a": np.linspace(0, 1, 240), "class": labels}), "t")
    refused(table, "120 classes, more than the limit of 100")
    assert len(prepare(table, options=PrepareOptions(max_classes=120)).class_names) == 120


def test_a_continuous_target_is_refused_or_binned():
    rng = np.random.default_rng(0)
    table = Table.from_frame(pd.DataFrame({"a": rng.normal(size=500), "y": rng.normal(size=500)}), "t")
    refused(table, "'y' is a number with 500 different values, not a class.*Cut it into groups")
    data = prepare(table, options=PrepareOptions(target_bins=4))
    assert list(data.class_counts.values()) == [125, 125, 125, 125]
    assert data.class_names[0].startswith("1: up to ")
    assert data.class_names[3].startswith("4: above ")
    assert any("Cut the target 'y' into 4 classes" in line for line in data.account)
    refused(table_of(), "is not a number and cannot be cut", target_bins=3)
    constant = Table.from_frame(pd.DataFrame({"a": range(9), "y": [0.5] * 9}), "t")
    refused(constant, "cannot be cut into groups", target="y", target_bins=3)


def test_integer_classes_stay_integers():
    data = prepare(table_of(**{"class": [3, 1] * (N // 2)}))
    assert data.y.dtype == np.int64
    assert data.class_names == ("1", "3")
    floats = prepare(table_of(**{"class": [3.0, np.nan, 1.0] * (N // 3)}))
    assert floats.y.dtype == np.int64
    halves = prepare(table_of(**{"class": [0.5, 1.5] * (N // 2)}))
    assert halves.class_names == ("0.5", "1.5")


def test_wrong_targets():
    refused(table_of(), "no column 'absent'. Choose the target from: 'a', 'b'", target="absent")
    numbers = Table.from_frame(pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3))), "t")
    refused(numbers, "No column looks like a target")
    refused(table_of(empty=None), "'empty' has no value in any row", target="empty")


@pytest.mark.parametrize(
    "wrong",
    [
        {"preset": "other"},
        {"missing": "guess"},
        {"roles": {"a": "thing"}},
        {"test_size": 1.0},
        {"test_size": 0.0},
        {"target_bins": 1},
        {"missing_codes": {"a": ["x"]}},
        {"missing_codes": {"a": [float("inf")]}},
        {"missing_codes": "ab"},
    ],
)
def test_wrong_options(wrong):
    with pytest.raises(DataError, match="must"):
        PrepareOptions(**wrong)


def test_a_category_with_very_many_values_is_refused(monkeypatch):
    monkeypatch.setattr("opnb.data.preparing.MAX_CELLS", 1000)
    table = table_of(code=[f"c{i}" for i in range(N)])
    refused(table, "would give .* columns", target="class", roles={"code": "category"})


def test_the_papers_preset():
    rng = np.random.default_rng(0)
    n = 4000
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["u", "v", "w"])
    frame["few"] = rng.integers(0, 4, n)
    frame["same"] = 1
    frame["class"] = np.where(np.arange(n) < 5, "rare", np.where(np.arange(n) % 3 == 0, "p", "q"))
    table = Table.from_frame(frame, "big")
    data = prepare(table, options=PrepareOptions(preset="paper"))
    assert data.class_names == ("p", "q")
    assert 2990 <= len(data.X) <= 3000
    assert data.feature_names == ("u", "v", "w", "few = 1", "few = 2", "few = 3")
    noise = data.X[:, 0] - frame["u"].to_numpy()[data.rows]
    assert noise.std() == pytest.approx(0.01 * frame["u"].std(), rel=0.1)
    account = " ".join(data.account)
    for words in (
        "sample of 3,000 of 4,000 rows",
        "fewer than 10 rows: 'rare'",
        "(constant)",
        "noise with 1 %",
    ):
        assert words in account
    again = prepare(table, options=PrepareOptions(preset="paper"))
    np.testing.assert_array_equal(data.X, again.X)


def test_paper_policy_on_arrays():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(100, 2)), rng.integers(0, 2, 100), np.ones(100)])
    y = np.repeat([0, 1, 2], [50, 45, 5])
    result = paper_policy(X, y, seed=1)
    assert result.X.shape == (95, 3)
    assert result.is_binary.tolist() == [False, False, True]
    assert sorted(set(result.y)) == [0, 1]
    assert np.abs(result.X[:, 2] - X[:95, 2]).max() < 0.05
    np.testing.assert_array_equal(result.X, paper_policy(X, y, seed=1).X)
    assert not np.array_equal(result.X, paper_policy(X, y, seed=2).X)
    with pytest.raises(DataError, match="missing values"):
        paper_policy(np.array([[1.0], [np.nan]]), [0, 1])


def test_paper_policy_reduces_many_covariates():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(350, 320)), np.arange(350) % 2
    result = paper_policy(X, y)
    assert result.X.shape == (350, 300)
    assert not result.is_binary.any()
    variances = result.X.var(axis=0)
    assert np.all(np.diff(variances) <= 1e-9)
    assert "Replaced 320 covariates by their first 300 components." in result.account


def test_from_text_to_data_with_a_trace_to_the_rows():
    lines = "\n".join(f"{i};{i % 7},5;{'ab'[i % 2]}" for i in range(40) if i != 5)
    data = prepare(read_table("id;size;group\n" + lines + "\n99;?;a\n"))
    assert data.feature_names == ("size",)
    assert data.provenance.startswith("pasted text: Text, utf-8, columns divided by semicolon, decimal comma")
    assert len(data.X) == 39
    assert data.rows.max() == 38


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(2, 40), min_size=2, max_size=8),
    share=st.floats(0.05, 0.95),
    seed=st.integers(0, 1000),
)
def test_splits_keep_proportions_and_every_class(counts, share, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    train, test = split_rows(y, share, np.random.default_rng(seed))
    assert sorted([*train, *test]) == list(range(len(y)))
    taken = np.bincount(y[test], minlength=len(counts))
    assert (np.array(counts) - taken >= 1).all()
    wanted = np.minimum(max(round(share * len(y)), 1) * np.array(counts) / len(y), np.array(counts) - 1)
    assert (np.abs(taken - wanted) < 1 + 1e-9).all()


@given(size=st.integers(1, 100), seed=st.integers(0, 100))
def test_a_stratified_sample_has_the_size_asked_for(size, seed):
    y = np.repeat([0, 1, 2], [70, 25, 5])
    rows = stratified_rows(y, size, np.random.default_rng(seed))
    assert len(rows) == len(set(rows)) == size


def test_columns_of_two_values_count_as_binary():
    data = prepare(table_of(flag=[0, 1] * (N // 2), pair=[2.5, 7.0] * (N // 2)), "class")
    assert dict(zip(data.feature_names, data.is_binary, strict=True))["flag"]
    assert dict(zip(data.feature_names, data.is_binary, strict=True))["pair"]
    assert not data.is_binary[0]


def coded():
    values = np.arange(N, dtype=float) % 13
    values[[3, 7]] = -999
    return table_of(a=values)


def test_codes_are_pointed_out_and_count_as_missing_when_asked():
    account = " ".join(prepare(coded(), "class").account)
    assert "Column 'a' holds -999 in 2 rows: if that stands for a missing value, say so" in account
    options = PrepareOptions(missing_codes={"a": [-999]}, missing="impute")
    data = prepare(coded(), "class", options=options)
    assert "Column 'a': -999 counts as missing, as asked (2 rows)." in data.account
    assert "holds -999" not in " ".join(data.account)
    assert data.X[:, 0].min() >= 0
    assert coded().frame["a"].min() == -999
    assert hash(options) == hash(PrepareOptions(missing_codes=(("a", -999.0),), missing="impute"))
    assert len(prepare(coded(), "class", options=PrepareOptions(missing_codes={"a": [-999]})).X) == N - 2
    refused(coded(), "no column 'absent', of which a code", missing_codes={"absent": [1]})


def test_codes_in_whole_numbers_text_and_the_target():
    labels = [0, 1] * (N // 2)
    labels[5] = 9
    data = prepare(table_of(**{"class": labels}), "class", options=PrepareOptions(missing_codes={"class": [9]}))
    assert data.class_names == ("0", "1")
    assert "Left out 1 row without a value of the target 'class'." in data.account
    mixed = table_of(mixed=["oops", "-9", *map(str, range(N - 2))])
    coded = prepare(mixed, "class", options=PrepareOptions(missing_codes={"mixed": [-9]}))
    assert len(coded.X) == N - 2


def remedies_of(table, target=None, **options):
    with pytest.raises(DataError) as refused:
        prepare(table, target, options=PrepareOptions(**options))
    words = str(refused.value)
    assert not any(name in words for name in ("min_class_rows", "target_bins", "missing=", "test_size"))
    return refused.value.remedies


def test_remedies_mend():
    labels = ["no", "yes"] * (N // 2)
    labels[7] = "rare"
    table = table_of(**{"class": labels})
    (remedy,) = remedies_of(table)
    assert (remedy.option, remedy.value, remedy.words) == ("min_class_rows", 2, "Leave this class out")
    assert prepare(table, options=PrepareOptions(**{remedy.option: remedy.value})).class_names == ("no", "yes")
    labels[8] = "odd"
    assert remedies_of(table_of(**{"class": labels}))[0].words == "Leave these classes out"
    rng = np.random.default_rng(0)
    numbers = Table.from_frame(pd.DataFrame({"a": rng.normal(size=500), "y": rng.normal(size=500)}), "t")
    cut, other = remedies_of(numbers)
    assert (cut.option, cut.value, cut.words) == ("target_bins", 4, "Cut into 4 groups")
    assert other.option == "target"
    assert len(prepare(numbers, options=PrepareOptions(target_bins=cut.value)).class_names) == 4


def test_remedies_for_missing_values_and_columns():
    for remedy in remedies_of(holed(), missing="error"):
        assert remedy.option == "missing"
        assert len(prepare(holed(), options=PrepareOptions(missing=remedy.value)).X) >= N - 2
    (remedy,) = remedies_of(table_of(c=[np.inf, *range(N - 1)]), "class")
    assert remedy.words == "Leave out 'c'"
    options = PrepareOptions(roles=remedy.value)
    assert "c" not in prepare(table_of(c=[np.inf, *range(N - 1)]), "class", options=options).feature_names
    assert remedies_of(table_of(), roles={"island": "number"})[0].words == "Use it as a category"
    assert remedies_of(table_of(), target_bins=3)[0].value is None


def test_the_text_columns_are_named_where_no_target_is_found():
    frame = pd.DataFrame({"a": np.linspace(0, 1, 300), "code": [f"c{i // 2}" for i in range(300)]})
    frame["name"] = [f"n{i // 3}" for i in range(300)]
    refused(Table.from_frame(frame, "t"), "Columns of text: 'code', 'name'. Choose one of")
