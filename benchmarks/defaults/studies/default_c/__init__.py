"""How the default C was chosen."""
