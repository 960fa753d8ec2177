"""Words of a text for matching: folding, which words say nothing, and how one is found.

Ordinary words are found in any inflection (by their Snowball stem). Numbers, versions and
identifiers are found only whole: "8080" is not "8081", "1.5" not "1.5.2", "C" not "C#". Scripts
without blanks between words are cut into pairs of letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from qmemd.search.word_lists import ALIASES, GENERIC_WORDS, LIGHT_WORDS, STOP_WORDS

_CJK = (
    "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
_IS_CJK = re.compile(f"[{_CJK}]")
_LETTER = rf"[^\W_{_CJK}]"
_TOKEN = re.compile(rf"[{_CJK}]+|[#@]?{_LETTER}+(?:(?:[.'_-]|,(?=\d)){_LETTER}+)*(?:\+\+|#)?")
_PLAIN = re.compile(r"[^\W\d_]{2,}")
_APOSTROPHES = str.maketrans("\u2018\u2019", "''")

BEFORE = r"(?<![\w#@])(?<!\w[.\-_/])(?<!\d,)(?<!(?<![\d.])\d:)(?<!(?<![\d.])\d\d:)"
AFTER = r"(?![\w#+]|[.\-_/]\w|[:,]\d)"
"""Where a whole word or identifier begins and ends."""


def fold(text: str) -> str:
    """Lower case, NFC, blanks folded, straight apostrophes."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    return " ".join(text.lower().split())


def is_cjk(letter: str) -> bool:
    """Whether the letter belongs to a script that puts no blanks between words."""
    return _IS_CJK.match(letter) is not None


def tokens(folded: str) -> list[str]:
    """The words of a folded text, numbers and identifiers whole, other scripts as pairs."""
    found: list[str] = []
    for match in _TOKEN.finditer(folded):
        token = match[0]
        if not is_cjk(token[0]):
            found.append(token.removesuffix("'s"))
        elif len(token) == 1:
            found.append(token)
        else:
            found += [token[at : at + 2] for at in range(len(token) - 1)]
    return found


def content_words(folded: str) -> list[str]:
    """The words that say what is meant, each once; none when there are only single letters."""
    words = [token for token in dict.fromkeys(tokens(folded)) if token not in STOP_WORDS]
    telling = any(len(word) > 1 or word.isdigit() or is_cjk(word) for word in words)
    return words if telling else []


def phrase_pattern(phrase: str) -> re.Pattern[str]:
    """Finds a folded phrase, whatever punctuation stands between its words."""
    chunks = [re.escape(chunk.rstrip(".,;:!?") or chunk) for chunk in phrase.split()]
    before = "" if is_cjk(phrase[0]) else BEFORE
    after = "" if is_cjk(phrase[-1]) else AFTER
    return re.compile(before + r"[.,;:!?]*\s+".join(chunks) + after)


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query and the means to find it."""

    word: str
    light: bool
    """It may be missing in what is meant."""
    generic: bool
    """It may be missing beside others that are there."""
    stems: frozenset[str]
    """Of the word and of its other spellings; empty when only the whole word counts."""
    hints: tuple[str, ...]
    """How the word may begin."""
    pattern: re.Pattern[str]
    """Matches the whole form where a hint stands."""

    @property
    def has_digit(self) -> bool:
        """Numbers and versions decide: they are never a matter of inflection."""
        return any(letter.isdigit() for letter in self.word)


class Terms:
    """Makes terms and finds them; holds the stemmer, which is loaded when it is first needed."""

    def __init__(self) -> None:
        # 10 ms that a child which never forgets does not pay.
        import snowballstemmer  # noqa: PLC0415

        self._stemmed: dict[str, str] = {}
        self._stem_word: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord

    def of(self, word: str) -> Term:
        """The term for one token of a folded query."""
        light, generic = word in LIGHT_WORDS, word in GENERIC_WORDS
        if is_cjk(word[0]):
            return Term(word, light, generic, frozenset(), (word,), re.compile(re.escape(word)))
        spellings = next((group for group in ALIASES if word in group), (word,))
        if not all(map(_PLAIN.fullmatch, spellings)):
            # A version is written with and without its "v".
            bare = re.sub(r"^v(?=\d)", "", word)
            forms = tuple(dict.fromkeys((*spellings, bare, *([f"v{bare}"] * bare[:1].isdigit()))))
            either = "|".join(map(re.escape, forms))
            pattern = re.compile(f"{BEFORE}(?:{either}){AFTER}")
            return Term(word, light, generic, frozenset(), forms, pattern)
        stems = frozenset(map(self._stem, spellings))
        # The last letter of a stem may differ from the word's: "party" and "parti".
        hints = tuple(sorted({stem[: max(2, len(stem) - 1)] for stem in stems}))
        starts = "|".join(map(re.escape, hints))
        return Term(
            word, light, generic, stems, hints, re.compile(rf"(?<!{_LETTER})(?:{starts}){_LETTER}*")
        )

    def find(self, term: Term, folded: str) -> list[tuple[int, str]]:
        """Places of the term in a folded text, each with the form that stands there."""
        found: list[tuple[int, str]] = []
        for hint in term.hints:
            # Plain search skips through text much faster than the pattern would.
            at = folded.find(hint)
            while at >= 0:
                match = term.pattern.match(folded, at)
                if match and (not term.stems or self._stem(match[0]) in term.stems):
                    found.append((at, match[0]))
                at = folded.find(hint, at + len(hint))
        return found

    def _stem(self, word: str) -> str:
        stem = self._stemmed.get(word)
        if stem is None:
            stem = self._stemmed[word] = self._stem_word(word)
        return stem
