"""Matrices and what goes with their rows: groups, columns of different sizes, weights and costs of classes."""
