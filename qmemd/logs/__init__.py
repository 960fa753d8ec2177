"""How log records look, for whoever sets up logging: the command line, or a host program."""

from qmemd.logs.formats import JsonFormatter, TextFormatter

__all__ = ["JsonFormatter", "TextFormatter"]
