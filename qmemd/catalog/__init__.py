"""The memory as people look at it: its entries, found by words, with who changed them last."""

from qmemd.catalog.catalog import Catalog
from qmemd.catalog.records import EntryFilter

__all__ = ["Catalog", "EntryFilter"]
