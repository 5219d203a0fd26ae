"""Optimal projections for naive Bayes."""
