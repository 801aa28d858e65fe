"""What a program holds of a pipeline: `Dataset`, whose methods put nodes on top of its tree and give a new one.

A dataset itself does not change; it only knows which iterator of it was begun last, for `state`.
"""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core.arguments import answers, unknown
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.habits import teach
from anfora.dataset import checks, config
from anfora.dataset.arranging import Chosen, Concat, Filter, FlatMap, Project, Rename, Repeat, Shuffle, Skip, Take, Zip
from anfora.dataset.cache import with_cache
from anfora.dataset.callbacks import After, Before, Gate, Wait, callbacks_of
from anfora.dataset.executor import Executor
from anfora.dataset.gathering import Batch, Buckets, Padding
from anfora.dataset.iterators import DictIterator, RowIterator, TupleIterator, begin
from anfora.dataset.mapping import Map, WithoutFailed
from anfora.dataset.node import Node, counted, descendants
from anfora.dataset.samplers import BuiltinSampler
from anfora.dataset.seeds import Guard, permutation
from anfora.dataset.sources import Sampled

__all__ = ["Dataset", "zip_datasets"]

#: Arguments of MindSpore's methods that make sense for its engine only; they are taken and have no effect.
_MAP_EXTRAS = ("python_multiprocessing", "cache", "callbacks", "max_rowsize", "offload", "column_order")
_BATCH_EXTRAS = (
    "per_batch_map", "input_columns", "output_columns", "python_multiprocessing", "max_rowsize", "pad_info", "column_order",
)  # fmt: skip


class Dataset:
    """Rows of named fields, read and worked on epoch after epoch.

    Datasets are made by the classes for their sources (`GeneratorDataset`, `MnistDataset`, …) and by the methods here,
    which give new ones. Iterating over one gives lists of tensors.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls, methods=True)

    _node: Node
    children: list[Dataset] = []  # noqa: RUF012  (what a source has)

    def __init__(self, node: Node, *children: Dataset) -> None:
        self._begin(node, *children)

    def _begin(self, node: Node, *children: Dataset) -> None:
        self._node, self.children = node, list(children)
        if len(children) > 1:
            self._gates()  # which are told by their names
        self._last: weakref.ref[RowIterator] | None = None
        self._place: dict[str, Any] | None = None

    # --- operations -----------------------------------------------------------------------------------------------

    def map(
        self, operations: Any, input_columns: Any = None, output_columns: Any = None,
        num_parallel_workers: int | None = None, **kwargs: Any,
    ) -> Dataset:  # fmt: skip
        """Apply functions, operators or transforms to fields of each row, one after the other.

        Args:
            operations: one callable or a list. The first gets the fields of the input columns as numpy arrays; each further
                one gets what the one before gave, a tuple being several fields. Operators and Cells get tensors.
            input_columns: names; the first column by default.
            output_columns: the columns that take the place of the input columns: where they stood if there are as many,
                in front of all others if not. The same by default.
            num_parallel_workers: with more than one, functions of the program run in so many processes, those marked
                `pure` in threads, and transforms of this package in processes where that pays. The rows are the same for
                any number.
            python_multiprocessing: False for no processes: then functions of the program run in this thread.
            cache: a `DatasetCache`, where the rows are kept for later epochs.
            callbacks: a `DSCallback`, or a list of them; rows are then worked on one at a time, in this thread.
            column_order: the columns that stay, in this order, as by `project`, which took its place in MindSpore 2.
        Before a function of the program runs on a sample, the global generators of `random`, numpy and anfora are seeded
        from (seed, epoch, sample); what they were is put back when the next row is given.
        Raises:
            SampleError: when a row is asked for whose function failed; with the program's traceback and the sample. See
                `config.set_error_samples_mode` for what else may be done.
        Example:
            >>> from anfora.dataset import NumpySlicesDataset
            >>> doubled = NumpySlicesDataset([1, 2], ["x"], shuffle=False).map(lambda x: x * 2, "x")
            >>> [int(x) for [x] in doubled]
            [2, 4]
        """
        given = list(operations) if isinstance(operations, (list, tuple)) else [operations]
        for operation in given:
            if not callable(operation):
                raise OpValueError(
                    "Parameter operations's element of method map should be a python function or class method which should"
                    f" be callable, but got: {operation}. It doesn't need parentheses for python function or class method.",
                    arg="operations",
                )
        inputs = (
            None if input_columns is None else checks.column_names("input_columns", input_columns, empty=True) or None
        )
        outputs = (
            None
            if output_columns is None
            else checks.column_names("output_columns", output_columns, empty=True) or None
        )
        _no_others("map", kwargs, _MAP_EXTRAS)
        callbacks = callbacks_of(kwargs.get("callbacks"))
        below = Before(self._node, callbacks) if callbacks else self._node
        mode = config.get_error_samples_mode()
        tolerant = mode is not config.ErrorSamplesMode.RETURN
        made = Map(below, given, inputs, outputs, _workers(num_parallel_workers), _in_process(kwargs), tolerant)
        node: Node = WithoutFailed(made, mode is config.ErrorSamplesMode.REPLACE) if tolerant else made
        node = After(node, below) if isinstance(below, Before) else node
        return _in_order(Dataset(with_cache(node, kwargs.get("cache")), self), kwargs)

    def batch(
        self, batch_size: int | Callable[..., int], drop_remainder: bool = False,
        num_parallel_workers: int | None = None, **kwargs: Any,
    ) -> Dataset:  # fmt: skip
        """Put rows together; their fields must have equal shapes, and get a new first axis.

        Args:
            batch_size: how many, or a function of a BatchInfo.
            drop_remainder: whether a last batch that is not full is left out.
            num_parallel_workers: see `map`.
            per_batch_map: a function of a list of arrays for each input column and of a BatchInfo, which gives a list or
                array for each output column.
            input_columns, output_columns: its columns; all, and the same, by default.
            pad_info: as for `padded_batch`, which MindSpore had here before it had that.
            column_order: as for `map`.
        Example:
            >>> from anfora.dataset import NumpySlicesDataset
            >>> [x.tolist() for [x] in NumpySlicesDataset([1, 2, 3], shuffle=False).batch(2)]
            [[1, 2], [3]]
        """
        if callable(batch_size):
            size: Any = batch_size
        elif not checks.is_integer(batch_size):
            raise OpTypeError("batch_size should either be an int or a callable.", arg="batch_size")
        else:
            size = checks.integer_in("batch_size", batch_size, 1)
        checks.boolean("drop_remainder", drop_remainder)
        _no_others("batch", kwargs, _BATCH_EXTRAS)
        function = kwargs.get("per_batch_map")
        if function is not None and not callable(function):
            raise OpTypeError("per_batch_map should be a callable object.", arg="per_batch_map")
        inputs = kwargs.get("input_columns")
        outputs = kwargs.get("output_columns")
        if function is None and (inputs or outputs):
            raise OpValueError("input_columns and output_columns can be specified only when per_batch_map is.")
        made = Batch(
            self._node, size, drop_remainder, function,
            None if inputs is None else checks.column_names("input_columns", inputs, empty=True),
            None if outputs is None else checks.column_names("output_columns", outputs, empty=True),
            Padding.checked(kwargs.get("pad_info")), _workers(num_parallel_workers), _in_process(kwargs),
        )  # fmt: skip
        return _in_order(Dataset(made, self), kwargs)

    def padded_batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: Any = None,
    ) -> Dataset:
        """Put rows together whose fields are filled up to equal shapes.

        Args:
            batch_size, drop_remainder, num_parallel_workers: as for `batch`.
            pad_info: {column: (shape, value)}; None for a shape, or in it, is the longest of the batch, {column: None}
                too, with zeros. Columns that are not named must fit as they are; {} fills up all with zeros; None none.
        """
        checks.integer_in("batch_size", batch_size, 1)
        checks.boolean("drop_remainder", drop_remainder)
        node = Batch(
            self._node, batch_size, drop_remainder, padding=Padding.checked(pad_info),
            workers=_workers(num_parallel_workers),
        )  # fmt: skip
        return Dataset(node, self)

    def bucket_batch_by_length(
        self, column_names: Any, bucket_boundaries: Sequence[int], bucket_batch_sizes: Sequence[int],
        element_length_function: Callable[..., int] | None = None, pad_info: Any = None,
        pad_to_bucket_boundary: bool = False, drop_remainder: bool = False,
    ) -> Dataset:  # fmt: skip
        """Put rows of about equal length together, and fill them up.

        Args:
            column_names: what the length is found from.
            bucket_boundaries: rising lengths; a row belongs to the first bucket whose boundary is above its length.
            bucket_batch_sizes: rows of a batch in each bucket, one more than boundaries.
            element_length_function: gives the length; the length of the first axis of the one column by default.
            pad_info: as for `padded_batch`; {} by default.
            pad_to_bucket_boundary: whether rows are filled up to the boundary minus 1, not to the longest.
            drop_remainder: whether buckets that are not full at the end are left out.
        """
        names = checks.column_names("column_names", column_names)
        for name, value in (("bucket_boundaries", bucket_boundaries), ("bucket_batch_sizes", bucket_batch_sizes)):
            if not isinstance(value, (list, tuple)) or not value:
                raise OpTypeError(f"{name} should be a list of integers, but got {value!r}", arg=name)
            for item in value:
                checks.integer_in(name, item, 1)
        if list(bucket_boundaries) != sorted(set(bucket_boundaries)):
            raise OpValueError("bucket_boundaries should be strictly increasing.", arg="bucket_boundaries")
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise OpValueError("bucket_batch_sizes must contain one element more than bucket_boundaries.")
        if element_length_function is None and len(names) != 1:
            raise OpValueError("If element_length_function is not specified, exactly one column name should be passed.")
        padding = Padding.checked(pad_info) or Padding({})
        return Dataset(
            Buckets(
                self._node, names, list(bucket_boundaries), list(bucket_batch_sizes), element_length_function, padding,
                checks.boolean("pad_to_bucket_boundary", pad_to_bucket_boundary),
                checks.boolean("drop_remainder", drop_remainder),
            ),
            self,
        )  # fmt: skip

    def shuffle(self, buffer_size: int) -> Dataset:
        """Rows in the random order in which a buffer gives them away.

        Args:
            buffer_size: how many rows it holds, at least 2; as many as the dataset has make every order possible.
        """
        return Dataset(Shuffle(self._node, checks.integer_in("buffer_size", buffer_size, 2)), self)

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows `count` times; endlessly for None or -1. Each time is shuffled and augmented anew."""
        if count is not None and not checks.is_integer(count):
            raise OpTypeError(
                f"Argument repeat with value {count} is not of type [{int}, {type(None)}], but got {type(count)}.",
                arg="count",
            )
        if count is not None and count != -1 and not 1 <= count <= checks.INT32_MAX:
            raise OpValueError("count should be either -1 or positive integer, range[1, INT32_MAX].", arg="count")
        return self if count == 1 else Dataset(Repeat(self._node, None if count in (None, -1) else count), self)

    def take(self, count: int = -1) -> Dataset:
        """The first `count` rows; -1 for all."""
        if checks.integer("count", count) != -1 and not 0 < count <= checks.INT32_MAX:
            raise OpValueError(
                f"count should be either -1 or within the required interval of (0, 2147483647], got {count}.",
                arg="count",
            )
        return self if count == -1 else Dataset(Take(self._node, count), self)

    def skip(self, count: int) -> Dataset:
        """All rows but the first `count`."""
        return Dataset(Skip(self._node, checks.integer_in("count", count, 0)), self)

    def zip(self, datasets: Any) -> Dataset:
        """The columns of this and of others side by side, as many rows as the shortest has."""
        others = list(datasets) if isinstance(datasets, (tuple, list)) else [datasets]
        return zip_datasets((self, *others))

    def concat(self, datasets: Any) -> Dataset:
        """The rows of this and of others, one after the other; the columns must be the same. `+` does it too."""
        others = [datasets] if isinstance(datasets, Dataset) else list(datasets)
        for other in others:
            if not isinstance(other, Dataset):
                raise OpTypeError(f"Invalid datasets, expected Dataset object, but got {type(other)}.", arg="datasets")
        return Dataset(Concat([self._node, *(other._node for other in others)]), self, *others)

    def __add__(self, datasets: Any) -> Dataset:
        return self.concat(datasets)

    def filter(
        self, predicate: Callable[..., Any], input_columns: Any = None, num_parallel_workers: int | None = None
    ) -> Dataset:
        """The rows for which a function of the input columns, all by default, gives True."""
        if not callable(predicate):
            raise OpTypeError("Predicate should be a Python function or a callable Python object.", arg="predicate")
        names = (
            None if input_columns is None else checks.column_names("input_columns", input_columns, empty=True) or None
        )
        return Dataset(Filter(self._node, predicate, names, _workers(num_parallel_workers)), self)

    def project(self, columns: Any) -> Dataset:
        """Only these columns, in this order."""
        return Dataset(Project(self._node, checks.column_names("columns", columns)), self)

    def rename(self, input_columns: Any, output_columns: Any) -> Dataset:
        """Columns under new names."""
        old, new = (
            checks.column_names("input_columns", input_columns),
            checks.column_names("output_columns", output_columns),
        )
        if len(old) != len(new):
            raise OpValueError("Number of column in input_columns and output_columns is not equal.")
        return Dataset(Rename(self._node, old, new), self)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of this dataset."""
        if not callable(apply_func):
            raise OpTypeError("apply_func must be a function.", arg="apply_func")
        made = apply_func(self)
        if not isinstance(made, Dataset):
            raise OpTypeError("apply_func must return a dataset.", arg="apply_func")
        return made

    def flat_map(self, func: Callable[..., Dataset]) -> Dataset:
        """The rows of the datasets that a function makes of the fields of each row, one after the other."""
        if not callable(func):
            raise OpTypeError("func must be a function.", arg="func")

        def make(fields: list[Any], epoch: int, number: int) -> Node:
            made = func(*fields)
            if not isinstance(made, Dataset):
                raise OpTypeError("flat_map: func must return a Dataset object.")
            return made._node

        run = begin(self._node, 0)
        run.executor = Executor()
        with Guard():
            first = next(run.stream(self._node, 0), None)
            columns = make(first.row(0), 0, 0).columns if first is not None else self._node.columns
        return Dataset(FlatMap(self._node, make, columns), self)

    def split(self, sizes: Sequence[float], randomize: bool = True) -> list[Dataset]:
        """Parts that have no row in common.

        Args:
            sizes: numbers of rows that sum to the size, or shares that sum to 1.
            randomize: whether rows are dealt out at random, once and for all epochs, instead of in their order.
        A source that is shuffled is dealt out in one order, which stays. Rows of what else is shuffled below go from part
        to part between epochs: split first, then shuffle.
        Returns:
            a list of datasets.
        """
        total = self.get_dataset_size()
        counts = _split_sizes(sizes, total)
        checks.boolean("randomize", randomize)
        if not self._node.indexed:
            parts, start = [], 0
            for count in counts:
                parts.append(self.skip(start).take(count))
                start += count
            return parts
        run = begin(self._node)
        base, order = self._node, np.arange(total)
        if isinstance(base, Sampled):
            order = base._order(run, 0)
            base = base.child
        if randomize:
            order = order[permutation(run.seed ^ 0x5D1, total)]
        ends = np.cumsum(counts)
        return [Dataset(Chosen(base, order[end - count : end]), self) for count, end in zip(counts, ends)]

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Write one epoch of rows into MindRecord files, which `MindDataset` reads.

        bool, int8, int16, uint8 and uint16 become int32, uint32 and uint64 int64, float16 float32. Arrays may differ in the
        length of their first axis.

        Args:
            file_name: see `mindrecord.FileWriter`.
            num_files: how many files.
            file_type: "mindrecord".
        Raises:
            OpTypeError, OpValueError: an argument has another type or is out of range; a column holds what such files
                cannot hold, or rows differ in their types.
            OpRuntimeError: there are no rows, or a file is there already.
        """
        from anfora.mindrecord.writer import FileWriter, as_written, schema_of

        checks.integer_in("num_files", num_files, 1, 1000)
        checks.one_of("file_type", file_type, ["mindrecord"])
        writer = FileWriter(file_name, num_files)
        named = (
            dict(zip(self._node.columns, row)) for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True)
        )
        schema: dict[str, Any] = {}
        while rows := list(itertools.islice(named, 256)):
            if not schema:
                schema = schema_of(rows[0])
                writer.add_schema(schema)
            writer.write_raw_data([as_written(row, schema) for row in rows])
        if not schema:
            raise OpRuntimeError("save: the dataset has no rows, so nothing is known of their types")
        writer.commit()

    def use_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Replace the sampler; a dataset put together by `+` gets one."""
        if not isinstance(new_sampler, BuiltinSampler):
            raise OpTypeError("Input sampler is not an instance of a sampler.", arg="new_sampler")
        node = self._node
        self._node = Sampled(node.child if isinstance(node, Sampled) else node, new_sampler)

    def add_sampler(self, new_sampler: BuiltinSampler) -> None:
        """A sampler that chooses from what the present one gives."""
        if not isinstance(new_sampler, BuiltinSampler):
            raise OpTypeError("Input sampler is not an instance of a sampler.", arg="new_sampler")
        self._node = Sampled(self._node, new_sampler)

    @property
    def sampler(self) -> BuiltinSampler | None:
        """The sampler of a source."""
        return self._node.sampler if isinstance(self._node, Sampled) else None

    # --- iterators ------------------------------------------------------------------------------------------------

    def create_tuple_iterator(
        self, columns: Any = None, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> RowIterator:
        """An iterator over rows as lists of fields.

        Args:
            columns: names; all by default.
            num_epochs: how often it can be gone through; -1 for any number.
            output_numpy: whether fields are numpy arrays instead of tensors. Words are numpy arrays anyway.
            do_copy: without effect: fields belong to the program in any case.
        """
        node = self._node
        if columns is not None:
            node = Project(node, checks.column_names("columns", columns))
        _check_iterator(num_epochs, output_numpy, do_copy)
        return TupleIterator(self, node, num_epochs, output_numpy)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> RowIterator:
        """An iterator over rows as dictionaries from columns to fields; the arguments are those of
        `create_tuple_iterator`."""
        _check_iterator(num_epochs, output_numpy, do_copy)
        return DictIterator(self, self._node, num_epochs, output_numpy)

    def __iter__(self) -> Iterator[Any]:
        return self.create_tuple_iterator(num_epochs=1)

    def state(self) -> dict[str, Any]:
        """Where the iterator that was begun last stands: after the rows that it has given.

        Returns:
            {"version": 1, "seed": …, "epoch": …, "row": …}, integers, for `load_state`.
        """
        iterator = self._last() if self._last is not None else None
        if iterator is not None:
            return iterator.state()
        if self._place is not None:
            return dict(self._place)
        raise OpRuntimeError("state: no iterator of this dataset has been begun, or it is gone")

    def load_state(self, state: dict[str, Any]) -> None:
        """Let the next iterator begin where `state` says, at the very row, in the same order.

        With random access the row is read at once. A source that can only be read from the front is read up to it, with a
        message that says so. `num_epochs` of that iterator counts from the epoch where it begins.
        """
        wanted = {"version", "seed", "epoch", "row"}
        if not isinstance(state, dict) or set(state) != wanted or not all(checks.is_integer(v) for v in state.values()):
            raise OpValueError(f"load_state needs what `state` gave, integers for {sorted(wanted)}, but got {state!r}")
        if state["version"] != 1:
            raise OpValueError(f"load_state knows states of version 1, but got version {state['version']}")
        self._place, self._last = dict(state), None

    def _take_place(self) -> dict[str, Any] | None:
        place, self._place = self._place, None
        return place

    def _follow(self, iterator: RowIterator) -> None:
        self._last = weakref.ref(iterator)

    def reset(self) -> None:
        """Forget a place to begin at; the next iterator begins at the front."""
        self._place = None

    # --- what is known --------------------------------------------------------------------------------------------

    def get_dataset_size(self) -> int:
        """How many rows an epoch has, one round of what is repeated endlessly; read and counted where nobody knows."""
        run = begin(self._node)
        size = self._node.size(run)
        if size is None:
            run.executor = Executor()
            with Guard():
                size = counted(self._node, run)
        return size

    def __len__(self) -> int:
        return self.get_dataset_size()

    @property
    def dataset_size(self) -> int:
        """How many rows an epoch has."""
        return self.get_dataset_size()

    def sync_wait(
        self, condition_name: str, num_batch: int = 1, callback: Callable[[Any], Any] | None = None
    ) -> Dataset:
        """Let rows through when the program says so, by `sync_update`: so what it does with them can follow its training.

        Rows are then worked on one at a time, in this thread, when they are asked for.

        Args:
            condition_name: names the place.
            num_batch: how many batches an epoch begins with, without a word.
            callback: called with the data that `sync_update` is given.
        Raises:
            OpTypeError, OpValueError: an argument is of a wrong type or out of range.
            OpRuntimeError: another place has that name; and when a row is asked for that is not let through.
        Example:
            >>> from anfora.dataset import NumpySlicesDataset
            >>> factor = [1]
            >>> data = NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
            >>> data = data.sync_wait("loss", callback=lambda loss: factor.append(loss))
            >>> data = data.map(lambda x: x * factor[-1], "x")
            >>> for [x] in data.create_tuple_iterator(num_epochs=1):
            ...     print(int(x))
            ...     data.sync_update("loss", data=10)
            1
            20
            30
        """
        if not isinstance(condition_name, str):
            raise checks.wrong_type("condition_name", condition_name, str)
        if callback is not None and not callable(callback):
            raise OpTypeError("callback should be callable.", arg="callback")
        if condition_name in self._gates():
            raise OpRuntimeError("Condition name is already in use.")
        gate = Gate(condition_name, checks.integer_in("num_batch", num_batch, 1), callback)
        return Dataset(Wait(self._node, gate), self)

    def sync_update(self, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
        """Let `num_batch` batches through that wait at `sync_wait`, by default as many as it says; call its callback."""
        if not isinstance(condition_name, str):
            raise checks.wrong_type("condition_name", condition_name, str)
        if num_batch is not None and (not checks.is_integer(num_batch) or num_batch < 1):
            raise OpRuntimeError(f"Sync_update batch size can only be positive integer, got: {num_batch}.")
        gate = self._gates().get(condition_name)
        if gate is None:
            raise OpRuntimeError(f"Condition name not found: there is no sync_wait({condition_name!r}) below.")
        gate.open(num_batch, data)

    def _gates(self) -> dict[str, Gate]:
        found: dict[str, Gate] = {}
        for node in descendants(self._node):
            if isinstance(node, Wait) and found.setdefault(node.gate.name, node.gate) is not node.gate:
                raise OpRuntimeError(
                    f"two datasets that are put together have a sync_wait({node.gate.name!r}) each",
                    help="give them names of their own: sync_update tells them apart by these.",
                )
        return found

    def build_vocab(
        self, columns: Any, freq_range: Any, top_k: int | None, special_tokens: Any, special_first: bool
    ) -> Any:
        """The former name of `text.Vocab.from_dataset`, which has the same arguments."""
        from anfora.dataset.text import Vocab  # which imports this module

        return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)

    def build_sentencepiece_vocab(
        self, columns: list[str], vocab_size: int, character_coverage: float, model_type: Any, params: dict[str, Any]
    ) -> Any:
        """The former name of `text.SentencePieceVocab.from_dataset`, which has the same arguments."""
        from anfora.dataset.pieces import SentencePieceVocab  # which imports this module

        return SentencePieceVocab.from_dataset(self, columns, vocab_size, character_coverage, model_type, params)

    def get_batch_size(self) -> int:
        """How many samples a row is made of."""
        return self._node.batch_size

    def get_repeat_count(self) -> int:
        """How often `repeat` goes through the rows; -1 for endlessly."""
        return self._node.repeat_count

    def get_col_names(self) -> list[str]:
        """The names of the columns."""
        return list(begin(self._node, 0).root.columns)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self.get_col_names()

    def _first_row(self) -> list[Any]:
        run = begin(self._node)
        run.executor = Executor()
        with Guard():
            for block in run.stream(self._node, 0):
                return block.row(0)
        raise OpRuntimeError("the dataset has no rows, so nothing is known of their shapes and types")

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """The shape of each column in the first row.

        Args:
            estimate: whether all rows are looked at; axes whose length varies are None then.
        """
        if not checks.boolean("estimate", estimate):
            return [list(array.shape) for array in self._first_row()]
        run = begin(self._node)
        run.executor = Executor()
        shapes: list[list[int | None]] | None = None
        with Guard():
            for block in run.stream(self._node, 0):
                for number in range(block.count):
                    found = [array.shape for array in block.row(number)]
                    if shapes is None:
                        shapes = [list(shape) for shape in found]
                    for known, shape in zip(shapes, found):
                        if len(known) != len(shape):
                            raise OpRuntimeError(f"rows have different numbers of axes: {len(known)} and {len(shape)}")
                        known[:] = [a if a == b else None for a, b in zip(known, shape)]
        return shapes if shapes is not None else [list(array.shape) for array in self._first_row()]

    def output_types(self) -> list[np.dtype]:
        """The numpy type of each column in the first row."""
        return [array.dtype for array in self._first_row()]

    def num_classes(self) -> int | None:
        """How many classes the source has; None where it has none."""
        return next((n.num_classes for n in descendants(self._node) if hasattr(n, "num_classes")), None)

    def get_class_indexing(self) -> dict[str, Any]:
        """The label of each class, for sources whose classes have names."""
        return dict(next((n.class_indexing for n in descendants(self._node) if hasattr(n, "class_indexing")), {}))

    @property
    def num_parallel_workers(self) -> int | None:
        """How many workers the program asked for at this place."""
        return self._node.workers

    def is_shuffled(self) -> bool:
        """Whether rows come in random order."""
        return any(
            isinstance(n, Shuffle) or (isinstance(n, Sampled) and n.sampler.is_shuffled())
            for n in descendants(self._node)
        )

    def is_sharded(self) -> bool:
        """Whether this is one of several parts of the data."""
        return any(isinstance(n, Sampled) and n.sampler.is_sharded() for n in descendants(self._node))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self._node.columns)}>"


answers(Dataset, methods=True)
teach(Dataset, "Dataset")


def zip_datasets(datasets: Any) -> Dataset:
    """The columns of several datasets side by side, as many rows as the shortest has: `anfora.dataset.zip`."""
    if not isinstance(datasets, tuple):
        raise checks.wrong_type("datasets", datasets, tuple)
    if len(datasets) < 2:
        raise OpValueError("Can't zip less than 2 datasets!", arg="datasets")
    for dataset in datasets:
        if not isinstance(dataset, Dataset):
            raise OpTypeError(f"Invalid datasets, expected Dataset object, but got {type(dataset)}!", arg="datasets")
    return Dataset(Zip([dataset._node for dataset in datasets]), *datasets)


def _workers(given: Any) -> int | None:
    return None if given is None else checks.integer_in("num_parallel_workers", given, 1)


def _in_process(kwargs: dict[str, Any]) -> bool:
    return checks.boolean("python_multiprocessing", kwargs.get("python_multiprocessing", True)) is False


def _in_order(dataset: Dataset, kwargs: dict[str, Any]) -> Dataset:
    order = kwargs.get("column_order")
    return dataset if order is None else dataset.project(checks.column_names("column_order", order))


def _no_others(method: str, kwargs: dict[str, Any], known: Sequence[str]) -> None:
    for name in kwargs:
        if name not in known:
            named = [*inspect.signature(getattr(Dataset, method)).parameters][1:-1]
            raise unknown(method, name, [*named, *known])


def _check_iterator(num_epochs: Any, output_numpy: Any, do_copy: Any) -> None:
    if checks.integer("num_epochs", num_epochs) != -1 and num_epochs < 1:
        raise OpRuntimeError(f"num_epochs should be either -1 or positive integer, num_epochs: {num_epochs}")
    checks.boolean("output_numpy", output_numpy)
    checks.boolean("do_copy", do_copy)


def _split_sizes(sizes: Any, total: int) -> list[int]:
    """Numbers of rows for what `split` was given."""
    if not isinstance(sizes, (list, tuple)) or not sizes:
        raise OpTypeError(f"sizes should be a list of integers or of floats, but got {sizes!r}", arg="sizes")
    if all(checks.is_integer(size) for size in sizes):
        if any(size <= 0 for size in sizes):
            raise OpValueError("sizes should all be positive.", arg="sizes")
        if sum(sizes) != total:
            raise OpRuntimeError(f"Sum of split sizes {sum(sizes)} is not equal to dataset size {total}.")
        return list(sizes)
    if not all(isinstance(size, float) for size in sizes):
        raise OpValueError("sizes should be list of int or list of float.", arg="sizes")
    if any(not 0 < size <= 1 for size in sizes):
        raise OpValueError("sizes should be in (0, 1].", arg="sizes")
    if abs(sum(sizes) - 1) > 1e-9:
        raise OpValueError("sizes is a list of float, but the percentages do not sum up to 1.", arg="sizes")
    counts = [round(share * total) for share in sizes]
    for share, count in zip(sizes, counts):
        if count == 0:
            raise OpRuntimeError(f"Split percentage {share} is too small.")
    difference = total - sum(counts)  # goes to the first part that bears it, as in MindSpore
    for place, count in enumerate(counts):
        if count + difference > 0:
            counts[place] += difference
            return counts
    raise OpRuntimeError(f"Sum of calculated split sizes {sum(counts)} is not equal to dataset size {total}.")
