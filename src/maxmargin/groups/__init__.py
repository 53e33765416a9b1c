"""Losses of whole groups of rows, which measures and rankings have in common."""
