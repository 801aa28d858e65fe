# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.dataset.pieces import SPieceTokenizerLoadType as SPieceTokenizerLoadType
from anfora.dataset.pieces import SPieceTokenizerOutType as SPieceTokenizerOutType
from anfora.dataset.pieces import SentencePieceModel as SentencePieceModel
from anfora.dataset.pieces import SentencePieceTokenizer as SentencePieceTokenizer
from anfora.dataset.pieces import SentencePieceVocab as SentencePieceVocab
from anfora.dataset.tokens import AddToken as AddToken
from anfora.dataset.tokens import Ngram as Ngram
from anfora.dataset.tokens import SlidingWindow as SlidingWindow
from anfora.dataset.tokens import Truncate as Truncate
from anfora.dataset.tokens import TruncateSequencePair as TruncateSequencePair
from anfora.dataset.vectors import CharNGram as CharNGram
from anfora.dataset.vectors import FastText as FastText
from anfora.dataset.vectors import GloVe as GloVe
from anfora.dataset.vectors import ToVectors as ToVectors
from anfora.dataset.vectors import Vectors as Vectors

BasicTokenizer: builtins.type

BertTokenizer: builtins.type

CaseFold: builtins.type

FilterWikipediaXML: builtins.type

JiebaMode: Any

JiebaTokenizer: builtins.type

Lookup: builtins.type

NormalizeForm: Any

NormalizeUTF8: builtins.type

PythonTokenizer: builtins.type

RegexReplace: builtins.type

RegexTokenizer: builtins.type

ToNumber: builtins.type

UnicodeCharTokenizer: builtins.type

UnicodeScriptTokenizer: builtins.type

Vocab: builtins.type

WhitespaceTokenizer: builtins.type

WordpieceTokenizer: builtins.type

def to_bytes(array: Any, encoding: builtins.str = 'utf8') -> Any:
    """An array of words as bytes."""

def to_str(array: Any, encoding: builtins.str = 'utf8') -> Any:
    """An array of bytes as words."""
