"""Chinese cut into words, beside MindSpore 2.10 (chinese.json: its files, texts, and what it gave)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anfora.dataset import text
from anfora.dataset.text import JiebaMode, JiebaTokenizer

KNOWN = json.loads(Path(__file__).with_name("chinese.json").read_text("utf-8"))


@pytest.fixture
def files(tmp_path):
    """The model and the dictionary."""
    (tmp_path / "model").write_text(KNOWN["model"], "utf-8")
    lines = (f"{word} {frequency} n\n" for word, frequency in KNOWN["dictionary"].items())
    (tmp_path / "dictionary").write_text("".join(lines), "utf-8")
    return str(tmp_path / "model"), str(tmp_path / "dictionary")


def test_words_are_those_of_mindspore(files):
    tokenizers = {mode.name: JiebaTokenizer(*files, mode) for mode in JiebaMode}
    for mode, given, expected in KNOWN["rows"]:
        assert "|".join(tokenizers[mode](given).tolist()) == expected, (mode, given)


def test_places_are_those_of_mindspore(files):
    _, given, _ = KNOWN["rows"][1]
    tokenizer = JiebaTokenizer(*files, with_offsets=True)
    assert [field.tolist() for field in tokenizer(given)] == KNOWN["places"]


def test_words_that_are_added(files, tmp_path):
    (tmp_path / "more").write_text("\ufeff杭研 10\n\nno word here\n  明月 3\n硕士毕业\n", "utf-8")
    one, other = JiebaTokenizer(*files, JiebaMode.MP), JiebaTokenizer(*files, JiebaMode.MP)
    one.add_word("硕士毕业")
    one.add_dict({"杭研": 10, "明月": 3})
    other.add_dict(str(tmp_path / "more"))
    for tokenizer in (one, other):
        assert [[given, "|".join(tokenizer(given).tolist())] for given, _ in KNOWN["added"]] == KNOWN["added"]


def test_refused(files, tmp_path):
    model, dictionary = files
    for make, error, words in (
        (lambda: JiebaTokenizer(1, dictionary), TypeError, "hmm_path"),
        (lambda: JiebaTokenizer(model, "none"), ValueError, "is not exist"),
        (lambda: JiebaTokenizer(model, dictionary, 1), TypeError, "JiebaMode"),
        (lambda: JiebaTokenizer(model, dictionary, with_offsets=1), TypeError, "boolean"),
        (lambda: JiebaTokenizer(model, model), RuntimeError, "line 1 of .* a word, its frequency and its tag"),
        (lambda: JiebaTokenizer(dictionary, dictionary), RuntimeError, "9 lines"),
        (lambda: JiebaTokenizer(model, dictionary).add_word(3), TypeError, "word"),
        (lambda: JiebaTokenizer(model, dictionary).add_word(""), ValueError, "must have a sign"),
        (lambda: JiebaTokenizer(model, dictionary).add_word("a", -1), ValueError, "interval"),
        (lambda: JiebaTokenizer(model, dictionary).add_dict(3), TypeError, "str or dict"),
        (lambda: JiebaTokenizer(model, dictionary).add_dict("none"), ValueError, "is not exist"),
        (lambda: JiebaTokenizer(model, dictionary)(text), RuntimeError, "datatype should be string"),
    ):
        with pytest.raises(error, match=words):
            make()
    (tmp_path / "broken").write_text(KNOWN["model"].replace("-0.26268660809250016", "x"), "utf-8")
    with pytest.raises(RuntimeError, match="4 logarithms"):
        JiebaTokenizer(str(tmp_path / "broken"), dictionary)
    for frequency in (0, -1, "nan", "inf"):
        (tmp_path / "broken").write_text(f"word {frequency} n\n", "utf-8")
        with pytest.raises(RuntimeError, match="not positive"):
            JiebaTokenizer(model, str(tmp_path / "broken"))
