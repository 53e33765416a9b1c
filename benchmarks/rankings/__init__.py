"""Rankings of queries."""
