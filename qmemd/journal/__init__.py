"""Where tasks survive: the interface and its implementations."""

from qmemd.journal.fingerprints import fingerprint
from qmemd.journal.in_memory import InMemoryJournal
from qmemd.journal.interface import (
    Accepted,
    Capacity,
    Claim,
    ClaimLostError,
    IdempotencyKey,
    Journal,
    Retention,
)

__all__ = [
    "Accepted",
    "Capacity",
    "Claim",
    "ClaimLostError",
    "IdempotencyKey",
    "InMemoryJournal",
    "Journal",
    "Retention",
    "fingerprint",
]
