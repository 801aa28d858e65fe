"""What the program has made and put outside is one object there and inside: what comes behind sees it as it is in this
call.

A piece may end behind that. From there on the object is one from outside, and so is all that it holds: variables of
functions, arguments of partial functions, ends of slices.
"""

from __future__ import annotations

import collections
import functools
import operator
import types

import pytest
from outcomes import bits

from anfora import Tensor, jit
from anfora.graph.record.writes import Written


def scaling(rate):
    def scale(x):
        return x * rate

    return scale


def counting(start):
    count = start

    def more():
        nonlocal count
        count = count + start
        return count

    return more


def filled(items, value):
    items.append(value)
    return items


class Slot:
    __slots__ = ("held",)


def filled_slot(slot, value):
    slot.held = []
    slot.held.append(value)
    return slot


def decorated(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **kwargs) + 1

    return call


class Scale:
    def __init__(self, rate):
        self.rate = rate

    def scale(self, x):
        return x * self.rate


#: What is made of `x` and `y`, numbers that differ from call to call, and what is done with it.
MADE = {
    "closure": ("scaling(x)", "v(t)"),
    "lambda": ("lambda a: a * x + y", "v(t)"),
    "closure in a closure": ("(lambda z: lambda a: a * z + x)(y)", "v(t)"),
    "decorated": ("decorated(lambda a: a * x)", "v(t)"),
    "counter": ("counting(x)", "(v(), v())"),
    "default": ("lambda a, k=x: a * k", "v(t)"),
    "default by name": ("lambda a, *, k=x: a * k", "v(t)"),
    "attribute of a function": ("marked(lambda a: a, x)", "v.mark"),
    "partial": ("functools.partial(lambda k, a: a * k, x)", "v(t)"),
    "partial by name": ("functools.partial(scaling, rate=x)", "v()(t)"),
    "partial of a partial": ("functools.partial(functools.partial(lambda a, b, k: (a * b, k), x), k=y)", "v(t)"),
    "method": ("Scale(x).scale", "v(t)"),
    "object": ("Scale(x)", "(v.scale(t), v.rate)"),
    "list": ("[x, [y]]", "(v[0], v[1][0], t * v[0])"),
    "tuple": ("(x, (y, [x]))", "(v[0], v[1][1], t * v[0])"),
    "dict": ("{'x': x, 'y': {'z': y}}", "(v['x'], v['y']['z'], t * v['x'])"),
    "deque": ("collections.deque([x, y])", "(v[0], [*v])"),
    "namespace": ("types.SimpleNamespace(x=x)", "(v.x, t * v.x)"),
    "slice": ("slice(0, int(x))", "([1, 2, 3, 4][v], v.stop, t[v])"),
    "slice in a tuple": ("(slice(int(x), None), 1)", "([1, 2, 3, 4][v[0]], v[0].start)"),
    "slice of a list": ("slice(None, filled([], x))", "(v.stop, v.stop[0])"),
    "slots": ("filled_slot(Slot(), x)", "(v.held, t * v.held[0])"),
    "places of a list": ("operator.itemgetter(int(x))", "v([1, 2, 3, 4])"),
    "places": ("operator.itemgetter(0, int(x))", "v([1, 2, 3, 4])"),
    "name of an attribute": ("operator.attrgetter('real' if x < 2 else 'imag')", "v(2 + 1j)"),
    "call of a method": ("operator.methodcaller('scale', x)", "v(Scale(t))"),
    "error": ("ValueError(x, y)", "(v.args, t * v.args[0])"),
}
PLACES = {
    "list": ("kept.append(v)", "kept[-1]"),
    "dict": ("table['v'] = v", "table['v']"),
    "dict, if it is not there": ("table.pop('v', None)\n    table.setdefault('v', v)", "table['v']"),
    "dict in a dict": ("table['v'] = {'v': v}", "table['v']['v']"),
    "attribute": ("held.v = v", "held.v"),
    "Python": ("eval('v', {'v': v})", "v"),
}
#: What ends a piece: a read behind a write, the data of a tensor, a branch on it, something unknown.
ENDS = ["seen = kept[-1:]", "seen = t.sum().item()", "seen = 1 if t.sum() > 4 else 2", "seen = eval('1')"]


def marked(function, mark):
    function.mark = mark
    return function


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_put_outside_is_what_it_is_in_this_call(made, place, tmp_path):
    make, use = MADE[made]
    put, placed = PLACES[place]
    outside = (
        use.replace("v(", f"{placed}(")
        .replace("v.", f"{placed}.")
        .replace("v[", f"{placed}[")
        .replace("*v", f"*{placed}")
    )
    for number, end in enumerate(ENDS):
        text = f"def program(t, x, y):\n    v = {make}\n    {put}\n    {end}\n"
        text += f"    return {use}, {outside}, {placed} is v, t + 1\n"
        file = tmp_path / f"program{number}.py"
        file.write_text(text)

        def told(way, text=text, file=file):
            kept, table, held = [], {}, types.SimpleNamespace()
            scope = {
                **globals(),
                "kept": kept,
                "table": table,
                "held": held,
                "collections": collections,
                "operator": operator,
            }
            exec(compile(text, file, "exec"), scope)
            program = way(scope["program"])
            given = [([1.0, 2.0], 1.5, 2.5), ([1.0, 2.0], 2.5, 0.5), ([2.0, 3.0], 3.5, 1.5), ([2.0, 3.0], 1, 2.0)]
            return [bits(program(Tensor(t), x, y)) for t, x, y in given]

        assert told(jit) == told(lambda function: function), text


def lone_tuples():
    """Tuples that nobody else has: they lie where others have died."""
    return [(object(),) * length for length in range(1, 9) for _ in range(40)]


@pytest.mark.parametrize("made", MADE)
def test_what_is_new_is_not_taken_for_what_has_died(made, monkeypatch, tmp_path):
    def written(self, recorder, live, of=Written.__init__):
        of(self, recorder, live)
        found.extend(live.slot(value) for value in lone_tuples())

    found = []
    make, _ = MADE[made]
    text = (
        f"def program(t, x, y):\n    v = {make}\n    kept.append(v)\n    seen = t.sum().item()\n    return t + seen\n"
    )
    file = tmp_path / "program.py"
    file.write_text(text)
    scope = {**globals(), "collections": collections, "operator": operator}
    exec(compile(text, file, "exec"), scope)
    kept = scope["kept"] = []
    monkeypatch.setattr(Written, "__init__", written)
    program = jit(scope["program"])
    for x in (1.5, 2.5):
        program(Tensor([1.0, 2.0]), x, 2.5)
    assert len(kept) == 2
    assert set(found) <= {None}  # there is nothing where all of it is left to Python
