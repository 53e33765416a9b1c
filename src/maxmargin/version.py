"""The version of the installed distribution."""

from importlib.metadata import version

__version__ = version("maxmargin")
