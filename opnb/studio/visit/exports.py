"""What can be taken away from a fit, as bytes: tables, the model, the figure and the link."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from opnb.data.writing import csv_bytes
from opnb.estimators.model_files import model_to_bytes
from opnb.studio.visit.links import to_query

if TYPE_CHECKING:
    from opnb.studio.visit.results import FitResult
    from opnb.studio.visit.settings import PictureSpec


def predictions(result: FitResult) -> bytes:
    """Write every row with its true class, its predicted class and the probability of each class, as CSV."""
    projected = result.projected
    names = np.array(projected.class_names, dtype=object)
    frame = _rows(result).assign(predicted=names[projected.predicted])
    posteriors = pd.DataFrame(np.exp(projected.log_posterior), columns=[f"P({name})" for name in projected.class_names])
    return csv_bytes(pd.concat([frame, posteriors], axis=1))


def projections(result: FitResult) -> bytes:
    """Write every row with its position on every direction, as CSV."""
    positions = pd.DataFrame(result.projected.Z, columns=_directions(result))
    return csv_bytes(pd.concat([_rows(result), positions], axis=1))


def loadings(result: FitResult) -> bytes:
    """Write the slopes of all directions (weights, where they are straight) with centre and scale of each feature."""
    classifier = result.classifier
    described = pd.DataFrame(
        {"feature": result.dataset.feature_names, "mean": classifier.mean_, "scale": classifier.scale_}
    )
    weights = pd.DataFrame(classifier.slopes_.T, columns=_directions(result))
    return csv_bytes(pd.concat([described, weights], axis=1))


def model_file(result: FitResult) -> bytes:
    """Write the model in its own format, with how to prepare a table for it: numbers and text only."""
    recipe = result.dataset.recipe
    # A copy, because a page may be reading the classifier's attributes while this runs in the background.
    written = copy.copy(result.classifier)
    written.recipe_ = None if recipe is None else recipe.to_dict()
    written.novelty_ = result.novelty.scores
    return model_to_bytes(written)


def link(result: FitResult, picture: PictureSpec, address: str | None) -> str:
    """Write the address that brings the fit and its picture back."""
    base = (address or "").split("?")[0].rstrip("/")
    return f"{base}/?{urlencode(to_query(result.spec, picture))}"


def _rows(result: FitResult) -> pd.DataFrame:
    projected = result.projected
    names = np.array(projected.class_names, dtype=object)
    return pd.DataFrame(
        {
            "row": projected.rows,
            "part": np.where(projected.is_test, "held out", "training"),
            "class": names[projected.labels],
        }
    )


def _directions(result: FitResult) -> list[str]:
    return [f"XV{number + 1}" for number in range(result.n_directions)]
