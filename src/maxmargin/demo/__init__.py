"""What ``make demo`` shows."""

from maxmargin.demo.app import run_demo

__all__ = ["run_demo"]
