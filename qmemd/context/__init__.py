"""Context files: what people themselves write for their agents, ``QWEN.md`` and ``AGENTS.md``."""

from qmemd.context.files import ContextFiles
from qmemd.context.records import FileContent, Listing, Written

__all__ = ["ContextFiles", "FileContent", "Listing", "Written"]
