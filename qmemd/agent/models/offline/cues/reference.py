"""Where something is found, and whom to ask."""

from __future__ import annotations

from qmemd.agent.models.offline.cues.cue import Cue
from qmemd.agent.models.offline.cues.vocabulary import FIND, RESOURCE, TOOL

REFERENCE: tuple[Cue, ...] = (
    Cue(5, r"\b(?:https?|ssh|ftp)://|\bwww\.\w"),
    Cue(2.5, rf"\b(?:{RESOURCE})\b"),
    Cue(1, rf"\b(?:{TOOL})\b"),
    Cue(3, rf"(?=.*\b(?:{RESOURCE})\b)(?=.*{FIND})"),
    Cue(
        3,
        rf"^(?:the |our )?(?:[\w-]+ )?(?:{RESOURCE})\b(?: \w+){{0,2}}"
        r"(?: (?:for|of|with|about)\b|:)",
    ),
    Cue(
        4,
        r"\b[a-z][\w-]*(?:\.[\w-]+)*\.(?:com|net|org|io|dev|cn|de|fr|es|jp|internal|corp|"
        r"local|app|ai)\b(?:/|\s|$|[.,;])",
    ),
    Cue(2, r"\b(?:downloaded?|fetched|available|exported) (?:from|at|in|on)\b"),
    Cue(
        6.5,
        r"(?=.*(?:\bmy\b|\bi keep\b|\buser's\b|\bpersonal\b))(?=.*\b(?:notes?|dotfiles|bookmarks|"
        r"reading list|cheat ?sheets?|snippets|blog|scratch ?pad|journal|configs?|repos?|"
        r"to-?do list|wiki|calendar|board|dashboard|docs?|gists?|vault|templates?)\b)"
        rf"(?=.*(?:{FIND}|https?://|~/|\.(?:com|org|net|io|dev)/))",
    ),
    Cue(
        3,
        r"\b(?:can be found|where to find|is found|are found|find (?:it|them) (?:in|at|on)|"
        r"lives? (?:in|at|on|under) (?:the )?\w+ ?(?:wiki|drive|folder|space|vault|page)|"
        r"look(?:ed)? up|refer to|source of truth|full list|canonical|reachable at)\b",
    ),
    Cue(
        7,
        rf"^(?:see|check|consult|refer to|look (?:in|at|up)|go to|visit|find|search|"
        rf"open|file|report|post|watch|join|start with|(?:use|read) the)\b.*(?:\b(?:{RESOURCE})\b|https?://|"
        r"(?<!\w)#[a-z]|\.(?:md|rst|pdf|adoc|docx?|xlsx)\b)",
    ),
    Cue(3.5, r"(?<![\w&/])#[a-z][\w-]+"),
    Cue(
        9,
        r"^(?:ask|contact|ping|reach out to|talk to|message|e?-?mail|speak (?:to|with)|dm|"
        r"call|go to)\s+(?!me\b|first\b|before\b|for\b|whether\b|questions?\b|if\b|about\b|"
        r"permission\b|when\b|the user\b|it\b|out\b)[^.]*?\b(?:about|for|with|when|if|on|"
        r"regarding|before|to|who)\b",
    ),
    Cue(
        4,
        r"\b(?:questions? (?:about|on|regarding|for)|point of contact|contact (?:person|is)|"
        r"go-?to (?:person|contact)|(?:is|are) the (?:person|people|one|expert|contact|owner)"
        r"s? (?:to ask|for|of|on|to)|(?:the )?(?:person|people|one) to (?:ask|ping|contact)|"
        r"knows? (?:the )?(?:most|best)|reach (?:him|her|them)|subject matter expert|"
        r"escalat\w+ (?:go|to)|whoever is on call|who to ask|for help with)\b",
    ),
    Cue(2, r"(?<!\w)[\w./~-]*\w\.(?:md|rst|pdf|adoc|docx?|xlsx|pptx)\b"),
    Cue(2, r"(?:^|\s)(?:~|\.)?/[\w.-]+/[\w./-]+"),
    Cue(1, FIND),
    Cue(
        2,
        r"\b(?:reference (?:for|implementation|manual)|authoritative|rfc \d+|w3c|"
        r"further reading|background reading|cheat sheet|lookup|overview of)\b",
    ),
    Cue(2, r"\b(?:handled|triaged|shown|visible|tracked|filed|planned|triaged|collected) in\b"),
    Cue(
        3,
        r"\bis (?:where|the place)\b|\bwhere (?:to|you|we|they|all|the)\b.*\b(?:find|live|"
        r"posted?|announced?|kept|tracked?|discuss\w*)\b",
    ),
    Cue(
        6,
        r"\b(?:you|we|one|they) (?:can|will|could|may) (?:find|look up|get|see|read|download)\b",
    ),
    Cue(2, rf"\b(?:in|on|under|via|at|from|into) (?:the |our )?(?:[\w-]+ )?(?:{RESOURCE})\b"),
    Cue(
        3,
        r"\b(?:docs?|documents?|rfcs?|adrs?|pages?|guides?|posts?|threads?|tickets?|videos?|"
        r"recordings?|books?|articles?|talks?|papers?|chapters?|sections?|files?) "
        r"(?:that|which|where)? ?(?:explains?|describes?|documents?|lists?|covers?|defines?|"
        r"shows?|walks? through|tracks?|says)\b|[,;.(] ?see (?:the|also)?\b",
    ),
    Cue(
        5,
        r"\b(?:questions?|requests?|issues|reports?|complaints|feedback|inquiries|problems|"
        r"bugs|tickets|escalations|emergencies) (?:[\w-]+ ){0,5}(?:go|goes|belong|are sent|"
        r"get sent|are handled|are tracked|are filed|are reported) (?:to|in|by|on|at|under|as)\b",
    ),
    Cue(3, r"\b[\w.+-]+@[\w-]+\.[a-z]+"),
    Cue(
        4,
        r"\b(?:upstream|tracking|github|gitlab|jira|linear) (?:issue|ticket|bug|pr|thread|epic)"
        r"|\b(?:issue|ticket|epic|pull request|number) #?\d{2,}\b",
    ),
    Cue(
        3,
        r"\b(?:has|holds|contains|gives|keeps|lists) (?:all )?(?:the|our|a) (?:full )?"
        r"(?:reasoning|details|background|list|steps|instructions|history|rationale|context|"
        r"overview|numbers|explanation|procedure)\b",
    ),
)
