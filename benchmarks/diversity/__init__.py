"""Rankings that cover much."""
