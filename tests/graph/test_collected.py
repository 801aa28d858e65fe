"""Deques, dicts with defaults or an order, and counters inside of compiled functions. Each program is run by Python and
compiled, call after call."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from outcomes import Programs, bits

import anfora as ms
from anfora import Tensor

PROGRAMS = Programs()
program = PROGRAMS.enter  #: for functions of a tensor of shape (2,)


def shown(value: Any) -> Any:
    """All that can be seen of a value."""
    if isinstance(value, (tuple, list, deque)):
        return type(value), getattr(value, "maxlen", None), [shown(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(shown(key), shown(item)) for key, item in value.items()]
    return bits(value)


@program()
def window(x):
    last = deque(maxlen=2)
    for k in range(4):
        last.append(x * k)
    return last, list(last), len(last), last[0], sum(last), bool(last), [v + 1 for v in last], list(reversed(last))


@program()
def breadth_first_search(x):
    queue, found = deque([(0, x)]), []
    while queue:
        depth, value = queue.popleft()
        found.append(value)
        if depth < 3:
            queue.append((depth + 1, value * 2))
            queue.extend([] if depth else [(5, value)])
    return found, queue


@program()
def methods_of_a_deque(x):
    a = deque(range(3))
    a.rotate(1)
    a.insert(1, 9)
    b = a.copy()
    b.reverse()
    b.extendleft("ab")
    c = deque(v * 2 for v in a)
    c.appendleft(x)
    c[1] = None
    del c[2]
    return a, b, c, a + a, a == a.copy(), 9 in a, a.maxlen, tuple(a), str(a), [*a], c.pop()


@program()
def error_of_an_empty_deque(x):
    try:
        deque([x]).pop(), deque().popleft()
    except IndexError as error:
        return str(error)
    return None


@program()
def groups(x):
    table = defaultdict(list)
    for word in ["a", "bb", "cc", "d"]:
        table[len(word)].append(word)
    table[0] += [x]
    return table, dict(table), 7 in table, table.get(7), len(table), sorted(table), str(dict(table).keys())


@program()
def defaults_that_the_program_makes(x):
    numbers = defaultdict(lambda: len(numbers))
    nested = defaultdict(lambda: defaultdict(int))
    nested["a"]["b"] += 2
    shifted = defaultdict(lambda: x + 1, {"known": x})
    return [numbers[c] for c in "abca"], dict(numbers), nested["a"]["b"], list(nested), shifted["known"], shifted["new"]


@program()
def missing_key_without_a_default(x):
    try:
        return defaultdict(None, a=x)["b"]
    except KeyError as error:
        return str(error), x


@program()
def counters(x):
    count = Counter(["a", "b", "a", "c"])
    more = Counter()
    more.update("hello")
    more.subtract("l")
    more["q"] += 2
    both = count + more
    return (
        count,
        more,
        both,
        count.most_common(1),
        more.most_common(),
        count["nothing"],
        sum(count.values()),
        count - both,
    )


@program()
def dicts_with_an_order(x):
    layers = OrderedDict([("a", x), ("b", x * 2)])
    layers["c"] = x * 3
    layers.pop("a")
    layers.update(d=1)
    again = OrderedDict((key, value) for key, value in layers.items() if key != "b")
    again.popitem(last=False)
    return layers, list(layers), [k + "!" for k in again], {**again}, str(list(layers.keys())), list(layers.values())


@program()
def order_that_is_changed(x):
    layers = OrderedDict(a=x, b=x * 2)
    layers.move_to_end('a')  # fmt: skip
    return list(layers.items())


@program("print(end='')")
def they_live_on_behind_a_hop(x):
    last, table, order = deque([x, x * 2], 3), defaultdict(list), OrderedDict(a=1)
    table["k"].append(x)
    rest = iter(last)
    next(rest)
    print(end='')  # fmt: skip
    following = next(rest)
    last.appendleft(x * 3)
    table["j"].append(1)
    order["b"] = last
    print(end='')  # fmt: skip
    last.append(table)
    return last, table, order, following


@program()
def they_are_taken_by_a_branch(x):
    last = deque(maxlen=2)
    table = defaultdict(int)
    for k in range(3):
        if x[0] > k - 1:
            last.append(k)
            table[str(k)] += 1
    return last, table


class Odd:
    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return True


@program("table[Odd()]", "len(table)")
def keys_with_a_hash_of_their_own(x):
    table = defaultdict(list)
    table[Odd()].append(1)
    table[Odd()].append(2)
    return len(table), x


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_program(name: str) -> None:
    function, hops = PROGRAMS[name]
    compiled = ms.jit(function)
    for seed in (0, 1, 0, 2, 3):
        x = Tensor(np.random.default_rng(seed).uniform(-2, 2, 2).astype(np.float32))
        assert shown(compiled(x)) == shown(function(x))
    assert compiled.program.native is None
    assert {hop.text for hop in ms.explain(compiled)(x).hops} == set(hops)


def test_each_call_gives_others() -> None:
    compiled = ms.jit(lambda x: (deque([x]), defaultdict(list, a=[x]), Counter("a"), OrderedDict(a=x)))
    one, other = compiled(Tensor(1.0)), compiled(Tensor(1.0))
    assert all(a is not b for a, b in zip(one, other))
    one[0].append(1), one[1]["b"], one[1]["a"].append(2), one[2].update("b"), one[3].clear()
    assert shown(other) == shown(compiled(Tensor(1.0)))


def test_those_from_outside_are_looked_at_in_each_call() -> None:
    def runs(jit: Callable) -> list:
        last, table = deque([1, 2], maxlen=3), defaultdict(int)

        @jit
        def run(x: Tensor) -> Any:
            last.append(len(last) + len(table))
            table[last[0]] += 1
            copy = deque(last)
            copy.append(x)
            return list(last), dict(table), copy

        found = [shown(run(Tensor(1.0))) for _ in range(3)]
        table.clear()
        return [*found, *(shown(run(Tensor(1.0))) for _ in range(3))]

    assert runs(ms.jit) == runs(lambda function: function)


def test_data_in_them_compiles_nothing_anew() -> None:
    def run(x: Tensor) -> Any:
        metrics, last = defaultdict(float), deque(maxlen=2)
        for k in range(3):
            metrics["loss"] += float((x * k).sum())
            last.append(float(x[0]) * k)
        return metrics, last

    compiled = ms.jit(run)
    for k in range(30):
        x = Tensor([1.0, k / 7])
        assert shown(compiled(x)) == shown(run(x))
    assert compiled.program.native is None and compiled.program.recordings < 10
