"""Beside the tests' folders, so that the helpers here (reference, problems, chains, support_table) can be imported."""
