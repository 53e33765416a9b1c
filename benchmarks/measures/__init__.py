"""Measures of whole samples."""
