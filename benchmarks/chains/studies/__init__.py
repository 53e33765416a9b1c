"""Comparisons that chose a default, or that a page quotes."""
