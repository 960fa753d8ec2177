"""``python -m qmemd.agent``: the child that keeps the memory, driven over stdin and stdout."""

from __future__ import annotations

import sys

from qmemd.agent.main import main

sys.exit(main(sys.argv[1:]))
