"""How much the reader accepts, in one frozen object that an app can configure."""

from __future__ import annotations

from dataclasses import dataclass, fields

from opnb.errors import DataError, ReadingError


@dataclass(frozen=True)
class Limits:
    """Bounds checked before and while a table is read.

    Parameters
    ----------
    max_bytes : int
        Size of the file as given.
    max_uncompressed : int
        Size after unpacking (gzip, the parts of an Excel file, Parquet's own compression).
    max_rows, max_columns, max_cells : int
        Shape of the table. A Parquet file of a few kilobytes can declare thousands of millions of cells,
        hence the bound on their product.
    max_excel_cells : int
        Cells of a workbook, empty ones included: parsing them takes a hundred times as long as text.
    min_columns : int
        Two by default, for a target and something to tell it from; 1 when only covariates are wanted.
    """

    max_bytes: int = 50 * 2**20
    max_uncompressed: int = 400 * 2**20
    max_rows: int = 2_000_000
    max_columns: int = 5_000
    max_cells: int = 30_000_000
    min_columns: int = 2
    max_excel_cells: int = 3_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 1:
                raise ValueError(f"Limits: {field.name} must be at least 1, not {getattr(self, field.name)}.")

    def check_bytes(self, size: int) -> None:
        """Raise `DataError` for a file that is too large."""
        if size > self.max_bytes:
            raise DataError(
                f"The file has {megabytes(size)}, more than the limit of {megabytes(self.max_bytes)}. "
                "Keep fewer rows or columns, or use a sample."
            )

    def check_unpacked(self, size: int, what: str, *, known: bool = False) -> None:
        """Raise `DataError` when something unpacks to more than is allowed; `size` may be where unpacking ended."""
        if size > self.max_uncompressed:
            full = f"{megabytes(size)}, " if known else ""
            raise DataError(
                f"{what} unpacks to {full}more than the limit of {megabytes(self.max_uncompressed)}. "
                "It was not opened; save a smaller table."
            )

    def check_excel(self, cells: int) -> None:
        """Raise `DataError` for a workbook of more cells than can be parsed in reasonable time."""
        if cells > self.max_excel_cells:
            raise DataError(
                f"The Excel file has {cells:,} cells or more, and the limit for Excel is {self.max_excel_cells:,}. "
                f"Save the sheet as CSV or Parquet, of which up to {self.max_cells:,} cells are read."
            )

    def check_columns(self, count: int) -> None:
        """Raise `DataError` for too many or too few columns."""
        if count > self.max_columns:
            raise DataError(
                f"The table has {count:,} columns, more than the limit of {self.max_columns:,}. "
                "Leave out columns, or reduce them first (for instance to principal components)."
            )
        if count < self.min_columns:
            raise ReadingError(
                f"The table has {'one column' if count == 1 else f'{count} columns'}, but at least "
                f"{self.min_columns} are needed: the target and something to tell it from. If the columns "
                "are separated by an unusual character, choose the delimiter.",
                change="delimiter",
            )

    def check_shape(self, rows: int, columns: int) -> None:
        """Raise `DataError` for a table outside the limits."""
        self.check_columns(columns)
        if rows > self.max_rows:
            raise DataError(
                f"The table has {rows:,} rows, more than the limit of {self.max_rows:,}. Use a sample of the rows."
            )
        if rows * columns > self.max_cells:
            raise DataError(
                f"The table has {rows:,} rows and {columns:,} columns, together {rows * columns:,} cells, "
                f"more than the limit of {self.max_cells:,}. Use a sample of the rows or fewer columns."
            )


def megabytes(size: int) -> str:
    """Write a size for a reader, e.g. '50 MB'."""
    return f"{size / 2**20:.3g} MB" if size >= 2**20 else f"{size / 2**10:.3g} kB"
