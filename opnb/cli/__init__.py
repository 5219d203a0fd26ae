"""The command line."""

from opnb.cli.commands import main

__all__ = ["main"]
