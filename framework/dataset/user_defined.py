"""Datasets of what a program has in its hands: its own sources, arrays, and rows to fill up with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core.dtype import as_dtype
from anfora.core.errors import OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.blocks import as_array
from anfora.dataset.datasets import Dataset
from anfora.dataset.node import Node
from anfora.dataset.samplers import select
from anfora.dataset.sources import Grouped, Items, Sampled, Stream, has_random_access, iterable, slices_of

__all__ = ["GeneratorDataset", "NumpySlicesDataset", "PaddedDataset"]


class GeneratorDataset(Dataset):
    """The rows that a program's own object gives.

    Args:
        source: an object with `__getitem__` and `__len__` (a list, a torch `Dataset`, a Hugging Face dataset); or an
            iterable; or a function that gives one, such as a generator function. A row is a tuple with a field for each
            column, one field alone, or a dictionary with the columns among its keys.
        column_names: names of the columns; those of the source if it has `column_names` itself.
        column_types: the element type of each; other types are refused.
        schema: a Schema, instead of names and types.
        num_samples: at most so many samples.
        num_parallel_workers: with more than one, samples are asked for in so many processes, see `Dataset.map`.
        shuffle: whether samples come in random order; by default where there is random access.
        sampler: instead of shuffle: a sampler, or numbers of samples. Needs random access.
        num_shards, shard_id: take part `shard_id` of so many. Needs random access.
        python_multiprocessing: False for no processes.
        max_rowsize: without effect.
        batch_sampler: gives lists of numbers; each is made into one row.
        collate_fn: makes it, of a list of rows; by default they are put together column by column.
    Before each sample the global generators are seeded from (seed, epoch, sample).
    Example:
        >>> def squares():
        ...     for i in range(3):
        ...         yield i, i * i
        >>> [int(y) for x, y in GeneratorDataset(squares, ["x", "y"])]
        [0, 1, 4]
    """

    def __init__(
        self, source: Any, column_names: Any = None, column_types: Any = None, schema: Any = None,
        num_samples: int | None = None, num_parallel_workers: int = 1, shuffle: bool | None = None, sampler: Any = None,
        num_shards: int | None = None, shard_id: int | None = None, python_multiprocessing: bool = True,
        max_rowsize: Any = None, batch_sampler: Any = None, collate_fn: Callable[[list[Any]], Any] | None = None,
    ) -> None:  # fmt: skip
        if column_names is None and schema is not None:
            column_names, column_types = schema.names_and_types()
        if column_names is None and isinstance(getattr(source, "column_names", None), (list, tuple)):
            column_names = list(source.column_names)
        if column_names is None:
            raise OpValueError("Neither columns_names nor schema are provided.", arg="column_names")
        names = checks.column_names("column_names", column_names)
        types = (
            None if column_types is None else [None if kind is None else as_dtype(kind).numpy for kind in column_types]
        )
        if types is not None and len(types) != len(names):
            raise OpValueError(f"column_types has {len(types)} entries for {len(names)} columns", arg="column_types")
        checks.integer_in("num_parallel_workers", num_parallel_workers, 1)
        in_process = not checks.boolean("python_multiprocessing", python_multiprocessing)
        limit = checks.count_of("num_samples", num_samples)
        node: Node
        if has_random_access(source):
            items = Items(source, names, types, num_parallel_workers, in_process)
            if batch_sampler is not None:
                if sampler is not None or shuffle is not None or num_shards is not None or num_samples is not None:
                    raise OpValueError(
                        "batch_sampler is mutually exclusive with sampler, shuffle, num_shards and num_samples."
                    )
                node = Grouped(items, batch_sampler, collate_fn)
            else:
                if collate_fn is not None:
                    raise OpValueError("collate_fn can be specified only when batch_sampler is.", arg="collate_fn")
                chosen = select(num_samples, sampler, shuffle, num_shards, shard_id)
                if type(chosen).__name__ == "PKSampler":
                    raise OpValueError("GeneratorDataset doesn't support PKSampler.", arg="sampler")
                node = Sampled(items, chosen)
        else:
            begin = iterable(source)
            for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler), ("num_shards", num_shards)):
                if value is not None:
                    raise OpValueError(
                        f"{name} is not supported if source does not have attribute '__getitem__'.", arg=name
                    )
            checks.shards(num_shards, shard_id)
            if shuffle is not None and not isinstance(shuffle, bool):
                raise checks.wrong_type("shuffle", shuffle, bool)
            node = Stream(begin, names, types, limit, own=source)
        self._begin(node)
        self.source = source


class NumpySlicesDataset(Dataset):
    """Slices of arrays along their first axes.

    Args:
        data: a list or array; a tuple of them, equally long, for several columns; or a dictionary or pandas frame, which
            name the columns.
        column_names: names; "column_0", "column_1", … by default.
        num_samples: at most so many.
        num_parallel_workers: see `Dataset.map`.
        shuffle: whether slices come in random order; by default they do.
        sampler: instead of shuffle: a sampler, or numbers of slices.
        num_shards, shard_id: take part `shard_id` of so many.
    Example:
        >>> data = NumpySlicesDataset({"x": [1, 2], "y": [[3, 4], [5, 6]]}, shuffle=False)
        >>> [(int(x), y.tolist()) for x, y in data]
        [(1, [3, 4]), (2, [5, 6])]
    """

    def __init__(
        self, data: Any, column_names: Any = None, num_samples: int | None = None, num_parallel_workers: int = 1,
        shuffle: bool | None = None, sampler: Any = None, num_shards: int | None = None, shard_id: int | None = None,
    ) -> None:  # fmt: skip
        names = None if column_names is None else checks.column_names("column_names", column_names)
        node = slices_of(data, names)
        node.workers = checks.integer_in("num_parallel_workers", num_parallel_workers, 1)
        self._begin(Sampled(node, select(num_samples, sampler, shuffle, num_shards, shard_id)))


class PaddedDataset(Dataset):
    """Rows to fill up a dataset with, so that it divides into equal parts.

    Args:
        padded_samples: a list of dictionaries from columns to arrays, all with the same keys.
    Example:
        >>> len(PaddedDataset([{"x": np.zeros(2)}, {"x": np.zeros(2)}]))
        2
    """

    def __init__(self, padded_samples: list[dict[str, Any]]) -> None:
        if not isinstance(padded_samples, (list, tuple)) or not padded_samples:
            raise OpValueError("Argument padded_samples cannot be empty and must be a list", arg="padded_samples")
        first = padded_samples[0]
        for sample in padded_samples:
            if not isinstance(sample, dict):
                raise OpTypeError(
                    f"padded_samples must be a list of dictionaries, but got {sample!r}", arg="padded_samples"
                )
            if set(sample) != set(first):
                raise OpValueError("all padded_samples must have the same keys", arg="padded_samples")
        rows = [tuple(as_array(sample[name], "padded_samples") for name in first) for sample in padded_samples]
        self._begin(Items(rows, list(first), None, None, True))
        self.padded_samples = padded_samples
