"""One workspace: its actors, its files, and what keeps them in order between tasks."""

from qmemd.workspace.workspace import Workspace

__all__ = ["Workspace"]
