"""Sets that the program has made are walked over in the order that Python has, also behind a hop."""

from __future__ import annotations

import enum
import io
import itertools
import random
import string

import pytest

from anfora import Tensor, jit
from anfora.graph.machine.set_orders import fill, order_of_making


def words(chance, count):
    return ["".join(chance.choices(string.ascii_letters, k=4)) for _ in range(count)]


def numbers(chance, count):
    return [chance.randrange(-500, 1 << chance.randrange(1, 70)) for _ in range(count)]


def hashes(chance, count):
    """Numbers whose hashes are like those of texts, and the same in each process."""
    return [chance.randrange(1 << 60) for _ in range(count)]


@pytest.mark.parametrize("make", [hashes, numbers])
def test_an_order_of_making_gives_the_order(make):
    chance, unknown = random.Random(7), 0
    for count in (0, 1, 2, 3, 4, 5, 6, 8, 12, 17, 18, 19, 20, 30, 50, 200):
        for _ in range(10):
            grown = set()
            for item in make(chance, count):
                grown.add(item)
            less = {*grown, "one", "two"}
            less -= {"one", "two"}
            for found in (grown, grown.copy(), frozenset(grown), grown | {"a text"}, less):
                way = order_of_making(found)
                if way is None:
                    unknown += 1
                else:
                    assert [*fill(set(), *way)] == [*found]
    assert unknown < 40  # of 800: most have lost an item that lay where another one would


Word = enum.Enum("Word", [f"word{number}" for number in range(40)])


def test_sets_of_members_of_an_enum_keep_theirs():
    """Python hashes them by their names, in a function of its library."""
    for members in itertools.combinations(Word, 3):
        if [*{*[*{*members}]}] != [*{*members}]:
            break

    def program(x):
        found = {*members}
        print(end="")
        return x, found, [*found]

    compiled = jit(program)
    for _ in range(5):
        _, found, items = compiled(Tensor([1.0]))
        assert [*found] == items == [*{*members}]


PROGRAM = """
def program(x, n, out):
    made = set()
    for item in {items}:
        made.add(item)
    shown = {{*made}}
    fixed = frozenset(made | {{n}})
    fewer = made - {{{first}, n}}
    made.discard({first})
    before = [*made], [*shown], [*fixed], [*fewer]
    print(*made, made, file=out)
    behind = [*made], [*shown], [*fixed], [*fewer]
    made.add(n)
    more = [*made]
    bool(x.sum() > 0)
    return before == behind, before, [*made] == more, more, made.pop() == more[0], made, shown, fixed, fewer
"""


@pytest.mark.parametrize("make", [words, numbers])
def test_sets_keep_their_order_behind_hops(make, tmp_path):
    chance = random.Random(3)
    for number in range(24):
        items = make(chance, chance.choice([2, 3, 4, 5, 7, 12]))
        file = tmp_path / f"program{number}.py"
        file.write_text(PROGRAM.format(items=items, first=repr(items[0])))
        scope: dict = {}
        exec(compile(file.read_text(), file, "exec"), scope)
        compiled = jit(scope["program"])
        for n in (5, "five", 5, 6, 5):
            told = []
            for function in (scope["program"], compiled):
                out = io.StringIO()
                told.append((str(function(Tensor([1.0]), n, out)), out.getvalue()))  # texts show the order
            assert told[0] == told[1], (number, n)
