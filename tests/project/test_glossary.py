"""The glossary: each word is used where it is said to be defined."""

from __future__ import annotations

import pathlib
import re

import pytest

import anfora

ROOT = pathlib.Path(__file__).parents[2]
PRODUCT = pathlib.Path(anfora.__file__).parent
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| (?!word |---)[^|]+\|", line)
]


@pytest.mark.parametrize(("words", "meaning", "elsewhere", "where"), ROWS, ids=[row[0] for row in ROWS])
def test_words_are_used_where_they_are_defined(words, meaning, elsewhere, where):
    place = PRODUCT / where.strip("`")
    files = sorted(place.glob("*.py")) if place.is_dir() else [place]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files).lower()
    for word in words.lower().split(", "):
        assert word in text, f"{word!r} is not a word of {where}"


def test_each_word_stands_once():
    words = [word for row in ROWS for word in row[0].split(", ")]
    assert len(words) > 40 and len(words) == len(set(words))
