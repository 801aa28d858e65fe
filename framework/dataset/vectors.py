"""Words as vectors that others have trained: files of GloVe, FastText and their like, and how a word is looked up."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpValueError
from anfora.core.files import reading
from anfora.dataset import checks
from anfora.dataset.functions import Transform

__all__ = ["CharNGram", "FastText", "GloVe", "ToVectors", "Vectors"]


class Vectors:
    """Words and their vectors, all of one length. Made by `from_file`.

    Example:
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "words.txt")
        >>> _ = file.write_text("hot 1 0.5\\ncold -1 0.5\\n")
        >>> ToVectors(Vectors.from_file(str(file)))(np.array(["cold", "mild"])).tolist()
        [[-1.0, 0.5], [0.0, 0.0]]
    """

    #: What the name of a file must match, and how it is told.
    _named: tuple[str, str] | None = None

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._values = np.zeros((0, 0), np.float32)

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Any:
        """The words of a text file, one a line: the word, then the numbers of its vector, with spaces between them. A first
        line of two entries, how many words there are and how long vectors are, is passed by. Of a word that comes again the
        first vector counts.

        Args:
            file_path: UTF-8 text.
            max_vectors: at most so many lines are read; None and 0 for all.
        Raises:
            OpTypeError, OpValueError: an argument is wrong.
            OpRuntimeError: there is no such file, its name is not one for such a file, or a line is none of a word and as
                many numbers, at least two, as the first one's.
        """
        if not isinstance(file_path, str):
            raise checks.wrong_type("file_path", file_path, str)
        most = 0 if max_vectors is None else checks.integer_in("max_vectors", max_vectors, 0)
        who = cls.__name__
        if not os.path.isfile(file_path):
            raise OpRuntimeError(f"{who}: there is no file {file_path!r}", arg="file_path")
        if cls._named and not re.fullmatch(cls._named[0], os.path.basename(file_path)):
            raise OpRuntimeError(
                f"{who}: the file should be named {cls._named[1]}, but is {file_path!r}", arg="file_path"
            )
        found = cls()
        rows: list[np.ndarray] = []
        with reading(file_path), open(file_path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                word, *numbers = line.rstrip().split(" ")
                if number == 1 and len(numbers) == 1:
                    continue
                if most and len(rows) == most:
                    break
                try:
                    vector = np.array(numbers, np.float32)
                except ValueError:
                    raise OpRuntimeError(
                        f"{who}: {file_path!r}, line {number}: {line[:60]!r} is no word and numbers"
                    ) from None
                if len(vector) < 2 or (rows and len(vector) != len(rows[0])):
                    wanted = f"{len(rows[0])} numbers, as in the first line," if rows else "at least two numbers"
                    raise OpRuntimeError(
                        f"{who}: {file_path!r}, line {number}: {wanted} should follow the word, but {len(vector)} do"
                    )
                found._rows.setdefault(word, len(rows))
                rows.append(vector)
        if not rows:
            raise OpRuntimeError(f"{who}: {file_path!r} holds no vectors", arg="file_path")
        found._values = np.array(rows)
        return found

    def _of(self, word: str) -> np.ndarray | None:
        """The vector of a word; None without one."""
        row = self._rows.get(word)
        return None if row is None else self._values[row]


class GloVe(Vectors):
    """Words and vectors in a file of GloVe's, `glove.*.txt`; see `Vectors`."""

    _named = (r"glove\..*\.txt", "glove.*.txt")


class FastText(Vectors):
    """Words and vectors in a file of FastText's, `*.vec`; see `Vectors`."""

    _named = (r".*\.vec", "*.vec")


class CharNGram(Vectors):
    """Vectors of pieces of words, in lines such as `3gram-ing 0.1 …`; see `Vectors`.

    A word's vector is the mean of those of its pieces of two, three and four signs, its begin (`#BEGIN#`) and its end
    (`#END#`) counting as a sign each: "ab" has the pieces `2gram-#BEGIN#a`, `2gram-ab`, `2gram-b#END#`, `3gram-#BEGIN#ab`,
    `3gram-ab#END#` and `4gram-#BEGIN#ab#END#`. Pieces without a vector do not count.

    Source: Hashimoto et al., "A Joint Many-Task Model", EMNLP 2017.
    """

    def _of(self, word: str) -> np.ndarray | None:
        signs = ["#BEGIN#", *word, "#END#"]
        pieces = (f"{n}gram-" + "".join(signs[i : i + n]) for n in (2, 3, 4) for i in range(len(signs) - n + 1))
        rows = [self._rows[piece] for piece in pieces if piece in self._rows]
        return self._values[rows].mean(0) if rows else None


class ToVectors(Transform):
    """Words as their vectors.

    Args:
        vectors: the words and their vectors.
        unk_init: the vector of words that have none, a sequence of numbers; zeros by default.
        lower_case_backup: whether a word without a vector is looked up in lower case as well.
    Returns:
        for words of any shape, one axis more, float32.
    """

    def __init__(
        self, vectors: Vectors, unk_init: Sequence[float] | None = None, lower_case_backup: bool = False
    ) -> None:
        if not isinstance(vectors, Vectors):
            raise checks.wrong_type("vectors", vectors, Vectors)
        length = vectors._values.shape[1]
        other = np.zeros(length, np.float32)
        if unk_init is not None:
            if not isinstance(unk_init, (list, tuple)):
                raise checks.wrong_type("unk_init", unk_init, list, tuple)
            other = np.array([checks.number(f"unk_init[{i}]", value) for i, value in enumerate(unk_init)], np.float32)
            if len(other) != length:
                raise OpValueError(f"unk_init has {len(other)} numbers, but the vectors have {length}", arg="unk_init")
        self.vectors, self.other = vectors, other
        self.lower_case_backup = checks.boolean("lower_case_backup", lower_case_backup)

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        words = np.asarray(field)
        if words.dtype.kind != "U":
            raise OpRuntimeError(f"ToVectors: the input should be words, but is {words.dtype}{list(words.shape)}")
        found = np.empty((words.size, len(self.other)), np.float32)
        for i, word in enumerate(words.ravel().tolist()):
            vector = self.vectors._of(word)
            if vector is None and self.lower_case_backup:
                vector = self.vectors._of(word.lower())
            found[i] = self.other if vector is None else vector
        return found.reshape(*words.shape, len(self.other))
