"""The picture as a tour, without a browser: what is sent to it, and what its buttons make."""

import json

from opnb.studio.visit.settings import PictureSpec
from tests.studio.conftest import Visit

PLANE = ((0.5, 0.0, 2.0, 1.0), (0.0, 1.0, 0.0, -1.5))


def toured(**query):
    return Visit(**{"data": "example:iris", "iterations": "10", "as": "tour", **query})


def sent(page, name):
    return [one.proto.bytes for one in page.at.get("bidi_component") if one.proto.component_name == name]


def test_the_points_are_sent_apart_and_the_chart_is_that_of_the_plane():
    page = toured(plane="0.5,0,2,1;0,1,0,-1.5")
    (points,), (shown,) = sent(page, "opnb_tour_points"), sent(page, "opnb_tour")
    look, _, figure = shown.split(b"\n")
    assert json.loads(look)["id"].encode() == points.split(b"\n", 1)[0]
    assert json.loads(look)["axes"] == [list(axis) for axis in PLANE]
    assert "turned by hand" in json.loads(figure)["layout"]["title"]["text"]
    assert page.state.picture == PictureSpec(mode="tour", plane=PLANE)
    page.press("Keep as a fit")
    assert page.state.result.spec.start == PLANE
    assert page.state.result.spec.init == "fixed"
    assert page.find("selectbox", "Start from").value == "fixed"
    assert page.state.picture == PictureSpec(mode="tour")
    assert len(page.state.fits) == 2


def test_ways_are_searched_for_in_the_queue_and_added():
    page = toured()
    box = next(box for box in page.at.selectbox if box.label == "Another way")
    box.set_value("the steps of the search")
    page.run()
    (points,) = sent(page, "opnb_tour_points")
    assert b"Steps of the search" in points
    (shown,) = sent(page, "opnb_tour")
    assert json.loads(shown.split(b"\n")[0])["way"] == "Steps of the search"
