"""Special methods of objects that Python meets behind an iterator are called in each call, as where they lie in a list."""

from __future__ import annotations

import itertools

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
