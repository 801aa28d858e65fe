"""Special methods of objects that Python meets behind an iterator are called in each call, as where they lie in a list."""

from __future__ import annotations

import itertools

import numpy
import pytest

from anfora import Tensor, jit

LOG: list = []


class Key:
    """Writes down what it is asked for."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        LOG.append(("hash", self.value))
        return self.value % 2

    def __eq__(self, other):
        LOG.append(("eq", self.value, other.value))
        return self.value == other.value

    def __lt__(self, other):
        LOG.append(("lt", self.value, other.value))
        return self.value < other.value

    def __index__(self):
        LOG.append(("index", self.value))
        return self.value


class Cut:
    """Shortens lists, in a way that nothing is known of."""

    def __init__(self, length):
        self.length = length

    def __call__(self, row):
        numpy.frompyfunc(row.__delitem__, 1, 0)(numpy.array([slice(self.length, None)]))


KEYS = "[Key(3), Key(1), Key(n)]"
ITERATORS = [
    f"iter({KEYS})", f"zip({KEYS}, [1, 2, 3])", f"zip([1, 2, 3], {KEYS})", f"enumerate({KEYS})", f"reversed({KEYS})",
    "map(Key, [3, 1, n])", f"filter(None, {KEYS})", f"(each for each in {KEYS})", f"itertools.chain({KEYS}, {KEYS})",
    f"itertools.islice({KEYS}, 2)", "itertools.repeat(Key(n), 2)", f"itertools.product({KEYS}, repeat=2)",
    f"itertools.zip_longest({KEYS}, [Key(2)])", f"itertools.combinations({KEYS}, 2)", f"itertools.cycle({KEYS})",
    "{1: Key(n), 2: Key(1)}.values()", "{1: Key(n)}.items()", f"zip(zip({KEYS}, 'abc'), 'abc')", f"iter(tuple({KEYS}))",
]  # fmt: skip
TAKERS = [
    "set({})", "frozenset({})", "dict.fromkeys({})", "max({})", "min({})", "sorted({})", "bytes({})",
    "dict(zip({}, 'abc'))",
    "dict({})", "set().union({})", "dict().keys() | {}", "Key(1) in {}", "list({}) == [Key(3), Key(1)]", "list({})",
]  # fmt: skip


@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_behind_an_iterator_is_asked_in_each_call(taker, tmp_path):
    for number, iterator in enumerate(ITERATORS):
        if "cycle" in iterator:  # has no end
            iterator = f"itertools.islice({iterator}, 4)"
        text = f"def program(n):\n    found = {taker.format(iterator)}\n    return len(LOG)\n"
        file = tmp_path / f"program{number}.py"
        file.write_text(text)
        scope = {"Key": Key, "LOG": LOG, "itertools": itertools}
        exec(compile(text, file, "exec"), scope)
        compiled = jit(scope["program"])

        def outcome(function, n):
            LOG.clear()
            try:
                return function(n), [*LOG]
            except Exception as error:
                return type(error), [*LOG]

        for n in (1, 2, 3, 2):
            assert outcome(compiled, n) == outcome(scope["program"], n), (text, n)


def test_tensors_behind_iterators_need_no_interpreter():
    names = ["a", "b"]

    def program(x, n):
        made = dict(zip(names, [x, x + n]))
        more = dict(enumerate([x, x * n]))
        more.update(zip(range(2, 4), [x, x]))
        return made["b"] + more[1], len(set(names)), sorted(zip(names, range(2))), max(iter([n, 2]))

    compiled = jit(program, fullgraph=True)
    for n in (1, 2, 3):
        x = Tensor([1.0, 2.0])
        assert str(compiled(x, n)) == str(program(x, n))


#: What goes over a list that the outside has, and how it comes to have it.
OVER = [
    "iter(row)", "reversed(row)", "enumerate(row)", "zip(row, row)", "itertools.chain(row)",
    "itertools.chain([9.0], row, (8.0,), row)", "itertools.islice(row, 2)", "itertools.islice(itertools.cycle(row), 5)",
    "itertools.zip_longest(row, [1])", "enumerate(itertools.chain(row, row))", "zip(row, itertools.chain(row, row))",
    "itertools.chain(itertools.islice(row, 1), itertools.chain(row))", "itertools.accumulate(row)", "map(abs, row)",
    "itertools.chain.from_iterable([row, row])", "itertools.takewhile(abs, row)",
]  # fmt: skip
HELD = ["row = [1.0, x, x]; table['row'] = row", "row = [1.0, x, x]; kept[:] = [row]", "row = given",
        "table['row'] = [x, 2.0]; row = table['row']"]  # fmt: skip


@pytest.mark.parametrize("over", OVER)
def test_items_that_come_later_are_those_of_this_call(over, tmp_path):
    for number, (held, change) in enumerate(itertools.product(HELD, ("", "row[-1] = x * 2"))):
        text = (
            f"def program(t, x, given):\n    {held}\n    found = []\n    for item in {over}:\n        found.append(item)\n"
            f"        if t.sum() > 4:\n            found.append('large')\n        {change}\n    return found, t + 1\n"
        )
        file = tmp_path / f"program{number}.py"
        file.write_text(text)
        scope = {"itertools": itertools, "table": {}, "kept": []}
        exec(compile(text, file, "exec"), scope)
        compiled = jit(scope["program"])
        for x in (0.5, 1.5, 2.5, 3.0):
            t = Tensor([1.0, 2.0 * x])
            found, right = (way(t, x, [x, 7.0, x + 1])[0] for way in (compiled, scope["program"]))
            assert repr(found) == repr(right), (text, x)


@pytest.mark.parametrize("over", ["reversed(row)", "iter(row)", "reversed(tuple(row))", "zip(reversed(row), row)"])
def test_it_ends_where_a_list_has_become_shorter(over, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        f"def program(t, row, cut):\n    found = []\n    for item in {over}:\n        found.append(item)\n"
        "        if t.sum() > 2:\n            cut(row)\n    return found, t + 1\n"
    )
    scope = {}
    exec(compile(file.read_text(), file, "exec"), scope)
    compiled = jit(scope["program"])
    for length in (3, 2, 1, 0, 3):
        found, right = (
            way(Tensor([1.0, 2.0]), [1, 2.5, 3, 4.5], Cut(length))[0] for way in (compiled, scope["program"])
        )
        assert found == right


def test_a_set_that_has_changed_is_walked_over_to_its_end():
    kept = [set()]

    def program(t, n):
        kept[0] = {1, 2, n}
        found = []
        for item in kept[0]:
            found.append(item)
            if t.sum() > 2:
                kept[0] ^= {1, 7}
        return found, t + 1

    compiled = jit(program)
    for n in (3, 4, 5, 3):
        assert compiled(Tensor([1.0, 2.0]), n)[0] == program(Tensor([1.0, 2.0]), n)[0]
