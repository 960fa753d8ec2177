from __future__ import annotations

import subprocess
import sys


def test_the_stemmer_is_loaded_only_to_forget() -> None:
    code = (
        "import sys; from qmemd.agent.models.offline import OfflineModel; m = OfflineModel();"
        "from tests.agent.runs import make_run; run = make_run();"
        "print('snowballstemmer' in sys.modules); m.choose('tea', (), run);"
        "print('snowballstemmer' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.split() == ["False", "True"]
