"""The command line: ``maxmargin train``, ``predict``, ``evaluate``, ``demo``."""

from maxmargin.cli.app import main

__all__ = ["main"]
