"""What all benchmarks share: jobs in fresh interpreters, tables, pages of the documentation."""
