from __future__ import annotations

import time

import pytest

from qmemd.memory.placeholders import find_placeholder

PLACEHOLDERS = [
    "rest unchanged",
    "... existing content ...",
    "# unchanged",
    "[rest unchanged]",
    "(rest of the file unchanged)",
    "<!-- rest of the document remains unchanged -->",
    "<!-- existing content -->",
    "// ... existing code ...",
    "# ... rest of file ...",
    "- ... existing entries ...",
    "… existing content …",
    "...",
    "…",
    "[...]",
    "(…)",
    "... (unchanged) ...",
    "... rest of the content stays the same ...",
    "Rest of content unchanged.",
    "The rest of the document is unchanged.",
    "The rest remains the same.",
    "[Previous content remains unchanged]",
    "[existing text here]",
    "[Existing content]",
    "{existing content}",
    "**(unchanged)**",
    "_no changes_ ...",
    "All other lines unchanged",
    "Remaining entries omitted for brevity",
    "... remaining bullets omitted for brevity ...",
    "Other content as before ...",
    "> rest as is",
    "keep the rest unchanged",
    "(content omitted)",
    "[truncated]",
    "[snip]",
    "The user likes tea. [rest unchanged]",
    "Likes tea. (remaining content unchanged)",
]

TEXTS = [
    "The user likes tea.",
    "The rest of the team works in Lisbon.",
    "Unchanged files are skipped by the build.",
    "The API stays unchanged until version 3.",
    "Existing customers keep their price.",
    "Previous deployments ran on Fridays.",
    "The original author is Ada.",
    "Wait for it... then press Enter",
    'He said: "well..."',
    "The port stays 8080 (unchanged since 2019).",
    "Run `git diff ...main` before a review.",
    "Use args...; it is variadic.",
    "- Leave the rest of the week free for reviews.",
    "**Why:** existing tests would break",
    "**How to apply:** keep existing names as they are",
    "---",
    "# Remaining work",
    "# Other",
    "# Notes",
    "Same as everyone: green tea.",
    "The old office is closed",
    "[the original](https://example.org/original)",
    "",
    "type: user",
    "description: What the rest of the team does",
]


@pytest.mark.parametrize("line", PLACEHOLDERS)
def test_a_note_that_stands_for_a_text_is_found_anywhere(line: str) -> None:
    for text in (line, f"The user likes tea.\n\n{line}\n", f"{line}\nThe user likes tea."):
        assert find_placeholder(text) == line
        assert find_placeholder(text.upper()) == line.upper()
    assert find_placeholder(f"  {line}  ") == line


@pytest.mark.parametrize("line", TEXTS)
def test_a_text_is_a_text(line: str) -> None:
    assert find_placeholder(line) is None


def test_what_was_there_before_is_a_text() -> None:
    assert find_placeholder("a\nrest unchanged", "x\n  rest unchanged\n") is None
    assert find_placeholder("a\n...", "b") == "..."


@pytest.mark.parametrize("piece", ["rest ", "...", "(", "the of the ", "existing content "])
def test_no_text_takes_long(piece: str) -> None:
    began = time.perf_counter()
    find_placeholder(piece * (65_536 // len(piece)))
    find_placeholder("\n".join([piece * (190 // len(piece))] * 300))
    assert time.perf_counter() - began < 2
