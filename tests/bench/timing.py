"""Timing in turn, and tables on the terminal."""

import time
from collections.abc import Callable


def in_turn(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """Least time of each function, called in turn so that a slow spell of the machine hits all of them."""
    least = [float("inf")] * len(functions)
    for function in functions:
        function()
    for _ in range(repeats):
        for number, function in enumerate(functions):
            started = time.perf_counter()
            function()
            least[number] = min(least[number], time.perf_counter() - started)
    return least


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def row(*cells: object) -> None:
    print("  ".join(f"{cell:<44}" if number == 0 else f"{cell:>14}" for number, cell in enumerate(cells)), flush=True)
