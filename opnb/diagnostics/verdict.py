"""Whether a change made things better, or whether chance alone does as much.

Two fits are compared on the same rows: of those on which they differ, some became right and some wrong. Were the fits
equally good, each such row would fall to either side with equal chance (the sign test; McNemar's, for two classifiers).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import binom

LEVEL = 0.05


@dataclass(frozen=True)
class Verdict:
    """How two fits compare, row by row.

    Attributes
    ----------
    better, worse : int
        Rows that were wrong and are right now, and the reverse.
    """

    better: int
    worse: int

    @property
    def p_value(self) -> float:
        """How often chance alone divides the rows as unevenly, to either side."""
        return float(min(1.0, 2 * binom.cdf(min(self.better, self.worse), self.better + self.worse, 0.5)))

    @property
    def lead(self) -> float:
        """Rows gained, in standard deviations of chance; negative when more were lost."""
        return (self.better - self.worse) / np.sqrt(max(self.better + self.worse, 1))

    @property
    def kind(self) -> Literal["better", "worse", "noise", "same"]:
        """What can be said."""
        if self.better == self.worse == 0:
            return "same"
        if self.p_value > LEVEL:
            return "noise"
        return "better" if self.better > self.worse else "worse"

    def __str__(self) -> str:
        if self.kind == "same":
            return "No row became right or wrong."
        rows = f"{self.better:,} {'row' if self.better == 1 else 'rows'} better, {self.worse:,} worse: "
        share = 100 * self.p_value
        chance = "less than 0.1 %" if share < 0.1 else f"{share:.1f} %" if share < 10 else f"{share:.0f} %"
        if self.kind == "noise":
            return rows + f"that is noise (chance alone does as much in {chance} of cases)."
        return rows + f"that is clearly {self.kind} (chance alone does as much in {chance} of cases)."
