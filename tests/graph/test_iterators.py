"""`itertools` inside of compiled functions: the same items, in the same order, from the same calls, as in Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from outcomes import bits, outcome

import anfora as ms
from anfora import Tensor, ops

LISTS: tuple[Any, ...] = ([], [3], [1, 1, 2, 3, 3, 1], "aabca", (0.5, 1.5, -2.0), range(5), {"x": 1, "y": 2})

#: Functions of something to walk over.
FORMS: dict[str, Callable] = {
    "accumulate": lambda a: itertools.accumulate(a),
    "accumulate with a function": lambda a: itertools.accumulate(a, lambda x, y: y + x * 2 if y != "b" else x),
    "accumulate with max": lambda a: itertools.accumulate(a, max),
    "accumulate with an initial value": lambda a: itertools.accumulate(a, func=lambda x, y: (x, y), initial=10),
    "combinations": lambda a: itertools.combinations(a, 2),
    "combinations of all": lambda a: itertools.combinations(a, len(a)),
    "combinations of none": lambda a: itertools.combinations(a, 0),
    "combinations with replacement": lambda a: itertools.combinations_with_replacement(a, 2),
    "combinations of none with replacement": lambda a: itertools.combinations_with_replacement(a, 0),
    "permutations": lambda a: itertools.permutations(a[:3] if not isinstance(a, dict) else a),
    "permutations of two": lambda a: itertools.permutations(a, 2),
    "permutations of none": lambda a: itertools.permutations(a, 0),
    "groupby": lambda a: [(k, list(g)) for k, g in itertools.groupby(a)],
    "groupby with a key": lambda a: [(k, list(g)) for k, g in itertools.groupby(a, key=lambda v: str(v) > "1")],
    "groups that are not looked at": lambda a: [k for k, _ in itertools.groupby(a)],
    "groups that are looked at in part": lambda a: [(k, next(g)) for k, g in itertools.groupby(a)],
    "groups that are looked at too late": lambda a: [list(g) for _, g in list(itertools.groupby(a))],
    "starmap": lambda a: itertools.starmap(lambda x, y: (y, x), zip(a, a)),  # noqa: RUF058
    "takewhile": lambda a: itertools.takewhile(lambda v: v != 2 and v != "b", a),
    "dropwhile": lambda a: itertools.dropwhile(lambda v: v == 1 or v == "a", a),
    "filterfalse": lambda a: itertools.filterfalse(lambda v: v == 1, a),
    "filterfalse without a function": lambda a: itertools.filterfalse(None, a),
    "compress": lambda a: itertools.compress(a, [1, 0, True, False, "yes"]),
    "chain of rows": lambda a: itertools.chain.from_iterable([a, a, "xy"]),
    "one in the other": lambda a: itertools.accumulate(itertools.takewhile(lambda v: v != 3, iter(list(a)))),
    "what is taken before it changes": lambda a: (lambda b: (itertools.combinations(b, 2), b.append(9))[0])(list(a)),
    "what is taken while it changes": lambda a: (lambda b: (itertools.accumulate(b), b.append(9))[0])([]),
}
if hasattr(itertools, "batched"):
    FORMS["batched"] = lambda a: itertools.batched(a, 2)

ERRORS: dict[str, Callable] = {
    "a number to walk over": lambda a: itertools.accumulate(3),
    "a negative length": lambda a: itertools.combinations(a, -1),
    "a length that is none": lambda a: itertools.permutations(a, "2"),
    "too many arguments": lambda a: itertools.groupby(a, None, 3),
    "an unknown keyword": lambda a: itertools.accumulate(a, what=3),
    "a function that fails": lambda a: list(itertools.accumulate([1, "a"])),
    "rows that are none": lambda a: list(itertools.starmap(max, [1])),
}


@pytest.mark.parametrize("form", list(FORMS))
def test_items(form: str) -> None:
    make = FORMS[form]

    def run(items: Any, x: Tensor) -> Any:
        found = [x]
        for item in make(items):
            found.append(item)
            if len(found) > 40:
                break
        return found

    compiled = ms.jit(run)
    for items in LISTS:
        for _ in range(2):
            x = Tensor([1.0, 2.0])
            assert outcome(compiled, items, x) == outcome(run, items, x)
    assert compiled.program.native is None
    assert not ms.explain(compiled)([1, 2, 2], x).hops


@pytest.mark.parametrize("form", list(ERRORS))
def test_error(form: str) -> None:
    function = ERRORS[form]
    for _ in range(2):
        assert outcome(lambda: list(ms.jit(function)([1, 2]))) == outcome(lambda: list(function([1, 2])))


def test_tensors_and_hops_between_items(capsys: pytest.CaptureFixture) -> None:
    def run(x: Tensor) -> Any:
        found = []
        for total in itertools.accumulate([x, x * 2, x * 3], lambda a, b: a * 0.5 + b):
            print("step")
            found.append(total)
        for a, b in itertools.combinations(x, 2):
            if (a * b).sum() > 2:
                found.append(ops.stack([a, b]))
        groups = {key: [v * 2 for v in group] for key, group in itertools.groupby(x, lambda v: v.ndim)}
        return found, groups

    compiled = ms.jit(run)
    for k in range(4):
        x = Tensor([1.0, 2.0, 3.0 - k])
        assert bits(compiled(x)) == bits(run(x))
    assert compiled.program.native is None
    assert {hop.text for hop in ms.explain(compiled)(x).hops} == {'print("step")'}
    capsys.readouterr()
