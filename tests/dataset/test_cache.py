"""Rows that are kept are those that would be computed, whatever order, worker or memory."""

from __future__ import annotations

import copy
import gc
import os

import numpy as np
import pytest

import anfora.dataset as ds
from anfora.dataset import vision


@pytest.fixture(autouse=True)
def _settings():
    ds.config.set_seed(5)


class Counting:
    """A function that knows how often each sample came; workers count in their own process."""

    def __init__(self, size=4):
        self.size, self.calls = size, []

    def __call__(self, n):
        self.calls.append(int(n))
        return np.full(self.size, int(n) * 2, np.float32)


def numbers(count, **options):
    return ds.NumpySlicesDataset(list(range(count)), ["n"], **options)


def epochs(dataset, count):
    iterator = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[row[0].tolist() for row in iterator] for _ in range(count)]


PIPELINES = {
    "as it is": lambda f, **options: numbers(20, shuffle=False).map(f, **options),
    "shuffled below": lambda f, **options: numbers(20).map(f, **options),
    "shuffled above": lambda f, **options: numbers(20, shuffle=False).map(f, **options).shuffle(7).batch(3),
    "drawn with replacement": lambda f, **options: numbers(
        20, sampler=ds.RandomSampler(replacement=True, num_samples=20)).map(f, **options),
    "repeated": lambda f, **options: numbers(10).repeat(2).map(f, **options),
    "behind one another": lambda f, **options: (numbers(10) + numbers(10)).map(f, **options),
    "skipped": lambda f, **options: numbers(20).skip(5).take(9).map(f, **options),
}  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", PIPELINES)
def test_rows_are_the_same_with_and_without(name, workers):
    function, cache = Counting(), ds.DatasetCache(1)
    rows = PIPELINES[name](function, cache=cache, num_parallel_workers=workers)
    assert epochs(rows, 3) == epochs(PIPELINES[name](Counting()), 3)
    kept = cache.get_stat().num_mem_cached
    assert 0 < kept <= 20
    if workers == 1:
        assert len(function.calls) == kept


def test_what_is_kept_serves_all_iterators():
    function, cache = Counting(), ds.DatasetCache(1)
    rows = numbers(12).map(function, cache=cache)
    once = [sorted(map(tuple, epochs(rows, 1)[0])) for _ in range(3)]
    assert once[0] == once[1] == once[2] and sorted(function.calls) == list(range(12))
    assert copy.deepcopy(cache) is cache


def test_kept_rows_belong_to_the_program():
    rows = numbers(3, shuffle=False).map(Counting(), cache=ds.DatasetCache(1))
    for _ in range(3):
        for number, [row] in enumerate(rows.create_tuple_iterator(num_epochs=1, output_numpy=True)):
            assert row.tolist() == [2.0 * number] * 4
            row[...] = -1


@pytest.mark.parametrize("workers", [1, 3])
def test_memory_is_bounded(workers, caplog):
    cache = ds.DatasetCache(1, size=1)
    rows = numbers(100).map(Counting(1 << 12), cache=cache, num_parallel_workers=workers)  # 16 KiB each
    [first, second] = epochs(rows, 2)
    assert sorted(first) == sorted(second) == [[2.0 * n] * (1 << 12) for n in range(100)]
    kept = cache.get_stat()
    assert 55 <= kept.num_mem_cached <= 64 and kept.num_disk_cached == 0 and kept.avg_cache_sz > 16384
    if workers == 1:
        assert [r.message for r in caplog.records] == [
            f"the cache is full with {kept.num_mem_cached} of 100 rows (1.0 MiB): the others are computed each time"
        ]


def test_the_rest_goes_to_disk():
    function, cache = Counting(1 << 12), ds.DatasetCache(1, size=1, spilling=True)
    rows = numbers(100).map(function, cache=cache)
    [first, second] = epochs(rows, 2)
    kept = cache.get_stat()
    assert kept.num_mem_cached + kept.num_disk_cached == len(function.calls) == 100 and kept.num_disk_cached > 30
    assert sorted(first) == sorted(second)


def test_several_datasets_share_the_limit_and_give_back_what_they_held():
    gc.collect()
    cache, files = ds.DatasetCache(1, size=1), len(os.listdir("/proc/self/fd"))
    first = numbers(100).map(Counting(1 << 12), cache=cache)
    epochs(first, 1)
    second = numbers(100).map(Counting(1 << 12), cache=cache)
    epochs(second, 1)
    assert 55 <= cache.get_stat().num_mem_cached <= 64
    del first, second
    gc.collect()
    assert cache.get_stat() == (0, 0, 0) and len(os.listdir("/proc/self/fd")) == files


def test_pictures_of_folders_are_kept_decoded(tmp_path):
    from PIL import Image

    for label in "ab":
        (tmp_path / label).mkdir()
        for number in range(4):
            Image.new("RGB", (8, 6), (number * 9, 40, 7)).save(tmp_path / label / f"{number}.png")
    cache = ds.DatasetCache(1)
    pictures = ds.ImageFolderDataset(str(tmp_path), decode=True, cache=cache)
    crops = pictures.map(vision.RandomCrop(4), "image")  # random, behind what is kept

    def rows(dataset):
        iterator = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
        return [[(image.tolist(), int(label)) for image, label in iterator] for _ in range(2)]

    plain = ds.ImageFolderDataset(str(tmp_path), decode=True).map(vision.RandomCrop(4), "image")
    assert rows(crops) == rows(plain) and cache.get_stat().num_mem_cached == 8


def test_lines_and_records_are_kept(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    cache = ds.DatasetCache(1)
    lines = ds.TextFileDataset(str(tmp_path / "a.txt"), shuffle=False, cache=cache)
    for _ in range(2):
        assert [str(text) for [text] in lines.create_tuple_iterator(output_numpy=True)] == ["one", "two", "three"]
    assert cache.get_stat().num_mem_cached == 3


def test_where_rows_are_no_samples_nothing_is_kept(caplog):
    def read():
        yield from ((np.array(n),) for n in range(5))

    function, cache = Counting(), ds.DatasetCache(1)
    rows = ds.GeneratorDataset(read, ["n"]).map(function, cache=cache)
    assert "the cache keeps nothing" in caplog.text
    assert epochs(rows, 2)[1] == [[2.0 * n] * 4 for n in range(5)] and len(function.calls) == 10
    assert cache.get_stat() == (0, 0, 0)


ERRORS = {
    "random": (
        lambda: numbers(3).map(vision.RandomHorizontalFlip(), cache=ds.DatasetCache(1)),
        "RandomHorizontalFlip below it is random"),
    "type": (lambda: numbers(3).map(Counting(), cache=3), "Argument cache with value 3"),
    "type of a source": (lambda: ds.TextFileDataset(__file__, cache="c"), "Argument cache with value c"),
    "session": (lambda: ds.DatasetCache(0), "session_id is not within"),
    "size": (lambda: ds.DatasetCache(1, -1), "size is not within"),
    "spilling": (lambda: ds.DatasetCache(1, 1, 1), "Argument spilling"),
    "port": (lambda: ds.DatasetCache(1, port=80), "port is not within"),
    "host": (lambda: ds.DatasetCache(1, hostname=1), "Argument hostname"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    make, text = ERRORS[name]
    with pytest.raises((TypeError, ValueError, RuntimeError), match=text):
        make()


@pytest.mark.parametrize("decode", [False, True])
@pytest.mark.parametrize("kept", [False, True])
def test_samplers_see_the_classes_of_what_is_kept(decode, kept, tmp_path):
    from PIL import Image

    for label in "abc":
        (tmp_path / label).mkdir()
        for number in range(4):
            Image.new("RGB", (2, 2), (number, 0, 0)).save(tmp_path / label / f"{number}.png")
    cache = ds.DatasetCache(1) if kept else None
    pictures = ds.ImageFolderDataset(str(tmp_path), decode=decode, sampler=ds.PKSampler(2), cache=cache)
    labels = [int(label) for _, label in pictures.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert labels == [0, 0, 1, 1, 2, 2] and pictures.num_classes() == 3
    assert pictures.get_class_indexing() == {"a": 0, "b": 1, "c": 2}
