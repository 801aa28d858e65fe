"""Programs that go on in many ways from one point: lengths, sizes, positions, kinds of what is outside."""

from __future__ import annotations

import numpy as np
import pytest
from outcomes import bits, hops, in_threads, outcome

import anfora as ms
from anfora import Tensor, explain, jit, nn, ops
from anfora.graph.run import crowds, recordings
from anfora.graph.tell.watched import FallbackError

MANY = 40


def ones(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


def pooled(x: Tensor) -> Tensor:
    return (x * x).sum() / len(x)


def put_in(table: Tensor, row: Tensor, position: int) -> Tensor:
    """A step of a decoder: one more row, then something of all rows up to here."""
    table[position] = row
    return (table[: position + 1] * row).sum()


def named(x: Tensor, name: str) -> str:
    return f"{name}: {x.shape[0]}"


def told(x: Tensor) -> Tensor:
    """Something of Python's stands in front of what depends on the length."""
    print("length", len(x))
    return ops.cat([x, x]).cumsum(0)


def grown(x: Tensor) -> tuple[Tensor, int]:
    """Grows until the data tells it to end."""
    steps = 0
    while x[-1] < 1.999 and steps < MANY:
        x = ops.cat([x, x[-1:] * 0.5 + 1])
        steps += 1
    return x, steps


def recompiled(x: Tensor, kinds: dict[str, int]) -> Tensor:
    for name in kinds:
        x = x + len(name)
    return x


CASES = {
    "lengths": (pooled, lambda i: (ones(i + 1, 3),)),
    "sizes of pictures": (pooled, lambda i: (ones(1 + i % 7, 1 + i % 6, 3),)),
    "types and lengths": (pooled, lambda i: (ones(i // 2 + 1, 2).astype([ms.float32, ms.float16][i % 2]),)),
    "positions": (put_in, lambda i: (ones(MANY, 3), ones(3), i)),
    "texts": (named, lambda i: (ones(2), f"text {i}")),
    "behind a hop": (told, lambda i: (ones(i + 1),)),
    "inside": (grown, lambda i: (ones(1) * (i / MANY),)),
    "numbers of items": (recompiled, lambda i: (ones(2), {f"item {j}": j for j in range(i)})),
}


@pytest.mark.parametrize("name", CASES)
def test_each_way_is_compiled_when_it_has_come_often(name, capsys):
    """All the time the answers are those of Python; in the end nothing is run by it."""
    function, arguments = CASES[name]
    compiled = jit(function)
    for _ in range(crowds._REPEATED + 3):
        for i in range(MANY):
            expected, said = outcome(function, *arguments(i)), capsys.readouterr().out
            assert outcome(compiled, *arguments(i)) == expected
            assert capsys.readouterr().out == said
    recordings = compiled.program.recordings
    for i in range(MANY):
        report = explain(compiled)(*arguments(i))
        assert report.fallback is None and not report.recorded, i
    assert compiled.program.recordings == recordings and compiled.program.native is None


def test_ways_that_come_once_are_not_compiled():
    compiled = jit(pooled)
    for i in range(300):
        assert compiled(ones(i + 1)).item() == 1
    assert compiled.program.recordings < 20
    assert "come often" in explain(compiled)(ones(400)).fallback
    assert "come often" not in (explain(compiled)(ones(1)).fallback or "")


def test_parts_that_come_once_are_given_up_in_the_end(monkeypatch):
    """For Python goes on more slowly in the middle of a call."""
    monkeypatch.setattr(recordings, "_MOST_RARE", 20)

    def taken(x: Tensor, count: Tensor) -> Tensor:
        return x[: int(count.sum())] * 2

    compiled, x = jit(taken), Tensor(np.arange(200, dtype=np.float32))
    for i in range(100):
        assert bits(compiled(x, Tensor([i]))) == bits(taken(x, Tensor([i])))
    assert "too many ways" in explain(compiled)(x, Tensor([3])).fallback


def test_without_the_interpreter_each_way_is_compiled_at_once():
    compiled = jit(pooled, fullgraph=True)
    for i in range(60):
        assert compiled(ones(i + 1)).item() == 1
    assert compiled.program.recordings >= 60 and not hops(compiled)


def test_no_more_ways_than_are_allowed(monkeypatch):
    monkeypatch.setattr(crowds, "_MOST", 20)
    compiled, strict = jit(pooled), jit(pooled, fullgraph=True)
    for _ in range(crowds._REPEATED + 2):
        for i in range(MANY):
            assert compiled(ones(i + 1)).item() == 1
    [point] = compiled.program.entries.values()
    assert len(point.variants) == 20 and explain(compiled)(ones(MANY)).fallback
    with pytest.raises(FallbackError, match="too many ways"):
        for i in range(MANY):
            strict(ones(i + 1))


def test_a_training_step_with_texts_of_many_lengths():
    """The weights are those of PyNative mode, bit for bit, whichever steps are compiled."""

    def trained(compile: bool) -> list:
        ms.set_seed(3)
        net = nn.SequentialCell(nn.Embedding(11, 6), nn.Dense(6, 5), nn.Tanh())
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        gradient = ms.value_and_grad(lambda words: (net(words).mean(0) ** 2).sum(), None, optimizer.parameters)

        def step(words: Tensor) -> Tensor:
            loss, gradients = gradient(words)
            optimizer(gradients)
            return loss

        run = jit(step) if compile else step
        lengths = np.random.default_rng(5)
        losses = [run(Tensor(np.arange(lengths.integers(1, 31)) % 11)) for _ in range(300)]
        assert not compile or 12 < run.program.recordings < 60
        return [bits(value) for value in (losses, list(net.trainable_params()))]

    assert trained(True) == trained(False)


def test_attributes_from_outside_tell_ways_apart():
    class Config:
        size = 0

    config = Config()

    def first(x: Tensor) -> Tensor:
        return x[: config.size].sum()

    compiled = jit(first)
    for _ in range(crowds._REPEATED + 2):
        for config.size in range(MANY):
            assert compiled(ones(MANY)).item() == config.size
    config.size = 7
    assert explain(compiled)(ones(MANY)).fallback is None


def test_a_question_that_fails_is_one_more_kind_of_answer():
    """What tells the ways apart cannot always be asked: another type comes, without a layout."""

    def double(x):
        return x * 2

    compiled = jit(double)
    for i in range(MANY):
        compiled(ones(i + 1))
    for _ in range(crowds._REPEATED + 2):
        assert compiled("ab") == "abab" and compiled(1.5) == 3.0 and compiled([1]) == [1, 1]


def test_threads_on_one_function_with_many_ways():
    compiled = jit(pooled)

    found: list[float] = []

    def work(number: int) -> None:
        order = np.random.default_rng(number).permutation(np.repeat(np.arange(1, 31), 12))
        found.extend(compiled(ones(int(n), 2)).item() for n in order)

    in_threads(work, 4)
    assert found == [2.0] * 4 * 30 * 12


def test_what_tells_ways_apart_is_asked_without_running_code_of_the_program():
    """An object comes that does something when it is asked for its length, or for an attribute."""
    said: list[str] = []

    class Odd:
        def __len__(self):
            said.append("length")
            return 3

        def __getattr__(self, name):
            said.append(name)
            raise AttributeError(name)

    class Holder:
        def __init__(self, size):
            self.size = size

    class Computing:
        @property
        def size(self):
            said.append("size")
            return 2

    def shape(x, items, holder):
        return [x] * len(items), holder.size

    def told(run, *args):
        said.clear()
        return outcome(run, *args), list(said)

    compiled = jit(shape)
    for i in range(MANY):
        assert told(compiled, 1, [None] * i, Holder(i)) == told(shape, 1, [None] * i, Holder(i))
    for _ in range(crowds._REPEATED + 2):
        for args in [(1, Odd(), Holder(1)), (1, [], Computing()), (Odd(), [None], Computing()), (1, (2,), Odd())]:
            expected = told(shape, *args)
            found = told(compiled, *args)
            assert found[1] == expected[1] and (args[0] == 1) <= (found == expected)
