"""The operations of pipelines: values, columns, sizes and errors. What MindSpore 2.10 answers is written down here."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import anfora as ms
import anfora.dataset as ds
from anfora.dataset import transforms


class Pairs:
    def __init__(self, count=5):
        self.count = count

    def __getitem__(self, i):
        return np.array([i, i]), i

    def __len__(self):
        return self.count


def pairs(**options):
    return ds.GeneratorDataset(Pairs(), ["a", "b"], **({"shuffle": False} | options))


def ragged(**options):
    return ds.GeneratorDataset([np.arange(2), np.arange(4)], ["a"], shuffle=False, **options)


def numbers(count, **options):
    return ds.NumpySlicesDataset(list(range(count)), ["n"], **({"shuffle": False} | options))


def rows(dataset, **options):
    return [
        [x.tolist() for x in row] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True, **options)
    ]


def flat(dataset):
    return [row[-1] for row in rows(dataset)]


class Twice:
    def __iter__(self):
        yield from [(1, 1.5), (2, 2.5)]


def generated():
    for i in range(3):
        yield (np.array([i], np.int32),)


SOURCES = {
    "random access": (lambda: pairs(), [[[i, i], i] for i in range(5)]),
    "an iterable": (lambda: ds.GeneratorDataset(Twice(), ["a", "b"]), [[1, 1.5], [2, 2.5]]),
    "a generator function": (lambda: ds.GeneratorDataset(generated, "a"), [[[0]], [[1]], [[2]]]),
    "an iterator": (lambda: ds.GeneratorDataset(iter([1, 2]), ["a"]), [[1], [2]]),
    "a list": (lambda: ds.GeneratorDataset([1, 2], ["a"], shuffle=False), [[1], [2]]),
    "a list of tuples": (lambda: ds.GeneratorDataset([(1, 2), (3, 4)], ["a", "b"], shuffle=False), [[1, 2], [3, 4]]),
    "an array": (lambda: ds.GeneratorDataset(np.arange(4).reshape(2, 2), "a", shuffle=False), [[[0, 1]], [[2, 3]]]),
    "words": (lambda: ds.GeneratorDataset(["ab", "c"], "a", shuffle=False), [["ab"], ["c"]]),
    "bytes": (lambda: ds.GeneratorDataset([b"ab"], "a"), [[b"ab"]]),
    "dictionaries": (lambda: ds.GeneratorDataset([{"y": 1, "x": 2}], ["x", "y"]), [[2, 1]]),
    "a dictionary of samples": (lambda: ds.GeneratorDataset({1: 6, 0: 5}, "a", shuffle=False), [[5], [6]]),
    "batches": (
        lambda: ds.GeneratorDataset(Pairs(), ["a", "b"], batch_sampler=[[0, 1], [4]]),
        [[[[0, 0], [1, 1]], [0, 1]], [[[4, 4]], [4]]],
    ),
    "slices": (lambda: ds.NumpySlicesDataset(([1, 2], [4.0, 5.0]), shuffle=False), [[1, 4.0], [2, 5.0]]),
    "slices of words as objects": (
        lambda: ds.NumpySlicesDataset({"x": np.array(["p", "qr"], object), "y": ms.Tensor([1, 2])}, shuffle=False),
        [["p", 1], ["qr", 2]],
    ),
    "slices of a dictionary": (lambda: ds.NumpySlicesDataset({"x": ["p", "qr"]}, shuffle=False), [["p"], ["qr"]]),
    "padding": (lambda: ds.PaddedDataset([{"a": np.zeros(1)}, {"a": np.ones(1)}]), [[[0.0]], [[1.0]]]),
    "a part": (lambda: pairs(num_shards=2, shard_id=1), [[[1, 1], 1], [[3, 3], 3], [[0, 0], 0]]),
    "the first": (lambda: pairs(num_samples=2), [[[0, 0], 0], [[1, 1], 1]]),
}  # fmt: skip


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name):
    make, expected = SOURCES[name]
    assert rows(make()) == expected
    assert make().get_dataset_size() == len(expected)


@pytest.mark.parametrize("source", [{"train": [1], "test": [2]}, {1: "a", 2: "b"}, collections.ChainMap({"a": 1})])
def test_a_dictionary_of_parts_is_no_source(source):
    with pytest.raises(TypeError, match="source is a dictionary with the keys"):
        ds.GeneratorDataset(source, ["a"])


@pytest.mark.parametrize(("output_numpy", "kind"), [(True, np.ndarray), (False, ms.Tensor)])
def test_what_is_in_dictionaries_is_given_as_other_fields_are(output_numpy, kind):
    mine = {"n": 1, "row": np.arange(2), "deep": {"some": [1.5, (True, None)]}, "word": "ü", 3: b"raw"}
    dataset = ds.GeneratorDataset([(mine, 1)], ["a", "b"]).map(lambda a: a | {"seen": type(a["n"]) is int}, "a")
    [[found, _]] = dataset.create_tuple_iterator(num_epochs=1, output_numpy=output_numpy)
    assert list(found) == ["n", "row", "deep", "word", 3, "seen"]
    [half, (true, none)] = found["deep"]["some"]
    for field, value in ((found["n"], 1), (found["row"], [0, 1]), (half, 1.5), (true, True), (found["seen"], True)):
        assert type(field) is kind and field.tolist() == value
    assert found["word"].tolist() == "ü" and found[3] == b"raw" and none is None
    found["row"] *= 2
    assert mine["row"].tolist() == [0, 1]


def test_types_of_python_values():
    row = next(
        ds.GeneratorDataset([(1.5, True, 3, np.float32(2), ms.Tensor([1.0]))], list("abcde")).create_tuple_iterator(
            output_numpy=True
        )
    )
    assert [x.dtype.name for x in row] == ["float64", "bool", "int64", "float32", "float32"]
    assert [x.shape for x in row] == [(), (), (), (), (1,)]


OPERATIONS = {
    "batch": (lambda: pairs().project("b").batch(2), [[[0, 1]], [[2, 3]], [[4]]]),
    "batch, full ones": (lambda: pairs().project("b").batch(2, drop_remainder=True), [[[0, 1]], [[2, 3]]]),
    "batch of repeat": (lambda: numbers(5).repeat(2).batch(4, drop_remainder=True), [[[0, 1, 2, 3]], [[4, 0, 1, 2]]]),
    "batch by function": (lambda: numbers(5).batch(lambda i: i.get_batch_num() + 1), [[[0]], [[1, 2]], [[3, 4]]]),
    "batch of words": (lambda: ds.NumpySlicesDataset(["ab", "c"], shuffle=False).batch(2), [[["ab", "c"]]]),
    "per batch": (
        lambda: numbers(3).batch(2, per_batch_map=lambda n, info: ([x + 10 * info.get_batch_num() for x in n],)),
        [[[0, 1]], [[12]]],
    ),
    "per batch, array": (
        lambda: numbers(2).batch(2, per_batch_map=lambda n, info: np.array(n) * 2, input_columns=["n"]), [[[0, 2]]],
    ),
    "padded": (lambda: ragged().padded_batch(2, pad_info={"a": ([5], -1)}), [[[[0, 1, -1, -1, -1], [0, 1, 2, 3, -1]]]]),
    "padded by batch": (lambda: ragged().batch(2, pad_info={"a": ([5], -1)}), [[[[0, 1, -1, -1, -1], [0, 1, 2, 3, -1]]]]),
    "in an order": (
        lambda: pairs(num_samples=2).map(lambda a, b: (b, a, b + 1), ["a", "b"], ["x", "y", "z"], column_order=["z", "x"]),
        [[1, 0], [2, 1]],
    ),
    "batches in an order": (
        lambda: pairs(num_samples=2).batch(2, column_order=["y"], per_batch_map=lambda b, info: (b, b), input_columns=["b"],
                                           output_columns=["x", "y"]),
        [[[0, 1]]],
    ),
    "padded, longest": (lambda: ragged().padded_batch(2, pad_info={}), [[[[0, 1, 0, 0], [0, 1, 2, 3]]]]),
    "padded, None": (lambda: ragged().padded_batch(2, pad_info={"a": ([None], 7)}), [[[[0, 1, 7, 7], [0, 1, 2, 3]]]]),
    "padded, as it comes": (lambda: ragged().padded_batch(2, pad_info={"a": None}), [[[[0, 1, 0, 0], [0, 1, 2, 3]]]]),
    "padded, cut": (lambda: ragged().padded_batch(2, pad_info={"a": ([3], 7)}), [[[[0, 1, 7], [0, 1, 2]]]]),
    "buckets": (
        lambda: ds.GeneratorDataset([np.arange(i % 4 + 1) for i in range(6)], ["a"], shuffle=False)
        .bucket_batch_by_length(["a"], [3], [2, 2], pad_info={"a": ([None], -1)}),
        [[[[0, -1], [0, 1]]], [[[0, 1, 2, -1], [0, 1, 2, 3]]], [[[0, -1], [0, 1]]]],
    ),
    "map": (lambda: numbers(3).map(lambda x: x * 2, "n"), [[0], [2], [4]]),
    "map, first column": (lambda: pairs(num_samples=2).map(lambda x: x[0] + 7), [[7, 0], [8, 1]]),
    "map, one after the other": (
        lambda: numbers(2).map([lambda x: x + 1, lambda x: (x, -x)], "n", ["n", "m"]), [[1, -1], [2, -2]],
    ),
    "map with an operator": (lambda: numbers(2).map(ms.ops.neg, "n"), [[0], [-1]]),
    "map with a Cell": (lambda: ds.NumpySlicesDataset([[-1.0, 1.0]]).map(ms.nn.ReLU(), "column_0"), [[[0.0, 1.0]]]),
    "project": (lambda: pairs(num_samples=1).project(["b", "a"]), [[0, [0, 0]]]),
    "zip": (lambda: ds.zip((numbers(3), numbers(2).rename("n", "m"))), [[0, 0], [1, 1]]),
    "zip, method": (lambda: numbers(2).zip(numbers(9).rename("n", "m")), [[0, 0], [1, 1]]),
    "concat": (lambda: numbers(2) + numbers(1), [[0], [1], [0]]),
    "take": (lambda: numbers(5).take(2), [[0], [1]]),
    "skip": (lambda: numbers(5).skip(3), [[3], [4]]),
    "skip all": (lambda: numbers(5).skip(9), []),
    "filter": (lambda: pairs().filter(lambda b: b > 2, "b").project("b"), [[3], [4]]),
    "filter, all columns": (lambda: pairs().filter(lambda a, b: a[0] + b > 6).project("b"), [[4]]),
    "repeat": (lambda: numbers(2).repeat(2), [[0], [1], [0], [1]]),
    "repeat, then take": (lambda: numbers(2).repeat().take(5), [[0], [1], [0], [1], [0]]),
    "apply": (lambda: numbers(4).apply(lambda d: d.batch(4)), [[[0, 1, 2, 3]]]),
    "flat_map": (
        lambda: numbers(2).flat_map(lambda n: ds.NumpySlicesDataset([7, int(n)], shuffle=False)), [[7], [0], [7], [1]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    make, expected = OPERATIONS[name]
    assert rows(make()) == expected
    assert make().get_dataset_size() == len(expected)


def streamed(dataset):
    """The same rows from a source that can only be read from the front."""
    names = dataset.get_col_names()
    return ds.GeneratorDataset(lambda: iter([tuple(np.array(x) for x in row) for row in rows(dataset)]), names)


CHAINS = {
    "take": lambda d: d.take(3),
    "skip": lambda d: d.skip(3),
    "repeat": lambda d: d.repeat(3),
    "batch": lambda d: d.batch(3),
    "map": lambda d: d.map(lambda n: n + 1, "n"),
    "concat": lambda d: d + d,
    "zip": lambda d: d.zip(d.rename("n", "m")),
    "project and rename": lambda d: d.rename("n", "m").project("m"),
    "all": lambda d: (d.skip(1).repeat(2) + d.take(2)).map(lambda n: n * 3, "n").batch(4, drop_remainder=True),
}


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("start", [0, 1, 4])
def test_random_access_and_streams_give_the_same(name, start):
    """Each operation has two forms; and both can begin in the middle."""
    direct, stream = CHAINS[name](numbers(8)), CHAINS[name](streamed(numbers(8)))
    whole = rows(direct)
    assert rows(stream) == whole
    for dataset in (direct, stream):
        dataset.load_state({"version": 1, "seed": 1, "epoch": 0, "row": start})
        assert rows(dataset) == whole[start:]


COLUMNS = {
    "2 for 1": (lambda d: d.map(lambda a, b: b, ["a", "b"], ["c"]), ["c"]),
    "1 for 2": (lambda d: d.map(lambda b: (b, b), ["b"], ["c", "d"]), ["c", "d", "a"]),
    "in place": (lambda d: d.map(lambda b, a: (b, a), ["b", "a"]), ["a", "b"]),
    "a new name": (lambda d: d.map(lambda b: b, ["b"], ["z"]), ["a", "z"]),
    "batch": (lambda d: d.batch(2, per_batch_map=lambda b, i: (b, b), input_columns=["b"], output_columns=["c", "d"]),
              ["c", "d", "a"]),
    "rename": (lambda d: d.rename("a", "z"), ["z", "b"]),
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_order_of_columns(name):
    make, expected = COLUMNS[name]
    dataset = make(pairs())
    assert dataset.get_col_names() == expected
    assert list(next(dataset.create_dict_iterator())) == expected


ERRORS = {
    "batch of 0": (lambda: pairs().batch(0), ValueError, r"within the required interval of \[1, 2147483647\]"),
    "batch of a word": (lambda: pairs().batch("a"), TypeError, "either be an int or a callable"),
    "drop_remainder": (lambda: pairs().batch(2, 3), TypeError, "drop_remainder with value 3"),
    "unknown option": (lambda: pairs().batch(2, padding={}), TypeError, "^batch has no argument `padding`; it takes"),
    "no callable": (lambda: pairs().map(3, "a"), ValueError, "should be callable, but got: 3"),
    "take 0": (lambda: pairs().take(0), ValueError, r"\(0, 2147483647\], got 0"),
    "skip -1": (lambda: pairs().skip(-1), ValueError, r"\[0, 2147483647\]"),
    "shuffle 1": (lambda: pairs().shuffle(1), ValueError, r"buffer_size is not within .* \[2, 2147483647\]"),
    "repeat 0": (lambda: pairs().repeat(0), ValueError, "either -1 or positive"),
    "repeat word": (lambda: pairs().repeat("2"), TypeError, "repeat with value 2"),
    "rename": (lambda: pairs().rename(["a", "b"], ["z"]), ValueError, "is not equal"),
    "split": (lambda: pairs().split([2, 2]), RuntimeError, "Sum of split sizes 4 is not equal to dataset size 5"),
    "split shares": (lambda: pairs().split([0.3, 0.3]), ValueError, "do not sum up to 1"),
    "split small": (lambda: pairs().split([0.9, 0.1]), RuntimeError, "Split percentage 0.1 is too small"),
    "no names": (lambda: ds.GeneratorDataset(Pairs()), ValueError, "Neither columns_names nor schema"),
    "an int": (lambda: ds.GeneratorDataset(5, "a"), TypeError, "callable, iterable or random accessible"),
    "shards": (lambda: pairs(num_shards=2), ValueError, "need to be passed in together"),
    "shard": (lambda: pairs(num_shards=2, shard_id=2), ValueError, "less than num_shards"),
    "names": (lambda: ds.GeneratorDataset(Pairs(), ["a", "a"]), ValueError, "Every column name should not be same"),
    "samples": (lambda: pairs(num_samples=-1), ValueError, "num_samples exceeds the boundary"),
    "conflict": (lambda: pairs(sampler=ds.SequentialSampler()), ValueError, "Conflicting arguments"),
    "sampler": (lambda: ds.GeneratorDataset(iter([1]), "a", sampler=[0]), ValueError, "sampler is not supported"),
    "lengths": (lambda: ds.NumpySlicesDataset(([1], [1, 2])), ValueError, "Data length in each column is not equal"),
    "empty": (lambda: ds.NumpySlicesDataset([]), ValueError, "data cannot be empty"),
    "type": (lambda: ds.NumpySlicesDataset(5), TypeError, "Argument data with value 5"),
    "epochs": (lambda: pairs().create_dict_iterator(num_epochs="1"), TypeError, "num_epochs with value 1"),
    "epochs 0": (lambda: pairs().create_dict_iterator(num_epochs=0), RuntimeError, "num_epochs: 0"),
    "seed": (lambda: ds.config.set_seed(-1), ValueError, "UINT32_MAX"),
    "seed word": (lambda: ds.config.set_seed("a"), TypeError, "seed isn't of type int"),
    "workers": (lambda: ds.config.set_num_parallel_workers(0), ValueError, "Number of parallel workers"),
    # What only shows when rows are asked for:
    "ragged": (
        lambda: rows(ragged().batch(2)), RuntimeError,
        "inconsistent batch shapes.* 'a': the first has <2>, number 1 has <4>",
    ),
    "fields": (
        lambda: rows(ds.GeneratorDataset([[1, 2]], "a")), RuntimeError,
        "column_names is:1 and .* NumPy array is:2",
    ),
    "types": (lambda: rows(pairs(column_types=[ms.float32, ms.int8])), RuntimeError, "column_types"),
    "None": (lambda: rows(pairs().map(lambda a: None, "a")), RuntimeError, "gave None"),
    "outputs": (
        lambda: rows(pairs().map(lambda a: (a, a), "a")), RuntimeError,
        "operations: 2, the number of 'output_columns': 1",
    ),
    "column": (lambda: rows(pairs().map(lambda a: a, "q")), RuntimeError, "q does not exist"),
    "project": (lambda: rows(pairs().project("q")), RuntimeError, "q does not exist"),
    "zip": (lambda: rows(ds.zip((pairs(), pairs()))), RuntimeError, "duplicate column a"),
    "concat": (lambda: rows(pairs() + pairs().project("a")), RuntimeError, "'column name' or 'column order'"),
    "per batch": (
        lambda: rows(pairs().batch(2, per_batch_map=lambda b, i: ([b[0]],), input_columns="b")), RuntimeError,
        "expects: 2 rows returned",
    ),
    "pad rank": (
        lambda: rows(ragged().padded_batch(2, pad_info={"a": ([5, 5], 0)})), RuntimeError,
        "pad_shapes rank:2, column rank: 1",
    ),
    "pad column": (lambda: rows(ragged().padded_batch(2, pad_info={"z": ([5], 0)})), RuntimeError, "z does not exist"),
    "outside": (
        lambda: rows(pairs(sampler=[7], shuffle=None)), RuntimeError,
        r"Sample ID \(7\) is out of bound, expected range \[0, 4\]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    make, kind, text = ERRORS[name]
    with pytest.raises(kind, match=text):
        make()


def test_a_failing_function_is_told_with_its_sample_and_traceback():
    def crop(x):
        return x / (x - 3) if x == 2 else [][int(x)]

    with pytest.raises(ds.SampleError) as caught:
        rows(numbers(5, sampler=[4, 1], shuffle=None).map(crop, "n"))
    text = str(caught.value)
    assert "`crop` (test_pipeline.py" in text and "failed at sample 4 of epoch 0: IndexError" in text
    assert "return x / (x - 3) if x == 2 else [][int(x)]" in text and "anfora/" not in text
    assert isinstance(caught.value.__cause__, IndexError)


def test_what_a_dataset_knows():
    dataset = pairs().batch(2).repeat(3)
    assert (dataset.get_batch_size(), dataset.get_repeat_count(), dataset.get_dataset_size(), len(dataset)) == (
        2,
        3,
        9,
        9,
    )
    assert dataset.output_shapes() == [[2, 2], [2]]
    assert dataset.output_shapes(estimate=True) == [[None, 2], [None]]
    assert dataset.output_types() == [np.dtype("int64")] * 2
    assert (pairs().num_classes(), pairs().get_class_indexing()) == (None, {})
    assert pairs().repeat().get_dataset_size() == 5


def test_iterators_give_tensors_or_arrays():
    row = next(pairs().create_dict_iterator())
    assert isinstance(row["a"], ms.Tensor) and row["a"].tolist() == [0, 0] and row["b"].shape == ()
    assert isinstance(next(pairs().create_dict_iterator(output_numpy=True))["a"], np.ndarray)
    assert isinstance(next(iter(pairs())), list)
    assert rows(pairs(), columns=["b"]) == [[0], [1], [2], [3], [4]]
    assert isinstance(next(ds.NumpySlicesDataset(["w"]).create_tuple_iterator())[0], np.ndarray)


def test_epochs_of_an_iterator():
    iterator = numbers(3).create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [[int(n) for [n] in iterator] for _ in range(2)] == [[0, 1, 2], [0, 1, 2]]
    with pytest.raises(RuntimeError, match="beyond the specified number of epochs"):
        next(iterator)
    endless = numbers(2).create_tuple_iterator(output_numpy=True)
    assert [[int(n) for [n] in endless] for _ in range(3)] == [[0, 1]] * 3
    part = numbers(4).create_tuple_iterator(output_numpy=True)
    next(part)
    assert [int(n) for [n] in part] == [1, 2, 3]  # goes on where it stood


def test_rows_belong_to_the_program():
    data = [np.zeros(2), np.zeros(2)]
    for [x] in ds.GeneratorDataset(data, "x").create_tuple_iterator(output_numpy=True, num_epochs=1):
        x += 1

    def spoil(x):
        x += 1
        return x

    assert rows(ds.GeneratorDataset(data, "x").map(spoil, "x")) == [[[1.0, 1.0]]] * 2
    assert not np.any(data)


SPLITS = [
    (5, [0.5, 0.5], [3, 2]), (5, [0.3, 0.3, 0.4], [1, 2, 2]), (10, [0.33, 0.33, 0.34], [4, 3, 3]), (7, [0.5, 0.5], [3, 4]),
    (11, [0.25] * 4, [2, 3, 3, 3]), (10, [0.25] * 4, [4, 2, 2, 2]), (5, [2, 3], [2, 3]),
]  # fmt: skip


@pytest.mark.parametrize(("count", "sizes", "expected"), SPLITS)
def test_split(count, sizes, expected):
    parts = numbers(count, shuffle=None).split(sizes)
    assert [part.get_dataset_size() for part in parts] == expected
    for _ in range(2):  # in each epoch the same parts
        assert sorted(n for part in parts for n in flat(part)) == list(range(count))
    assert [flat(part) for part in numbers(4).split([1, 3], randomize=False)] == [[0], [1, 2, 3]]


SAMPLERS = {
    "sequential": (ds.SequentialSampler(), [0, 1, 2, 3, 4]),
    "from 1, two": (ds.SequentialSampler(1, 2), [1, 2]),
    "subset": (ds.SubsetSampler([3, 1]), [3, 1]),
    "subset, some": (ds.SubsetSampler([3, 1, 0], num_samples=2), [3, 1]),
    "twice": (ds.SubsetSampler([1, 1]), [1, 1]),
    "numbers": ([4, 2], [4, 2]),
    "part": (ds.DistributedSampler(2, 1, shuffle=False), [1, 3, 0]),
    "part, some": (ds.DistributedSampler(2, 0, shuffle=False, num_samples=2), [0, 2]),
    "part from 1": (ds.DistributedSampler(2, 0, shuffle=False, offset=1), [1, 3]),
    "part from 0": (ds.DistributedSampler(2, 1, shuffle=False, offset=0), [1, 3]),
    "part without a sample": (ds.DistributedSampler(7, 6, shuffle=False, offset=0), [0]),
    "part in front of all": (ds.DistributedSampler(7, 0, shuffle=False, offset=3), [4]),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers(name):
    sampler, expected = SAMPLERS[name]
    assert flat(pairs(sampler=sampler, shuffle=None)) == expected


def test_random_samplers():
    def drawn(sampler, count=200):
        return [n for [n] in rows(numbers(count, sampler=sampler, shuffle=None))]

    assert sorted(drawn(ds.RandomSampler())) == list(range(200)) != drawn(ds.RandomSampler())
    assert len(set(drawn(ds.RandomSampler(num_samples=20)))) == 20
    again = drawn(ds.RandomSampler(replacement=True))
    assert len(again) == 200 > len(set(again))
    assert sorted(drawn(ds.SubsetRandomSampler(list(range(100))))) == list(range(100))
    assert set(drawn(ds.WeightedRandomSampler([0, 1, 3, 0]))) == {1, 2}
    assert drawn(ds.WeightedRandomSampler([0, 1, 3, 0])).count(2) > 100
    assert sorted(drawn(ds.WeightedRandomSampler([0, 1, 1, 0, 1.0], 3, False))) == [1, 2, 4]
    parts = [drawn(ds.DistributedSampler(2, part)) for part in (0, 1)]  # agree without a seed
    assert sorted(parts[0] + parts[1]) == list(range(200))

    class Mine(ds.Sampler):
        def __iter__(self):
            yield from [self.dataset_size - 1, 0]

    assert drawn(Mine()) == [199, 0]
    chained = ds.SequentialSampler(1, 2)
    chained.add_child(ds.SubsetSampler([4, 3, 2]))
    assert drawn(chained) == [3, 2]


def test_padding_fills_up_parts():
    dataset = numbers(5) + ds.PaddedDataset([{"n": np.array(-1)}] * 3)
    dataset.use_sampler(ds.DistributedSampler(2, 1, shuffle=False))
    assert flat(dataset) == [1, 3, -1, -1]


def padded_part():
    dataset = numbers(5) + ds.PaddedDataset([{"n": np.array(-1)}])
    dataset.use_sampler(ds.DistributedSampler(2, 1, shuffle=False))
    return dataset


def own_types(column, info):
    assert all(type(row) is np.ndarray for row in column)
    return (column,)


#: Pipelines in which numbers, rows without an axis, come from one array: of a source, or beside others that do not.
WITHOUT_AXES = {
    "slices": lambda: numbers(4),
    "a part of slices and others": padded_part,
    "slices and others": lambda: numbers(2) + ds.PaddedDataset([{"n": np.array(-1)}]),
    "padded": lambda: numbers(3).padded_batch(1, pad_info={}),
    "per batch": lambda: numbers(3).batch(2, per_batch_map=own_types),
    "duplicated": lambda: numbers(3).map(transforms.Duplicate(), "n", ["n", "m"]),
    "one of": lambda: numbers(3).map(transforms.RandomChoice([transforms.TypeCast("int32")]), "n"),
    "a function": lambda: numbers(3).map(lambda n: n, "n"),
    "shuffled": lambda: numbers(3).shuffle(2),
    "zipped": lambda: numbers(3).zip(numbers(3).rename("n", "m")),
}


@pytest.mark.parametrize("name", WITHOUT_AXES)
def test_numbers_stay_arrays(name):
    """Iterating over an array gives numpy's numbers, which are no fields: of them no tensor was made."""
    for output_numpy, kind in ((True, np.ndarray), (False, ms.Tensor)):
        for row in WITHOUT_AXES[name]().create_tuple_iterator(num_epochs=1, output_numpy=output_numpy):
            assert [type(field) for field in row] == [kind] * len(row)


MISFITS = {
    "map": lambda data: data.map(abs, "q"),
    "batch": lambda data: data.batch(2, per_batch_map=lambda q, info: (q,), input_columns="q"),
    "padding": lambda data: data.padded_batch(2, pad_info={"q": ([1], 0)}),
    "buckets": lambda data: data.bucket_batch_by_length("q", [3], [2, 2], lambda q: 1),
    "filter": lambda data: data.filter(lambda q: True, "q"),
    "project": lambda data: data.project(["q"]),
    "rename": lambda data: data.rename("q", "r"),
    "zip": lambda data: data.zip(data),
    "concat": lambda data: data.concat(data.rename("a", "q")),
}
QUESTIONS = {
    "size": lambda data: data.get_dataset_size(),
    "names": lambda data: data.get_col_names(),
    "shapes": lambda data: data.output_shapes(),
    "types": lambda data: data.output_types(),
    "iterator": lambda data: data.create_tuple_iterator(),
    "split": lambda data: data.split([1.0]),
    "training": lambda data: ms.Model(ms.nn.Dense(1, 1), ms.nn.MSELoss(), ms.nn.SGD([ms.Parameter(1.0)], 0.1)).train(
        1, data
    ),
}


@pytest.mark.parametrize("name", MISFITS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_columns_that_do_not_fit_are_refused_before_a_row_is_read(name, question):
    class Source:
        def __len__(self):
            return 4

        def __getitem__(self, number):
            raise AssertionError("a row was read")

    data = MISFITS[name](ds.GeneratorDataset(Source(), ["a", "b"]))
    for made in (data, data.take(2).repeat(2).batch(2)):
        with pytest.raises(RuntimeError, match=r"Invalid (column|data|pad_info)"):
            QUESTIONS[question](made)


#: What MindSpore 2.10 answers for three rows: the size of batches, how often rows are repeated, how many there are. Where
#: endless rows are cut it counts no more than one round, which is less than it gives.
NUMBERS = {
    "repeat twice": (lambda data: data.repeat(2).repeat(3), 1, 3, 18),
    "repeat take": (lambda data: data.repeat(2).repeat(3).take(3), 1, 3, 3),
    "repeat batch": (lambda data: data.repeat(2).batch(2), 2, 2, 3),
    "take repeat": (lambda data: data.repeat(2).take(2).repeat(3), 1, 3, 6),
    "zip batches": (lambda data: ds.zip((data.repeat(2).batch(3), data.rename("a", "c").batch(2))), 2, 1, 2),
    "zip repeats": (lambda data: ds.zip((data.repeat(2), data.rename("a", "c").repeat(4))), 1, 4, 6),
    "repeat zip": (lambda data: ds.zip((data.repeat(2), data.rename("a", "c"))).repeat(5), 1, 5, 15),
    "concat batches": (lambda data: data.batch(2) + data.batch(3), 3, 1, 3),
    "concat repeat": (lambda data: data.repeat(2) + data, 1, 1, 9),
    "repeat concat": (lambda data: (data + data).repeat(3), 1, 3, 18),
    "batch batch": (lambda data: data.batch(2).batch(3), 3, 1, 1),
    "batch filter": (lambda data: data.batch(2).filter(lambda a: True), 2, 1, 2),
    "batch skip": (lambda data: data.batch(2).skip(1), 2, 1, 1),
    "endless": (lambda data: data.repeat(), 1, -1, 3),
    "endless batch": (lambda data: data.repeat(-1).batch(2), 2, -1, 2),
    "endless batch map": (lambda data: data.repeat().batch(2).map(lambda a: a, "a"), 2, -1, 2),
    "endless take": (lambda data: data.repeat().take(4), 1, -1, 4),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("source", ["random access", "generator"])
def test_numbers_of_rows(name, source):
    def generate():
        yield from ((np.array(i),) for i in range(3))

    make, batch, repeat, size = NUMBERS[name]
    rows = list(generate()) if source == "random access" else generate
    data = make(ds.GeneratorDataset(rows, ["a"], shuffle=False))
    assert (data.get_batch_size(), data.get_repeat_count(), data.get_dataset_size()) == (batch, repeat, size)


def test_counting_runs_no_more_than_it_takes():
    """A source that does not know its length is read; what is done with its rows is done when they are asked for."""
    calls = []

    def generate():
        for i in range(5):
            calls.append("row")
            yield np.array(i)

    def kept(a):
        calls.append("kept")
        return bool(a != 2)

    def changed(a):
        calls.append("changed")
        return a

    data = ds.GeneratorDataset(generate, ["a"])
    assert data.map(changed, "a").batch(2).repeat(3).skip(1).get_dataset_size() == 8 and calls == ["row"] * 5
    calls.clear()
    assert data.filter(kept, "a").map(changed, "a").batch(3).get_dataset_size() == 2 and calls == ["row", "kept"] * 5
