"""Programs that stand in for the other end of a pipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def child_command(**script: Any) -> tuple[str, ...]:
    """The command line of a fake ACP child with this script; see child.py."""
    program = Path(__file__).with_name("child.py")
    return (sys.executable, "-I", "-S", str(program), json.dumps(script, default=str))
