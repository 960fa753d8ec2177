"""The shapes of credentials, as regular expressions: each kind as its issuer writes it.

Nothing is guessed from how random a text looks. A named group is the part that is secret; without
one it is the whole match. Lookbehinds keep a pattern from starting over at each letter of a long
word, and every repetition has a bound or cannot be entered twice.
"""

from __future__ import annotations

_START = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"

_ASSIGNED = r"[\"']?[ \t]{0,3}(?:=>|:=|[:=])[ \t]{0,3}[\"'`]?"
# What stands for a value: <password>, $TOKEN, {{ x }}, ***, a path, a look-up.
_NO_PLACEHOLDER = r"(?![<$\{%*/~(\[]|\.{1,3}/|[xX]{3}|os\.|process\.|env[.\[])"
_ALPHANUMERIC = r"(?=[^\s\"'`,;]{0,80}[0-9])(?=[^\s\"'`,;]{0,80}[A-Za-z])"
# How passwords are kept or asked for, which is no password.
_NO_METHOD = (
    r"(?!(?i:sha-?[0-9]{1,3}|md5|s?crypt|bcrypt|argon2(?:id?)?|pbkdf2|base64|utf-?8|oauth2?|"
    r"[0-9]fa|mfa|min|max)(?:[^A-Za-z0-9]|$))"
)
# A name made of words and short numbers, such as my-tls-cert-2024 or secrets.prod.v-2.
_NO_NAME = (
    r"(?!(?:[A-Za-z]{1,40}|[0-9]{1,4})(?:[-_./](?:[A-Za-z]{1,40}|[0-9]{1,4})){1,20}"
    r"(?![\w+/=.-]))"
)
_MIXED_RUN = r"(?=[A-Za-z0-9_-]{0,80}?(?=[A-Za-z]{0,15}[0-9])[A-Za-z0-9]{16})"

SHAPES: tuple[tuple[str, str], ...] = (
    ("private key", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?s:.*?)(?:-----END [^\n]*|\Z)"),
    ("private key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("GitHub token", r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}"),
    ("GitLab token", r"(?<![\w-])gl(?:pat|dt|rt|ptt|oas|cbt|ft)-[A-Za-z0-9_-]{20,255}"),
    ("AWS access key", rf"{_START}(?:AKIA|ASIA)[A-Z0-9]{{16}}{_END}"),
    ("API key", rf"(?<![\w-])(?:(?:sk|xai|pplx)-|(?:gsk|r8)_){_MIXED_RUN}[A-Za-z0-9_-]{{20,}}"),
    ("Slack token", rf"{_START}xox[abeoprs]-[A-Za-z0-9-]{{10,255}}"),
    ("Slack token", rf"{_START}xapp-[0-9]-[A-Za-z0-9-]{{20,255}}"),
    ("Slack webhook", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,255}"),
    (
        "Discord webhook",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/(?P<hook>[A-Za-z0-9_-]{60,80})",
    ),
    ("Google API key", rf"{_START}AIza[A-Za-z0-9_-]{{35}}"),
    ("Google token", rf"{_START}ya29\.[A-Za-z0-9_-]{{20,}}|{_START}GOCSPX-[A-Za-z0-9_-]{{28}}"),
    ("Stripe key", rf"{_START}[rs]k_(?:live|test)_[A-Za-z0-9]{{16,255}}"),
    ("Stripe key", rf"{_START}whsec_[A-Za-z0-9+/=]{{32,255}}"),
    ("npm token", rf"{_START}npm_[A-Za-z0-9]{{36}}"),
    ("PyPI token", rf"{_START}pypi-[A-Za-z0-9_-]{{50,}}"),
    ("Hugging Face token", r"(?<!\w)hf_[A-Za-z0-9]{30,255}"),
    ("SendGrid key", rf"{_START}SG\.[A-Za-z0-9_-]{{16,64}}\.[A-Za-z0-9_-]{{16,128}}"),
    ("DigitalOcean token", rf"{_START}do[opr]_v1_[a-f0-9]{{64}}"),
    ("Telegram token", r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("Twilio key", rf"{_START}SK[0-9a-f]{{32}}{_END}"),
    ("Mailgun key", rf"{_START}key-[0-9a-f]{{32}}{_END}"),
    ("Shopify token", rf"{_START}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}{_END}"),
    ("Square token", rf"{_START}sq0(?:atp|csp)-[A-Za-z0-9_-]{{22,60}}"),
    ("Docker token", rf"{_START}dckr_(?:pat|oat)_[A-Za-z0-9_-]{{27,60}}"),
    ("Databricks token", rf"{_START}dapi[0-9a-f]{{32}}(?:-[0-9])?{_END}"),
    ("Vault token", rf"{_START}hv[sbr]\.[A-Za-z0-9_-]{{24,255}}"),
    ("Grafana token", rf"{_START}gl(?:sa|c)_[A-Za-z0-9+/=_]{{32,255}}"),
    ("Atlassian token", rf"{_START}ATATT3[A-Za-z0-9_=-]{{60,255}}"),
    ("Linear key", rf"{_START}lin_(?:api|oauth)_[A-Za-z0-9]{{32,64}}"),
    ("Notion token", rf"{_START}ntn_[A-Za-z0-9]{{40,60}}"),
    ("Figma token", rf"{_START}fig[dou]r?_[A-Za-z0-9_-]{{40,60}}"),
    ("Postman key", rf"{_START}PMAK-[a-f0-9]{{24}}-[a-f0-9]{{34}}"),
    ("New Relic key", rf"{_START}NRAK-[A-Z0-9]{{27}}{_END}"),
    ("Supabase key", rf"{_START}sb(?:p_[a-f0-9]{{40}}|_secret_[A-Za-z0-9_-]{{24,60}})"),
    ("RubyGems key", rf"{_START}rubygems_[a-f0-9]{{48}}{_END}"),
    ("Azure storage key", r"(?i:AccountKey)=(?P<azure>[A-Za-z0-9+/]{86}==)"),
    ("JSON web token", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    ("password in a URL", rf"://[^\s/:@?#]{{0,200}}:(?P<url>{_NO_PLACEHOLDER}[^\s/@?#]{{1,200}})@"),
    (
        "authorization header",
        (
            rf"(?i:\b(?:bearer|basic))[ \t]{{1,4}}"
            rf"(?P<header>{_ALPHANUMERIC}{_NO_NAME}[\w.~+/=-]{{16,}})"
        ),
    ),
    (
        "password",
        (
            rf"(?i:(?:password|passwd|passphrase|pwd){_ASSIGNED})"
            rf"(?P<password>{_NO_PLACEHOLDER}{_NO_METHOD}{_ALPHANUMERIC}[^\s\"'`,;]{{6,200}})"
        ),
    ),
    (
        "credential",
        (
            rf"(?i:(?:secret|token|(?:api|access|private|secret)[_ -]?key){_ASSIGNED})"
            rf"(?P<value>{_NO_PLACEHOLDER}{_NO_NAME}{_ALPHANUMERIC}[\w+/=.-]{{16,512}})"
        ),
    ),
)

# Too short to be taken for a secret in what people remember, but nothing to show either.
HEADER = (
    r"(?i:\bauthorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:(?:bearer|basic|token)[ \t]+)?)"
    r"(?P<any>[^\s\"',]+)"
)
