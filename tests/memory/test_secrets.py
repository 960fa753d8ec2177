from __future__ import annotations

import time

import pytest

from qmemd.memory.secrets import find_secret, redact

TOKEN = "ghp_" + "aB3" * 12
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("kind", "text", "secret"),
    [
        ("GitHub token", f"use {TOKEN} for CI", TOKEN),
        ("GitHub token", "github_pat_" + "a1B2c3" * 6, "a1B2c3"),
        ("private key", f"the key: {PEM} and so on", "MIIEow"),
        ("private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz (cut off)", "b3BlbnNz"),
        ("private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc", "abc"),
        ("password in a URL", "db is postgres://u:pw@h/db", "pw"),
        ("password in a URL", "redis://:p4ss@localhost:6379/0", "p4ss"),
        ("AWS access key", "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("API key", "sk-proj-" + "aB3d" * 8, "aB3d"),
        ("Slack token", "xoxb-123456789012-abcdef", "xoxb-123456789012-abcdef"),
        ("Google API key", "AIza" + "Sy0" * 11 + "ab", "Sy0Sy0"),
        ("Stripe key", "sk_live_" + "4eC39HqLyjWD", None),
        ("JSON web token", "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM", "SflKxwRJSM"),
        ("password", "password: hunter2", "hunter2"),
        ("password", "DB_PASSWORD='s3cret-pw'", "s3cret-pw"),
        ("credential", '{"api_key": "0123abcd0123abcd"}', "0123abcd0123abcd"),
        ("authorization header", "curl -H 'Authorization: Bearer a1b2c3d4e5f6a7b8'", "a1b2c3d4e5"),
    ],
)
def test_secrets_are_found_and_blotted_out(kind: str, text: str, secret: str | None) -> None:
    if secret is None:
        text += "arjtT1zdp7dc"
        secret = "T1zdp7dc"
    assert find_secret(text) == kind
    assert secret not in redact(text)
    assert "[redacted]" in redact(text)
    assert find_secret(redact(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "risk-based review",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "fixed in commit: da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "never store a password here",
        "Password: at least 12 characters",
        "The password is in the vault; ask for the token at the desk.",
        "token: sha256",
        "max_token = 4096",
        "token = settings.token",
        "postgres://user:<password>@h/db and postgres://u:$PW@h",
        "http://localhost:8080/@scope/x, mail me@example.org",
        "https://example.org:8080?mail=a@b.org",
        "sk-learn-compatible-estimators-only",
        "Bearer tokens expire after 15 minutes",
        "api_key: os.environ['OPENAI_API_KEY_1']",
        "secret: ~/.config/app1/secret-token-file",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "",
    ],
)
def test_harmless_text_stays_byte_for_byte(text: str) -> None:
    assert find_secret(text) is None
    assert redact(text) == text


def test_only_the_secret_part_goes() -> None:
    assert redact("at postgres://u:pw@h/db now") == "at postgres://u:[redacted]@h/db now"
    assert redact(f"a {TOKEN} b {TOKEN} c") == "a [redacted] b [redacted] c"
    assert redact(f"a\n{PEM}\nb") == "a\n[redacted]\nb"


def test_a_short_authorization_header_is_not_shown() -> None:
    assert redact("failed: Authorization: Bearer abc") == "failed: Authorization: Bearer [redacted]"


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "-",
        "sk-",
        "sk-a",
        "eyJ",
        "eyJaaaaaaaaa.",
        "://",
        "://a:",
        "password=",
        "bearer a",
        "SG.",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (65_536 // len(piece))
    began = time.perf_counter()
    find_secret(text)
    redact(text)
    # A pattern that backtracks takes minutes here.
    assert time.perf_counter() - began < 2
