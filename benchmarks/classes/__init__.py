"""Crammer-Singer training beside LIBLINEAR."""
