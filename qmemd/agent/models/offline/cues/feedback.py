"""How the agent should work: rules, corrections, praise."""

from __future__ import annotations

from qmemd.agent.models.offline.cues.cue import Cue
from qmemd.agent.models.offline.cues.vocabulary import PRACTICE, VERBS

FEEDBACK: tuple[Cue, ...] = (
    Cue(5, r"^(?:please\s+)?(?:always|never)\b(?!.{0,40}\b(?:was|were)\b)"),
    Cue(2, r"\b(?:always|never)\b"),
    Cue(5, r"^(?:please\s+)?(?:do not|don't|dont|stop|quit|avoid|refrain)\b"),
    Cue(5, r"^(?:please\s+)?(?:make sure|be sure|ensure|remember to|feel free)\b"),
    Cue(3, r"\bplease\b"),
    Cue(3, r"\byou(?:r|'re|'ve|'ll|'d)?\b"),
    Cue(
        4,
        r"\b(?:the|an?) (?:ai|assistant|coding assistant|agent|bot|model|llm) "
        r"(?:should|must|may|can|is to|needs?|has to|ought|shall|never|always)",
    ),
    Cue(3, r"\b(?:assistant|claude|copilot|qwen)\b"),
    Cue(4, r"\b(?:from now on|going forward|next time|in (?:the )?future|henceforth)\b"),
    Cue(
        4,
        r"\b(?:good|right|great|nice|perfect|excellent|correct) "
        r"(?:call|choice|move|idea|job|approach|way|instinct|decision)\b",
    ),
    Cue(
        4,
        r"\b(?:(?:i |user )(?:really )?(?:liked|loved|appreciated?s?)|"
        r"keep (?:doing|suggesting|using|it up)|exactly (?:what|how|right)|worked (?:well|"
        r"great|nicely)|well done|do (?:it|that|this) again|more of (?:that|this))\b",
    ),
    Cue(
        4,
        r"\b(?:annoy(?:s|ed|ing)|bothers?|confus(?:es|ed)|frustrat\w+|dislikes? (?:it )?when|"
        r"hates? (?:it )?when|too (?:verbose|long|chatty|wordy)|was wrong to|wasn't asked)\b",
    ),
    Cue(
        4,
        r"\b(?:corrected|pushed back|complained|objected|rejected|told (?:me|us|you)|"
        r"asked (?:me|you|not|that)|reminded (?:me|you)|scolded)\b",
    ),
    Cue(
        4,
        r"\b(?:wants?|expects?|asks?|asked|would like|likes?|prefers?|needs?) "
        r"(?:me|you|the (?:ai|assistant|agent|model)|assistants?|agents?) (?:not )?to\b",
    ),
    Cue(
        5,
        r"\b(?:i|user|he|she) (?:(?:do|does)(?:n't| not) (?:want|need|like)|wants?(?! to\b)|"
        r"'d like|would like|expects?|insists?|'d rather|would rather|would prefer|approve[sd]?)\b",
    ),
    Cue(
        4.5,
        rf"\b(?:{PRACTICE})\b(?: \w+){{0,5}} "
        r"(?:should|must|need to|needs to|have to|has to|ought|shall|may not|stay|belong)\b",
    ),
    Cue(
        4,
        r"^no (?:[\w'-]+ ){0,5}[\w'-]+(?:$|[.,;:!]| (?:in|on|to|unless|without)\b)"
        r"(?!.*\b(?:is|are|was|were|has|have)\b)",
    ),
    Cue(
        4,
        r"^(?:everyone|everybody|all (?:contributors|developers|engineers|team members|"
        r"devs|of us)|contributors|developers|reviewers|we all)\b.*\b(?:must|should|needs? to|"
        r"ha(?:s|ve) to|shall|never|always|are expected)\b",
    ),
    Cue(
        3,
        r"\b(?:rule|convention|guideline|policy|house style|best practice)s?\b ?(?::|-|is\b|"
        r"that\b|for\b|here\b)",
    ),
    Cue(1.5, r"\b(?:should(?:n't)?|must(?:n't)?|ought|rather than|instead of|unless)\b"),
    Cue(
        1,
        r"\b(?:code review|reviewing|refactoring|explaining|answering|answers?|replies|"
        r"emojis?|verbose|concise|summar\w+|preamble|boilerplate|step by step|approval)\b",
    ),
    Cue(
        1.5,
        r"\b(?:without asking|ask(?:ing)? (?:me|first|before)|before (?:you|commit|push|"
        r"edit|chang|writ|mak|start|propos|suggest|delet|install)\w*)\b",
    ),
    Cue(
        6,
        r"\b(?:user|i|he|she) "
        r"(?:(?:has|have|had|was|is|were|am|also|explicitly|again|once|then) )*"
        r"(?:said to|said not to|said that (?:i|you|the (?:agent|assistant|ai))|told|"
        r"asked (?:me|you|"
        r"us|the (?:agent|assistant|ai)|for (?:fewer|less|more|short)|that|not to)|complained|"
        r"requested|corrected|unhappy|"
        r"annoyed|frustrated|upset|irritated|pleased|happy (?:that|when|"
        r"with (?:the|how|your))|glad|grateful|pushed back|insist(?:s|ed)|approved|praised|"
        r"appreciates?d?|liked (?:that|how|when|the way|it when)|disliked|rejected|confirmed that|"
        r"validated|reverted|undid|does(?:n't| not) want (?:you|me|the (?:agent|assistant))|"
        r"wants (?:you|me|the (?:agent|assistant|ai)|every|all|no))\b",
    ),
    Cue(
        3,
        r"(?:[.;:,!?]|\s[-—–]) (?:so |and |but |please )*(?:don't|do not|never|always|stop|avoid|"  # noqa: RUF001 - dashes are meant
        r"keep doing|just|no need to)\b",
    ),
    Cue(4, r"^(?:less|more|fewer|shorter|longer|smaller)\b(?!.*\bthan\b)"),
    Cue(4, r"^(?:nobody|no one|no-one)\b.*\b(?:may|should|must|can|is allowed|ever)\b"),
    Cue(
        6,
        rf"^(?:every|each|all|any) (?:new |open |single )?(?:{PRACTICE})\b.*\b(?:needs?|must|"
        r"requires?|ha(?:s|ve) to|gets?|should|shall|goes|go)\b",
    ),
    Cue(3, r"^(?:here )?we (?:always|never)\b"),
    Cue(
        3,
        r"\b(?:is|are) (?:fine|ok|okay|acceptable|welcome|not welcome|preferred|forbidden|"
        r"banned|not allowed|off-limits|overkill|discouraged)\b",
    ),
    Cue(
        3,
        r"\b(?:it was|that was|this was) (?:right|good|correct|wrong|helpful|great|useful|"
        r"annoying|unnecessary|overkill|exactly|perfect|too)\b",
    ),
    Cue(
        4.5,
        r"\b(?:in|on|for|across) (?:this|our|the) (?:project|repo|repository|codebase|monorepo|"
        r"team)\b.*\b(?:must|should|always|never|needs? to|ha(?:s|ve) to|don't|no)\b",
    ),
    Cue(
        5,
        r"^(?:everyone|everybody|nobody|no one|the (?:whole )?team|we|we all)\b.*\b(?:agreed|"
        r"agree|should|must|edits?|commits?|pushes|merges?|touches|expects?)\b.*(?::|,|;|\bthat|"
        r"\bhere\b|\bwithout\b|\bby hand\b|\bto (?:always|never|not)\b)",
    ),
    Cue(3, r"[:;,] no (?:new |more )?\w+"),
    Cue(
        4,
        r"^(?:every|each|all|any) new \w+ (?:needs?|must|requires?|ha(?:s|ve) to|should|gets?)\b",
    ),
    Cue(
        2,
        r"\b(?:in the same (?:pr|commit|pull request)|not mocks?|reviewers? (?:will|won't|"
        r"expect)|by hand|got burned|burned us|bit us|nitpicks?)\b",
    ),
    Cue(
        6,
        r"\buser (?:also |again |once |explicitly )?(?:asked|asks|requested|requests|told|"
        r"corrected|instructed|reminded)\b",
    ),
    Cue(3, rf"[,;:] (?:{VERBS}) (?:them|it|me|this|these|that)\b"),
    Cue(3, r"\bfirst(?:,| and)? then\b|\bfirst$|\bat a time\b|\buntil i\b|\bwhere possible\b"),
    Cue(
        3,
        rf"^(?:{PRACTICE}) (?:in|only|first|without|before|after|with|over|that|larger|longer|"
        r"go|belong|as|never|always|for)\b",
    ),
)
