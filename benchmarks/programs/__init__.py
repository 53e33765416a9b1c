"""Dynamic programs."""
