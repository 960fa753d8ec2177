from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.context.section import HEADING, append

H = HEADING


@pytest.mark.parametrize(
    ("document", "text", "after"),
    [
        ("", "a", f"{H}\n\na\n"),
        ("# Rules", "a", f"# Rules\n\n{H}\n\na\n"),
        ("# Rules\n\n\n", "\n\na\n", f"# Rules\n\n{H}\n\na\n"),
        (f"{H}\n\na\n", "b", f"{H}\n\na\nb\n"),
        (f"{H}\n", "a", f"{H}\n\na\n"),
        (f"{H}\n\na\n\n## Next\nx\n", "b", f"{H}\n\na\nb\n\n## Next\nx\n"),
        (f"{H}\n\na\n# Top\n", "b", f"{H}\n\na\nb\n\n# Top\n"),
        (f"{H}\n\n### Deeper\na\n", "b", f"{H}\n\n### Deeper\na\nb\n"),
        (f"{H}\n\n```\n## no\n```\n", "b", f"{H}\n\n```\n## no\n```\nb\n"),
        (f"{H}\n\n~~~~\n~~~\n## no\n~~~~\n", "b", f"{H}\n\n~~~~\n~~~\n## no\n~~~~\nb\n"),
        (f"```\n{H}\n```\n", "b", f"```\n{H}\n```\n\n{H}\n\nb\n"),
        (f"{H}\n\n``` a `b`\n## Next\n", "c", f"{H}\n\n``` a `b`\nc\n\n## Next\n"),
        ("a\r\n", "b\nc", f"a\r\n\r\n{H}\r\n\r\nb\r\nc\r\n"),
        (f"{H}\r\n\r\na\r\n\r\n## N\r\n", "b", f"{H}\r\n\r\na\r\nb\r\n\r\n## N\r\n"),
        ("a\r\nb\r\nc\n", "d\r\ne", f"a\r\nb\r\nc\r\n\r\n{H}\r\n\r\nd\r\ne\r\n"),
        ("a\nb\nc\r\n", "d\r\ne", f"a\nb\nc\n\n{H}\n\nd\ne\n"),
        (f"{H}\r\n\r\n```\r\n## no\r\n```\r\n", "b", f"{H}\r\n\r\n```\r\n## no\r\n```\r\nb\r\n"),
    ],
)
def test_text_is_put_at_the_end_of_the_section(document: str, text: str, after: str) -> None:
    assert append(document, text) == after


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_only_line_feeds_end_lines(ending: str) -> None:
    text = "a\u2028## b\x0c```\x85## d\r## e"
    document = append(f"# Rules{ending}", text)
    assert document == f"# Rules{ending}{ending}{H}{ending}{ending}{text}{ending}"
    assert append(document, "e") == f"{document}e{ending}"


LINE = st.sampled_from(["a", "", "## x", "# y", H, "```", "~~~", "- b", "    ## z"])


@given(st.lists(LINE, max_size=12), st.sampled_from(["fact", "two\nlines"]))
def test_no_line_of_the_document_is_lost(lines: list[str], text: str) -> None:
    document = "\n".join(lines)
    after = append(document, text)
    kept = [line for line in after.split("\n") if line]
    for line in document.split("\n"):
        if line:
            kept.remove(line)
    assert [line for line in kept if line != H] == text.split("\n")
