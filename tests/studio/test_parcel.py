"""Work on its way: what was sent comes back as itself, and what is new has a number of its own."""

import pickle
from functools import partial

from opnb.studio.tune.studies import fits_work
from opnb.studio.work.fitting import FitProgress, fit_work
from opnb.studio.work.parcel import filled, numbered, parcel_of
from tests.workspace.samples import fit


def sent(thing):
    """Send something as Dask does."""
    return pickle.loads(pickle.dumps(thing))


def test_what_was_sent_comes_back_as_itself():
    result = fit()
    work = partial(partial, partial(fits_work, (result.spec,), result))
    parcel = parcel_of(work)
    assert parcel.kept == [result, result.table, result.dataset]
    arrived = sent(parcel)
    held = arrived.kept
    assert arrived.work.args[0].args[1] is held[0] is not result
    new = sent(fit())
    new.__dict__.update(table=held[1], dataset=held[2])
    outcome = sent(numbered((held[0], new, "words"), held))
    again, made, words = filled(outcome, parcel.kept)
    assert again is result
    assert made.table is result.table
    assert made.dataset is result.dataset
    assert made.key == new.key
    assert words == "words"


def test_data_that_were_made_on_the_way_come_back_as_they_are():
    result = fit()
    other = sent(result.dataset)
    found = sent(fit())
    found.__dict__["dataset"] = other
    back = filled(sent(numbered(found, [result.dataset])), [result.dataset])
    assert back.dataset is not result.dataset
    assert len(back.dataset.y) == len(other.y)


def test_the_data_of_a_fit_are_sent_once():
    result = fit()
    parcel = parcel_of(partial(fit_work, result.spec, result.table, result.dataset))
    assert parcel.kept == [result.table, result.dataset]


def test_a_result_of_another_process_has_a_number_of_its_own():
    first = fit()
    copy = sent(first)
    assert copy.id > first.id
    assert copy.key == first.key
    assert copy.measures[0].errors == first.measures[0].errors


class Meanwhile:
    """Something in a result that is sent while a page makes more of that result."""

    def __init__(self, result):
        self.result = result

    def __reduce__(self):
        self.result.class_scores  # made when first asked for
        return str, ()


def test_a_result_is_sent_while_a_page_asks_it_for_more():
    result = fit()
    result.__dict__["novelty"] = Meanwhile(result)
    assert sent(result).key == result.key


def test_progress_keeps_its_ages_on_a_machine_with_another_clock():
    there, here = [1_000.0], [7.0]
    progress = FitProgress(None, None, clock=Clock(there))
    for number in range(4):
        there[0] += 2.0
        progress.note(0, float(number))
    there[0] += 5.0
    Clock.at_home = here
    try:
        copy = sent(progress)
    finally:
        Clock.at_home = None
    assert (copy.began, copy.latest) == (7.0 - 11.0, 7.0 - 5.0)
    assert copy.objectives == progress.objectives


class Clock:
    """A clock that is another one where it arrives."""

    at_home = None

    def __init__(self, now):
        self.now = now

    def __call__(self):
        return self.now[0]

    def __reduce__(self):
        return Clock._arrived, ()

    @classmethod
    def _arrived(cls):
        return cls(cls.at_home)
