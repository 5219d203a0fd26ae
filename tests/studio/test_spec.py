"""Settings as values, as links and as programs."""

import runpy
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opnb.data import SIMULATORS, PrepareOptions, propose
from opnb.errors import OPNBError
from opnb.studio.visit.links import from_query, to_query
from opnb.studio.visit.settings import CHOICES, FitSpec, PictureSpec, default_spec, differences
from opnb.studio.visit.snippet import python_snippet
from opnb.studio.visit.sources import DataSpec, Source, bundled_names, fetch_table, prepared, settled
from opnb.studio.work.fitting import fit_work
from opnb.studio.work.jobs import Job

NAMES = st.text(min_size=1, max_size=20)
SOURCES = st.one_of(
    st.builds(Source, st.just("example"), st.sampled_from(bundled_names())),
    st.builds(
        Source,
        st.just("simulator"),
        st.sampled_from(list(SIMULATORS)),
        st.dictionaries(st.sampled_from(["n", "seed", "angle"]), st.floats(0, 1e6)).map(
            lambda values: tuple(sorted(values.items()))
        ),
    ),
    st.builds(Source, st.just("pmlb"), st.from_regex(r"[a-zA-Z_][\w.]{0,20}", fullmatch=True).filter(str.isascii)),
    st.builds(
        Source,
        st.just("upload"),
        NAMES,
        reading=st.just((("delimiter", ";"), ("header", True))),
        content=st.just("0123456789ab"),
    ),
)
OPTIONS = st.builds(
    PrepareOptions,
    preset=st.sampled_from(["as is", "paper"]),
    missing=st.sampled_from(["drop", "impute", "error"]),
    roles=st.dictionaries(NAMES, st.sampled_from(["number", "leave out"]), max_size=3),
    min_class_rows=st.integers(1, 100),
    target_bins=st.none() | st.integers(2, 100),
    test_size=st.none() | st.floats(0.01, 0.99),
    seed=st.integers(0, 2**31 - 1),
)
WEIGHTS = st.floats(-1e6, 1e6).map(lambda weight: float(f"{weight:.5g}"))
AXES = st.none() | st.integers(1, 4).flatmap(
    lambda p: st.tuples(*[st.lists(WEIGHTS, min_size=p, max_size=p).map(tuple)] * 2)
)
SPECS = st.builds(
    FitSpec,
    st.builds(DataSpec, SOURCES, st.none() | NAMES, OPTIONS),
    n_components=st.none() | st.integers(1, 100),
    lam=st.floats(1e-8, 1e3),
    penalty=st.sampled_from(CHOICES["penalty"]),
    init=st.sampled_from(CHOICES["init"]),
    n_init=st.integers(1, 100),
    combine=st.sampled_from(CHOICES["combine"]),
    likelihood=st.sampled_from(CHOICES["likelihood"]),
    n_bins=st.sampled_from(["auto", None, 10, 5_000]),
    scale=st.booleans(),
    max_iter=st.integers(1, 2_000),
    tol=st.floats(1e-10, 1e-1),
    seed=st.integers(0, 2**31 - 1),
    start=AXES,
)
VIEWS = st.builds(
    PictureSpec,
    directions=st.lists(st.integers(0, 99), min_size=2, max_size=2, unique=True).map(tuple),
    boundary=st.sampled_from(CHOICES["boundary"]),
    extent=st.sampled_from(CHOICES["extent"]),
    margins=st.sampled_from(CHOICES["margins"]),
    focus=st.lists(NAMES, max_size=3).map(tuple),
    mode=st.sampled_from(CHOICES["mode"]),
    plane=AXES,
)


@pytest.mark.slow
@given(SPECS, VIEWS)
@settings(max_examples=150, deadline=None)
def test_a_link_brings_back_the_fit_and_the_view(spec, view):
    link = from_query(to_query(spec, view))
    assert link.problems == ()
    assert link.spec == spec
    assert link.picture == view
    assert hash(link.spec) == hash(spec)


@pytest.mark.slow
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "data",
                "sim",
                "roles",
                "target",
                "lam",
                "directions",
                "bins",
                "show",
                "focus",
                "split",
                "held-out",
                "start",
                "plane",
                "as",
                "x",
            ]
        ),
        st.text(max_size=60)
        | st.sampled_from(
            [
                "example:../../etc",
                "simulator:rotated",
                "1e999",
                "-1",
                "[[[[",
                '{"n": 1e9}',
                "NaN",
                "9" * 9_000,
                "[" * 5_000,
            ]
        ),
    )
)
@settings(max_examples=300, deadline=None)
def test_a_hostile_link_gives_sentences_and_usable_settings(query):
    link = from_query(query)
    assert isinstance(link.spec, FitSpec)
    assert all(sentence.endswith(".") or "…" in sentence for sentence in link.problems)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"data": "example:nothing"}, "not here"),
        ({"data": "pmlb:../../etc/passwd"}, "cannot be right"),
        ({"lam": "1e9"}, "from 1e-08 to 1000"),
        ({"lam": "0x10"}, "no number"),
        ({"seed": "1.5"}, "no whole number"),
        ({"split": "-4"}, "from 0"),
        ({"penalty": "ridge"}, "none of frobenius"),
        ({"show": "2,2"}, "two different directions"),
        ({"roles": '{"a": "emperor"}'}, "expected form"),
        ({"target": "x" * 10_000}, "longer than"),
        ({"unknown": "1"}, "means nothing"),
    ],
)
def test_every_bad_part_of_a_link_has_its_sentence(query, words):
    link = from_query(query)
    assert len(link.problems) == 1
    assert words in link.problems[0]
    assert link.spec.lam == (default_spec() if "data" in query else FitSpec(default_spec().data)).lam


@pytest.mark.parametrize(
    "bad",
    [
        {"lam": 0.0},
        {"lam": float("nan")},
        {"n_components": 0},
        {"n_components": True},
        {"penalty": "x"},
        {"n_bins": 3},
        {"max_iter": 10**9},
        {"seed": -1},
        {"scale": "yes"},
        {"init": None},
    ],
)
def test_settings_are_checked_on_the_server(bad):
    with pytest.raises(OPNBError):
        FitSpec(default_spec().data, **bad)


def test_differences_are_in_words():
    first = default_spec("iris")
    second = FitSpec(DataSpec(Source("example", "wine"), "class"), lam=0.01, init="random", n_init=5, n_components=None)
    assert differences(first, first) == []
    assert ("data", "iris", "wine") in differences(first, second)
    assert ("smoothness λ", "0.002", "0.01") in differences(first, second)
    assert ("start", "principal components", "random") in differences(first, second)
    assert ("directions", "2", "all, 20 at the most") in differences(first, second)


def test_codes_for_missing_values_are_a_difference():
    first = default_spec()
    options = replace(first.data.options, missing_codes={"ash": [-999.0, 99.0]})
    second = replace(first, data=replace(first.data, options=options))
    assert differences(first, second) == [("codes for missing values", "none", "ash: -999, 99")]


def test_labels_name_what_is_unusual():
    assert default_spec("iris").label() == "iris, 2 directions, λ = 0.002"
    unusual = FitSpec(
        default_spec("iris").data,
        n_components=1,
        init="random",
        n_init=3,
        likelihood="leave-one-out",
        priors="uniform",
        decision_priors=(0.2, 0.3, 0.5),
    )
    assert unusual.label() == (
        "iris, 1 direction, λ = 0.001, size of the directions, 3 random starts, leave one out, independence 0, "
        "classes count equally, classes balanced"
    )


def test_what_was_added_later_is_absent_from_old_links_and_written_where_the_app_sets_it():
    old = from_query({"data": "example:iris"}).spec
    assert (old.independence, old.priors, old.scale, old.bend) == (0.0, "shares", True, None), "the paper's method"
    query = to_query(default_spec("iris"), PictureSpec())
    assert float(query["independence"]) == default_spec().independence > 0
    assert (old.decision_priors, old.sharpness) == (None, 1.0)
    new = replace(
        old,
        independence=0.3,
        priors="uniform",
        scale="robust",
        bend=0.3,
        decision_priors=(0.125, 0.375, 0.5),
        sharpness=0.625,
    )
    assert from_query(to_query(new, PictureSpec())).spec == new
    bad = from_query({"data": "example:iris", "independence": "-1", "scale": "wide", "balance": "0.5,0.6"})
    assert len(bad.problems) == 3
    assert "sum to one" in bad.problems[-1]
    assert from_query({"data": "example:iris", "sharpness": "0"}).problems


@pytest.mark.parametrize(
    ("view", "m", "shown"),
    [
        (PictureSpec(), 1, (0,)),
        (PictureSpec(), 2, (0, 1)),
        (PictureSpec((5, 7)), 2, (0, 1)),
        (PictureSpec((3, 1)), 4, (3, 1)),
        (PictureSpec((1, 9)), 3, (1, 0)),
    ],
)
def test_a_view_fits_any_model(view, m, shown):
    assert view.fitting(m) == shown


def reached(spec):
    table = fetch_table(spec.data.source)
    job = Job(lambda job: fit_work(spec, table, prepared(table, spec.data), job))
    job.run()
    assert not job.error
    return job.result


@pytest.mark.parametrize(
    "spec",
    [
        default_spec("iris"),
        FitSpec(
            DataSpec(
                Source("example", "penguins"),
                options=PrepareOptions(missing="impute", roles={"year": "leave out"}, seed=3, test_size=None),
            ),
            n_components=3,
            penalty="pooled",
            init="random",
            n_init=2,
            likelihood="leave-one-out",
            independence=0.1,
            priors="uniform",
            max_iter=400,
            seed=7,
        ),
        FitSpec(
            DataSpec(Source("simulator", "rotated", (("angle", 0.5), ("n", 200), ("seed", 4)))),
            lam=0.01,
            scale="robust",
        ),
    ],
    ids=["iris", "penguins", "rotated"],
)
def test_the_snippet_runs_and_gives_the_same_objective(spec, tmp_path, capsys):
    spec = replace(spec, data=settled(spec.data, propose(fetch_table(spec.data.source))))
    program = tmp_path / "fit.py"
    program.write_text(python_snippet(spec), encoding="utf-8")
    runpy.run_path(str(program), run_name="__main__")
    objective = float(capsys.readouterr().out.splitlines()[0].split(":")[1])
    assert objective == pytest.approx(reached(spec).classifier.objective_, rel=1e-12)


def test_a_hostile_name_stays_a_string_in_the_snippet():
    name = 'a"\'\n__import__("os").system("x")'
    code = python_snippet(FitSpec(DataSpec(Source("upload", name), name)))
    compile(code, "snippet", "exec")
    assert [line for line in code.splitlines() if line.startswith("__import__")] == []
