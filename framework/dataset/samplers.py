"""Samplers: in which order a source with random access gives its samples, and which of them.

A sampler is its arguments. The order of an epoch is a function of them, of how many samples there are, and of a key that
follows from seed and epoch.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.seeds import Guard, permutation, seed_globals, uniforms, words

__all__ = [
    "BuiltinSampler", "DistributedSampler", "IterSampler", "PKSampler", "RandomSampler", "Sampler", "SequentialSampler",
    "Shuffle", "SubsetRandomSampler", "SubsetSampler", "WeightedRandomSampler", "select",
]  # fmt: skip


class BuiltinSampler:
    """Base of all samplers.

    Args:
        num_samples: how many samples are taken; 0 and None mean all.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls)

    #: Whether one epoch may have a sample twice; random choices then go by the row, not by the sample.
    repeats = False
    #: Whether processes that share a dataset must find the same order, though no seed was set.
    shared = False

    def __init__(self, num_samples: int | None = None) -> None:
        if num_samples is not None and not checks.is_integer(num_samples):
            raise OpTypeError(f"num_samples must be integer but was: {num_samples}.", arg="num_samples")
        self.num_samples = checks.count_of("num_samples", num_samples)
        self.child_sampler: BuiltinSampler | None = None

    def add_child(self, sampler: BuiltinSampler | None) -> None:
        """A sampler whose order this one chooses from."""
        if self.child_sampler is not None:
            raise OpRuntimeError("Cannot add child sampler, this sampler already has a child.")
        self.child_sampler = sampler

    def get_child(self) -> BuiltinSampler | None:
        """The sampler whose order this one chooses from."""
        return self.child_sampler

    def get_num_samples(self) -> int | None:
        """How many samples are taken, None for all."""
        return self.num_samples

    def is_shuffled(self) -> bool:
        """Whether the order is random."""
        return False

    def is_sharded(self) -> bool:
        """Whether it takes one of several parts."""
        return False

    def order(self, total: int, key: int, labels: Any = None) -> np.ndarray:
        """Numbers of samples of an epoch, in order.

        Args:
            total: how many samples the source has.
            key: where random choices come from.
            labels: a function that gives the labels of all samples, where the source knows them.
        """
        below = None
        if self.child_sampler is not None:
            below = self.child_sampler.order(total, key ^ 0x5851F42D4C957F2D, labels)
            total = len(below)
        found = np.asarray(self.chosen(total, key, labels), np.int64)
        if self.num_samples is not None:
            found = found[: self.num_samples]
        outside = found[(found < 0) | (found >= total)]
        if len(outside):
            raise OpRuntimeError(f"Sample ID ({outside[0]}) is out of bound, expected range [0, {total - 1}]")
        return found if below is None else below[found]

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        raise NotImplementedError


class SequentialSampler(BuiltinSampler):
    """Samples in their order.

    Args:
        start_index: the first one; 0 by default.
        num_samples: how many; all by default.
    Example:
        >>> SequentialSampler(1, 2).order(5, 0).tolist()
        [1, 2]
    """

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.start_index = 0 if start_index is None else checks.integer_in("start_index", start_index, 0)

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        return np.arange(self.start_index, total)


class Shuffle(str, enum.Enum):
    """How rows of several files are shuffled.

    GLOBAL: all rows. FILES: the files, rows stay in their order. INFILE: the rows of each file. ADAPTIVE and PARTIAL are
    ways of MindSpore to save memory; here they are GLOBAL.
    """

    GLOBAL = "global"
    FILES = "files"
    INFILE = "infile"
    ADAPTIVE = "adaptive"
    PARTIAL = "partial"


class RandomSampler(BuiltinSampler):
    """Samples in random order.

    Args:
        replacement: whether a sample may come more than once.
        num_samples: how many; as many as there are by default.
        shuffle: MindSpore's way to shuffle files; without effect.
    """

    def __init__(
        self, replacement: bool = False, num_samples: int | None = None, shuffle: Any = Shuffle.GLOBAL
    ) -> None:
        if not isinstance(replacement, bool):
            raise OpTypeError(f"replacement must be a boolean value but was: {replacement}.", arg="replacement")
        super().__init__(num_samples)
        self.replacement = self.repeats = replacement

    def is_shuffled(self) -> bool:
        return True

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        if self.replacement:
            count = min(self.num_samples or total, total)
            return words(key, count) % np.uint64(max(1, total))
        return permutation(key, total)


class SubsetSampler(BuiltinSampler):
    """The samples with the given numbers, in their order.

    Args:
        indices: integers.
        num_samples: how many of them; all by default.
    """

    def __init__(self, indices: Sequence[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        found = indices if isinstance(indices, (list, tuple, range, np.ndarray)) else None
        if checks.is_integer(indices):
            found = [indices]  # type: ignore[list-item]
        if found is None:
            if isinstance(indices, (str, bytes)) or not hasattr(indices, "__iter__"):
                raise OpTypeError(f"Unsupported sampler object of type ({type(indices)})", arg="indices")
            found = list(indices)
        for place, item in enumerate(found):
            if not checks.is_integer(item):
                raise OpTypeError(
                    f"{type(self).__name__}: Type of indices element must be int, but got list[{place}]: {item}, type:"
                    f" {type(item)}.",
                    arg="indices",
                )
        self.indices = [int(item) for item in found]
        self.repeats = len(set(self.indices)) != len(self.indices)

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        return self.indices


class SubsetRandomSampler(SubsetSampler):
    """The samples with the given numbers, in random order.

    Args:
        indices: integers.
        num_samples: how many of them; all by default.
    """

    def is_shuffled(self) -> bool:
        return True

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        return np.array(self.indices, np.int64)[permutation(key, len(self.indices))]


class WeightedRandomSampler(BuiltinSampler):
    """Samples drawn with given probabilities.

    Args:
        weights: one number for each of the first samples, not negative, not all zero; they need not sum to 1.
        num_samples: how many; as many as there are samples by default.
        replacement: whether a sample may come more than once.
    """

    def __init__(self, weights: Sequence[float], num_samples: int | None = None, replacement: bool = True) -> None:
        if not isinstance(weights, (list, tuple, np.ndarray)):
            weights = [weights]  # type: ignore[list-item]
        for place, weight in enumerate(weights):
            if isinstance(weight, (bool, str)) or not isinstance(weight, (int, float, np.number)):
                raise OpTypeError(
                    f"type of weights element must be number, but got w[{place}]: {weight}, type: {type(weight)}.",
                    arg="weights",
                )
        if not isinstance(replacement, bool):
            raise OpTypeError(f"replacement must be a boolean value but was: {replacement}.", arg="replacement")
        super().__init__(num_samples)
        self.weights = [float(weight) for weight in weights]
        self.replacement = self.repeats = replacement

    def is_shuffled(self) -> bool:
        return True

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        weights = np.array(self.weights)
        if not len(weights) or (weights < 0).any() or not weights.any() or not np.isfinite(weights).all():
            raise OpRuntimeError(
                "WeightedRandomSampler: weights must be finite, not negative and not all zero, but got"
                f" {self.weights[:8]}"
            )
        if len(weights) > total:
            raise OpRuntimeError(
                "Invalid parameter, size of sample weights must be less than or equal to num of data, otherwise might"
                f" cause generated id out of bound or other errors, but got weight size: {len(weights)}, num of data:"
                f" {total}"
            )
        count = self.num_samples or total
        ends = np.cumsum(weights)
        if self.replacement:
            return np.searchsorted(ends, uniforms(key, count) * ends[-1], side="right")
        from anfora import ops  # which the import of this package does not bring

        # Efraimidis & Spirakis (2006): the largest of u^(1/w) are a weighted choice without replacement.
        logarithms = ops.log(Tensor(uniforms(key, len(weights)))).asnumpy()
        with np.errstate(divide="ignore", invalid="ignore"):
            ranks = logarithms / weights
        ranks[weights == 0] = -np.inf
        return np.argsort(-ranks, kind="stable")[:count]


class PKSampler(BuiltinSampler):
    """`num_val` random samples of every class, class by class.

    Args:
        num_val: how many of each class, at least 1.
        num_class: must be None: all classes.
        shuffle: whether the order of the result is random; by default it is not.
        class_column: the column with the classes.
        num_samples: how many samples; all by default.
    """

    repeats = True

    def __init__(
        self, num_val: int, num_class: int | None = None, shuffle: bool = False, class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:  # fmt: skip
        if not checks.is_integer(num_val):
            raise OpTypeError(f"num_val must be integer but was: {num_val}.", arg="num_val")
        if num_class is not None:
            raise NotImplementedError("Not supported to specify num_class for PKSampler.")
        if not isinstance(shuffle, bool):
            raise OpTypeError(f"shuffle must be a boolean value but was: {shuffle}.", arg="shuffle")
        if not isinstance(class_column, str):
            raise OpTypeError(f"class_column must be a str value but was: {class_column}.", arg="class_column")
        super().__init__(num_samples)
        if num_val < 1:
            raise OpValueError(f"num_val must be at least 1, but got {num_val}", arg="num_val")
        self.num_val, self.shuffle, self.class_column = int(num_val), shuffle, class_column

    def is_shuffled(self) -> bool:
        return self.shuffle

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        if labels is None:
            raise OpRuntimeError("PKSampler needs a source that knows the classes of its samples")
        known = np.asarray(labels(self.class_column))
        parts = []
        for place, label in enumerate(np.unique(known)):
            members = np.flatnonzero(known == label)
            picked = permutation(key ^ (place + 1), len(members))[np.arange(self.num_val) % len(members)]
            parts.append(members[picked])
        found = np.concatenate(parts)
        return found[permutation(key, len(found))] if self.shuffle else found


class DistributedSampler(BuiltinSampler):
    """One of several equal parts of the samples, as processes that train together take them.

    All parts are equally long: what is missing is filled up from the front, unless the program says by `offset` where
    the samples begin. The processes agree on the order though no seed was set.

    Args:
        num_shards: how many parts.
        shard_id: which one, in [0, num_shards).
        shuffle: whether the samples are first brought into random order.
        num_samples: at most so many of the part.
        offset: the part that gets the first sample; parts are not filled up then, but that one without a
            sample gets the first. -1 for part 0, and equal parts.
    """

    shared = True

    def __init__(
        self, num_shards: int, shard_id: int, shuffle: bool = True, num_samples: int | None = None, offset: int = -1
    ) -> None:
        for name, value in (("num_shards", num_shards), ("shard_id", shard_id), ("offset", offset)):
            if not checks.is_integer(value):
                raise OpTypeError(f"{name} must be integer but was: {value}.", arg=name)
        if not isinstance(shuffle, bool):
            raise OpTypeError(f"shuffle must be a boolean value but was: {shuffle}.", arg="shuffle")
        super().__init__(num_samples)
        checks.shards(num_shards, shard_id)
        if offset > num_shards:
            raise OpValueError(f"offset must be at most num_shards, {num_shards}, but got {offset}", arg="offset")
        self.num_shards, self.shard_id, self.shuffle, self.offset = num_shards, shard_id, shuffle, offset

    def is_shuffled(self) -> bool:
        return self.shuffle

    def is_sharded(self) -> bool:
        return self.num_shards > 1

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        offset = max(0, self.offset)
        rounds = -(-(total + offset) // self.num_shards) + (self.shard_id < offset)
        places = np.arange(rounds) * self.num_shards + self.shard_id - offset
        places = places[places >= 0]
        if self.offset < 0:
            places = places % max(1, total)
        else:
            places = places[places < total] if (places < total).any() else np.zeros(1, np.int64)
        return permutation(key, total)[places] if self.shuffle else places


class Sampler(BuiltinSampler):
    """Base of a program's own samplers: a subclass has `__iter__`, which gives the numbers of samples of an epoch.

    Args:
        num_samples: how many of them are taken; all by default.
    """

    repeats = True

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.dataset_size = 0

    def __iter__(self) -> Any:
        raise NotImplementedError("Sampler must be subclassed with `__iter__`, which gives the numbers of samples")

    def is_shuffled(self) -> bool:
        return True

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        return _own_order(self, total, key)


class IterSampler(BuiltinSampler):
    """The numbers that an iterable gives, each epoch anew."""

    repeats = True

    def __init__(self, sampler: Any, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.sampler = sampler

    def is_shuffled(self) -> bool:
        return True

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        return _own_order(self.sampler, total, key)


def _own_order(sampler: Any, total: int, key: int) -> list[int]:
    """What a program's own sampler gives; it draws, if at all, from seeded generators."""
    if isinstance(sampler, Sampler):
        sampler.dataset_size = total
    with Guard():
        seed_globals(key)
        found = [item for group in sampler for item in np.ravel(group)]
    for item in found:
        if not checks.is_integer(item):
            raise OpTypeError(
                f"{type(sampler).__name__} should give integers, the numbers of samples, but gave {item!r}"
            )
    return [int(item) for item in found]


def select(
    num_samples: Any, sampler: Any, shuffle: bool | None, num_shards: int | None, shard_id: int | None
) -> BuiltinSampler:
    """The sampler that a source's arguments ask for."""
    count = checks.count_of("num_samples", num_samples)
    if shuffle is not None and not isinstance(shuffle, bool):
        raise checks.wrong_type("shuffle", shuffle, bool)
    num_shards, shard_id = checks.shards(num_shards, shard_id)
    if sampler is not None:
        if shuffle is not None or num_shards is not None or (count is not None and isinstance(sampler, BuiltinSampler)):
            raise OpValueError(
                f"Conflicting arguments during sampler assignments. num_samples: {num_samples}, num_shards: {num_shards},"
                f" shard_id: {shard_id}, shuffle: {shuffle}."
            )
        if isinstance(sampler, BuiltinSampler):
            return sampler
        if isinstance(sampler, (list, tuple, range, np.ndarray)) or checks.is_integer(sampler):
            return SubsetSampler(sampler, count)
        if hasattr(sampler, "__iter__") and not isinstance(sampler, (str, bytes)):
            return IterSampler(sampler, count)
        raise OpTypeError(f"Unsupported sampler object of type ({type(sampler)})", arg="sampler")
    if num_shards is not None:
        assert shard_id is not None
        return DistributedSampler(num_shards, shard_id, shuffle=shuffle is not False, num_samples=count)
    return SequentialSampler(num_samples=count) if shuffle is False else RandomSampler(num_samples=count)
