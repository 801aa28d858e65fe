"""Words in pieces, by the library sentencepiece (`pip install anfora[text]`), which is imported where it is needed."""

from __future__ import annotations

import enum
import io
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.dataset import checks
from anfora.dataset.datasets import Dataset
from anfora.dataset.functions import Transform

__all__ = [
    "SPieceTokenizerLoadType", "SPieceTokenizerOutType", "SentencePieceModel", "SentencePieceTokenizer",
    "SentencePieceVocab",
]  # fmt: skip


class SentencePieceModel(enum.IntEnum):
    """How pieces are found."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerOutType(enum.IntEnum):
    """What a tokenizer gives: pieces, or their numbers."""

    STRING = 0
    INT = 1


class SPieceTokenizerLoadType(enum.IntEnum):
    """What a tokenizer is made from: a file, or a `SentencePieceVocab`."""

    FILE = 0
    MODEL = 1


def _library() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise OpRuntimeError(
            f"pieces of words need the library sentencepiece, which is not installed ({error})",
            help="pip install anfora[text]",
        ) from error
    return sentencepiece


class SentencePieceVocab:
    """Pieces of words, and how words are taken apart. Made by `from_file` and `from_dataset`, which learn it from texts.

    Example:
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "text.txt")
        >>> _ = file.write_text("ab ab abc\\n" * 9)
        >>> vocab = SentencePieceVocab.from_file([str(file)], 9, 1.0, SentencePieceModel.BPE, {})
        >>> SentencePieceTokenizer(vocab, SPieceTokenizerOutType.STRING)("ab c").tolist()
        ['▁ab', '▁', 'c']
    """

    _model = b""

    @classmethod
    def from_file(
        cls, file_path: list[str], vocab_size: int, character_coverage: float, model_type: SentencePieceModel,
        params: dict[str, Any],
    ) -> SentencePieceVocab:  # fmt: skip
        """Learn pieces from the lines of text files.

        Args:
            file_path: their paths.
            vocab_size: how many pieces.
            character_coverage: the part of all signs that are to be pieces, from 0.98 to 1.
            model_type: how pieces are found.
            params: further settings of the library's trainer, by name.
        Raises:
            OpTypeError, OpValueError: an argument is wrong.
            OpRuntimeError: the library cannot learn that, and why.
        """
        if not isinstance(file_path, list) or not all(isinstance(path, str) for path in file_path):
            raise checks.wrong_type("file_path", file_path, list)
        return cls._learned({"input": file_path}, vocab_size, character_coverage, model_type, params)

    @classmethod
    def from_dataset(
        cls, dataset: Dataset, col_names: list[str], vocab_size: int, character_coverage: float,
        model_type: SentencePieceModel, params: dict[str, Any],
    ) -> SentencePieceVocab:  # fmt: skip
        """Learn pieces from the texts in columns of a dataset, in all where `col_names` is empty; see `from_file`."""
        if not isinstance(dataset, Dataset):
            raise checks.wrong_type("dataset", dataset, Dataset)
        names = checks.column_names("col_names", col_names, empty=True) or dataset.get_col_names()
        lacking = [name for name in names if name not in dataset.get_col_names()]
        if lacking:
            raise OpRuntimeError(f"SentencePieceVocab: the dataset has no column {lacking[0]!r}", arg="col_names")

        def texts() -> Iterator[str]:
            for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
                for name in names:
                    yield from map(str, np.asarray(row[name]).ravel())

        return cls._learned({"sentence_iterator": texts()}, vocab_size, character_coverage, model_type, params)

    @classmethod
    def _learned(cls, source: dict[str, Any], size: Any, coverage: Any, kind: Any, params: Any) -> SentencePieceVocab:
        checks.integer_in("vocab_size", size, 0)
        checks.number("character_coverage", coverage)
        if not isinstance(kind, SentencePieceModel):
            raise checks.wrong_type("model_type", kind, SentencePieceModel)
        if not isinstance(params, dict):
            raise checks.wrong_type("params", params, dict)
        settings = {"vocab_size": size, "character_coverage": coverage, "model_type": kind.name.lower(), **params}
        model = io.BytesIO()
        try:
            _library().SentencePieceTrainer.train(**source, model_writer=model, minloglevel=2, **settings)
        except (OSError, RuntimeError, ValueError) as error:
            raise OpRuntimeError(f"SentencePieceVocab: {error}") from error
        found = cls()
        found._model = model.getvalue()
        return found

    @classmethod
    def save_model(cls, vocab: SentencePieceVocab, path: str, filename: str) -> None:
        """Write the pieces as a file of sentencepiece's, in a folder that is there."""
        if not isinstance(vocab, SentencePieceVocab):
            raise checks.wrong_type("vocab", vocab, SentencePieceVocab)
        with open(os.path.join(checks.folder("path", path), filename), "wb") as file:
            file.write(vocab._model)


class SentencePieceTokenizer(Transform):
    """A text in pieces.

    Args:
        mode: a `SentencePieceVocab`, or the path of a file of sentencepiece's.
        out_type: whether pieces come, or their numbers, int32.
    """

    def __init__(self, mode: str | SentencePieceVocab, out_type: SPieceTokenizerOutType) -> None:
        if not isinstance(mode, (str, SentencePieceVocab)):
            raise checks.wrong_type("mode", mode, str, SentencePieceVocab)
        if not isinstance(out_type, SPieceTokenizerOutType):
            raise checks.wrong_type("out_type", out_type, SPieceTokenizerOutType)
        self.out_type = out_type
        if isinstance(mode, SentencePieceVocab):
            self._pieces = _library().SentencePieceProcessor(model_proto=mode._model)
            return
        if not os.path.isfile(mode):
            raise OpRuntimeError(f"SentencePieceTokenizer: there is no file {mode!r}", arg="mode")
        try:
            self._pieces = _library().SentencePieceProcessor(model_file=mode)
        except (OSError, RuntimeError) as error:
            raise OpRuntimeError(f"SentencePieceTokenizer: {mode!r} cannot be read: {error}", arg="mode") from error

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        text = np.asarray(field)
        if text.ndim or text.dtype.kind != "U":
            raise OpRuntimeError(
                f"SentencePieceTokenizer: the input should be one text, not {text.dtype}{list(text.shape)}"
            )
        if self.out_type is SPieceTokenizerOutType.INT:
            return np.array(self._pieces.encode(str(text), out_type=int), np.int32)
        return np.array(self._pieces.encode(str(text), out_type=str), str)
