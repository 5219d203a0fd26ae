"""The mathematics: kernel sums, objective, penalties, initial projections and the optimiser."""
