"""Transforms of words and texts: what MindSpore 2.10 gives for the same is written down here."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
import anfora.dataset as ds
from anfora.dataset import text

WELCOME = "Welcome  to Béijing, 北京! [MASK]\tdon't"
VOCAB = text.Vocab.from_list(["a", "b", "c", "[UNK]"], special_tokens=["<pad>"], special_first=True)
PIECES = text.Vocab.from_list(["un", "##aff", "##able", "i", "am", "[UNK]", "mak", "##ing", "[CLS]", "want", "##want"])
APART = ["Welcome", "to", "Béijing", ",", "北", "京", "!", "[MASK]", "don", "'", "t"]

CASES = {
    "white space": (text.WhitespaceTokenizer(), WELCOME, ["Welcome", "to", "Béijing,", "北京!", "[MASK]", "don't"]),
    "nothing": (text.WhitespaceTokenizer(), "  ", [""]),
    "characters": (text.UnicodeCharTokenizer(), "é b", ["é", " ", "b"]),
    "basic": (text.BasicTokenizer(), WELCOME, APART),
    "basic, white space": (text.BasicTokenizer(False, True), "a  b!", ["a", "  ", "b", "!"]),
    "basic, lower": (text.BasicTokenizer(True), "Béijing [MASK]", ["beijing", "[MASK]"]),
    "basic, not whole": (text.BasicTokenizer(preserve_unused_token=False), "[MASK]", ["[", "MASK", "]"]),
    "expression": (text.RegexTokenizer(r"\s+"), "a  b c", ["a", "b", "c"]),
    "expression, kept": (text.RegexTokenizer(r"\s+", r"\s+"), "a  b", ["a", "  ", "b"]),
    "pieces": (text.WordpieceTokenizer(PIECES), np.array(["unaffable", "i", "xyz", "making"]),
               ["un", "##aff", "##able", "i", "[UNK]", "mak", "##ing"]),
    "pieces, unknown": (text.WordpieceTokenizer(PIECES, unknown_token=""), np.array(["unaffxx"]), ["unaffxx"]),
    "Bert": (text.BertTokenizer(PIECES), "i am [CLS] unaffable", ["i", "am", "[CLS]", "un", "##aff", "##able"]),
    "Bert, nothing": (text.BertTokenizer(PIECES), "   ", [""]),
    "fold": (text.CaseFold(), "AbC", "abc"),
    "replace": (text.RegexReplace("e+", "_"), "Welcome", "W_lcom_"),
    "replace one": (text.RegexReplace("e+", "_", False), "Welcome", "W_lcome"),
    "form": (text.NormalizeUTF8(), "ﬁ", "fi"),
    "writings": (text.UnicodeScriptTokenizer(), "Welcome to 北 京，123 歡迎!  абв\tαβγ",
                 ["Welcome", "to", "北", "京", "，123", "歡迎", "!", "абв", "αβγ"]),
    "writings, white space": (text.UnicodeScriptTokenizer(True), "歡迎!  абв\tα 😀x",
                              ["歡迎", "!", "  ", "абв", "\t", "α", " ", "😀", "x"]),
    "writings, marks": (text.UnicodeScriptTokenizer(), "한국어カタカナひらがな漢字e\u0301x_नमस्ते",
                        ["한국어", "カタカナ", "ひらがな", "漢字", "e", "\u0301", "x", "_", "नमस्ते"]),
    "writings, nothing": (text.UnicodeScriptTokenizer(), " ", [""]),
    **{f"Wikipedia {given}": (text.FilterWikipediaXML(), given, plain) for given, plain in {
        "Welcome    to    China": "welcome to china", "!!!": "", "a < b": "a b", "<b>x</b> y": "y", "éa ß": "a",
        "AT&amp;T has 5 cats [[Brother|bro]] &quot;q&quot;": "at t has five cats brother bro q", "no #Redirect here": "",
        "a\nb\n\n c  D12": "a b c d one two", "a <ref>z</ref> b &lt;ref&gt;q&lt;/ref&gt;": "a b ref q ref",
    }.items()},
    "own": (text.PythonTokenizer(lambda word: word.split("-")), np.array("a-b"), ["a", "b"]),
    "lookup": (text.Lookup(VOCAB), np.array([["a"], ["c"]]), [[1], [3]]),
    "lookup one": (text.Lookup(VOCAB), np.array("a"), 1),
    "lookup, unknown": (text.Lookup(VOCAB, "[UNK]"), np.array(["a", "zz"]), [1, 4]),
    "numbers": (text.ToNumber(ms.float32), np.array(["1.5", "2"]), [1.5, 2.0]),
    "pairs": (text.Ngram(2), np.array(["a", "b", "c"]), ["a b", "b c"]),
    "several": (text.Ngram([1, 2, 3], ("&", 1), ("#", 2), "-"), np.array(["a", "b", "c"]),
                ["a", "b", "c", "&-a", "a-b", "b-c", "c-#", "&-a-b", "a-b-c", "b-c-#", "c-#-#"]),
    "too long": (text.Ngram(4), np.array(["a", "b", "c"]), [""]),
    "padded": (text.Ngram(3, ("_", 5), ("_", 1)), np.array(["a", "b"]), ["_ _ a", "_ a b", "a b _"]),
    "window": (text.SlidingWindow(3), np.arange(5.0), [[0.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]),
    "window of words": (text.SlidingWindow(2, 0), np.array(["a", "b", "c"]), [["a", "b"], ["b", "c"]]),
    "window, too wide": (text.SlidingWindow(5), np.array([1, 2, 3]), []),
    "first": (text.AddToken("[CLS]"), np.array(["a", "b"]), ["[CLS]", "a", "b"]),
    "last": (text.AddToken("x", False), np.array([["a", "b"], ["c", "d"]]), [["a", "b", "x"], ["c", "d", "x"]]),
    "cut": (text.Truncate(2), np.array(["a", "b", "c"]), ["a", "b"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    transform, given, expected = CASES[name]
    made = transform(given if isinstance(given, np.ndarray) else np.array(given))
    assert made.tolist() == expected
    assert made.dtype.kind in "Uif"


def test_places_are_bytes():
    words, begins, ends = text.BasicTokenizer(with_offsets=True)(WELCOME)
    assert words.tolist() == APART and begins.dtype == np.uint32
    assert begins.tolist() == [0, 9, 12, 20, 22, 25, 28, 30, 37, 40, 41]
    assert ends.tolist() == [7, 11, 20, 21, 25, 28, 29, 36, 40, 41, 42]
    words, begins, ends = text.BertTokenizer(PIECES, with_offsets=True)("i unaffable")
    assert (begins.tolist(), ends.tolist()) == ([0, 2, 4, 7], [1, 4, 7, 11])


def test_vocabularies(tmp_path):
    assert VOCAB.vocab() == {"<pad>": 0, "a": 1, "b": 2, "c": 3, "[UNK]": 4}
    assert VOCAB.tokens_to_ids(["a", "zz"]) == [1, -1] and VOCAB.tokens_to_ids("b") == 2
    assert VOCAB.tokens_to_ids(["a"]) == 1 and VOCAB.ids_to_tokens(np.array([2])) == "b"  # as MindSpore
    assert VOCAB.ids_to_tokens([0, 2]) == ["<pad>", "b"] and VOCAB.ids_to_tokens(1) == "a"
    assert text.Vocab.from_list(["a"], ["<p>"], special_first=False).vocab() == {"a": 0, "<p>": 1}
    assert text.Vocab.from_dict({"x": 3}).vocab() == {"x": 3}
    file = tmp_path / "words"
    file.write_text("q,1\nw,2\ne\n")
    assert text.Vocab.from_file(str(file)).vocab() == {"q,1": 0, "w,2": 1, "e": 2}
    assert text.Vocab.from_file(str(file), ",", 2, ["<u>"]).vocab() == {"<u>": 0, "q": 1, "w": 2}
    rows = [(np.array(["b", "a", "c", "a"]),), (np.array(["c", "a", "d"]),)]
    dataset = ds.GeneratorDataset(rows, ["t"], shuffle=False)
    assert text.Vocab.from_dataset(dataset, "t").vocab() == {"a": 0, "c": 1, "b": 2, "d": 3}
    frequent = text.Vocab.from_dataset(dataset, ["t"], freq_range=(2, None), top_k=2, special_tokens=["<p>"])
    assert frequent.vocab() == {"<p>": 0, "a": 1, "c": 2}
    with pytest.raises(ValueError, match="duplicate word: a"):
        text.Vocab.from_list(["a", "a"])
    with pytest.raises(ValueError, match="contain duplicate word"):
        text.Vocab.from_list(["a"], special_tokens=["a"])


def test_places_of_writings():
    words, begins, ends = text.UnicodeScriptTokenizer(with_offsets=True)("北 京")
    assert (words.tolist(), begins.tolist(), ends.tolist()) == (["北", "京"], [0, 4], [3, 7])


def test_errors():
    with pytest.raises(RuntimeError, match='token: "zz" does not exist'):
        text.Lookup(VOCAB)(np.array(["zz"]))
    with pytest.raises(RuntimeError, match="should be scalar"):
        text.WhitespaceTokenizer()(np.array(["a b"]))
    with pytest.raises(RuntimeError, match="out of bounds"):
        text.ToNumber(ms.int8)(np.array(["300"]))
    with pytest.raises(TypeError, match="NumPy array"):
        text.to_str(3)


def test_a_pipeline_of_text(tmp_path):
    file = tmp_path / "lines"
    file.write_text("a b\nc b a\n")
    dataset = ds.TextFileDataset(str(file), shuffle=False).map([text.WhitespaceTokenizer(), text.Lookup(VOCAB)], "text")
    [row] = dataset.padded_batch(2, pad_info={"text": ([4], 0)}).create_dict_iterator(num_epochs=1)
    assert row["text"].tolist() == [[1, 2, 0, 0], [3, 2, 1, 0]]
