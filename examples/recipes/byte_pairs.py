"""Tokens for source code: bytes, and pairs of neighbouring tokens that were found to be frequent.

Source:
    Sennrich, Haddow & Birch, Neural Machine Translation of Rare Words with Subword Units, ACL 2016.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np

__all__ = ["BytePairs"]

#: Pieces within which pairs are joined: a line break with the indentation behind it, a word, a number, signs.
_PIECE = re.compile(rb"\n[ \t\n]*| ?[A-Za-z_]+| ?[0-9]+| ?[^\sA-Za-z0-9_]+|\s+")


class BytePairs:
    """A vocabulary: token i < 256 is a byte, token 256 + j is the j-th pair.

    Args:
        pairs: pairs of tokens, each of tokens in front of it.
    Example:
        >>> pairs = BytePairs.learnt(b"abab abab", 258)
        >>> tokens = pairs.encode(b"abba ab")
        >>> tokens.tolist(), pairs.decode(tokens)
        ([256, 98, 97, 32, 256], b'abba ab')
    """

    def __init__(self, pairs: list[tuple[int, int]]) -> None:
        self.pairs = pairs
        self._ranks = {pair: rank for rank, pair in enumerate(pairs)}
        self._bytes = [bytes([i]) for i in range(256)]
        for first, second in pairs:
            self._bytes.append(self._bytes[first] + self._bytes[second])
        self._known: dict[bytes, list[int]] = {}

    @classmethod
    def learnt(cls, text: bytes, size: int) -> BytePairs:
        """A vocabulary of up to `size` tokens: always the pair that is most frequent is added, the smallest of several."""
        counts = Counter(_PIECE.findall(text))
        words = [(list(piece), count) for piece, count in counts.items()]
        frequency: Counter[tuple[int, int]] = Counter()
        where: dict[tuple[int, int], set[int]] = defaultdict(set)
        for i, (tokens, count) in enumerate(words):
            for pair in pairwise(tokens):
                frequency[pair] += count
                where[pair].add(i)
        queue = [(-count, pair) for pair, count in frequency.items()]  # entries whose count has changed are passed over
        heapq.heapify(queue)
        pairs: list[tuple[int, int]] = []
        while len(pairs) < size - 256 and queue:
            count, best = heapq.heappop(queue)
            if frequency[best] != -count:
                continue
            if -count < 2:
                break
            changed: set[tuple[int, int]] = set()
            for i in where.pop(best):
                tokens, count = words[i]
                joined = _join(tokens, best, 256 + len(pairs))
                if len(joined) == len(tokens):  # another pair has taken its place since
                    continue
                before, after = Counter(pairwise(tokens)), Counter(pairwise(joined))
                for pair in before.keys() | after.keys():
                    more = after[pair] - before[pair]
                    if more:
                        frequency[pair] += more * count
                        changed.add(pair)
                        if more > 0:
                            where[pair].add(i)
                tokens[:] = joined
            for pair in changed - {best}:
                heapq.heappush(queue, (-frequency[pair], pair))
            pairs.append(best)
        return cls(pairs)

    def __len__(self) -> int:
        return len(self._bytes)

    def encode(self, text: bytes) -> np.ndarray:
        """Tokens of a text, uint16 (L,)."""
        found: list[int] = []
        for piece in _PIECE.findall(text):
            tokens = self._known.get(piece)
            if tokens is None:
                tokens = self._known[piece] = self._joined(list(piece))
            found += tokens
        return np.array(found, np.uint16)

    def _joined(self, tokens: list[int]) -> list[int]:
        """Pairs are joined in the order in which they were found to be frequent."""
        while len(tokens) > 1:
            best = min(pairwise(tokens), key=lambda pair: self._ranks.get(pair, len(self.pairs)))
            if best not in self._ranks:
                break
            tokens = _join(tokens, best, 256 + self._ranks[best])
        return tokens

    def decode(self, tokens: np.ndarray) -> bytes:
        """The text of tokens (L,)."""
        return b"".join(self._bytes[token] for token in tokens.tolist())


def _join(tokens: list[int], pair: tuple[int, int], new: int) -> list[int]:
    """The tokens with each such pair, from the left, replaced by one."""
    found: list[int] = []
    at = 0
    while at < len(tokens):
        if at + 1 < len(tokens) and tokens[at] == pair[0] and tokens[at + 1] == pair[1]:
            found.append(new)
            at += 2
        else:
            found.append(tokens[at])
            at += 1
    return found
