"""Kinds of English words that the cues are made of, as parts of patterns."""

from __future__ import annotations

VERBS = (
    "add|address|aim|annotate|answer|apply|ask|assert|assume|attach|avoid|batch|be|begin|bring|"
    "build|bump|call|change|check|choose|cite|clean|close|come|comment|commit|compare|confirm|"
    "consider|copy|cover|create|cut|declare|default|delete|describe|deploy|disable|do|document|"
    "double-check|draft|drop|edit|enable|end|ensure|exclude|explain|extract|favou?r|find|finish|"
    "fix|flag|focus|fold|follow|format|generate|get|give|go|group|guess|handle|hold|ignore|"
    "implement|import|include|inline|insert|install|introduce|justify|keep|leave|let|limit|link|"
    "list|log|look|make|mark|match|mention|merge|minimi[sz]e|mock|modify|move|name|note|offer|"
    "omit|open|order|outline|paste|pick|pin|place|point|post|prefer|prefix|present|print|propose|"
    "provide|push|put|quit|quote|raise|read|rebase|recommend|refactor|refer|reformat|refrain|remember|"
    "remind|remove|rename|reply|report|resist|respect|respond|restrict|return|reuse|review|"
    "rewrite|run|save|search|send|separate|set|show|simplify|skip|sort|speak|split|squash|stage|"
    "start|state|stay|stick|stop|store|structure|suggest|summari[sz]e|switch|tag|take|talk|tell|"
    "test|think|touch|track|treat|trim|try|turn|update|use|verify|wait|warn|watch|work|wrap|write"
)
"""Verbs that open an order. Some are nouns too; ``classify`` looks at what follows."""

NOUN_VERBS = (
    "address|answer|batch|build|bump|call|change|check|comment|commit|copy|cover|cut|default|"
    "deploy|document|draft|drop|edit|end|finish|fix|flag|focus|format|group|guess|handle|hold|import|"
    "insert|link|list|log|look|mark|match|merge|mock|move|name|note|offer|order|outline|paste|"
    "pick|pin|place|point|post|prefix|present|print|push|quote|report|return|review|run|search|"
    "set|show|sort|split|stage|start|state|stick|stop|store|structure|switch|tag|talk|test|touch|"
    "track|trim|try|turn|update|use|wait|watch|work|wrap"
)
"""Those that are nouns too."""

TOOL = (
    r"confluence|notion|jira|linear|trello|asana|youtrack|bugzilla|sharepoint|"
    r"google (?:drive|docs?|sheets?)|figma|miro|sentry|grafana|kibana|datadog|splunk|pagerduty|"
    r"opsgenie|statuspage|slack|discord|mattermost|zulip|ms teams|1password|bitwarden|looker|"
    r"metabase|tableau|artifactory|airtable|zendesk|basecamp|dropbox|loom|honeycomb|new relic"
)
"""Products that people look things up in."""

RESOURCE = (
    rf"{TOOL}|dashboards?|run ?books?|playbooks?|wiki|shared (?:drive|folder)|spreadsheet|"
    r"status page|mailing list|channel|password manager|"
    r"documentation|docs|design docs?|handbook|manual|style ?guide|specs?|specification|"
    r"rfcs?|adrs?|post-?mortems?|diagrams?|kanban|boards?|issue tracker|bug tracker|tracker|"
    r"bookmarks?|tutorial|cheat ?sheet|changelog|glossary|faq|onboarding (?:guide|page)|"
    r"intranet|portal|registry|mockups?|roadmap|calendar|reading list|wiki page|"
    r"backlog|newsletter|knowledge base|readme|white ?paper|paper|arxiv|blog post|article|"
    r"release notes|recordings?|meeting notes"
)
"""What people look things up in; also the products."""

SYSTEM = (
    r"apis?|services?|microservices?|servers?|endpoints?|databases?|db|backend|front-?end|queues?|"
    r"cache|tables?|schema|deploys?|deployed|deployments?|clusters?|pipelines?|ci|builds?|"
    r"migrations?|modules?|packages?|monorepo|ports?|middleware|workers?|cron|jobs?|tokens?|"
    r"environments?|staging|production|webhooks?|containers?|images?|app|application|repo|"
    r"repository|codebase|client|sdk|cli|gateway|login|auth|library|branch|tests?|suite|rate limit"
)
"""Parts of software and of its delivery."""

PRACTICE = (
    r"commits?(?: messages?)?|pull requests?|prs?|comments?|docstrings?|answers?|explanations?|"
    r"responses?|repl(?:y|ies)|summaries|code examples?|examples?|snippets?|functions?|"
    r"variable names?|names|branch(?:es| names?)|reviews?|tests?|error messages?|code|diffs?|"
    r"suggestions?|refactor(?:ing)?s?|plans?|log messages?|headings?|titles?|imports?|"
    r"type hints?|changes|files"
)
"""What rules about work are rules about."""

FIND = (
    r"(?:is|are|lives?|sits?|kept|stored|found|located|documented|tracked|published|posted|listed|"
    r"hosted|available|archived|recorded|described|explained|maintained|collected|linked|filed|"
    r"reported|go(?:es)?|announced|written up|saved|managed|discussed|logged|defined|belongs?)"
    r"(?:\s+\w+)?\s+(?:in|at|on|under|via|to|into)\b"
)
"""Says that something is somewhere: "is kept in", "lives at"."""
