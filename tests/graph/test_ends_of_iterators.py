"""Iterators at their end, those that hold themselves, what they go over changes meanwhile, their attributes."""

from __future__ import annotations

import collections
import copy
import itertools
import linecache
import re
from collections.abc import Iterator
from typing import Any

import pytest

from anfora import Tensor, jit


class Refilled:
    """An iterator that has more to give behind its end."""

    def __init__(self, rest: Any, most: int) -> None:
        self.rest, self.left = iter(rest), most

    def __iter__(self) -> Refilled:
        return self

    def __next__(self) -> Any:
        self.left -= 1
        if self.left in (-1, -3):
            raise StopIteration
        return next(self.rest)


def through(items: Any) -> Iterator[Any]:
    yield from map(abs, items)
    yield from map(abs, items)


class Box:
    pass


def made(text: str, **more: Any) -> Any:
    """The function of a text, which can be inspected."""
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    own = {"Refilled": Refilled, "through": through, "Box": Box}
    scope = {"itertools": itertools, "collections": collections, **own, **more}
    exec(compile(text, name, "exec"), scope)
    return scope["program"]


def tried(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0]


def told(value: Any) -> Any:
    """What somebody finds in a value: of iterators the next item, of what is met again its number."""
    seen: dict[int, tuple[int, Any]] = {}

    def go(value: Any, depth: int = 0) -> Any:
        if value is None or isinstance(value, (int, float, str)):
            return value
        if isinstance(value, Tensor):
            return value.tolist()
        if id(value) in seen:
            return "again", seen[id(value)][0]
        seen[id(value)] = len(seen), value
        kind = f"{type(value).__module__}.{type(value).__name__}"
        if depth > 12:
            return kind
        if isinstance(value, (list, tuple, collections.deque)):
            return kind, [go(item, depth + 1) for item in list(value)]
        if isinstance(value, dict):
            return kind, [(key, go(item, depth + 1)) for key, item in list(value.items())]
        if isinstance(value, Box):
            return kind, go(vars(value), depth + 1)
        if hasattr(value, "__next__"):
            return kind, go(tried(next, value), depth + 1)
        return kind, go(value(), depth + 1) if callable(value) else None

    return go(value)


def same(program: Any, *arguments: Any) -> None:
    compiled = jit(program)
    for number in arguments:
        right, found = (told(tried(way, Tensor([1.0 + number]), number)) for way in (program, compiled))
        assert found == right


ASKED_AGAIN = [
    "map(abs, c)", "filter(None, c)", "zip(c, range(9))", "enumerate(c)", "itertools.accumulate(c)",
    "itertools.accumulate(c, lambda a, b: a - b)", "itertools.starmap(pow, zip(c, [1, 2, 1, 2, 1, 2]))",
    "itertools.starmap(lambda a: a, ([a] for a in c))", "itertools.takewhile(lambda a: a < 6, c)",
    "itertools.dropwhile(lambda a: a < 2, c)", "itertools.filterfalse(lambda a: a == 2, c)",
    "itertools.compress(c, [1, 0, 1, 1, 1, 1])", "itertools.pairwise(c)", "itertools.chain(c, [7, 8])",
    "itertools.chain.from_iterable([c, [7, 8]])", "itertools.islice(c, 4)", "itertools.zip_longest(c, [1])",
    "itertools.combinations(c, 2)", "(a for a in c)", "iter(lambda: next(c), 4)", "map(lambda a, b: a - b, c, c)",
    "map(lambda a: a * 2, filter(lambda a: a, c))", "through(c)", "(k for k, g in itertools.groupby(c))",
]  # fmt: skip


@pytest.mark.parametrize("hop", ["", "t.sum().item()"])
@pytest.mark.parametrize("iterator", ASKED_AGAIN)
def test_what_has_ended_is_asked_again(iterator, hop):
    text = (
        f"def program(t, n):\n    c = Refilled([1, 2, 3, n, 5, 6], 2)\n    it = {iterator}\n    found = [*it]\n"
        f"    {hop or 'pass'}\n"
        "    found += [next(it, 'none'), next(it, 'none')]\n    for a in it: found.append(a)\n"
        "    return found, next(it, 'none'), type(it).__name__, c.left, it\n"
    )
    same(made(text), 4, 5, 6, 4)


def test_the_end_that_an_iterator_gives_has_no_context():
    def program(t, row):
        it = filter(lambda a: a > 9, row)
        return it.__next__()

    for way in (program, jit(program)):
        with pytest.raises(StopIteration) as caught:
            way(Tensor([1.0]), [1, 2])
        assert caught.value.__context__ is None


HOLDING_ITSELF = [
    "l = [1, n]; it = iter(l); l.append(it)", "l = [1, n]; it = iter(l); l.append((it,))",
    "d = {1: n}; it = iter(d.values()); d[1] = it", "l = [1, n]; it = zip(l, l); l.append(it)",
    "l = [1, n]; it = itertools.chain(l, [2]); l.append(it)", "it = (it for a in (1, n, 3))",
    "it = map(lambda a: it, (1, n, 3))", "l = collections.deque([1, n]); it = iter(l); l[1] = it",
    "it = itertools.starmap(lambda a: it, [(1,), (2,)])", "it = filter(lambda a: it, (1, n, 3))",
    "l = [1, n]; it = itertools.accumulate(l, lambda a, b: b); l.append(it)", "l = [0, 1, n]; it = reversed(l); l[0] = it",
    "l = [1, n]; it = enumerate(l); l.append(it)", "l = [1, n]; it = itertools.pairwise(l); l.append(it)",
    "f = lambda: it; it = iter([f, f, n])", "b = Box(); it = map(lambda a: b, [1, 2, 3]); b.it = it",
    "d = {}; d['a'] = (d for _ in (1, 2, 3)); it = d['a']", "c = []; it = (c[0] for _ in (1, 2, 3)); c.append((it, 1))",
]  # fmt: skip
USES = [
    "return it, it", "a = next(it); return it, a, it", "s = t.sum().item(); return it, next(it), it",
    "kept.append(it); next(it); s = t.sum().item(); return kept[-1], it, next(it)",
    "next(it); t = t * 2 if t.sum() > 1 else t; return it, t, [it]",
    "a, b = itertools.tee([1]); next(a); x = list(itertools.islice(it, 2)); return it, x, it",
    "x = itertools.islice(it, 2); next(x); s = t.sum().item(); y = next(x); return it, y, x, it",
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("holding", HOLDING_ITSELF)
def test_an_iterator_may_hold_itself(holding, use):
    same(made(f"def program(t, n):\n    {holding}\n    {use}\n", kept=[]), 1, 2, 3, 4)


OF_ALL = ["__next__", "__iter__", "__doc__", "__reduce__", "__setstate__", "__length_hint__", "send", "throw", "close",
          "gi_frame", "gi_code", "__name__", "__qualname__", "frame", "world", "call", "real", "base"]  # fmt: skip
ITERATORS = [
    "itertools.groupby([1, 2])", "map(abs, [1, 2])", "zip((a for a in [1]), [1])", "itertools.starmap(pow, [(1, 2)])",
    "iter({1: 2}.values())", "itertools.pairwise([1, 2])", "(a for a in [1])", "itertools.takewhile(abs, [1])",
    "iter(collections.deque([1]))", "iter(abs, 3)", "filter(None, [1])", "enumerate(a for a in [1])",
    "iter(t)",
]  # fmt: skip


@pytest.mark.parametrize("iterator", ITERATORS)
def test_an_iterator_has_the_attributes_of_pythons(iterator):
    names = [*OF_ALL]
    text = (
        f"def program(t, n):\n    it = {iterator}\n    found = [(name, hasattr(it, name)) for name in {names}]\n"
        "    found += [getattr(it, name, None) for name in ('__name__', '__qualname__')]\n"
        "    t.sum().item()\n    try: it.missing\n    except AttributeError as error: found.append(str(error))\n"
        "    close = lambda: it.close()\n    if hasattr(it, 'close'): close()\n    return found, it.__doc__\n"
    )
    same(made(text), 1, 2, 3)


def test_what_is_thrown_into_a_generator_that_has_ended_is_raised():
    same(
        made("def program(t, n):\n    it = (a for a in [1])\n    found = [*it]\n    it.throw(ValueError('out'))\n"),
        1,
        2,
    )


CHANGING = ["d", "d.values()", "d.items()", "reversed(d)", "s", "l"]
OVER = [
    "iter({})", "map(str, {})", "map(lambda a: a, {})", "filter(lambda a: True, {})", "(a for a in {})",
    "zip({}, [1, 2, 3])",
    "itertools.chain({}, [0])", "itertools.accumulate({}, lambda a, b: b)", "itertools.islice({}, 0, None)",
    "itertools.takewhile(lambda a: True, {})", "itertools.starmap(lambda *a: a, zip({}, [1, 2, 3]))", "itertools.cycle({})",
    "itertools.pairwise({})",
]  # fmt: skip
CHANGES = [
    "d['z'] = 1; s.add(99); q.append(9); l.append(9); o['z'] = 1",
    "d.pop('a'); s.pop(); q.pop(); l.pop(); o.pop('a')", "d.clear(); s.clear(); q.clear(); l.clear(); o.clear()",
    "eval('d.update(z=1), s.add(99), q.append(9), l.append(9)', {'d': d, 's': s, 'q': q, 'l': l})",
]  # fmt: skip


@pytest.mark.parametrize("begins", ["", "found.append(next(it))"])
@pytest.mark.parametrize("over", OVER)
def test_what_is_gone_over_may_change_before_the_first_item_and_later(over, begins):
    for what, change in itertools.product(CHANGING, CHANGES):
        text = (
            "def program(t, n):\n    d = {'a': 1, 'b': n, 'c': 3}; s = {1, n, 30}; q = collections.deque([1, n, 3])\n"
            f"    l = [1, n, 3]; o = collections.OrderedDict(d); found = []\n    it = {over.format(what)}\n"
            f"    {begins or 'pass'}\n    {change}\n    try: found.append(next(it))\n"
            "    except (RuntimeError, StopIteration) as error: found.append(repr(error))\n"
            "    t.sum().item()\n    return found, it\n"
        )
        same(made(text), 2, 5, 2)


def test_a_view_of_a_dict_that_is_written_gives_pythons_iterator():
    def program(t, table, it):
        table["it"] = it
        return reversed(table.values())

    compiled = jit(program)
    for _ in range(3):
        found = compiled(Tensor([1.0]), {"a": 1}, iter([1.5]))
        assert re.fullmatch("dict_reversevalueiterator", type(found).__name__)


@pytest.mark.parametrize("over", ["zip([1, 2, 3], {})", "enumerate({})", "map(str, {})", "itertools.chain({}, [0])"])
@pytest.mark.parametrize(
    "what", ["d", "d.values()", "d.items()", "reversed(d)", "reversed(d.items())", "o", "o.items()"]
)
def test_an_iterator_over_a_dict_that_python_has_copied_notices_its_changes(what, over):
    for begins, change in itertools.product(["", "next(it)"], ["pass", *CHANGES[:3], "d.pop('a'); d['z'] = 1"]):
        text = (
            "def program(t, n):\n    d = {'a': 1, 'b': n, 'c': 3}; o = collections.OrderedDict(d); found = []\n"
            "    s = {1, n, 30}; q = collections.deque([1, n, 3]); l = [1, n, 3]\n"
            f"    it = copy.copy({over.format(what)})\n    {begins or 'pass'}\n    t.sum().item()\n    {change}\n"
            "    try: found += [next(it), next(it)]\n"
            "    except (RuntimeError, StopIteration) as error: found.append(repr(error))\n"
            "    t.sum().item()\n    return found, it\n"
        )
        same(made(text, copy=copy), 2, 5, 2)


ASKED_WHILE_IT_LOOKS = [
    "    for _, g in groupby(range(n), key): found.append(list(g))\n",
    "    _, g = next(groupby(range(n), key))\n    for _ in range(3): found.append(ask(g))\n",
    "    _, g = next(groupby(range(n), Key))\n    for _ in range(3): found.append(ask(g))\n",
    "    _, g = next(groupby(range(n), key))\n    found.append(next(g))\n    t.sum()\n    found += [ask(g), g]\n",
]


@pytest.mark.parametrize(
    "done", ["found.append(list(g))", "found.append(next(g, 'none'))", "raise ValueError", "t.sum().item()"]
)
@pytest.mark.parametrize("goes", ASKED_WHILE_IT_LOOKS)
def test_a_group_may_be_asked_by_what_it_calls(goes, done):
    text = (
        "from itertools import groupby\n"
        "def program(t, n):\n    found, g = [], iter(())\n"
        f"    def do():\n        nonlocal count\n        count += 1\n        if count == 3:\n            {done}\n"
        "    def key(a):\n        do()\n        return a // 3\n"
        "    class Key:\n        def __init__(self, a): pass\n"
        "        def __eq__(self, other):\n            do()\n            return True\n"
        "    def ask(g):\n        try: return next(g, 'end')\n        except ValueError: return 'failed'\n"
        f"    count = 0\n{goes}    return found, count\n"
    )
    same(made(text), 7, 8, 7)


#: Iterators that may be asked again when one of what they go over has failed, or has ended last.
SEVERAL = [
    "itertools.zip_longest(iter(d), [1])",
    "itertools.zip_longest([7, 8, 9], d.items(), fillvalue=t)",
    "itertools.zip_longest(map(refused, [1, 2, 3]), [1], iter([5, 6, 7]))",
    "itertools.zip_longest(Refilled([1, 2, 3, 4], 2), [5])",
    "itertools.zip_longest([5, 6, 7], Refilled([1, 2, 3, 4], 1))",
    "zip(iter(d), [1, 2, 3])",
    "zip(map(refused, [1, 2, 3]), iter([5, 6, 7]))",
    "zip(Refilled([1, 2, 3, 4], 2), [5, 6, 7, 8])",
    "itertools.chain.from_iterable([iter(d), map(refused, [1, 2, 3]), [4]])",
    "map(max, map(refused, [1, 2, 3]), Refilled([1, 2, 3, 4], 1))",
]


@pytest.mark.parametrize("is_left", [False, True])
@pytest.mark.parametrize("several", SEVERAL)
def test_one_of_several_fails(several, is_left):
    def refused(item):
        if item == 2:
            raise ValueError(item)
        return item

    text = f"""def program(t, n):
    d = {{1: n, 2: 3}}
    it = {several}
    found = [next(it)]
    d[n + 5] = 1
    for _ in range({1 + 4 * (not is_left)}):
        try:
            found.append(next(it))
        except (RuntimeError, ValueError, StopIteration) as error:
            found.append(type(error).__name__)
    return found, it
"""
    program = made(text, refused=refused)
    compiled = jit(program)
    for n in range(3, 7):
        pairs = []
        for function in (program, compiled):
            found, it = function(Tensor([1.0]), n)
            pairs.append((told(found), type(it), [told(tried(next, it)) for _ in range(5)]))
        assert pairs[1] == pairs[0]
