"""Workers give the rows of one process, and end with the program, whatever ends it."""

from __future__ import annotations

import gc
import io
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from PIL import Image

import anfora as ms
import anfora.dataset as ds
from anfora.dataset import gate, processes, transforms, vision
from anfora.dataset.parallel import Spared

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")


@pytest.fixture(autouse=True)
def _settings():
    ds.config.set_seed(5)
    yield
    ds.config.set_multiprocessing_timeout_interval(300)


def numbers(count, **options):
    return ds.NumpySlicesDataset(list(range(count)), ["n"], **options)


def epochs(dataset, count=1):
    iterator = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[row[0].tolist() for row in iterator] for _ in range(count)]


def noisy(n):
    return np.array([n, random.random(), np.random.rand(), ms.ops.rand(1).asnumpy()[0]])


def noisy_generator():
    for i in range(20):
        yield (np.array(i + random.random()),)


class Noise:
    def __getitem__(self, i):
        return noisy(i)

    def __len__(self):
        return 20


shift = 3
PIPELINES = {
    "map": lambda w: numbers(20).map(noisy, "n", num_parallel_workers=w),
    "a closure": lambda w: numbers(20).map(lambda n: noisy(n + shift), "n", num_parallel_workers=w),
    "batch": lambda w: numbers(20).map(noisy, "n").batch(3, num_parallel_workers=w),
    "per batch": lambda w: numbers(20).batch(
        3, per_batch_map=lambda n, i: ([noisy(x) for x in n],), num_parallel_workers=w
    ),
    "repeat and shuffle": lambda w: numbers(9).shuffle(4).map(noisy, "n", num_parallel_workers=w).repeat(2).batch(4),
    "a filter on top": lambda w: numbers(20).map(noisy, "n", num_parallel_workers=w).filter(lambda n: n[1] > 0.5),
    "a source": lambda w: ds.GeneratorDataset(Noise(), "n", num_parallel_workers=w),
    "a generator": lambda w: ds.GeneratorDataset(noisy_generator, "n").map(noisy, "n", num_parallel_workers=w),
    "two": lambda w: numbers(20).map(noisy, "n", num_parallel_workers=w).map(lambda n: n * random.random(), "n"),
    "cut": lambda w: (numbers(20).map(noisy, "n", num_parallel_workers=w) + numbers(4).map(noisy, "n")).skip(2).take(20),
    "pure": lambda w: numbers(90).map(transforms.TypeCast(np.float32), "n", num_parallel_workers=w).batch(8),
    "pure, random": lambda w: ds.NumpySlicesDataset(
        np.arange(40 * 27, dtype=np.float32).reshape(40, 3, 3, 3), ["n"]
    ).map([vision.RandomHorizontalFlip(), vision.RandomVerticalFlip()], "n", num_parallel_workers=w).batch(8),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
def test_any_number_of_workers_gives_the_same_rows(name):
    one = epochs(PIPELINES[name](1), 2)
    assert one[0] != one[1] and len(one[0]) > 2
    for workers in (2, 3):
        assert epochs(PIPELINES[name](workers), 2) == one


@pytest.mark.parametrize("pure", [False, True])
def test_epochs_overlap(pure):
    """Workers go on with the next epoch where it is known to come; what each row is stays the same."""
    seen = []

    def note(n):
        seen.append(int(n))
        return n

    function = ds.pure(note) if pure else noisy
    dataset = numbers(6).map(function, "n", num_parallel_workers=2).batch(2)
    iterator = dataset.create_tuple_iterator(num_epochs=3, output_numpy=True)
    found = [[row[0].tolist() for row in iterator] for _ in range(3)]
    assert found == epochs(numbers(6).map(function, "n").batch(2), 3)
    assert iterator._executor._begun is None
    if pure:  # nothing is computed that nobody asked for
        assert len(seen) == 2 * 3 * 6
    begun = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert len(list(begun)) == 3 and begun._executor._begun is not None
    state = dataset.state()
    begun.stop()
    other = numbers(6).map(function, "n").batch(2)
    other.load_state(state)
    assert epochs(other) == found[1:2]


def test_forks_wait_for_threads():
    """While a thread works, with a lock of its library perhaps, no process is forked."""
    entered, leave, order = threading.Event(), threading.Event(), []

    def work():
        entered.set()
        assert leave.wait(10)
        order.append("work")

    worker = threading.Thread(target=gate.through, args=(work,))
    worker.start()
    assert entered.wait(10)

    def fork():
        with gate.closed():
            order.append("fork")

    forking = threading.Thread(target=fork)
    forking.start()
    leave.set()
    forking.join(10)
    worker.join(10)
    assert order == ["work", "fork"]
    gate.through(fork)  # a thread that works may fork itself
    assert order == ["work", "fork", "fork"]


def test_functions_run_in_other_processes_unless_they_are_pure():
    def where(n):
        return os.getpid()

    found = set(epochs(numbers(20).map(where, "n", num_parallel_workers=2))[0])
    assert len(found) == 2 and os.getpid() not in found
    for dataset in (
        numbers(3).map(where, "n"),
        numbers(3).map(where, "n", num_parallel_workers=2, python_multiprocessing=False),
        numbers(3).map(ds.pure(where), "n", num_parallel_workers=2),
    ):
        assert set(epochs(dataset)[0]) == {os.getpid()}


def test_large_arrays_come_back_whole_and_stay():
    dataset = numbers(30, shuffle=False).map(lambda n: np.full((50, 100), float(n)), "n", num_parallel_workers=2)
    kept = [row[0] for row in dataset.batch(4).create_tuple_iterator(num_epochs=1)]
    assert [x.asnumpy()[:, 0, 0].tolist() for x in kept][:2] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert all((x.asnumpy() == x.asnumpy()[:, :1, :1]).all() for x in kept)
    (kept[0] + 1).sum()
    kept[0].asnumpy()[...] = 0  # they belong to the program
    assert kept[1].asnumpy()[0, 0, 0] == 4


IMAGES = np.random.RandomState(1).randint(0, 256, (40, 40, 40, 3)).astype(np.uint8)
STEPS = [vision.RandomHorizontalFlip(), vision.RandomCrop(36), vision.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])]
OURS = {
    "access": lambda w: ds.NumpySlicesDataset(IMAGES, ["n"])
    .map([*STEPS, vision.HWC2CHW()], num_parallel_workers=w).batch(3),
    "files": lambda w: ds.GeneratorDataset([(png(image),) for image in IMAGES], ["n"], shuffle=True)
    .map([vision.Decode(), *STEPS, vision.HWC2CHW()], "n", num_parallel_workers=w).batch(3),
    "stream": lambda w: ds.NumpySlicesDataset(IMAGES, ["n"])
    .filter(ds.pure(lambda n: n[0, 0, 0] > 40)).map(STEPS, "n", num_parallel_workers=w).batch(3),
}  # fmt: skip


def png(image):
    data = io.BytesIO()
    Image.fromarray(image).save(data, "PNG")
    return np.frombuffer(data.getvalue(), np.uint8)


@pytest.mark.parametrize("workers, has_a_core", [(1, False), (1, True), (2, False), (2, True)])
@pytest.mark.parametrize("name", OURS)
def test_our_transforms_go_to_processes_when_that_pays(name, workers, has_a_core, monkeypatch):
    done = []  # here, not in workers
    monkeypatch.setattr(processes, "cores", lambda: workers + has_a_core)
    monkeypatch.setattr(processes, "_done", lambda *job, do=processes._done: [done.append(job), do(*job)][1])
    one = epochs(OURS[name](None), 3)
    cheap = OURS[name](workers).create_tuple_iterator(num_epochs=3, output_numpy=True)
    monkeypatch.setattr(Spared, "_TO_START", 1000.0)
    assert [[row[0].tolist() for row in cheap] for _ in range(3)] == one
    assert cheap._executor._processes is None
    for name_ in ("_TO_START", "_TO_SEND", "_TO_SEND_BYTE"):
        monkeypatch.setattr(Spared, name_, 0.0)
    dear = OURS[name](workers).create_tuple_iterator(num_epochs=3, output_numpy=True)
    # What is kept is not written to again.
    kept = [[row[0] for row in dear] for _ in range(3)]
    assert [[rows.tolist() for rows in epoch] for epoch in kept] == one
    assert dear._executor._processes is not None and not dear._executor._processes._workers
    assert bool(done) is has_a_core


@pytest.mark.parametrize("has_a_core", [False, True])
def test_a_row_that_fails_is_told_wherever_it_is_computed(has_a_core, monkeypatch):
    for name_ in ("_TO_START", "_TO_SEND", "_TO_SEND_BYTE"):
        monkeypatch.setattr(Spared, name_, 0.0)
    monkeypatch.setattr(processes, "cores", lambda: 1 + has_a_core)
    files = [(png(image),) for image in IMAGES]
    for broken in (29, 30, 31, 32):  # one of them is computed here, where there is a core
        rows = [*files[:broken], (files[broken][0][:20],), *files[broken + 1 :]]
        dataset = ds.GeneratorDataset(rows, ["n"], shuffle=False).map(vision.Decode(), "n", num_parallel_workers=1)
        found = []
        with pytest.raises(ds.SampleError, match=f"Decode failed at sample {broken} of epoch 0"):
            for row in dataset.batch(1).create_tuple_iterator(num_epochs=1, output_numpy=True):
                found.append(row)
        assert len(found) == broken


def test_what_functions_keep_is_not_written_to():
    """A worker writes batches where they are sent from; not those that a function of the program gets."""
    kept = []

    def first_of_all(images):
        kept.append(images)
        return kept[0].copy()

    files = ds.GeneratorDataset([(png(image),) for image in IMAGES], ["n"], shuffle=False)
    batches = files.map([vision.Decode(), STEPS[2]], "n").batch(4)
    found = epochs(batches.map(first_of_all, "n", num_parallel_workers=2), 2)
    expected = epochs(batches)[0]
    assert all(batch in expected[:3] for epoch in found for batch in epoch)


def test_a_run_goes_on_where_it_stood():
    dataset = numbers(20).map(noisy, "n", num_parallel_workers=2)
    iterator = dataset.create_tuple_iterator(output_numpy=True)
    for _ in range(7):
        next(iterator)
    other = numbers(20).map(noisy, "n")
    other.load_state(dataset.state())
    assert epochs(other)[0] == [row[0].tolist() for row in iterator]


def fails(n):
    if n == 17:
        raise KeyError("no such sample")
    return n


def dies(n):
    if n == 17:
        os._exit(5)
    return n


def crashes(n):
    if n == 17:
        os.kill(os.getpid(), signal.SIGSEGV)
    return n


def hangs(n):
    if n == 17:
        time.sleep(1000)
    return n


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (fails, r'`fails`.*failed at sample 17 of epoch 0: KeyError(.|\n)*raise KeyError\("no such sample"\)'),
        (dies, "ended with exit code 5 at sample 17 of epoch 0"),
        (crashes, r"ended by signal SIGSEGV at sample 17 of epoch 0(.|\n)* in crashes$"),
        (hangs, r"not answered for 1 seconds at sample 17 of epoch 0(.|\n)* in hangs$"),
    ],
)
def test_a_worker_that_ends_is_told_with_its_sample(function, text):
    if function is hangs:
        ds.config.set_multiprocessing_timeout_interval(1)
    dataset = numbers(40, shuffle=False).map(function, "n", num_parallel_workers=3)
    iterator = dataset.create_tuple_iterator(output_numpy=True, num_epochs=1)
    with pytest.raises(ds.SampleError) as caught:
        list(iterator)
    assert re.search(text, caught.value.message), caught.value.message
    assert "processes.py" not in caught.value.message
    assert iterator._executor._workers == []


def _memory():
    """KiB that are this process's own, and how many pieces of memory it shares with workers."""
    with open("/proc/self/smaps_rollup") as lines:
        [own] = [int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:")]
    with open("/proc/self/maps") as lines:
        return own, sum("anfora-data" in line for line in lines)


def test_nothing_is_left_behind():
    def files():
        return len(os.listdir("/proc/self/fd"))

    dataset = numbers(8).map(lambda n: np.zeros(30_000) + n, "n", num_parallel_workers=2)
    list(dataset)
    gc.collect()
    before, (own, shared) = files(), _memory()
    iterator = dataset.create_tuple_iterator(num_epochs=100, output_numpy=True)
    for epoch in range(100):
        assert len(list(iterator)) == 8
        if epoch in (20, 99):
            assert _memory()[1] <= shared + 40  # what is begun for the next epoch
    for _ in range(3):
        next(dataset.create_tuple_iterator())  # left in the middle
    del iterator
    assert files() == before and _memory()[1] == shared
    assert _memory()[0] < own + 20 * 240  # of 800 rows of 240 KB
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # no child, alive or dead


PROGRAM = """
    import os, signal, time
    import anfora.dataset as ds
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where who started this ignores it
    def slow(n):
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(1000)
    for row in ds.NumpySlicesDataset([1, 2]).map(slow, "column_0", num_parallel_workers=2):
        pass
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_program(number):
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    workers = [int(program.stdout.readline()) for _ in range(2)]
    program.send_signal(number)
    _, told = program.communicate(timeout=10)
    assert program.returncode != 0 and (number == signal.SIGKILL or "KeyboardInterrupt" in told)
    limit = time.monotonic() + 5
    while time.monotonic() < limit and any(_runs(worker) for worker in workers):
        time.sleep(0.01)
    assert not any(_runs(worker) for worker in workers)


def _runs(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
