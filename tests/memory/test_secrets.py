from __future__ import annotations

import time

import pytest

from qmemd.memory.secrets import find_secret, mask, redact, secrets_in

TOKEN = "ghp_" + "aB3" * 12
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----"

# Put together here, so that no tool that looks for secrets takes this file for one.
SECRETS: list[tuple[str, str, str]] = [
    ("GitHub token", f"use {TOKEN} for CI", TOKEN),
    ("GitHub token", "gho_" + "a1B2" * 9, "a1B2a1B2"),
    ("GitHub token", "github_pat_" + "a1B2c3" * 6, "a1B2c3"),
    ("GitLab token", "glpat-" + "x9Yz" * 5, "x9Yzx9Yz"),
    ("GitLab token", "glrt-" + "x9Yz" * 5, "x9Yzx9Yz"),
    ("private key", f"the key: {PEM} and so on", "MIIEow"),
    ("private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz (cut off)", "b3BlbnNz"),
    ("private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc", "abc"),
    ("private key", "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----", "MIIEvQ"),
    ("private key", "AGE-SECRET-KEY-1" + "QL3Z7" * 11 + "QLQ", "QL3Z7QL3Z7"),
    ("password in a URL", "db is postgres://u:pw@h/db", "pw"),
    ("password in a URL", "redis://:p4ss@localhost:6379/0", "p4ss"),
    ("password in a URL", "amqp://guest:rabbit%21@mq.internal", "rabbit%21"),
    ("AWS access key", "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("AWS access key", "(ASIAIOSFODNN7EXAMPLE)", "ASIAIOSFODNN7EXAMPLE"),
    ("credential", "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPx", "wJalrXUtnFEMI"),
    ("API key", "sk-proj-" + "aB3d" * 8, "aB3d"),
    ("API key", "sk-ant-api03-" + "aB3d_x-" + "Q1w2" * 10, "Q1w2Q1w2"),
    ("API key", "sk-" + "T3BlbkFJ" * 6, "T3BlbkFJ"),
    ("API key", "gsk_" + "a1B2" * 13, "a1B2a1B2"),
    ("Slack token", "xoxb-123456789012-abcdef", "xoxb-123456789012-abcdef"),
    ("Slack token", "xapp-1-" + "A0B1C2D3E4-1234567890-" + "ab12" * 4, "A0B1C2D3E4"),
    ("Slack webhook", "https://hooks.slack.com/services/" + "T00/B00/" + "xX1" * 8, "xX1xX1"),
    (
        "Discord webhook",
        "https://discord.com/api/webhooks/123456789012345678/" + "aB-3" * 17,
        "aB-3aB-3",
    ),
    ("Google API key", "AIza" + "Sy0" * 11 + "ab", "Sy0Sy0"),
    ("Google token", "ya29." + "a0Ab" * 8, "a0Aba0Ab"),
    ("Google token", "GOCSPX-" + "a0Ab" * 7, "a0Aba0Ab"),
    ("Stripe key", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "4eC39Hq"),
    ("Stripe key", "rk_test_" + "4eC39HqLyjWDarjt", "4eC39Hq"),
    ("Stripe key", "whsec_" + "a1B2" * 8, "a1B2a1B2"),
    ("npm token", "npm_" + "a1B2" * 9, "a1B2a1B2"),
    ("PyPI token", "pypi-" + "AgEIcHlwaS5vcmc" * 4, "AgEIcHlwaS5"),
    ("Hugging Face token", "hf_" + "aBcD" * 9, "aBcDaBcD"),
    ("SendGrid key", "SG." + "a1B2" * 5 + "." + "c3D4" * 10, "c3D4c3D4"),
    ("DigitalOcean token", "dop_v1_" + "0a1b" * 16, "0a1b0a1b"),
    ("Telegram token", "123456789:AA" + "a1B" * 11, "a1Ba1B"),
    ("Twilio key", "SK" + "0a1b" * 8, "0a1b0a1b"),
    ("Mailgun key", "key-" + "0a1b" * 8, "0a1b0a1b"),
    ("Shopify token", "shpat_" + "0a1b" * 8, "0a1b0a1b"),
    ("Square token", "sq0atp-" + "a1B2" * 6, "a1B2a1B2"),
    ("Docker token", "dckr_pat_" + "a1B" * 9, "a1Ba1B"),
    ("Databricks token", "dapi" + "0a1b" * 8, "0a1b0a1b"),
    ("Vault token", "hvs." + "CAES" * 8, "CAESCAES"),
    ("Grafana token", "glsa_" + "a1B2" * 8 + "_0a1b2c3d", "a1B2a1B2"),
    ("Linear key", "lin_api_" + "a1B2" * 10, "a1B2a1B2"),
    ("Notion token", "ntn_" + "12345678901" + "aB3" * 12, "aB3aB3"),
    ("Figma token", "figd_" + "a1B2" * 10, "a1B2a1B2"),
    ("Postman key", "PMAK-" + "0a1b" * 6 + "-" + "0a" * 17, "0a1b0a1b"),
    ("New Relic key", "NRAK-" + "A1B" * 9, "A1BA1B"),
    ("Supabase key", "sbp_" + "0a1b" * 10, "0a1b0a1b"),
    ("RubyGems key", "rubygems_" + "0a1b" * 12, "0a1b0a1b"),
    ("Azure storage key", "AccountName=x;AccountKey=" + "a1B2" * 21 + "aa==;", "a1B2a1B2"),
    ("JSON web token", "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM", "SflKxwRJSM"),
    ("password", "password: hunter2", "hunter2"),
    ("password", "DB_PASSWORD='s3cret-pw'", "s3cret-pw"),
    ("password", "the pwd = Tr0ub4dor&3 is old", "Tr0ub4dor"),
    ("credential", '{"api_key": "0123abcd0123abcd"}', "0123abcd0123abcd"),
    ("credential", "export SLACK_TOKEN=a1b2c3d4e5f6a7b8c9", "a1b2c3d4e5"),
    ("authorization header", "curl -H 'Authorization: Bearer a1b2c3d4e5f6a7b8'", "a1b2c3d4e5"),
    ("authorization header", "Authorization: Basic dXNlcjpwYXNzd29yZDE=", "dXNlcjpw"),
]

HARMLESS = [
    "risk-based review",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "fixed in commit: da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "never store a password here",
    "Password: at least 12 characters",
    "Password hashing: argon2id, never md5",
    "password: bcrypt, cost 12",
    "password: 2fa-only for admins",
    "password = sha256(salt + input)",
    "The password is in the vault; ask for the token at the desk.",
    "The password policy asks for 14 letters and 2 digits",
    "Passwords live in 1Password, vault Team-7",
    "token: sha256",
    "max_token = 4096",
    "max_tokens: 200000, temperature: 0.2",
    "token = settings.token",
    "token: see-the-vault-of-team-7",
    "secret: my-tls-cert-2024-prod",
    "secretName: ingress-tls-2024",
    "secret = projects/acme/secrets/db-prod/versions/7",
    "api key: rotated every 90 days by the platform team",
    "api_key: os.environ['OPENAI_API_KEY_1']",
    "api_key: ${OPENAI_API_KEY_PROD_2024}",
    "API keys start with sk- and belong in the keychain",
    "secret: ~/.config/app1/secret-token-file",
    "postgres://user:<password>@h/db and postgres://u:$PW@h",
    "postgres://user:{{ db_password }}@host/db",
    "postgres://localhost:5432/app",
    "http://localhost:8080/@scope/x, mail me@example.org",
    "https://example.org:8080?mail=a@b.org",
    "git@github.com:acme/app.git",
    "ssh://git@example.org:2222/acme/app.git",
    "sk-learn-compatible-estimators-only",
    "sk-learn-compatible-with-python-3-11",
    "the branch is sk-1234-fix-login-redirect",
    "Bearer tokens expire after 15 minutes",
    "Send 'Authorization: Bearer <token>'",
    "basic understanding-of-version-2",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "order key-12345 and key-value stores",
    "The primary key of table users is user_id",
    "ghp_ is how a GitHub token begins",
    "AKIA is how an AWS key id begins",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBg\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBq9 me@host",
    "integrity sha512-" + "aB3d" * 21 + "==",
    "docker.io/library/python@sha256:" + "0a1b" * 16,
    "hf_transfer speeds downloads up",
    "npm_config_registry is set in CI",
    "SG.1 and SG.2 are the seats",
    "eyJ is how such a token begins",
    "call +49 30 123456789 or 123456789:30",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "",
]


@pytest.mark.parametrize(("kind", "text", "secret"), SECRETS, ids=range(len(SECRETS)))
def test_secrets_are_found_and_blotted_out(kind: str, text: str, secret: str) -> None:
    assert find_secret(text) == kind
    assert any(secret in found for found in secrets_in(text))
    for blotted in (redact(text), mask(text)):
        assert secret not in blotted
        assert "[redacted]" in blotted
        assert find_secret(blotted) is None
        assert mask(blotted) == blotted


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
def test_harmless_text_stays_byte_for_byte(text: str) -> None:
    assert find_secret(text) is None
    assert secrets_in(text) == {}
    assert mask(text) == text
    if "Authorization:" not in text:
        assert redact(text) == text


def test_the_samples_are_many() -> None:
    assert len(SECRETS) >= 40
    assert len(HARMLESS) >= 40


def test_only_the_secret_part_goes() -> None:
    assert redact("at postgres://u:pw@h/db now") == "at postgres://u:[redacted]@h/db now"
    assert redact(f"a {TOKEN} b {TOKEN} c") == "a [redacted] b [redacted] c"
    assert redact(f"a\n{PEM}\nb") == "a\n[redacted]\nb"


def test_a_short_authorization_header_is_not_shown() -> None:
    assert redact("failed: Authorization: Bearer abc") == "failed: Authorization: Bearer [redacted]"
    assert mask("The header is Authorization: Bearer abc") == (
        "The header is Authorization: Bearer abc"
    )


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "-", "sk-", "sk-a", "sk-a1", "eyJ", "eyJaaaaaaaaa.", "://", "://a:"),
        *("password=", "password: a-1", "bearer a", "token=a-", "token=a/b1.", "SG.", "ATATT3"),
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (65_536 // len(piece))
    began = time.perf_counter()
    find_secret(text)
    redact(text)
    # A pattern that backtracks takes minutes here.
    assert time.perf_counter() - began < 2
