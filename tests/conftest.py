"""One profile for all property tests: every run tries the same examples, however slow the machine is."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
