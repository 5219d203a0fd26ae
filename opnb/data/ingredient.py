"""What a recipe knows of one column."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Ingredient:
    """One column of the table: a number, or a category with its levels, the first without a column.

    `fill` stands for a missing value when values are imputed: the median, or the most frequent level. `codes` are
    numbers that count as missing.
    """

    name: str
    fill: float | str
    levels: tuple[str, ...] = ()
    codes: tuple[float, ...] = ()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the covariates it gives: one, or one for each level but the first."""
        return tuple(f"{self.name} = {level}" for level in self.levels[1:]) or (self.name,)
