"""Numbers of a daemon for Prometheus: counted in plain Python, put into words when asked for."""

from qmemd.metrics.metrics import Metrics

__all__ = ["Metrics"]
