"""Sources of other libraries, as they come: torch's datasets, those of Hugging Face, pandas' frames."""

from __future__ import annotations

import random

import numpy as np
import pytest

import anfora.dataset as ds


def rows(dataset):
    return [[x.tolist() for x in row] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def by_workers(make, counts=(1, 2, 4)):
    """The rows of two epochs, the same for each number of workers."""
    found = []
    for workers in counts:
        ds.config.set_seed(11)
        iterator = make(workers).create_tuple_iterator(num_epochs=2, output_numpy=True)
        found.append([[[x.tolist() for x in row] for row in iterator] for _ in range(2)])
    assert all(other == found[0] for other in found[1:])
    return found[0]


def test_torch_datasets():
    torch = pytest.importorskip("torch")

    class Squares(torch.utils.data.Dataset):
        def __getitem__(self, i):
            return torch.tensor([i, i * i], dtype=torch.float32), i, torch.rand(1) + random.random() + np.random.rand()

        def __len__(self):
            return 7

    names = ["x", "label", "noise"]
    first = rows(ds.GeneratorDataset(Squares(), names, shuffle=False))
    assert [row[:2] for row in first] == [[[float(i), float(i * i)], i] for i in range(7)]
    pairs = torch.utils.data.TensorDataset(torch.arange(6).reshape(3, 2), torch.arange(3))
    assert rows(ds.GeneratorDataset(pairs, ["x", "y"], shuffle=False)) == [[[0, 1], 0], [[2, 3], 1], [[4, 5], 2]]
    part = torch.utils.data.Subset(pairs, [2, 0])
    assert rows(ds.GeneratorDataset(part, ["x", "y"], shuffle=False)) == [[[4, 5], 2], [[0, 1], 0]]

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            yield from ((torch.tensor(i), i) for i in range(3))

    assert rows(ds.GeneratorDataset(Stream(), ["x", "y"])) == [[0, 0], [1, 1], [2, 2]]
    loader = torch.utils.data.DataLoader(pairs, batch_size=2)
    assert rows(ds.GeneratorDataset(loader, ["x", "y"])) == [[[[0, 1], [2, 3]], [0, 1]], [[[4, 5]], [2]]]
    drawn = by_workers(lambda w: ds.GeneratorDataset(Squares(), names, num_parallel_workers=w).batch(2))
    assert drawn[0] != drawn[1]


def test_hugging_face_datasets():
    datasets = pytest.importorskip("datasets")
    table = {"text": [f"ü{i}" for i in range(6)], "label": list(range(6)), "ids": [[i, i + 1] for i in range(6)]}
    source = datasets.Dataset.from_dict(table)
    whole = ds.GeneratorDataset(source, shuffle=False)
    assert whole.get_col_names() == ["text", "label", "ids"]
    assert rows(whole) == [[f"ü{i}", i, [i, i + 1]] for i in range(6)]
    assert rows(ds.GeneratorDataset(source, ["ids", "label"], shuffle=False))[1] == [[1, 2], 1]
    stream = source.to_iterable_dataset()
    assert rows(ds.GeneratorDataset(stream, ["label"])) == [[i] for i in range(6)]
    numpys = source.with_format("numpy")
    assert rows(ds.GeneratorDataset(numpys, ["ids"], shuffle=False))[2] == [[2, 3]]
    few = source.filter(lambda row: row["label"] > 2)
    assert rows(ds.GeneratorDataset(few, ["label"], shuffle=False)) == [[3], [4], [5]]
    batches = by_workers(
        lambda w: (
            ds.GeneratorDataset(source, ["label", "ids"], num_parallel_workers=w)
            .map(lambda n: n + random.random(), "label", num_parallel_workers=w)
            .batch(2)
        )
    )
    assert sorted(int(n) for batch in batches[0] for n in batch[0]) == list(range(6))


def test_pandas_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [0.5, 1.5, 2.5]})
    dataset = ds.NumpySlicesDataset(frame, shuffle=False)
    assert dataset.get_col_names() == ["a", "b", "c"] and rows(dataset)[1] == [2, "y", 1.5]
    assert rows(ds.NumpySlicesDataset(dict(frame), shuffle=False)) == rows(dataset)


def test_what_is_no_source_is_refused():
    for source in (3, object(), None):
        with pytest.raises((TypeError, ValueError), match="source"):
            ds.GeneratorDataset(source, ["a"])


def test_an_iterator_that_has_ended_is_told(caplog):
    dataset = ds.GeneratorDataset((i for i in range(2)), ["a"])
    assert rows(dataset) == [[0], [1]] and not caplog.text
    assert rows(dataset) == [] and "can be gone through once only" in caplog.text


def adversarial(n):
    raise SystemExit(3) if n == 4 else KeyboardInterrupt


@pytest.mark.parametrize(("start", "text"), [(4, "SystemExit: 3"), (5, "KeyboardInterrupt")])
def test_a_function_that_wants_to_leave_is_told_from_a_worker(start, text):
    dataset = ds.NumpySlicesDataset([start], ["n"]).map(adversarial, "n", num_parallel_workers=2)
    with pytest.raises(ds.SampleError, match=rf"(?s)failed at sample 0 of epoch 0: {text}.*in adversarial"):
        rows(dataset)


def test_errors_of_our_own_transforms_have_no_frames_of_ours():
    from anfora.dataset import transforms

    dataset = ds.NumpySlicesDataset([5], ["n"]).map(transforms.OneHot(3), "n")
    with pytest.raises(ds.SampleError) as caught:
        rows(dataset)
    assert (
        "map: OneHot failed at sample 0 of epoch 0" in caught.value.message and "Traceback" not in caught.value.message
    )
    with pytest.raises(TypeError, match="data_type should be a type"):
        transforms.TypeCast("int33")
