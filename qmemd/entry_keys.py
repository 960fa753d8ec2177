"""How the API names a memory entry: its id, such as ``user:user/tabs.md``, fit for a URL."""

from __future__ import annotations

import base64
import binascii


def entry_key(entry_id: str) -> str:
    """The name in URLs. Half a surrogate pair makes one that names nothing."""
    return base64.urlsafe_b64encode(entry_id.encode(errors="surrogatepass")).decode().rstrip("=")


def entry_id_of(key: str) -> str | None:
    """The entry's own id; None when the key is none."""
    try:
        padded = key + "=" * (-len(key) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        return None
