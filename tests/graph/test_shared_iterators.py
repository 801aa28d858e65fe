"""An iterator is one object, wherever the program has put it: what is taken from it at one place is gone at all others, and
what it gives are the numbers of this call."""

from __future__ import annotations

import collections
import itertools
import types

import pytest
from outcomes import bits

from anfora import Tensor, jit

ITERATORS = {
    "tuple": "iter((x, y, 7.0))",
    "list": "iter([x, y, 7.0])",
    "reversed tuple": "reversed((x, y, 7.0))",
    "reversed list": "reversed([x, y, 7.0])",
    "enumerate": "enumerate((x, y, 7.0))",
    "zip": "zip((x, y, 7.0), (y, x, 8.0))",
    "zip of iterators": "zip(iter((x, y, 7.0)), enumerate((y, x, 8.0)))",
    "map": "map(abs, (x, -y, 7.0))",
    "filter": "filter(None, (x, y, 7.0))",
    "generator": "(each for each in (x, y, 7.0))",
    "chain": "itertools.chain((x,), (y, 7.0))",
    "values": "iter({1: x, 2: y, 3: 7.0}.values())",
    "items": "iter({1: x, 2: y, 3: 7.0}.items())",
    "keys": "iter({x: 1, y: 2, 7.0: 3})",
    "deque": "iter(collections.deque([x, y, 7.0]))",
}
#: What the program does with an iterator; `found` is what it gives.
PLACES = {
    "set": "held = {it}; found = next(it), next([*held][0]), it in held, [*held][0] is it",
    "frozen set": "held = frozenset([it]); found = next(it), next([*held][0]), [*held][0] is it",
    "key": "held = {it: 1}; found = next(it), next([*held][0]), held[it], [*held][0] is it",
    "tuple in a set": "held = {(it, 1)}; found = next(it), next([*held][0][0]), [*held][0][0] is it",
    "error": "held = KeyError(it); found = next(it), next(held.args[0]), held.args[0] is it",
    "raised": "found = raised(it); found = next(it), next(found.args[0]), found.args[0] is it",
    "twice": "held = [it, (it,)]; found = next(it), next(held[0]), next(held[1][0]), held[0] is it",
    "closure": "take = lambda: next(it); found = take(), next(it), take()",
    "looked for": "found = next(it), 5.5 in it, [*it]",
    "drained": "found = next(it), sorted([*it], key=repr), [*it]",
    "greatest": "found = next(it), max(it), next(it, None)",
    "unpacked": "a, *b = it; found = a, b, [*it]",
    "kept": "kept.append(it); found = next(it), next(kept[-1]), kept[-1] is it, it",
    "kept in a list": "kept.append([it]); found = next(it), next(kept[-1][0]), kept[-1][0] is it, it",
    "kept in a dict": "kept.append({'it': it}); found = next(it), next(kept[-1]['it']), {'it': it}",
    "attribute": "box.it = it; found = next(it), next(box.it), box.it is it, [it, it]",
    "given": "found = next(it), eval('next(i)', {'i': it}), next(it)",
    "given in a dict": "found = next(it), eval('next(d[0])', {'d': {0: it}}), next(it)",
    "behind a hop": "a = next(it); b = t.sum().item(); found = a, b, next(it), [*it]",
    "recording ends": "ends = ending(it); a = next(ends); ends = None; found = a, next(it, 0), [*it]",
    "recording ends in a call": "ends = ending([it]); a = next(ends); ends = None; found = next(a), next(it, 0), [*it]",
    "kept, behind a hop": "kept.append(it); b = t.sum().item(); found = next(it), b, next(kept[-1]), it is kept[-1], it",
}


def raised(it):
    try:
        raise ValueError(it)
    except ValueError as error:
        return error


def ending(items):
    """What makes one does something when it is dropped, and only Python knows when: there recording ends."""
    try:
        yield from items
    finally:
        pass


def told(value):
    """What is found, and what is left: of iterators their types, which are the same one, and what they still give."""
    seen = {}

    def go(value):
        if hasattr(value, "__next__"):
            assert type(value).__module__ in ("builtins", "itertools", "_collections", "collections")
            if id(value) in seen:
                return "again", [*seen].index(id(value))
            seen[id(value)] = value
            return type(value), [go(item) for item in itertools.islice(value, 1)]
        if isinstance(value, (list, tuple)):
            return type(value), [go(item) for item in value]
        if isinstance(value, dict):
            return {key: go(item) for key, item in value.items()}
        return bits(value)

    return go(value)


@pytest.mark.parametrize("name", ITERATORS)
@pytest.mark.parametrize("place", PLACES)
def test_an_iterator_is_one_everywhere(name, place, tmp_path):
    text = f"def program(t, x, y):\n    it = {ITERATORS[name]}\n    {PLACES[place]}\n    return found, t * x\n"
    file = tmp_path / "program.py"
    file.write_text(text)

    def run(way):
        kept, box = [], types.SimpleNamespace()
        scope = {
            "kept": kept,
            "box": box,
            "raised": raised,
            "ending": ending,
            "itertools": itertools,
            "collections": collections,
        }
        exec(compile(text, file, "exec"), scope)
        function = way(scope["program"])
        outcomes = []
        for n in range(4):
            result = function(Tensor([1.0 + n]), n * 1.5 + 1, n * 2.5 + 3)
            outcomes.append(told([result, kept[-1:], vars(box)]))
        return outcomes

    assert run(jit) == run(lambda function: function)


#: What the program makes of numbers that vary, what holds it, and where that goes.
HELD = [
    "(each * x for each in (1, 2))",
    "itertools.accumulate((x, y))",
    "iter({1: x, 2: y}.values())",
    "[x, (y,)]",
    "x",
]
HOLDERS = [
    "itertools.repeat({}, 2)", "itertools.chain([{}], ([5],))", "itertools.islice(itertools.cycle([{}]), 3)",
    "itertools.islice([1, {}], 1, None)", "itertools.zip_longest([1, 2], [], fillvalue={})", "zip([{}, 2])",
    "itertools.product([{}], [1])", "itertools.pairwise([1, {}, 2])", "itertools.tee([{}, 2])[1]",
    "enumerate(itertools.chain([{}], [2]))", "itertools.starmap(lambda *a: a, zip([{}, 3]))", "reversed([1, {}])",
    "itertools.pairwise(zip([1, 2], {{1: {}, 2: 3}}.values()))", "zip([1, 2], {{1: {}, 2: 3}}.values())",
]  # fmt: skip
LEFT = {
    "result": "found = it",
    "begun": "found = next(it), it",
    "behind a hop": "seen = t.sum().item(); found = it, seen",
    "begun before a hop": "first = next(it); seen = t.sum().item(); found = first, it, seen",
    "kept": "kept.append(it); found = next(kept[-1])",
    "what nothing is known of": "a, b = itertools.tee([1]); found = [next(a)]\n    for each in it: found.append(each)",
    "what takes all": "a, b = itertools.tee(it); found = list(a)",
}


def made(text, file, **names):
    """The program of a text, which stands in a file, as the recorder wants it; new each time, with names of its own."""
    file.write_text(text)
    scope = {"itertools": itertools, **names}
    exec(compile(text, file, "exec"), scope)
    return scope["program"]


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("left", LEFT)
def test_what_iterators_hold_is_pythons_where_it_leaves(held, left, tmp_path):
    for number, holder in enumerate(HOLDERS):
        text = f"def program(t, x, y):\n    it = {holder.format(held)}\n    {LEFT[left]}\n    return found, t * x\n"

        def run(way, text=text, file=tmp_path / f"program{number}.py"):
            kept = []
            function = way(made(text, file, kept=kept))
            return [told([function(Tensor([1.0 + n]), n * 1.5 + 1, n * 2.5 + 3), kept[-1:]]) for n in range(3)]

        assert run(jit) == run(lambda function: function), text


ENDED = ["iter([x])", "iter((x,))", "reversed([x])", "reversed((x,))", "iter({1})", "iter({1: x})", "iter('a')",
         "iter(b'a')", "iter('\\u00e9')", "iter(range(1))", "zip([x])", "enumerate([x])",
         "itertools.chain([x])", "itertools.islice([x], 1)",
         "itertools.repeat(x, 1)", "iter(collections.deque([x]))", "itertools.pairwise([x])", "map(abs, [x])"]  # fmt: skip


@pytest.mark.parametrize("ended", ENDED)
def test_an_iterator_that_has_ended_is_what_it_was(ended, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        f"def program(t, x):\n    it = {ended}\n    items = [*it]\n    seen = t.sum().item()\n"
        "    return type(it), len(items), next(it, None), seen, it\n"
    )
    scope = {"itertools": itertools, "collections": collections}
    exec(compile(file.read_text(), file, "exec"), scope)
    compiled = jit(scope["program"])
    for x in (1.5, 2.5, 3.5):
        *found, it = compiled(Tensor([x]), x)
        *right, other = scope["program"](Tensor([x]), x)
        assert (found, type(it), [*it]) == (right, type(other), [])


def test_an_iterator_is_one_for_who_holds_it_and_in_an_attribute():
    class Box:
        pass

    def program(x):
        box = Box()
        box.it = (each * x for each in (1, 2))
        return itertools.chain([box], [box.it]), [box, box.it]

    for way in (program, jit(program)):
        chained, (box, it) = way(1.5)
        assert [*chained] == [box, it]
        assert box.it is it
        assert type(it) is types.GeneratorType


#: Iterators, and what from outside they go over.
GOING = [
    "itertools.islice({}, 5)", "zip({}, [1, 2, 3])", "enumerate({})", "itertools.chain({}, [1])", "itertools.cycle({})",
    "map(str, {})", "filter(None, {})", "itertools.zip_longest({}, [1])", "itertools.pairwise({})", "iter({})",
    "itertools.tee({})[0]", "itertools.islice(itertools.cycle({}), 5)", "zip(itertools.chain({}), [1, 2, 3])",
    "enumerate(enumerate({}))", "itertools.product({}, [1])", "itertools.accumulate({})",
    "itertools.compress({}, [1, 1])", "itertools.islice({}, 1, None)",
]  # fmt: skip
OUTSIDE = ["table", "table.keys()", "table.values()", "table.items()", "iter(table)", "queue", "row"]
WAYS = [
    "seen = t.sum().item(); found = next(it, 0), next(it, 0), seen",
    "seen = t.sum().item(); found = [next(it, 0), seen, it]",
    "first = next(it, 0); seen = t.sum().item(); found = first, next(it, 0), seen",
]


@pytest.mark.parametrize("over", OUTSIDE)
@pytest.mark.parametrize("going", GOING)
def test_each_call_goes_over_what_it_was_given(going, over, tmp_path):
    for number, way in enumerate(WAYS):
        text = f"def program(t, table, queue, row):\n    it = {going.format(over)}\n    {way}\n    return found\n"

        def run(way, text=text, file=tmp_path / f"program{number}.py"):
            function = way(made(text, file))
            found = []
            for n in range(4):
                keys = "abcd"[n % 3 :]
                given = dict(zip(keys, "wxyz"[n % 2 :])), collections.deque(keys), list(keys)
                try:
                    result = function(Tensor([1.0]), *given)
                    found.append([[*itertools.islice(x, 6)] if hasattr(x, "__next__") else x for x in result])
                except TypeError as error:
                    found.append(str(error))
            return found

        assert run(jit) == run(lambda function: function), text
