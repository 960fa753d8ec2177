"""Words of seven languages by what they tell: ``KINDS``; ``_`` in a word stands for a blank.

A word may be of several kinds. Which kinds speak for which type is in ``weights``, not here.
"""

from __future__ import annotations

from qmemd.agent.models.offline.cues.lexicon.grammar import GRAMMAR
from qmemd.agent.models.offline.cues.lexicon.people import PEOPLE
from qmemd.agent.models.offline.cues.lexicon.places import PLACES
from qmemd.agent.models.offline.cues.lexicon.projects import PROJECTS
from qmemd.agent.models.offline.cues.lexicon.speakers import SPEAKERS
from qmemd.agent.models.offline.cues.lexicon.unspaced import UNSPACED
from qmemd.agent.models.offline.cues.lexicon.wishes import WISHES
from qmemd.agent.models.offline.cues.lexicon.work import WORK

__all__ = ["KINDS", "UNSPACED"]

KINDS = SPEAKERS | WISHES | WORK | GRAMMAR | PEOPLE | PLACES | PROJECTS
