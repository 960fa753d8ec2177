"""What in a text speaks for one type of memory: patterns with weights.

Rows describe kinds of words and shapes of sentences; the weights of those that match add up.
"""

from __future__ import annotations

from qmemd.agent.models.offline.cues.cue import Cue
from qmemd.agent.models.offline.cues.feedback import FEEDBACK
from qmemd.agent.models.offline.cues.foreign import FOREIGN
from qmemd.agent.models.offline.cues.project import PROJECT
from qmemd.agent.models.offline.cues.reference import REFERENCE
from qmemd.agent.models.offline.cues.user import USER
from qmemd.kinds import Topic

__all__ = ["CUES", "Cue"]

CUES: tuple[tuple[Topic, Cue], ...] = (
    *((Topic.FEEDBACK, cue) for cue in FEEDBACK),
    *((Topic.USER, cue) for cue in USER),
    *((Topic.REFERENCE, cue) for cue in REFERENCE),
    *((Topic.PROJECT, cue) for cue in PROJECT),
    *FOREIGN,
)
