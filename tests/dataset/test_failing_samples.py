"""`config.set_error_samples_mode`: what `map` does with samples whose functions fail. Rows are those of MindSpore."""

from __future__ import annotations

import numpy as np
import pytest

import anfora.dataset as ds
from anfora.dataset import vision
from anfora.dataset.config import ErrorSamplesMode


@pytest.fixture(autouse=True)
def _as_before():
    yield
    ds.config.set_error_samples_mode(ErrorSamplesMode.RETURN)


def tenfold(x):
    if x in (2, 5):
        raise ValueError(f"not {x}")
    return x * 10


def numbers(n=8):
    return ds.NumpySlicesDataset(np.arange(n), ["a"], shuffle=False)


def failing(n=8, **settings):
    return numbers(n).map(tenfold, "a", **settings)


def rows(dataset):
    given = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    found = [[np.asarray(field).tolist() for field in row] for row in given]
    return [row[0] if len(row) == 1 else row for row in found]


GOOD = [0, 10, 30, 40, 60, 70]
#: A pipeline, its rows where samples that fail are left out, and where others stand in.
PIPELINES = {
    "map": (failing, GOOD, [*GOOD, 0, 10]),
    "batch": (lambda: failing().batch(3), [GOOD[:3], GOOD[3:]], [GOOD[:3], GOOD[3:], [0, 10]]),
    "full batches": (lambda: failing().batch(3, drop_remainder=True), [GOOD[:3], GOOD[3:]], [GOOD[:3], GOOD[3:]]),
    "repeat": (lambda: failing().repeat(2), GOOD * 2, [*GOOD, 0, 10, *GOOD, 30, 40]),
    "take": (lambda: failing().take(4), GOOD[:4], GOOD[:4]),
    "skip": (lambda: failing().skip(3), GOOD[3:], [*GOOD[3:], 0, 10]),
    "map twice": (
        lambda: failing().map(lambda x: x + 1, "a"), [1, 11, 31, 41, 61, 71], [1, 11, 31, 41, 61, 71, 1, 11],
    ),
    "zip": (
        lambda: ds.zip((failing(), numbers().rename("a", "b"))),
        [[x, i] for i, x in enumerate(GOOD)], [[x, i] for i, x in enumerate([*GOOD, 0, 10])],
    ),
    "concat": (lambda: failing(4) + failing(4), [0, 10, 30] * 2, [0, 10, 30, 0] * 2),
    "a generator": (
        lambda: ds.GeneratorDataset([0, 1, 2, 3, 5, 6], ["a"], shuffle=False).map(tenfold, "a"),
        [0, 10, 30, 60], [0, 10, 30, 60, 0, 10],
    ),
    "two functions": (
        lambda: numbers().map([lambda x: x + 1, tenfold], "a"), [10, 30, 40, 60, 70, 80], [10, 30, 40, 60, 70, 80, 10, 30],
    ),
    "processes": (
        lambda: failing(num_parallel_workers=2, python_multiprocessing=True), GOOD, [*GOOD, 0, 10],
    ),
    "more columns": (
        lambda: numbers().map(lambda x: (tenfold(x), x), "a", ["b", "c"]),
        [[x, x // 10] for x in GOOD], [[x, x // 10] for x in [*GOOD, 0, 10]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
def test_samples_that_fail_are_left_out_or_replaced(name):
    make, left_out, replaced = PIPELINES[name]
    size = make().get_dataset_size()
    for mode, wanted in ((ErrorSamplesMode.SKIP, left_out), (ErrorSamplesMode.REPLACE, replaced)):
        ds.config.set_error_samples_mode(mode)
        dataset = make()
        assert rows(dataset) == wanted == rows(dataset)
        assert dataset.get_dataset_size() == size  # as if none had failed


def test_where_all_fail():
    def fails(x):
        raise ValueError("never")

    ds.config.set_error_samples_mode(ErrorSamplesMode.SKIP)
    assert rows(numbers(3).map(fails, "a")) == []
    ds.config.set_error_samples_mode(ErrorSamplesMode.REPLACE)
    with pytest.raises(RuntimeError, match="all samples of epoch 0 failed"):
        rows(numbers(3).map(fails, "a"))


def test_transforms_of_pictures_that_fail(tmp_path):
    """What would be decoded together is decoded one by one."""
    pictures = [np.frombuffer(b"no picture", np.uint8), np.zeros((4, 4, 3), np.uint8)]
    ds.config.set_error_samples_mode(ErrorSamplesMode.SKIP)
    given = ds.GeneratorDataset([(pictures[i % 2],) for i in range(5)], ["image"], shuffle=False)
    found = rows(given.map([vision.Rescale(1.0, 1.0), vision.HWC2CHW()], "image"))
    assert [np.shape(x) for x in found] == [(3, 4, 4)] * 2 and np.all(np.array(found) == 1)


def test_a_run_goes_on_where_it_stopped():
    ds.config.set_error_samples_mode(ErrorSamplesMode.REPLACE)
    dataset = failing().shuffle(4)
    ds.config.set_seed(3)
    whole = rows(dataset)
    given = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    begun = [next(given)[0].tolist() for _ in range(5)]
    state = dataset.state()
    again = failing().shuffle(4)
    again.load_state(state)
    assert begun + rows(again) == whole and sorted(whole) == sorted([*GOOD, 0, 10])


def test_the_mode_is_an_error_samples_mode():
    assert ds.config.get_error_samples_mode() is ErrorSamplesMode.RETURN
    with pytest.raises(TypeError, match="should be an ErrorSamplesMode, but got 2"):
        ds.config.set_error_samples_mode(2)
    with pytest.raises(RuntimeError, match="failed at sample 2 of epoch 0: ValueError: not 2"):
        rows(failing())
