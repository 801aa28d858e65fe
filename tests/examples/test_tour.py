"""What docs/tour.md shows is what one gets."""

from __future__ import annotations

import re
import sys

import pytest
from tour import BLOCK, DOCUMENT, texts


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return texts(DOCUMENT.read_text(), tmp_path_factory.mktemp("tour"))


def shown(name: str) -> str:
    return next(match[3] for match in BLOCK.finditer(DOCUMENT.read_text()) if match[2] == name)


def test_every_text_is_shown(found):
    assert {match[2] for match in BLOCK.finditer(DOCUMENT.read_text())} == set(found)


@pytest.mark.parametrize("name", ["printed", "instructions", "parse", "specialise", "lower", "report", "anew"])
def test_a_text_is_the_one_that_is_made(name, found):
    one, other = shown(name), found[name]
    if sys.version_info < (3, 11):  # which knows the line of an operator, not its columns
        one, other = (re.sub(r", \d+~\d+/", "/", text) for text in (one, other))
    assert one == other, "python tests/examples/tour.py writes it anew"
