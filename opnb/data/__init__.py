"""Tables in, data for a classifier out: reading, preparing, examples, benchmarks and simulators.

pandas, pyarrow, scikit-learn and pmlb are imported only when a function needs them, so importing this
package is quick.
"""

from opnb.data.benchmarks import PmlbEntry, load_pmlb, pmlb_catalogue, pmlb_names, pmlb_table
from opnb.data.dataset import Dataset
from opnb.data.examples import example_names, example_table, load_example
from opnb.data.feature_columns import FeatureColumn, feature_columns
from opnb.data.limits import Limits
from opnb.data.options import PrepareOptions
from opnb.data.policy import PolicyResult, paper_policy
from opnb.data.preparing import prepare
from opnb.data.reading import first_lines, read_table
from opnb.data.recipe import Applied, AppliedRows, Recipe
from opnb.data.roles import ROLES, Column, Proposal, propose
from opnb.data.simulators import (
    SIMULATORS,
    bayes_error,
    simulate,
    simulated_table,
    simulator_names,
    true_log_densities,
)
from opnb.data.table import ReadSettings, Table

__all__ = [
    "ROLES",
    "SIMULATORS",
    "Applied",
    "AppliedRows",
    "Column",
    "Dataset",
    "FeatureColumn",
    "Limits",
    "PmlbEntry",
    "PolicyResult",
    "PrepareOptions",
    "Proposal",
    "ReadSettings",
    "Recipe",
    "Table",
    "bayes_error",
    "example_names",
    "example_table",
    "feature_columns",
    "first_lines",
    "load_example",
    "load_pmlb",
    "paper_policy",
    "pmlb_catalogue",
    "pmlb_names",
    "pmlb_table",
    "prepare",
    "propose",
    "read_table",
    "simulate",
    "simulated_table",
    "simulator_names",
    "true_log_densities",
]
