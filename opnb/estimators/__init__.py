"""The scikit-learn estimators, the search they share, and files of fitted models."""
