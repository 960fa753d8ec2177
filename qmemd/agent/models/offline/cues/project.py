"""What is so in this project: facts, decisions, dates, incidents."""

from __future__ import annotations

from qmemd.agent.models.offline.cues.cue import Cue
from qmemd.agent.models.offline.cues.vocabulary import SYSTEM

PROJECT: tuple[Cue, ...] = (
    Cue(1.5, r""),
    Cue(
        2.5,
        r"\bwe(?:'re|'ve|'ll)? (?:are|have|had|use|decided|chose|picked|agreed|moved|"
        r"migrated|switched|dropped|plan|will|ship|shipped|deploy|support|keep|kept|run|"
        r"build|store|don't|do not|can't|cannot|no longer|only|rely|lost|found|"
        r"settled|adopted|replaced|removed|deprecated|rolled|target|expect|want|need)\b",
    ),
    Cue(1, r"\b(?:we|our|ours|us|the team|the project)\b"),
    Cue(
        2,
        r"\b(?:january|february|april|june|july|august|september|october|november|"
        r"december|q[1-4]|(?:20\d\d)-\d\d(?:-\d\d)?|deadline|freeze|frozen|milestone|sprint|"
        r"launch(?:es|ed)?|go-live|due|by the end of|end of (?:the )?(?:month|year|quarter)|"
        r"next (?:week|month|quarter|year|release)|release|planned|scheduled|postponed|"
        r"blocked|on hold|ongoing|in progress|phase|rollout|cutover)\b",
    ),
    Cue(
        1.5,
        r"\b(?:outages?|incidents?|caused|broke|broken|fail(?:s|ed|ing)|bugs?|regressions?|"
        r"crash(?:es|ed)?|leaks?|flaky|deprecated|legacy|because|compliance|gdpr|legal|"
        r"root cause|workaround|known issue|vulnerability|customers?|stakeholders?)\b",
    ),
    Cue(1.5, rf"\b(?:{SYSTEM})\b"),
    Cue(1, rf"\b(?:{SYSTEM})\b.*\b(?:{SYSTEM})\b"),
    Cue(
        2,
        rf"^(?:the |our |all |each |every |an? )?(?:[\w./'-]+ ){{0,3}}(?:{SYSTEM})\b"
        r"(?: \w+){0,3} (?:is|are|was|were|has|have|uses?|runs?|needs?|requires?|talks?|"
        r"lives?|takes?|fails?|listens?|must|can|cannot|will|expires?|depends?|writes?|reads?|"
        r"sends?|returns?|calls?|stores?|goes|does|do|supports?|gets?|handles?|starts?)\b",
    ),
    Cue(
        2,
        r"\b(?:decided|decision|chose|chosen|migrat(?:ed|ing|ion|e)|switched|moved|replaced|"
        r"was introduced|were introduced|was removed|rewritten|rewrite|refactored|"
        r"in favou?r of|adopted|sunset)\b",
    ),
    Cue(
        1.5,
        r"\b(?:written in|built (?:with|on|by)|depends on|talks to|expires?|requires|listens|"
        r"runs? on|is deployed|are deployed|is generated|are generated|powered by|"
        r"supports?|consists? of|stored in|implemented|version \d|v\d|port \d)\b",
    ),
    Cue(
        1.5,
        r"^(?!(?:the )?user\b|i\b|he\b|she\b|my\b)[\w./'-]+(?: [\w./'()-]+){0,5} "
        r"(?:is|are|was|were|has|have|will|uses|runs|needs|requires)\b",
    ),
    Cue(
        1.5,
        r"\b(?:max(?:imum)?|min(?:imum)?|limit(?:ed)?|timeouts?|retention|quota|budget|"
        r"\d+ ?(?:ms|kb|mb|gb|tb|days?|minutes|hours|seconds|percent|requests|rows|%)|"
        r"(?:is|are) (?:only |still |also )?used (?:for|by|as|in|to)|being (?:rewritten|"
        r"replaced|migrated|redesigned|rebuilt|deprecated|phased out|split)|"
        r"owns the|must remain|shipp?(?:s|ing|ed)|enforced by|pinned)\b",
    ),
    Cue(
        1,
        r"\b(?:postgres(?:ql)?|redis|kafka|docker|kubernetes|k8s|nginx|aws|gcp|azure|s3|"
        r"terraform|react|vue|angular|svelte|django|flask|fastapi|rails|spring|graphql|grpc|"
        r"rabbitmq|mysql|mongodb|elasticsearch|sqlite|webpack|vite|celery|helm|ansible|"
        r"lambda|cloudflare|stripe|oauth|jwt|websockets?|protobuf|openapi|prisma|tailwind)\b",
    ),
    Cue(1.5, r"^(?:the|our) [\w-]+(?: [\w-]+)? (?:must|has to|needs to|cannot|will)\b"),
)
