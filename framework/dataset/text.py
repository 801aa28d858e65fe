"""Transforms of words and texts: `anfora.dataset.text`, with MindSpore's names.

Tokenizers take one word of numpy, `array("…")`, or a str, and give an array (n,) of words; a text without tokens gives one
empty word. With `with_offsets` they give where tokens begin and end too, in bytes of UTF-8, two arrays (n,) uint32.
"""

from __future__ import annotations

import enum
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.files import reading
from anfora.core.nearest import missing_in
from anfora.dataset import checks
from anfora.dataset.chinese import Dictionary, Model, mixed, parts
from anfora.dataset.datasets import Dataset
from anfora.dataset.functions import Transform, is_pure
from anfora.dataset.pieces import (
    SentencePieceModel,
    SentencePieceTokenizer,
    SentencePieceVocab,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from anfora.dataset.tokens import AddToken, Ngram, SlidingWindow, Truncate, TruncateSequencePair
from anfora.dataset.transforms import TypeCast
from anfora.dataset.vectors import CharNGram, FastText, GloVe, ToVectors, Vectors

__all__ = [
    "AddToken", "BasicTokenizer", "BertTokenizer", "CaseFold", "CharNGram", "FastText", "FilterWikipediaXML",
    "GloVe", "JiebaMode", "JiebaTokenizer", "Lookup", "Ngram", "NormalizeForm", "NormalizeUTF8", "PythonTokenizer",
    "RegexReplace", "RegexTokenizer", "SPieceTokenizerLoadType", "SPieceTokenizerOutType", "SentencePieceModel",
    "SentencePieceTokenizer", "SentencePieceVocab", "SlidingWindow", "ToNumber", "ToVectors", "Truncate",
    "TruncateSequencePair", "UnicodeCharTokenizer", "UnicodeScriptTokenizer", "Vectors", "Vocab",
    "WhitespaceTokenizer", "WordpieceTokenizer", "to_bytes", "to_str",
]  # fmt: skip

_Token = tuple[str, int]  # a token, and where in the text it begins, in characters


class NormalizeForm(enum.IntEnum):
    """Forms of Unicode, see `unicodedata.normalize`."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


def to_str(array: Any, encoding: str = "utf8") -> np.ndarray:
    """An array of bytes as words.

    Example:
        >>> to_str(np.array([b"ab", b"c"])).tolist()
        ['ab', 'c']
    """
    if not isinstance(array, np.ndarray):
        raise OpTypeError("input should be a NumPy array.", arg="array")
    return array if array.dtype.kind == "U" else np.char.decode(array, encoding)


def to_bytes(array: Any, encoding: str = "utf8") -> np.ndarray:
    """An array of words as bytes.

    Example:
        >>> to_bytes(np.array(["ab", "c"])).tolist()
        [b'ab', b'c']
    """
    if not isinstance(array, np.ndarray):
        raise OpTypeError("input should be a NumPy array.", arg="array")
    return array if array.dtype.kind == "S" else np.char.encode(array, encoding)


@answers
class Vocab:
    """Words and their numbers. Made by `from_list`, `from_dict`, `from_file` and `from_dataset`.

    Example:
        >>> Vocab.from_list(["a", "b"], special_tokens=["<pad>"]).tokens_to_ids(["b", "x"])
        [2, -1]
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._words: dict[int, str] = {}

    @classmethod
    def _of(cls, ids: dict[str, int]) -> Vocab:
        found = cls()
        found._ids = ids
        found._words = {number: word for word, number in ids.items()}
        return found

    @classmethod
    def from_list(cls, word_list: list[str], special_tokens: Any = None, special_first: bool = True) -> Vocab:
        """Words numbered in their order.

        Args:
            word_list: words, none twice.
            special_tokens: further words, of which none is in the list.
            special_first: whether these come in front, or at the end.
        """
        if not isinstance(word_list, list) or not all(isinstance(word, str) for word in word_list):
            raise checks.wrong_type("word_list", word_list, list)
        special = list(special_tokens or ())
        for name, words in (("word_list", word_list), ("special_tokens", special)):
            for word, times in Counter(words).items():
                if times > 1:
                    raise OpValueError(f"{name} contains duplicate word: {word}.", arg=name)
        both = set(special) & set(word_list)
        if both:
            raise OpValueError(f"special_tokens and word_list contain duplicate word :{both}.", arg="special_tokens")
        words = [*special, *word_list] if checks.boolean("special_first", special_first) else [*word_list, *special]
        return cls._of({word: number for number, word in enumerate(words)})

    @classmethod
    def from_dict(cls, word_dict: dict[str, int]) -> Vocab:
        """Words with given numbers, not negative."""
        if not isinstance(word_dict, dict):
            raise checks.wrong_type("word_dict", word_dict, dict)
        for word, number in word_dict.items():
            if not isinstance(word, str):
                raise checks.wrong_type("word", word, str)
            if checks.integer("word_id", number) < 0:
                raise OpValueError(f"word_dict: the number of {word!r} is negative: {number}", arg="word_dict")
        return cls._of(dict(word_dict))

    @classmethod
    def from_file(
        cls, file_path: str, delimiter: str = "", vocab_size: int | None = None, special_tokens: Any = None,
        special_first: bool = True,
    ) -> Vocab:  # fmt: skip
        """The words of a file, one a line.

        Args:
            file_path: UTF-8 text.
            delimiter: where a line's word ends; the whole line by default.
            vocab_size: at most so many words.
            special_tokens, special_first: as for `from_list`.
        """
        if not os.path.isfile(file_path):
            raise OpValueError(f"The file {file_path} does not exist or permission denied!", arg="file_path")
        with reading(file_path), open(file_path, encoding="utf-8") as file:
            words = [line.rstrip("\r\n") for line in file]
        words = [word.split(delimiter)[0] if delimiter else word for word in words if word]
        return cls.from_list(words[:vocab_size], special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls, dataset: Dataset, columns: Any = None, freq_range: Any = None, top_k: int | None = None,
        special_tokens: Any = None, special_first: bool = True,
    ) -> Vocab:  # fmt: skip
        """The words in a dataset, the most frequent first, equally frequent ones by alphabet.

        Args:
            dataset: with columns of words.
            columns: which; all by default.
            freq_range: (least, most) times that a word comes; None for no bound.
            top_k: at most so many words.
            special_tokens, special_first: as for `from_list`.
        """
        names = dataset.get_col_names() if columns is None else checks.column_names("columns", columns)
        counts: Counter[str] = Counter()
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
            for name in names:
                if row[name].dtype.kind != "U":
                    raise OpRuntimeError(f"Vocab.from_dataset: column '{name}' has {row[name].dtype}, not words")
                counts.update(row[name].ravel().tolist())
        least, most = freq_range or (None, None)
        words = [
            word for word, times in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            if (least is None or times >= least) and (most is None or times <= most)
        ]  # fmt: skip
        return cls.from_list(words[:top_k], special_tokens, special_first)

    def vocab(self) -> dict[str, int]:
        """All words and their numbers."""
        return dict(self._ids)

    def tokens_to_ids(self, tokens: Any) -> Any:
        """The number of a word, or a list of those of several; −1 for what is not there. A list of one is that word."""
        words = [tokens] if isinstance(tokens, str) else tokens
        return _single([self._ids.get(str(word), -1) for word in words])

    def ids_to_tokens(self, ids: Any) -> Any:
        """The word with a number, or a list of those with several; the empty word for what is not there. A list of one is
        that number."""
        numbers = [ids] if checks.is_integer(ids) else ids
        return _single([self._words.get(int(number), "") for number in numbers])


def _single(found: list[Any]) -> Any:
    """What MindSpore's Vocab gives: the entry of a list that has one."""
    return found[0] if len(found) == 1 else found


class Lookup(Transform):
    """Words as their numbers.

    Args:
        vocab: the words.
        unknown_token: the word whose number all others get; by default they are an error.
        data_type: the element type, int32 by default.
    """

    def __init__(self, vocab: Vocab, unknown_token: str | None = None, data_type: Any = np.int32) -> None:
        if not isinstance(vocab, Vocab):
            raise checks.wrong_type("vocab", vocab, Vocab)
        if unknown_token is not None and not isinstance(unknown_token, str):
            raise checks.wrong_type("unknown_token", unknown_token, str)
        self.vocab, self.unknown, self._cast = vocab, unknown_token, TypeCast(data_type)

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        words = np.asarray(field)
        ids = self.vocab._ids
        other = None if self.unknown is None else ids.get(self.unknown)
        if self.unknown is not None and other is None:
            raise OpRuntimeError(f"Lookup: unknown_token: [{self.unknown}], does not exist in vocab.")
        found = []
        for word in words.ravel().tolist():
            number = ids.get(word, other)
            if number is None:
                raise OpRuntimeError(f'Lookup: invalid data, token: "{word}" does not exist in vocab.')
            found.append(number)
        return self._cast(np.array(found, np.int64).reshape(words.shape))


def _text(field: Any, who: Any) -> str:
    array = np.asarray(field)
    if array.ndim or array.dtype.kind != "U":
        raise OpRuntimeError(
            f"{type(who).__name__}: the input shape should be scalar and the input datatype should be string, but got"
            f" {array.dtype}{list(array.shape)}"
        )
    return str(array)


class _Tokenizer(Transform):
    """Base of what makes tokens of a text."""

    with_offsets = False

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        text = _text(field, self)
        return self.given(text, list(self.tokens(text)))

    @property
    def one_to_one(self) -> bool:  # type: ignore[override]
        return not self.with_offsets

    def tokens(self, text: str) -> Iterable[_Token]:
        raise NotImplementedError

    def given(self, text: str, tokens: list[_Token]) -> Any:
        tokens = tokens or [("", 0)]
        words = np.array([word for word, _ in tokens])
        if not self.with_offsets:
            return words
        begins = [len(text[:place].encode()) for _, place in tokens]
        ends = [begin + len(word.encode()) for begin, (word, _) in zip(begins, tokens)]
        return words, np.array(begins, np.uint32), np.array(ends, np.uint32)


class WhitespaceTokenizer(_Tokenizer):
    """Tokens between white space.

    Args:
        with_offsets: whether places are given too.
    Example:
        >>> WhitespaceTokenizer()("so it is").tolist()
        ['so', 'it', 'is']
    """

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = checks.boolean("with_offsets", with_offsets)

    def tokens(self, text: str) -> Iterable[_Token]:
        return [(found[0], found.start()) for found in re.finditer(r"\S+", text)]


class JiebaMode(enum.IntEnum):
    """How Chinese is cut into words; `anfora.dataset.chinese` describes each."""

    MIX = 0
    MP = 1
    HMM = 2


class JiebaTokenizer(_Tokenizer):
    """Words of Chinese texts, by the files of cppjieba.

    Args:
        hmm_path: the file with the model, hmm_model.utf8 there.
        mp_path: the file with words and their frequencies, jieba.dict.utf8 there.
        mode: by the words, by the model, or by both.
        with_offsets: whether places are given too.
    Raises:
        OpTypeError, OpValueError: an argument is of a wrong type, or there is no such file.
        OpRuntimeError: a file cannot be read.
    """

    def __init__(
        self, hmm_path: str, mp_path: str, mode: JiebaMode = JiebaMode.MIX, with_offsets: bool = False
    ) -> None:
        for name, path in (("hmm_path", hmm_path), ("mp_path", mp_path)):
            if not isinstance(path, str):
                raise OpTypeError(f"Wrong input type for {name}, should be string.", arg=name)
            if not os.path.exists(path):
                raise OpValueError(f" jieba mode file {path} is not exist.", arg=name)
        if not isinstance(mode, JiebaMode):
            raise OpTypeError("Wrong input type for mode, should be JiebaMode.", arg="mode")
        if not isinstance(with_offsets, bool):
            raise OpTypeError("Wrong input type for with_offsets, should be boolean.", arg="with_offsets")
        self.mode, self.with_offsets = mode, with_offsets
        self.model, self.dictionary = Model(hmm_path), Dictionary(mp_path)

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word, or give one another frequency; without one it is as frequent as the word in the middle of all."""
        if not isinstance(word, str):
            raise checks.wrong_type("word", word, str)
        if not word:
            raise OpValueError("`word` must have a sign", arg="word")
        self.dictionary.add(word, 0 if freq is None else checks.integer_in("freq", freq, 0, 2**32 - 1))

    def add_dict(self, user_dict: str | dict[str, int]) -> None:
        """Add words: a dictionary of frequencies, or the path of a file with a word, and perhaps a frequency, a line.

        Lines that are otherwise are left out.
        """
        if isinstance(user_dict, str):
            if not os.path.exists(user_dict):
                raise OpValueError(f"user dict file {user_dict} is not exist.", arg="user_dict")
            with reading(user_dict), open(user_dict, encoding="utf-8") as file:
                found = [re.fullmatch(r"\s*([^\s*]+?)\s*([0-9]+)?\s*", line.strip().lstrip("\ufeff")) for line in file]
                user_dict = {line[1]: int(line[2] or 0) for line in found if line}
        elif not isinstance(user_dict, dict):
            raise OpTypeError("The type of user_dict must str or dict.", arg="user_dict")
        for word, frequency in user_dict.items():
            self.add_word(word, frequency)

    def tokens(self, text: str) -> Iterable[_Token]:
        for begin, end in parts(text):
            if self.mode == JiebaMode.MP:
                spans = self.dictionary.cut(text, begin, end)
            elif self.mode == JiebaMode.HMM:
                spans = self.model.cut(text, begin, end)
            else:
                spans = mixed(self.dictionary, self.model, text, begin, end)
            yield from ((text[left:right], left) for left, right in spans)


class UnicodeCharTokenizer(_Tokenizer):
    """Every character a token.

    Args:
        with_offsets: whether places are given too.
    """

    def __init__(self, with_offsets: bool = False) -> None:
        self.with_offsets = checks.boolean("with_offsets", with_offsets)

    def tokens(self, text: str) -> Iterable[_Token]:
        return [(sign, place) for place, sign in enumerate(text)]


#: The writings that Unicode tells apart; a sign of a later one is a token of its own.
_SCRIPTS = """
    Adlm Aghb Ahom Arab Armi Armn Avst Bali Bamu Bass Batk Beng Bhks Bopo Brah Brai Bugi Buhd Cakm Cans Cari Cham Cher Chrs
    Copt Cpmn Cprt Cyrl Deva Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Geor Glag Gong Gonm Goth Gran Grek Gujr Guru Hang Hani
    Hano Hatr Hebr Hira Hluw Hmng Hmnp Hung Ital Java Kali Kana Khar Khmr Khoj Kits Knda Kthi Lana Laoo Latn Lepc Limb Lina
    Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi Mong Mroo Mtei Mult Mymr Nand Narb Nbat Newa
    Nkoo Nshu Ogam Olck Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli Phlp Phnx Plrd Prti Rjng Rohg Runr Samr Sarb Saur
    Sgnw Shaw Shrd Sidd Sind Sinh Sogd Sogo Sora Soyo Sund Sylo Syrc Tagb Takr Tale Talu Taml Tang Tavt Telu Tfng Tglg Thaa
    Thai Tibt Tirh Tnsa Toto Ugar Vaii Vith Wara Wcho Xpeo Xsux Yezi Yiii Zanb Zinh
"""


class UnicodeScriptTokenizer(_Tokenizer):
    """Tokens of one writing each: Latin letters, Cyrillic ones, Chinese signs; digits and signs are one of their own. Needs
    `pip install regex`, which knows of each sign where it belongs.

    Args:
        keep_whitespace: whether white space is a token too.
        with_offsets: whether places are given too.
    """

    def __init__(self, keep_whitespace: bool = False, with_offsets: bool = False) -> None:
        self.keep_whitespace = checks.boolean("keep_whitespace", keep_whitespace)
        self.with_offsets = checks.boolean("with_offsets", with_offsets)
        try:
            import regex
        except ImportError as error:
            raise OpRuntimeError(
                f"UnicodeScriptTokenizer needs regex, which is not installed ({error})", help="pip install regex"
            ) from error
        writings = "|".join(rf"\p{{Script={name}}}+" for name in _SCRIPTS.split())
        self.runs = regex.compile(rf"\s+|(?:(?!\s)\p{{Script=Zyyy}})+|{writings}|.", regex.DOTALL)

    def tokens(self, text: str) -> Iterable[_Token]:
        found = ((run[0], run.start()) for run in self.runs.finditer(text))
        return [each for each in found if self.keep_whitespace or not each[0].isspace()]


class RegexTokenizer(_Tokenizer):
    """Tokens between what a regular expression matches.

    Args:
        delim_pattern: the expression, as of Python's `re`.
        keep_delim_pattern: matches that match this one too are tokens.
        with_offsets: whether places are given too.
    """

    def __init__(self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False) -> None:
        self.delimiter = re.compile(delim_pattern)
        self.kept = re.compile(keep_delim_pattern) if keep_delim_pattern else None
        self.with_offsets = checks.boolean("with_offsets", with_offsets)

    def tokens(self, text: str) -> Iterable[_Token]:
        place = 0
        for found in self.delimiter.finditer(text):
            if found.end() == found.start():
                continue
            if found.start() > place:
                yield text[place : found.start()], place
            if self.kept is not None and self.kept.fullmatch(found[0]):
                yield found[0], found.start()
            place = found.end()
        if place < len(text):
            yield text[place:], place


def _is_punctuation(sign: str) -> bool:
    return sign in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" or unicodedata.category(sign).startswith("P")


_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2FA1F), (0xF900, 0xFAFF))
_UNUSED = re.compile(r"\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\]")


class BasicTokenizer(_Tokenizer):
    """Tokens between white space, with signs of punctuation and Chinese characters as tokens of their own.

    Args:
        lower_case: whether the text is made lower case, and accents are left out, first.
        keep_whitespace: whether runs of white space are tokens.
        normalization_form: the form of Unicode that the text is brought to, if it is not made lower case.
        preserve_unused_token: whether [CLS], [SEP], [UNK], [PAD], [MASK] and [unused1], … stay whole.
        with_offsets: whether places are given too, in the text as it was made.
    """

    def __init__(
        self, lower_case: bool = False, keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE, preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:  # fmt: skip
        self.lower_case = checks.boolean("lower_case", lower_case)
        self.keep_whitespace = checks.boolean("keep_whitespace", keep_whitespace)
        if not isinstance(normalization_form, NormalizeForm):
            raise checks.wrong_type("normalization_form", normalization_form, NormalizeForm)
        self.form = normalization_form
        self.preserve = checks.boolean("preserve_unused_token", preserve_unused_token)
        self.with_offsets = checks.boolean("with_offsets", with_offsets)

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        text = self.prepared(_text(field, self))
        return self.given(text, list(self.tokens(text)))

    def prepared(self, text: str) -> str:
        parts, place = [], 0
        for found in _UNUSED.finditer(text) if self.preserve else ():
            parts += [self._plain(text[place : found.start()]), found[0]]
            place = found.end()
        return "".join([*parts, self._plain(text[place:])])

    def _plain(self, text: str) -> str:
        if self.lower_case:
            return "".join(s for s in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(s) != "Mn")
        return unicodedata.normalize(self.form.name, text) if self.form else text  # type: ignore[arg-type]

    def tokens(self, text: str) -> Iterable[_Token]:
        place = 0
        while place < len(text):
            whole = _UNUSED.match(text, place) if self.preserve else None
            if whole:
                yield whole[0], place
                place = whole.end()
                continue
            kind, end = self._kind(text[place]), place + 1
            if kind in "sw":
                while end < len(text) and self._kind(text[end]) == kind:
                    end += 1
            if kind != "s" or self.keep_whitespace:
                yield text[place:end], place
            place = end

    @staticmethod
    def _kind(sign: str) -> str:
        """White space, a sign that stands alone, or part of a word."""
        if sign.isspace():
            return "s"
        if _is_punctuation(sign) or any(low <= ord(sign) <= high for low, high in _CJK):
            return "p"
        return "w"


class WordpieceTokenizer(_Tokenizer):
    """Words as the longest pieces that a vocabulary has, from the front.

    Args:
        vocab: the pieces.
        suffix_indicator: what pieces that are not the first of their word begin with.
        max_bytes_per_token: longer words are unknown.
        unknown_token: what an unknown word becomes; "" keeps it.
        with_offsets: whether places in the words are given too.
    """

    def __init__(
        self, vocab: Vocab, suffix_indicator: str = "##", max_bytes_per_token: int = 100, unknown_token: str = "[UNK]",
        with_offsets: bool = False,
    ) -> None:  # fmt: skip
        if not isinstance(vocab, Vocab):
            raise checks.wrong_type("vocab", vocab, Vocab)
        self.vocab, self.suffix, self.unknown = vocab, suffix_indicator, unknown_token
        self.longest = checks.integer_in("max_bytes_per_token", max_bytes_per_token, 0)
        self.with_offsets = checks.boolean("with_offsets", with_offsets)

    def pieces(self, word: str) -> list[tuple[str, int, int]]:
        """(piece, begin, end) in characters of the word."""
        known = self.vocab._ids
        whole = [(self.unknown or word, 0, len(word))]
        if len(word.encode()) > self.longest:
            return whole
        found, begin = [], 0
        while begin < len(word):
            for end in range(len(word), begin, -1):
                piece = (self.suffix if begin else "") + word[begin:end]
                if piece in known:
                    break
            else:
                return whole
            found.append((piece, begin, end))
            begin = end
        return found or (whole if word else [("", 0, 0)])

    def __call__(self, *fields: Any) -> Any:
        words = np.atleast_1d(np.asarray(fields[0])).tolist()
        base = [0] * len(words) if len(fields) < 2 else np.asarray(fields[1]).tolist()
        pieces, begins, ends = [], [], []
        for word, offset in zip(words, base):
            for piece, begin, end in self.pieces(word):
                pieces.append(piece)
                begins.append(offset + len(word[:begin].encode()))
                ends.append(offset + len(word[:end].encode()))
        made = np.array(pieces or [""])
        if not self.with_offsets:
            return made
        return made, np.array(begins or [0], np.uint32), np.array(ends or [0], np.uint32)


class BertTokenizer(Transform):
    """The tokens of `BasicTokenizer`, as the pieces of `WordpieceTokenizer`; the arguments are theirs."""

    def __init__(
        self, vocab: Vocab, suffix_indicator: str = "##", max_bytes_per_token: int = 100, unknown_token: str = "[UNK]",
        lower_case: bool = False, keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE, preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:  # fmt: skip
        self.basic = BasicTokenizer(lower_case, keep_whitespace, normalization_form, preserve_unused_token, True)
        self.wordpiece = WordpieceTokenizer(vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets)

    @property
    def one_to_one(self) -> bool:  # type: ignore[override]
        return not self.wordpiece.with_offsets

    def __call__(self, *fields: Any) -> Any:
        words, begins, _ = self.basic(*fields)
        return self.wordpiece(words, begins)


class _OfWords(Transform):
    """Base of what changes each word."""

    def changed(self, word: str) -> str:
        raise NotImplementedError

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        words = np.asarray(field)
        if words.dtype.kind != "U":
            raise OpRuntimeError(f"{type(self).__name__}: the input should be words, but got {words.dtype}")
        return np.array([self.changed(word) for word in words.ravel().tolist()]).reshape(words.shape)


class CaseFold(_OfWords):
    """Words in lower case, as far as case matters."""

    def changed(self, word: str) -> str:
        return word.casefold()


class FilterWikipediaXML(_OfWords):
    """Texts of Wikipedia's dumps as small letters with single spaces: no tags, no signs, digits by their names. A text with
    "#redirect" becomes empty.

    Example:
        >>> FilterWikipediaXML()("<b>Up</b> to   12 &quot;cats&quot;").item()
        'to one two cats'
    """

    _NAMES = dict(zip("0123456789", ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]))  # noqa: RUF012

    def changed(self, word: str) -> str:
        if "#redirect" in word.lower():
            return ""
        plain = re.sub("&[^;]*;", " ", re.sub("<.*>", "", word)).lower()
        named = re.sub("[0-9]", lambda digit: f" {self._NAMES[digit[0]]} ", plain)
        return " ".join(re.sub("[^a-z]", " ", named).split())


class NormalizeUTF8(_OfWords):
    """Words in a form of Unicode.

    Args:
        normalize_form: a NormalizeForm.
    """

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        if not isinstance(normalize_form, NormalizeForm):
            raise checks.wrong_type("normalize_form", normalize_form, NormalizeForm)
        self.form = normalize_form

    def changed(self, word: str) -> str:
        return unicodedata.normalize(self.form.name, word) if self.form else word  # type: ignore[arg-type]


class RegexReplace(_OfWords):
    """Matches of a regular expression replaced.

    Args:
        pattern: the expression, as of Python's `re`.
        replace: what comes in place of a match.
        replace_all: whether all are replaced, or the first.
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        self.pattern, self.replace = re.compile(pattern), replace
        self.count = 0 if checks.boolean("replace_all", replace_all) else 1

    def changed(self, word: str) -> str:
        return self.pattern.sub(self.replace, word, count=self.count)


class PythonTokenizer(_Tokenizer):
    """The tokens that a function of the program makes of a text.

    Args:
        tokenizer: gets a str and gives a list of them.
    """

    def __init__(self, tokenizer: Callable[[str], Sequence[str]]) -> None:
        if not callable(tokenizer):
            raise OpTypeError("tokenizer must be a callable", arg="tokenizer")
        self.tokenizer = tokenizer

    @property
    def is_pure(self) -> bool:
        return is_pure(self.tokenizer)

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        if not isinstance(field, np.ndarray):
            raise OpTypeError(f"input should be a NumPy array. Got {type(field)}.")
        return np.array(list(self.tokenizer(_text(field, self))) or [""])


class ToNumber(Transform):
    """Words as numbers.

    Args:
        data_type: the element type.
    """

    def __init__(self, data_type: Any) -> None:
        self._kind = TypeCast(data_type)._numpy

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        words = np.asarray(field)
        try:
            read: Any = float if self._kind.kind == "f" else int
            found = [read(word) for word in words.ravel().tolist()]
            if self._kind.kind in "iu" and found:
                bounds = np.iinfo(self._kind)
                if not bounds.min <= min(found) <= max(found) <= bounds.max:
                    raise ValueError(f"a number is out of bounds for {self._kind}")
            return np.array(found, self._kind).reshape(words.shape)
        except (ValueError, OverflowError) as error:
            raise OpRuntimeError(f"ToNumber: invalid data, {error}") from error


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
