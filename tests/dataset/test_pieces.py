"""Words in pieces: what MindSpore's tokenizer, made with the same library, gives for the same texts."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from anfora import dataset as ds
from anfora.core.errors import AnforaError, OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import text
from anfora.dataset.text import SentencePieceModel as Model
from anfora.dataset.text import SentencePieceTokenizer, SentencePieceVocab, SPieceTokenizerOutType

pytest.importorskip("sentencepiece")

STRING, INT = SPieceTokenizerOutType.STRING, SPieceTokenizerOutType.INT
TEXTS = "the quick brown fox jumps over a lazy dog while seven wizards make toxic brew for evil queens and jacks"
TEXT = "the quick dog sleeps"
KNOWN = {
    Model.UNIGRAM: (
        45,
        "▁the ▁ q u i c k ▁dog ▁ s l e e p s",
        [8, 44, 24, 31, 38, 32, 33, 11, 44, 40, 30, 43, 43, 18, 40],
    ),
    Model.BPE: (60, "▁t he ▁qu i ck ▁ d o g ▁s l e e p s", [6, 32, 13, 39, 9, 33, 43, 36, 57, 17, 47, 34, 34, 59, 37]),
    Model.CHAR: (30, "▁ t h e ▁ q u i c k ▁ d o g ▁ s l e e p s", None),
    Model.WORD: (22, "▁the ▁quick ▁dog ▁sleeps", [8, 21, 11, 0]),
}


@pytest.fixture
def corpus(tmp_path):
    chosen = random.Random(1)
    file = tmp_path / "corpus.txt"
    file.write_text("\n".join(" ".join(chosen.choices(TEXTS.split(), k=8)) for _ in range(300)) + "\n")
    return str(file)


@pytest.mark.parametrize("kind", Model)
def test_pieces_are_those_of_mindspore(corpus, tmp_path, kind):
    size, pieces, numbers = KNOWN[kind]
    vocab = SentencePieceVocab.from_file([corpus], size, 0.9995, kind, {})
    assert SentencePieceTokenizer(vocab, STRING)(TEXT).tolist() == pieces.split(" ")
    found = SentencePieceTokenizer(vocab, INT)(np.array(TEXT))
    assert found.dtype == np.int32 and (numbers is None or found.tolist() == numbers)
    SentencePieceVocab.save_model(vocab, str(tmp_path), "m.model")
    again = SentencePieceTokenizer(str(tmp_path / "m.model"), INT)
    assert again(TEXT).tolist() == found.tolist() == pickle.loads(pickle.dumps(again))(TEXT).tolist()


@pytest.mark.parametrize("columns", [["text"], []])
def test_pieces_are_learned_from_a_dataset(corpus, columns):
    data = ds.TextFileDataset(corpus, shuffle=False)
    vocab = SentencePieceVocab.from_dataset(data, columns, 45, 0.9995, Model.UNIGRAM, {})
    tokenizer = SentencePieceTokenizer(vocab, INT)
    assert tokenizer(TEXT).tolist() == KNOWN[Model.UNIGRAM][2]
    rows = ds.NumpySlicesDataset([TEXT, ""], ["text"], shuffle=False).map(tokenizer, ["text"])
    found = [row["text"].tolist() for row in rows.create_dict_iterator(num_epochs=1, output_numpy=True)]
    assert found == [KNOWN[Model.UNIGRAM][2], []]


def test_what_cannot_be_done_is_told(corpus, tmp_path):
    def learned(files=(corpus,), size=45, coverage=0.9995, kind=Model.UNIGRAM, params=()):
        return SentencePieceVocab.from_file(list(files), size, coverage, kind, dict(params))

    for options, error in (
        ({"size": 100000}, OpRuntimeError), ({"size": -1}, OpValueError), ({"coverage": 1.5}, OpRuntimeError),
        ({"files": [str(tmp_path / "none")]}, OpRuntimeError), ({"kind": "bpe"}, OpTypeError),
        ({"params": {"nonsense": 3}}, OpRuntimeError),
    ):  # fmt: skip
        with pytest.raises(error):
            learned(**options)
    with pytest.raises(OpTypeError):
        SentencePieceVocab.from_file(corpus, 45, 0.9995, Model.UNIGRAM, {})
    with pytest.raises(OpRuntimeError, match="no column 'no'"):
        SentencePieceVocab.from_dataset(ds.TextFileDataset(corpus), ["no"], 45, 0.9995, Model.UNIGRAM, {})
    vocab = learned()
    for arguments, error in (
        ((1, INT), OpTypeError),
        ((vocab, 1), OpTypeError),
        (("none.model", INT), OpRuntimeError),
        ((corpus, INT), OpRuntimeError),
    ):
        with pytest.raises(error):
            SentencePieceTokenizer(*arguments)
    with pytest.raises(OpRuntimeError, match="one text"):
        SentencePieceTokenizer(vocab, STRING)(np.array(["a", "b"]))
    with pytest.raises(AnforaError):
        SentencePieceVocab.save_model(vocab, str(tmp_path / "none"), "m.model")
    assert text.SPieceTokenizerLoadType.MODEL == 1
