"""The Tune page, view by view."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from opnb.studio.tune.studies import path_work, penalty_specs, playback_work, start_groups, start_specs
from opnb.studio.visit.settings import default_spec
from opnb.studio.work.jobs import Job
from opnb.studio.work.studies import Stopped, report
from opnb.views.path import followed


def tuned(page, view):
    page.go("Tune")
    if view != "Smoothness":
        page.segment("What to try", view)
    return page.waited()


def buttons(page, words):
    return [button for button in page.at.button if words in button.label]


def test_the_path_shows_errors_and_a_movie_and_fits_a_choice(visit):
    page = tuned(visit(), "Smoothness")
    errors, movie = page.figures()
    assert {"one fold", "mean of the folds ± standard error"} <= {trace.get("name") for trace in errors["data"]}
    assert len(movie["frames"]) == 10
    assert len(movie["layout"]["sliders"][0]["steps"]) == 10
    before = page.state.result
    choice = page.state.studies.outcomes[next(iter(page.state.studies.outcomes))].errors.choice
    buttons(page, "one-standard-error")[0].click()
    page.run()
    page.waited()
    assert page.state.result.spec.lam == choice.lam
    assert before in page.state.fits
    assert len(page.state.studies.outcomes) == 1, "the path is the same for every lambda"
    assert buttons(page, "one-standard-error")[0].disabled


@pytest.mark.parametrize("lowest", [0, 4, 9])
def test_the_page_says_when_the_least_error_is_at_the_end_of_what_was_tried(visit, lowest):
    page = tuned(visit(), "Smoothness")
    errors = page.state.studies.outcomes[next(iter(page.state.studies.outcomes))].errors
    errors.fold_errors[:] = 0.3
    errors.fold_errors[lowest] = 0.1
    object.__setattr__(errors.choice, "best_index", lowest)
    page.run()
    said = [caption.value for caption in page.at.caption if "values tried and the best" in caption.value]
    assert [text.partition(" values tried")[0].rpartition(" the ")[2] for text in said] == {
        0: ["smallest of 10"],
        4: [],
        9: ["largest of 10"],
    }[lowest]


@pytest.mark.parametrize(("view", "count"), [("Penalties", 3), ("Likelihoods", 2)])
def test_variants_are_side_by_side_and_one_click_adopts_one(visit, view, count):
    page = tuned(visit(), view)
    assert sum(name.startswith("xaxis") for name in page.figures()[0]["layout"]) == count
    assert len(buttons(page, "Adopt")) == count - 1
    buttons(page, "Adopt")[0].click()
    page.run()
    assert len(page.state.fits) == 2
    assert page.state.result is page.state.fits[-1]
    assert len(buttons(page, "Adopt")) == count - 1


def test_one_direction_has_its_variants_too(visit):
    page = tuned(visit(directions="1"), "Likelihoods")
    assert len(page.figures()) == 2
    assert len(tuned(page, "Playback").figures()[0]["frames"]) > 2


@pytest.mark.slow
def test_starts_are_a_gallery_best_first_and_can_be_adopted(visit):
    page = tuned(visit(directions="3"), "Starts")
    count = len(start_specs(default_spec()))
    groups = len(page.figures())
    assert 1 <= groups <= count
    shown = [float(text.value.split("**")[1]) for text in page.at.markdown if text.value.startswith("Objective")]
    assert shown == sorted(shown, reverse=True)
    assert "Angles to the best: 0°, 0°, 0°" in page.words
    button = next(button for button in page.at.button if "random start" in button.label)
    seed = int(button.label.split()[-1])
    button.click()
    page.run()
    spec = page.state.result.spec
    assert (spec.init, spec.n_init, spec.seed) == ("random", 1, seed)
    assert page.state.fits[-1] is page.state.result
    assert len(page.figures()) == groups, "the gallery stays"


def test_directions_are_added_one_by_one(visit):
    page = tuned(visit(), "Directions")
    figure = page.figures()[0]
    assert {"training", "held out", "training, left out"} == {trace["name"] for trace in figure["data"]}
    page.find("selectbox", "Directions").set_value(3)
    page.run()
    page.press("Fit so many")
    page.waited()
    assert page.state.result.spec.n_components == 3


@pytest.mark.slow
def test_shuffled_labels_stand_beside_the_true_ones(visit):
    page = tuned(visit(), "Shuffled labels")
    assert "in 0 of 20 trials" in page.words
    headings = " ".join(note["text"] for note in page.figures()[0]["layout"]["annotations"])
    assert "True labels" in headings
    assert "Shuffled labels" in headings


def test_playback_ends_at_the_fit(visit):
    page = tuned(visit(), "Playback")
    result = page.state.result
    movie = playback_work(result, Job(lambda job: None))
    order = [int(np.flatnonzero(result.projected.rows == row)[0]) for row in movie.rows]
    np.testing.assert_allclose(movie.x[-1], result.projected.Z[order, 0], atol=1e-3)
    np.testing.assert_allclose(movie.y[-1], result.projected.Z[order, 1], atol=1e-3)
    assert movie.names[-1] == str(result.classifier.n_iter_)
    assert len(page.figures()[0]["frames"]) == len(movie.names)


def test_a_view_that_is_not_open_computes_nothing(visit):
    page = tuned(visit(), "Playback")
    page.segment("What to try", "Playback")
    assert [key[0] for key in page.state.studies.outcomes if key[0] not in ("playback", "path")] == []


def test_a_path_can_be_stopped(visit):
    page = visit()
    job = Job(lambda job: path_work(page.state.result, job))
    job.cancel()
    with pytest.raises(Stopped):
        path_work(page.state.result, job)


def test_a_long_study_can_be_cancelled_from_the_page(visit, monkeypatch):
    never = threading.Event()

    def slow(result, job):
        while not never.wait(0.01):
            report(job, 0.5, "Counting grains")

    monkeypatch.setattr("opnb.studio.tune.page.path_work", slow)
    page = visit().go("Tune")
    page.find("button", "Cancel").click()
    page.run()
    assert "You stopped this" in page.words


def test_without_a_fit_the_page_says_where_to_make_one(visit):
    page = visit()
    page.state.result = None
    page.go("Tune")
    assert "no fit to tune yet" in page.words


def test_solutions_of_a_path_stay_close_to_their_neighbours():
    rng = np.random.default_rng(0)
    first = np.linalg.qr(rng.normal(size=(6, 3)))[0]
    nearly = first + 1e-3 * rng.normal(size=first.shape)
    solutions = [nearly[:, [2, 0, 1]] * [1, -1, 1], first, -nearly[:, ::-1]]
    turned = followed(solutions, 1)
    assert turned[1] is first
    for V in turned:
        np.testing.assert_allclose(V, first, atol=0.01)


def test_the_same_solution_from_several_starts_is_shown_once_turned_like_the_best():
    rng = np.random.default_rng(0)
    best, other = (np.linalg.qr(rng.normal(size=(6, 2)))[0].T for _ in range(2))
    found = [(best, 1.0), (-best[::-1], 1.0 - 1e-5), (other, 0.8), (best, 0.5)]
    fits = [
        SimpleNamespace(number=number, classifier=SimpleNamespace(components_=components, objective_=objective))
        for number, (components, objective) in enumerate(found)
    ]
    groups = start_groups(fits[::-1])
    assert [[fit.number for fit in group.fits] for group in groups] == [[0, 1], [2], [3]]
    assert groups[0].angle_words == "0°, 0°"
    match = groups[2].alignment  # the best itself
    np.testing.assert_array_equal(match.order, [0, 1])
    np.testing.assert_array_equal(match.signs, [1.0, 1.0])


def test_the_variants_differ_in_one_setting():
    specs = penalty_specs(default_spec())
    assert len(set(specs)) == 3
    assert default_spec() in specs
