"""Measured figures: `make bench`, or `make bench BENCH="objective path"` for some of them.

Times are ratios within one run, serial, of minima over repeats taken in turn: these survive a noisy machine.
Nothing here passes or fails; the tests do that.
"""
