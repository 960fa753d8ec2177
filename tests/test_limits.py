"""The figures of the document are those of the code, and none is missing."""

from __future__ import annotations

import ast
import importlib
import re
from datetime import timedelta
from pathlib import Path

import pytest

import qmemd

PACKAGE = Path(qmemd.__file__).parent
TEXT = (PACKAGE.parent / "docs" / "limits.md").read_text()
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \| `([\w.]+)` \|$", TEXT, flags=re.MULTILINE)
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "": 1}
NOT_OF_AMOUNT = {"http.origins.MAX_AGE"}
"""What a browser may do, not what the daemon holds."""


def constants() -> set[str]:
    """Public bounds: what is called a maximum, and is a number or a span of time."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if name.startswith("MAX_"):
                    found.add(f"{module}.{name}")
    return found


def figures(bound: str) -> set[float]:
    """Every amount that the cell names."""
    found = re.findall(r"([0-9][0-9,]*)(?: (KiB|MiB)\b)?", bound)
    return {float(number.replace(",", "")) * UNITS[unit] for number, unit in found}


@pytest.mark.parametrize(("what", "bound", "where"), ROWS)
def test_a_figure_is_that_of_the_code(what: str, bound: str, where: str) -> None:
    module, _, name = where.rpartition(".")
    value = getattr(importlib.import_module(f"qmemd.{module}"), name)
    if isinstance(value, timedelta):
        value = value.days
    assert value in figures(bound), what


def test_no_bound_is_missing() -> None:
    assert constants() - {where for _, _, where in ROWS} == NOT_OF_AMOUNT
