from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.errors import SettingsError
from qmemd.settings import Settings


def settings(environ: dict[str, str] | None = None, **given: object) -> Settings:
    return Settings(environ={"HOME": "/nobody"} | (environ or {}), **given)  # type: ignore[arg-type]


def test_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = settings()
    assert made.workspace == tmp_path.resolve()
    assert (made.hostname, made.port, made.model) == ("127.0.0.1", 4170, "auto")
    assert (made.idle_timeout, made.task_timeout) == (600, 300)
    assert (made.token, made.token_file, made.agent_command) == (None, None, None)
    assert made.project_scope == "workspace"
    assert not made.memory_local
    assert made.http


def test_what_is_given_wins_over_the_environment(tmp_path: Path) -> None:
    environ = {
        "QMEMD_PORT": "5000",
        "QMEMD_WORKSPACE": str(tmp_path),
        "QMEMD_TASK_TIMEOUT": "12.5",
        "QMEMD_STATE_DIR": "/state",
        "QWEN_CODE_MEMORY_BASE_DIR": "/base",
        "QMEMD_AGENT_COMMAND": "sh --acp 'a b'",
        "PATH": "/usr/bin:/bin",
    }
    from_environ = settings(environ)
    assert from_environ.port == 5000
    assert from_environ.task_timeout == 12.5
    assert from_environ.state_dir == Path("/state")
    assert from_environ.base == Path("/base")
    assert from_environ.agent_command == ("sh", "--acp", "a b")
    given = settings(environ, port=0, state_dir="/mine", agent_command=("/bin/cat",))
    assert (given.port, given.state_dir, given.agent_command) == (0, Path("/mine"), ("/bin/cat",))


@pytest.mark.parametrize(
    ("environ", "base"),
    [
        ({"QWEN_CODE_MEMORY_BASE_DIR": "/a", "QWEN_RUNTIME_DIR": "/b"}, "/a"),
        ({"QWEN_RUNTIME_DIR": "/b"}, "/b"),
    ],
)
def test_the_home_of_the_memory_files(environ: dict[str, str], base: str) -> None:
    assert settings(environ).base == Path(base)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"port": 65_536}, "port must be between 0 and 65535"),
        ({"port": -1}, "port must be"),
        ({"workspace": "/no/such/dir"}, "not a directory"),
        ({"workspace": "/"}, "must not be /"),
        ({"idle_timeout": -1.0}, "idle timeout"),
        ({"task_timeout": 0.0}, "task timeout"),
        ({"task_timeout": float("nan")}, "task timeout"),
        ({"hostname": ""}, "hostname"),
        ({"hostname": "http://x"}, "hostname"),
        ({"model": "gpt"}, "auto, offline or openai:NAME"),
        ({"model": "openai:x"}, "needs OPENAI_API_KEY, or OPENAI_BASE_URL"),
        ({"model": "openai:"}, "must name a model"),
        ({"max_model_calls": 0}, "number of model calls must be between 1 and"),
        ({"child_memory": 63}, "memory of a child must be 0 for no limit, or between 64 and"),
        ({"child_memory": -1}, "memory of a child"),
        ({"child_memory": True}, "memory of a child"),
        ({"child_memory": 2**20 + 1}, "memory of a child"),
        ({"environ": {"QMEMD_CHILD_MEMORY": "2G"}}, "QMEMD_CHILD_MEMORY must be a number"),
        ({"rate_limit_mutations": 0}, "rate limit of mutations must be between 1 and 1000000"),
        ({"rate_limit_reads": -1}, "rate limit of reads must be between 1 and"),
        ({"environ": {"QMEMD_RATE_LIMIT": "on"}}, "QMEMD_RATE_LIMIT must be 1 or 0"),
        ({"environ": {"QMEMD_RATE_LIMIT_READS": "all"}}, "QMEMD_RATE_LIMIT_READS must be a number"),
        ({"max_tokens_per_day": 0}, "number of tokens per day must be between 1 and"),
        ({"agent_command": ""}, "blank"),
        ({"agent_command": "a 'b"}, "cannot be read"),
        ({"agent_command": "no-such-program --acp"}, "'no-such-program' is not found"),
        ({"environ": {"QWEN_CODE_MEMORY_LOCAL": "maybe"}}, "must be 1 or 0"),
        ({"project_scope": "all"}, "workspace, git-root"),
        ({"secrets": "hide"}, "allow, mask, refuse"),
        ({"token": "  "}, "blank"),
        ({"token": "a b"}, "blanks"),
        ({"token": "a\nb"}, "blanks"),
    ],
)
def test_each_mistake_has_its_sentence(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        settings(**given)


def test_a_real_model_and_its_limits() -> None:
    environ = {
        "OPENAI_API_KEY": "the-key",
        "QMEMD_MODEL": " openai:m ",
        "QMEMD_MAX_MODEL_CALLS": "5",
        "QMEMD_MAX_TOKENS_PER_DAY": "1000",
    }
    made = settings(environ)
    assert (made.model, made.max_model_calls, made.max_tokens_per_day) == ("openai:m", 5, 1000)
    assert "the-key" not in str(made.child_variables)
    given = settings(environ, model="offline", max_model_calls=7, max_tokens_per_day=9)
    assert (given.model, given.max_model_calls, given.max_tokens_per_day) == ("offline", 7, 9)
    defaults = settings()
    assert (defaults.max_model_calls, defaults.max_tokens_per_day) == (20, None)


def test_what_auto_would_take_is_checked_too() -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        settings({"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "nonsense"})
    assert settings({"OPENAI_BASE_URL": "nonsense"}).model == "auto"


def test_a_number_in_the_environment_that_is_none() -> None:
    with pytest.raises(SettingsError, match="QMEMD_PORT must be a number"):
        settings({"QMEMD_PORT": "http"})


def test_the_order_of_tokens(tmp_path: Path) -> None:
    environ = {"QMEMD_TOKEN": "q", "QWEN_SERVER_TOKEN": "w"}
    assert settings(environ, token="t", token_file=tmp_path).token == "t"
    assert settings(environ, token_file=tmp_path / "f").token is None
    assert settings(environ, token_file=tmp_path / "f").token_file == tmp_path / "f"
    assert settings(environ).token == "q"
    assert settings({"QWEN_SERVER_TOKEN": " w "}).token == "w"


@pytest.mark.parametrize("blank", ["", "  "])
@pytest.mark.parametrize("variable", ["QMEMD_TOKEN", "QWEN_SERVER_TOKEN"])
def test_a_blank_token_is_refused(variable: str, blank: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        settings({variable: blank})


def test_a_child_is_told_where_the_memory_is(tmp_path: Path) -> None:
    told = settings(base=tmp_path, memory_local=True).child_variables
    assert told["QWEN_CODE_MEMORY_BASE_DIR"] == str(tmp_path)
    assert told["QWEN_CODE_MEMORY_LOCAL"] == "1"


def test_a_workspace_behind_a_link_is_one_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert settings(workspace=tmp_path / "link").workspace == (tmp_path / "real").resolve()


def test_the_memory_of_a_child() -> None:
    assert settings().child_memory == 2048
    environ = {"QMEMD_CHILD_MEMORY": "512"}
    assert settings(environ).child_memory == 512
    assert settings(environ, child_memory=0).child_memory == 0


def test_rate_limits_are_off_until_they_are_wanted() -> None:
    made = settings()
    assert (made.rate_limit, made.rate_limit_mutations, made.rate_limit_reads) == (False, 30, 120)
    environ = {
        "QMEMD_RATE_LIMIT": "1",
        "QMEMD_RATE_LIMIT_MUTATIONS": "3",
        "QMEMD_RATE_LIMIT_READS": "5",
    }
    made = settings(environ)
    assert (made.rate_limit, made.rate_limit_mutations, made.rate_limit_reads) == (True, 3, 5)
    given = settings(environ, rate_limit=False, rate_limit_mutations=7, rate_limit_reads=9)
    assert (given.rate_limit, given.rate_limit_mutations, given.rate_limit_reads) == (False, 7, 9)


@pytest.mark.parametrize(("hostname", "loopback"), [("::1", True), ("0.0.0.0", False)])  # noqa: S104 — not bound
def test_who_can_reach_the_server(hostname: str, loopback: bool) -> None:
    assert settings(hostname=hostname).loopback is loopback


def test_origins_come_from_the_flag_or_a_list(tmp_path: Path) -> None:
    def allowed(given: list[str] | None, listed: str = "") -> tuple[str, ...]:
        environ = {"HOME": str(tmp_path), "QMEMD_ALLOW_ORIGINS": listed}
        return Settings(workspace=tmp_path, environ=environ, allow_origins=given).allow_origins

    assert allowed(None) == ()
    assert allowed(None, "https://a.example, http://[::1]:80,") == (
        "https://a.example",
        "http://[::1]:80",
    )
    assert allowed(["https://A.example"], "https://b.example") == ("https://a.example",)
    assert allowed(["*"]) == ("*",)
    for wrong in ("a.example", "https://a.example/", "null", "https://a.example/x", "ftp://a"):
        with pytest.raises(SettingsError, match="allowed origin"):
            allowed([wrong])


@pytest.mark.parametrize(
    ("hostname", "needed"),
    [("127.0.0.1", False), ("localhost", False), ("::1", False), ("0.0.0.0", True), ("box", True)],  # noqa: S104 — not bound
)
def test_beyond_loopback_health_needs_the_token(
    tmp_path: Path, hostname: str, needed: bool
) -> None:
    environ = {"HOME": str(tmp_path)}
    assert Settings(workspace=tmp_path, hostname=hostname, environ=environ).require_auth is needed
    for said in (True, False):
        told = {"QMEMD_REQUIRE_AUTH": "1" if said else "0"} | environ
        assert Settings(workspace=tmp_path, hostname=hostname, environ=told).require_auth is said
