"""From a result and its settings to a figure and its description, with nothing of Streamlit in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from opnb.diagnostics import Finding
from opnb.figures import (
    comparison_figure,
    draw_marks,
    draw_projection,
    draw_strip,
    importance_figure,
    path_figure,
)
from opnb.figures.new_rows import add_new_rows
from opnb.reports.fit_report import fit_report
from opnb.studio.visit.arrivals import ModelFile
from opnb.studio.visit.results import FitResult
from opnb.studio.visit.settings import WORDS, FitSpec, PictureSpec, in_words
from opnb.studio.visit.snippet import python_snippet
from opnb.studio.visit.tours import on_plane, plane_of, turned_view
from opnb.views import (
    ColumnImportance,
    Marks,
    PathErrors,
    ProjectionView,
    StripView,
    describe_projection,
    joint_ranges,
    projection_view,
    strip_view,
)
from opnb.views.bare import bare_projected
from opnb.views.new_rows import NewRows
from opnb.views.orienting import mirrored, mirrored_ranges, turns_of

Computed = ProjectionView | StripView
_PATH_HEADING = "Cross-validated error against smoothness"
_PLANE_HEADING = "Axes turned by hand"
_COLUMNS_HEADING = "Rise of the error when a column is shuffled"


def compute(result: FitResult, picture: PictureSpec, ranges: Any = None) -> Computed:
    """Compute what the picture of a result shows: two directions, or the only one."""
    chosen: dict[str, Any] = {"extent": picture.extent, "weighting": picture.margins, "projected": result.projected}
    plane = plane_of(result, picture)
    if plane is not None:
        return turned_view(result, plane, ranges=ranges, **chosen)
    if result.n_directions == 1:
        return strip_view(result.classifier, **chosen)
    first, second = picture.fitting(result.n_directions)
    return projection_view(
        result.classifier, directions=(first, second), boundary=picture.boundary, ranges=ranges, **chosen
    )


def compute_model(file: ModelFile, picture: PictureSpec) -> Computed:
    """Compute the picture of a model file, which has no rows to show."""
    projected = bare_projected(file.classifier, file.recipe.feature_names)
    if len(file.classifier.components_) == 1:
        return strip_view(file.classifier, projected=projected)
    first, second = picture.fitting(len(file.classifier.components_))
    return projection_view(file.classifier, directions=(first, second), projected=projected)


def draw(computed: Computed, **drawing: Any) -> Any:
    """Draw what was computed."""
    return draw_strip(computed, **drawing) if isinstance(computed, StripView) else draw_projection(computed, **drawing)


def with_new_rows(figure: Any, computed: Computed, new: Sequence[NewRows], **drawing: Any) -> Any:
    """Draw new rows onto a picture; gives the same."""
    for rows in new:
        add_new_rows(figure, computed, rows, **drawing)
    return figure


def with_new_rows_of(
    figure: Any, result: FitResult, picture: PictureSpec, computed: Computed, new: Sequence[NewRows], **drawing: Any
) -> Any:
    """Draw new rows onto the picture of a result, whose axes may have been turned by hand; gives the same."""
    if isinstance(computed, ProjectionView):
        new = [on_plane(result, picture, computed, rows) for rows in new]
    return with_new_rows(figure, computed, new, **drawing)


def picture_of(result: FitResult, picture: PictureSpec, **drawing: Any) -> Any:
    """Compute and draw in one."""
    return draw(compute(result, picture), focus=focus_of(result, picture), **drawing)


def describe(computed: Computed) -> str:
    """Say in sentences what the picture shows."""
    if isinstance(computed, ProjectionView):
        return describe_projection(computed)
    errors = f"Training error {computed.train}" + (f", held-out error {computed.test}" if computed.test else "")
    heaviest = ", ".join(name for name, _ in computed.margin.axis.heaviest[:3])
    return f"The classes along the only direction, in which {heaviest} weigh most. {errors}."


def focus_of(result: FitResult, picture: PictureSpec) -> list[int] | None:
    """Give the numbers of the classes that a picture wants in colour; None for the usual ones."""
    names = result.projected.class_names
    return [names.index(name) for name in picture.focus if name in names] or None


def side_by_side(
    results: tuple[FitResult, FitResult], titles: tuple[str, str], picture: PictureSpec, **drawing: Any
) -> list[Any]:
    """Draw two results: in one figure on the same axes where their classes agree, else in a figure each."""
    picture = replace(picture, plane=None)  # each on its own directions
    computed = [compute(result, picture) for result in results]
    planes = [one for one in computed if isinstance(one, ProjectionView)]
    if len(planes) < 2 or planes[0].class_names != planes[1].class_names:
        return [draw(one, title=title, **drawing) for one, title in zip(computed, titles, strict=True)]
    turns = [turns_of(plane, planes[0]) for plane in planes]
    ranges = joint_ranges([mirrored(plane, turn) for plane, turn in zip(planes, turns, strict=True)])
    again = [
        compute(result, picture, mirrored_ranges(ranges, turn)) for result, turn in zip(results, turns, strict=True)
    ]
    planes = [mirrored(one, turn) for one, turn in zip(again, turns, strict=True) if isinstance(one, ProjectionView)]
    return [comparison_figure(planes, titles, focus=focus_of(results[0], picture), **drawing)]


def picture_with_marks(result: FitResult, marks: Marks, **drawing: Any) -> Any:
    """Draw the picture of a result with a finding marked in it, all points shown."""
    spec = PictureSpec(directions=marks.directions)
    computed = compute(result, spec)
    assert isinstance(computed, ProjectionView)  # marks need two directions
    return draw_marks(computed, marks, result.projected, **drawing)


def pair_of_pictures(
    results: tuple[FitResult, FitResult],
    titles: tuple[str, str],
    picture: PictureSpec,
    same_axes: bool,
    **drawing: Any,
) -> list[Any]:
    """Draw two results whole, a figure each, on the same axes if both are planes and it is wanted."""
    computed = [compute(result, picture) for result in results]
    planes = [one for one in computed if isinstance(one, ProjectionView)]
    if same_axes and len(planes) == 2:
        computed = [compute(result, picture, joint_ranges(planes)) for result in results]
    return [
        draw(one, title=title, focus=focus_of(result, picture), **drawing)
        for one, title, result in zip(computed, titles, results, strict=True)
    ]


def report(
    result: FitResult,
    title: str,
    findings: Sequence[Finding] = (),
    path: PathErrors | None = None,
    columns: ColumnImportance | None = None,
    picture: PictureSpec | None = None,
) -> str:
    """Write the report of a result, with what a diagnosis, the path of lambda, shuffled columns and a tour told."""
    figures = [] if path is None else [(_PATH_HEADING, "", path_figure(path, result.spec.lam))]
    figures += [] if columns is None else [(_COLUMNS_HEADING, "", importance_figure(columns))]
    if picture is not None and plane_of(result, picture) is not None:
        computed = compute(result, picture)
        figures.append((_PLANE_HEADING, describe(computed), draw(computed, focus=focus_of(result, picture))))
    dataset = result.dataset
    return fit_report(
        result.classifier,
        dataset.X_train,
        dataset.y_train,
        dataset.X_test if len(dataset.test) else None,
        dataset.y_test if len(dataset.test) else None,
        title=title,
        subtitle=dataset.description,
        class_names=dataset.class_names,
        feature_names=dataset.feature_names,
        settings=_settings(result.spec),
        account=(*dataset.account, *result.notes, dataset.provenance),
        snippet=python_snippet(result.spec),
        findings=findings,
        more_figures=figures,
    )


def _settings(spec: FitSpec) -> dict[str, str]:
    names = [field.name for field in fields(FitSpec) if field.name != "data"]
    return {WORDS[name]: in_words(name, getattr(spec, name)) for name in names}
