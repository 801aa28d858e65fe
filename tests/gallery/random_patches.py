"""What is changed under random programs between two of their calls: methods of this library's classes and of the program's,
functions, their defaults and code, builtins, and names of the program's module; replaced, added, and taken away."""

from __future__ import annotations

import builtins
import random
import types
from typing import Any

from random_given import Bag, Box, Louder, Net, Noticed, Pair, Stack, Steps, chosen, mixed

from anfora import Parameter, Tensor, nn, ops

__all__ = ["Patching", "owners"]


def _noticed_later(self: Noticed) -> None:
    self.box.count += 100


def _stack_append(self: Stack, value: Any) -> None:
    self.put += 2
    list.append(self, value)


def _set_aloud(self: Box, name: str, value: Any) -> None:
    if name == "step":
        value = value * 0.5
    object.__setattr__(self, name, value)


def _other_chosen(v: Any, n: Any) -> Any:
    return v * 0.5 if n > 1 else v + 0.25


def _next_step(self: Steps) -> Tensor:
    if self.count <= 1:
        raise StopIteration
    self.count -= 1
    self.v = self.v * 0.25
    return self.v


def _hides_all(self: Bag, kind: Any, *_: Any) -> bool:
    self.entered += 20
    return False


_round, _divmod = round, divmod


def _other_round(number: Any, digits: Any = None) -> Any:
    return _round(number, digits) + (0.5 if digits == 1 else 0)


def _other_divmod(one: Any, two: Any) -> Any:
    return (5, 1) if type(two) is int and two == 3 else _divmod(one, two)


#: Of each owner, what may be changed, and to what; None takes it away, where it has been added.
_PATCHES: list[tuple[Any, str, list[Any]]] = [
    (Tensor, "twice", [lambda s: ops.mul(s, 0.5), lambda s: ops.tanh(ops.add(s, s)), None]),
    (Tensor, "doubled", [property(lambda s: ops.mul(s, 0.25)), property(lambda s: ops.sin(s)), None]),
    (Tensor, "sinh", [lambda s: ops.mul(s, 0.5), lambda s: ops.cos(s)]),
    (Tensor, "hypot", [lambda s, o: ops.maximum(s, o), lambda s, o: ops.minimum(s, o)]),
    (Tensor, "__matmul__", [lambda s, o: ops.maximum(s, o), lambda s, o: ops.minimum(s, o)]),
    (Tensor, "__invert__", [lambda s: ops.cos(s), lambda s: ops.sin(s)]),
    (Parameter, "scaled", [lambda s: ops.mul(s, 0.5)[0], lambda s: s[1], None]),
    (Parameter, "sinh", [lambda s: ops.sin(s), None]),
    (nn.Cell, "aside", [lambda s, v: ops.tanh(v), lambda s, v: s(v), None]),
    (Net, "construct", [lambda s, v: v * 0.5, lambda s, v: ops.tanh(v + s.bias)]),
    (Net, "aside", [lambda s, v: v * 0.25, None]),
    (Bag, "__len__", [lambda s: 2, lambda s: len(s.parts) % 3]),
    (Bag, "__bool__", [lambda s: False, lambda s: s.parts[0].sum() > 0]),
    (Bag, "__call__", [lambda s, v, *more, scale=0.5: v * scale, lambda s, v, *more, scale=0.5: v * 0.5 + s.parts[0]]),
    (Bag, "__iter__", [lambda s: iter(s.parts[:1]), lambda s: (v * 0.5 for v in s.parts[:2])]),
    (Bag, "__contains__", [lambda s, v: v is s.parts[-1], lambda s, v: len(s.parts) > 2]),
    (Bag, "__rmul__", [lambda s, o: Bag([v * 0.5 for v in s.parts]), None]),
    (Bag, "__exit__", [_hides_all]),
    (Bag, "__eq__", [lambda s, o: s is o, lambda s, o: True]),
    (Bag, "first", [property(lambda s: s.parts[-1] * 0.5), None]),
    (Box, "double", [property(lambda s: s.value * 0.5), property(lambda s: s.value + s.step)]),
    (Box, "__call__", [lambda s, v: v * 0.25, lambda s, v: v - s.count % 3]),
    (Box, "__setattr__", [_set_aloud, None]),
    (Box, "__getattr__", [lambda s, name: 2 if name == "extra_count" else object.__getattribute__(s, name), None]),
    (Box, "extra_count", [3, property(lambda s: len(s.seen)), None]),
    (Noticed, "__del__", [_noticed_later]),
    (Louder, "__mul__", [lambda s, o: ops.mul(ops.tanh(s), o * 0.5)]),
    (Louder, "__rmul__", [lambda s, o: ops.mul(ops.sin(s), o * 0.5), None]),
    (Louder, "__len__", [lambda s: 1]),
    (Stack, "append", [_stack_append]),
    (Stack, "__len__", [lambda s: 1, None]),
    (Steps, "__next__", [_next_step]),
    (Pair, "mixed", [lambda s, rate=0.25: s.a * rate, lambda s, rate=0.75: s.b * s.a * rate]),
    (Pair, "__init__", [lambda s, a, b=0.25: s.__dict__.update(a=a, b=b)]),
    (chosen, "__code__", [_other_chosen.__code__]),
    (mixed, "__defaults__", [(0.25,)]),
    (mixed, "__kwdefaults__", [{"rate": 0.75}]),
    (builtins, "round", [_other_round]),
    (builtins, "divmod", [_other_divmod]),
    (builtins, "later", [lambda v: v * 0.5, lambda v: v + 0.5, None]),
]

#: The same for names of the program's module, which may hide builtins.
_NAMES: list[tuple[str, list[Any]]] = [
    ("halve", [lambda v, times=1: v * 0.25, lambda v, times=1: v if times < 2 else v * 0.75]),
    ("tree", [lambda v, depth: v * 0.5]),
    ("pieces", [lambda v, n: [v * 0.5] * n, lambda v, n: iter([v, v * 0.25])]),
    ("len", [lambda values: 2, None]),
    ("abs", [lambda v: v, None]),
    ("later", [lambda v: v * 0.75, None]),
]


class Patching:
    """The patches of a seed for a source: entered for all calls of a side, and called between two. Leaving it puts back
    whatever stands in the tables, which the program itself may have changed too."""

    def __init__(self, seed: int, namespace: dict[str, Any], written: str) -> None:
        self.seed = seed
        self.patches = [
            patch
            for patch in [*_PATCHES, *((namespace, *entry) for entry in _NAMES)]
            if patch[1].startswith("__") or patch[1] in written
        ]

    def __enter__(self) -> None:
        self.random = random.Random(self.seed)
        self.before = [(owner, name, _found(owner, name)) for owner, name, _ in self.patches]

    def __exit__(self, *_: object) -> None:
        for owner, name, value in self.before:
            if _found(owner, name) is not value:
                _put(owner, name, value)

    def __call__(self, _target: Any) -> None:
        """Change something, in most gaps between two calls."""
        for _ in range(self.random.choice([0, 1, 2, 4])):
            owner, name, values = self.random.choice(self.patches)
            _put(owner, name, self.random.choice(values))


def owners() -> dict[str, Any]:
    """The classes and modules that are patched, by name."""
    return {owner.__name__: owner for owner, _, _ in _PATCHES if not isinstance(owner, types.FunctionType)}


def _found(owner: Any, name: str) -> Any:
    if isinstance(owner, dict):
        return owner.get(name)
    return getattr(owner, name) if isinstance(owner, types.FunctionType) else vars(owner).get(name)


def _put(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, dict):
        owner.update({name: value}) if value is not None else owner.pop(name, None)
    elif value is not None or isinstance(owner, types.FunctionType):
        setattr(owner, name, value)
    elif name in vars(owner):
        delattr(owner, name)
