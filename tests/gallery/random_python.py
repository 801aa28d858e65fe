"""Random Python functions on tensors and Python values, as source texts.

A function is made from its seed alone. It takes tensors, numbers, a flag, an object, a list and a dict, and does what
programs do with them: branches and loops on Python values and on tensors, containers with aliases, closures, writes and
views, exceptions, conversions, output, attributes, helpers, random numbers. Loops are bounded, and values stay finite and
small: products go through tanh, integers through a remainder.

    statement = Line | Compound           Line: one line of source        Compound: clauses, each a header with its body

`program(seed)` is ready for `harness.check`; `minimise` drops statements while a mismatch remains.
"""

from __future__ import annotations

import dataclasses
import functools
import linecache
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import Call, Program, call, check

import anfora as ms
from anfora import Tensor, ops

__all__ = ["Box", "Compound", "Line", "Source", "minimise", "mismatch", "program", "random_source", "text"]


# ---------------------------------------------------------------------------------------- what the functions are given


class Box:
    """The object that a program gets."""

    def __init__(self, value: Tensor, step: float) -> None:
        self.value, self.step, self.count, self.seen = value, step, 0, []

    def __call__(self, v: Any) -> Any:
        self.count += 1
        return v * self.step

    @property
    def double(self) -> Tensor:
        return self.value * 2


def halve(v: Any, times: int = 1) -> Any:
    return v if times <= 0 else halve(v * 0.5, times - 1)


def remember(box: Box, values: list, v: Any) -> int:
    box.seen.append(v)
    values.append(v)
    return len(values)


def pieces(v: Any, n: int) -> Iterator[Any]:
    for k in range(n):
        yield v * (k + 1) * 0.25


def chosen(v: Any, n: Any) -> Any:
    if n > 2:
        return v + 1
    if v.sum() > 0:
        return v * 0.5
    return -v


_GLOBALS: dict[str, Any] = {
    "ms": ms, "ops": ops, "np": np, "math": math, "Tensor": Tensor, "halve": halve, "remember": remember, "pieces": pieces,
    "chosen": chosen,
}  # fmt: skip


def _calls(seed: int) -> list[Call]:
    """The arguments x and y (3), w (2, 3), n, r, flag, box, items, table of three calls."""
    numbers = np.random.default_rng(seed)

    def tensor(*shape: int) -> Tensor:
        return Tensor(numbers.uniform(-1.5, 1.5, shape).astype(np.float32))

    made = []
    for _ in range(3):
        x, y, w = tensor(3), tensor(3), tensor(2, 3)
        items = [tensor(3), x, tensor(3)]  # one of them twice among the arguments
        table = {"a": tensor(3), "b": tensor(3)}
        n, r, flag = int(numbers.integers(0, 6)), float(numbers.uniform(-2, 2)), bool(numbers.integers(2))
        made.append(call(x, y, w, n, r, flag, Box(tensor(3), 0.5), items, table))
    return made


# ------------------------------------------------------------------------------------------------------------- the grammar


@dataclasses.dataclass
class Line:
    """One line. A line that bounds a loop is never dropped from it."""

    source: str
    fixed: bool = False


@dataclasses.dataclass
class Compound:
    """Clauses that belong together, such as if, elif and else."""

    clauses: list[tuple[str, Body]]


Body = list["Line | Compound"]


@dataclasses.dataclass
class Source:
    """A function: its statements, and its last line."""

    body: Body
    result: str


def _render(body: Body, depth: int) -> Iterator[str]:
    indent = "    " * depth
    for statement in body:
        if isinstance(statement, Line):
            yield indent + statement.source
        else:
            for header, inner in statement.clauses:
                yield indent + header
                yield from _render(inner, depth + 1) if inner else [f"{indent}    pass"]


def text(source: Source) -> str:
    lines = ["TOTAL = 0", "", "", "def f(x, y, w, n, r, flag, box, items, table):"]
    return "\n".join([*lines, *_render(source.body, 1), f"    {source.result}", ""])


class _Writer:
    """Writes statements. `names` has the variables in sight by kind:

    v, m, s: tensors of shape (3), (2, 3) and (); i, f: Python's int and float; l: lists of tensors; d: dicts of tensors.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = {"v": ["x", "y"], "m": ["w"], "s": [], "i": ["n"], "f": ["r"], "l": ["items"], "d": ["table"]}
        self.outer: list[str] = []  # loops around the statement being written
        self.count = 0

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def pick(self, kind: str) -> str:
        return self.random.choice(self.names[kind])

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def target(self, kind: str) -> str:
        """A name to assign: an old one or a new one, which is in sight from the next statement on."""
        if self.names[kind] and self.chance(0.6):
            return self.pick(kind)
        return self.fresh(kind)

    def assign(self, kind: str, value: str) -> Line:
        name = self.target(kind)
        line = Line(f"{name} = {value}")
        self.note(kind, name)
        return line

    def note(self, kind: str, name: str) -> None:
        if name not in self.names[kind]:
            self.names[kind].append(name)

    # -- expressions

    def number(self, depth: int = 0) -> str:
        """A Python number, int or float."""
        return self.integer(depth) if self.chance(0.5) else self.float(depth)

    def integer(self, depth: int = 0) -> str:
        forms: list[Callable[[], str]] = [lambda: self.pick("i"), lambda: str(self.random.randint(-3, 5))]
        if depth < 2:
            one = self.integer
            forms += [
                lambda: f"({one(depth + 1)} * {one(depth + 1)}) % 7",
                lambda: f"({one(depth + 1)} + {one(depth + 1)}) // 2",
                lambda: f"{self.pick('i')} - 1",
                lambda: f"int({self.tensor('v', 2)}.sum()) % 5",
                lambda: f"len({self.pick('l')})",
                lambda: f"{self.tensor('v', 2)}.shape[0]",
                lambda: f"int({self.condition(2)})",
                lambda: f"({one(depth + 1)} if {self.condition(2)} else {one(depth + 1)})",
                lambda: f"int({self.tensor('v', 2)}.argmax())",
                lambda: "box.count",
                lambda: f"min({one(depth + 1)}, 4)",
            ]
        return self.random.choice(forms)()

    def float(self, depth: int = 0) -> str:
        forms: list[Callable[[], str]] = [lambda: self.pick("f"), lambda: repr(round(self.random.uniform(-2, 2), 2))]
        if depth < 2:
            one = self.float
            forms += [
                lambda: f"math.tanh({one(depth + 1)} * {one(depth + 1)})",
                lambda: f"({one(depth + 1)} + {self.integer(2)}) * 0.5",
                lambda: f"float({self.tensor('v', 2)}[{self.random.randrange(3)}])",
                lambda: f"{self.tensor('v', 2)}.mean().item()",
                lambda: f"float({self.tensor('v', 2)}.asnumpy().max())",
                lambda: f"round({one(depth + 1)}, 1)",
                lambda: f"abs({one(depth + 1)})",
                lambda: "box.step",
            ]
        return self.random.choice(forms)()

    def condition(self, depth: int = 0) -> str:
        """Something with a truth value."""
        forms: list[Callable[[], str]] = [
            lambda: f"{self.integer(2)} > {self.random.randint(0, 3)}",
            lambda: f"{self.float(2)} < {round(self.random.uniform(-1, 1), 1)}",
            lambda: f"{self.tensor('v', 2)}.sum() > {round(self.random.uniform(-1, 1), 1)}",
            lambda: f"{self.tensor('v', 2)}[{self.random.randrange(3)}] < {self.float(2)}",
            lambda: f"bool(({self.tensor('v', 2)} > 0).any())",
            lambda: "flag",
            lambda: f"{self.pick('v')} is {self.pick('v')}",
        ]
        if depth < 1:
            forms += [
                lambda: f"({self.condition(1)} and {self.condition(1)})",
                lambda: f"not ({self.condition(1)})",
                lambda: f"({self.condition(1)} or {self.condition(1)})",
            ]
        return self.random.choice(forms)()

    def tensor(self, kind: str, depth: int = 0) -> str:
        """A tensor of a kind."""
        if kind == "s":
            inner = self.tensor("v", depth + 1)
            return self.random.choice([f"{inner}.sum()", f"{inner}[{self.random.randrange(3)}]", f"{inner}.max()"])
        if depth >= 2:
            return self.pick(kind)
        sub = functools.partial(self.tensor, kind, depth + 1)
        forms: list[Callable[[], str]] = [
            lambda: self.pick(kind),
            lambda: f"(({sub()} + {sub()}) * 0.5)",
            lambda: f"ops.tanh({sub()} * {sub()})",
            lambda: f"({sub()} - {self.number(2)} * 0.25)",
            lambda: f"ops.sin({sub()})",
            lambda: f"ops.where({sub()} > {sub()}, {sub()}, {self.float(2)})",
            lambda: f"ops.maximum({sub()}, {self.float(2)})",
            lambda: f"({sub()} if {self.condition(1)} else {sub()})",
            lambda: f"halve({sub()}, {self.integer(2)} % 3)",
            lambda: f"chosen({sub()}, {self.integer(2)})",
            lambda: f"box({sub()})",
            lambda: f"(lambda a, b=0.5: a * b + {self.float(2)})({sub()})",
            lambda: f"ops.stop_gradient({sub()})",
            lambda: f"(-{sub()})",
            lambda: f"ops.clip({sub()} / 0.7, -3.0, 3.0)",
        ]
        if kind == "v":
            forms += [
                lambda: "box.value",
                lambda: "(box.double * 0.5)",
                lambda: f"{self.pick('d')}[{self.random.choice(['a', 'b'])!r}]",
                lambda: f"{self.pick('l')}[{self.random.choice([0, 1, -1])}]",
                lambda: f"{self.tensor('m', depth + 1)}[{self.random.randrange(2)}]",
                lambda: f"{self.tensor('m', depth + 1)}.mean(0)",
                lambda: f"sum([v * 0.3 for v in {self.pick('l')}])",
                lambda: f"(sum(pieces({sub()}, {self.random.randint(1, 3)})) * 0.5)",
                lambda: f"Tensor({sub()}.asnumpy() * np.float32(0.5))",
                lambda: "ops.rand(3)",
                lambda: f"{sub()}[::-1]",
            ]
        else:
            forms += [lambda: f"ops.stack(({self.pick('v')}, {self.tensor('v', depth + 1)}))"]
        return self.random.choice(forms)()

    # -- statements

    def body(self, depth: int, count: int) -> Body:
        """Statements of a block. Names made in it are in sight only there, but for a few, which may not be set later."""
        before = {kind: list(names) for kind, names in self.names.items()}
        made: Body = []
        for _ in range(count):
            made += self.statement(depth)
        if depth and not self.chance(0.05):
            self.names = before
        return made

    def statement(self, depth: int) -> Body:
        simple = [
            self.s_tensor, self.s_tensor, self.s_tensor, self.s_number, self.s_number, self.s_list, self.s_list,
            self.s_dict, self.s_write, self.s_write, self.s_view, self.s_box, self.s_print, self.s_unpack, self.s_global,
        ]  # fmt: skip
        nested = [self.s_if, self.s_if, self.s_for, self.s_while, self.s_try, self.s_closure, self.s_return]
        if depth >= 3 or (depth and self.chance(0.5)):
            chosen = self.random.choice(simple)
        else:
            chosen = self.random.choice(simple + nested * 2)
        if self.outer and self.chance(0.08):
            jump = self.random.choice(["break", "continue"])
            return [Compound([(f"if {self.condition()}:", [Line(jump)])])]
        return chosen(depth)

    def s_tensor(self, depth: int) -> Body:
        kind = self.random.choice("vvvms")
        if kind != "s" and self.chance(0.2):
            return [Line(f"{self.pick(kind)} {self.random.choice(['+=', '-='])} {self.tensor(kind, 1)} * 0.5")]
        return [self.assign(kind, self.tensor(kind))]

    def s_number(self, depth: int) -> Body:
        if self.chance(0.3):
            return [Line(f"{self.pick('i')} += {self.random.randint(1, 2)}")]
        if self.chance(0.5):
            return [self.assign("i", self.integer())]
        return [self.assign("f", self.float())]

    def s_list(self, depth: int) -> Body:
        name, value = self.pick("l"), self.tensor("v", 1)
        forms = [
            lambda: Line(f"{name}.append({value})"),
            lambda: Line(f"{name}[{self.random.choice([0, -1])}] = {value}"),
            lambda: self.assign("l", f"[{value}, {self.pick('v')}]"),
            lambda: self.assign("l", name),
            lambda: self.assign("l", f"[v * {self.float(2)} for v in {name} if {self.condition(1)}] or [{value}]"),
            lambda: self.assign("l", f"{name}[:2] + [{value}]"),
            lambda: Compound([(f"if len({name}) > 2:", [Line(f"{self.pick('v')} = {name}.pop()")])]),
            lambda: Line(f"{name}.extend(pieces({value}, 2))"),
            lambda: Line(f"{name}.reverse()"),
            lambda: Line(f"{self.pick('i')} = remember(box, {name}, {value})"),
            lambda: self.assign("l", f"sorted({name}, key=lambda v: float(v.sum()))"),
        ]
        return [self.random.choice(forms)()]

    def s_dict(self, depth: int) -> Body:
        name, value, key = self.pick("d"), self.tensor("v", 1), self.random.choice(["a", "b", "c"])
        forms = [
            lambda: Line(f"{name}[{key!r}] = {value}"),
            lambda: self.assign("d", f"{{'a': {value}, 'b': {self.pick('v')}}}"),
            lambda: self.assign("d", f"dict({name}, b={value})"),
            lambda: self.assign("d", name),
            lambda: self.assign("v", f"{name}.get({key!r}, {self.pick('v')})"),
            lambda: self.assign("d", f"{{k: v * 0.5 for k, v in {name}.items()}}"),
            lambda: Line(f"{name}.update(c={value})"),
        ]
        return [self.random.choice(forms)()]

    def s_write(self, depth: int) -> Body:
        name = self.pick("v")
        forms = [
            f"{name}[{self.random.randrange(3)}] = {self.number(1)}",
            f"{name}[1:] = {self.pick('v')}[:2] * 0.5",
            f"{name}[{self.random.randrange(3)}] += {self.float(2)}",
            f"{name}.add_({self.tensor('v', 1)} * 0.5)",
            f"{name}.mul_(0.5)",
            f"{name}[{name} > 0] = {self.float(2)}",
            f"{self.pick('m')}[{self.random.randrange(2)}] = {self.tensor('v', 1)}",
            f"{self.pick('l')}[0][0] = {self.float(2)}",
        ]
        return [Line(self.random.choice(forms))]

    def s_view(self, depth: int) -> Body:
        forms = [
            f"{self.pick('m')}[{self.random.randrange(2)}]",
            f"{self.pick('v')}[::-1]",
            self.pick("v"),
            self.pick("v"),
        ]
        return [
            self.assign("v", self.random.choice([*forms, f"{self.pick('v')}.reshape(3)", f"{self.pick('v')}.copy()"]))
        ]

    def s_box(self, depth: int) -> Body:
        forms = [
            f"box.value = {self.tensor('v', 1)}",
            "box.count += 1",
            f"box.step = {self.random.choice(['0.5', '-0.25', '0.75'])}",
            f"box.seen.append({self.number(1)})",
            f"box.extra = {self.random.choice([self.pick('v'), self.pick('l'), self.number(1)])}",
            "box.value += 0.5",
        ]
        return [Line(self.random.choice(forms))]

    def s_print(self, depth: int) -> Body:
        forms = [
            f"print({self.tensor('v', 1)})",
            f"print('n', {self.integer(1)}, {self.float(1)}, sep='=')",
            f'print(f"{{{self.float(1)}:.3f}} {{{self.pick("v")}.shape}}")',
            f"print(len({self.pick('l')}), {self.condition(1)})",
        ]
        return [Line(self.random.choice(forms))]

    def s_unpack(self, depth: int) -> Body:
        one, two, value = self.target("v"), self.target("v"), self.tensor("v", 1)
        line = self.random.choice(
            [
                f"{one}, {two} = {value}, {self.pick('v')}",
                f"{one}, *rest, {two} = [{value}, *{self.pick('l')}, {self.pick('v')}]",
            ]
        )
        self.note("v", one)
        self.note("v", two)
        return [Line(line)]

    def s_global(self, depth: int) -> Body:
        return [Line("globals()['TOTAL'] += 1"), self.assign("i", "TOTAL % 5")]

    def s_if(self, depth: int) -> Body:
        clauses = [(f"if {self.condition()}:", self.body(depth + 1, self.random.randint(1, 3)))]
        if self.chance(0.2):
            clauses.append((f"elif {self.condition()}:", self.body(depth + 1, 1)))
        if self.chance(0.6):
            clauses.append(("else:", self.body(depth + 1, self.random.randint(1, 2))))
        return [Compound(clauses)]

    def loop(self, depth: int, header: str, first: Body) -> Compound:
        self.outer.append(header)
        inner = [*first, *self.body(depth + 1, self.random.randint(1, 3))]
        self.outer.pop()
        clauses = [(header, inner)]
        if self.chance(0.15):
            clauses.append(("else:", self.body(depth + 1, 1)))
        return Compound(clauses)

    def s_for(self, depth: int) -> Body:
        if len(self.outer) == 2:
            return self.s_tensor(depth)
        number, item = self.fresh("i"), self.fresh("v")
        before = {kind: list(names) for kind, names in self.names.items()}
        header = self.random.choice(
            [
                f"for {number} in range({self.random.randint(1, 4)}):",
                f"for {number} in range({self.integer(1)} % 4):",
                f"for {number} in range({self.tensor('v', 2)}.shape[0]):",
                f"for {item} in list({self.pick('l')}):",
                f"for {number}, {item} in enumerate({self.pick('l')}[:3]):",
                f"for {item} in {self.pick('m')}:",
                f"for {item} in pieces({self.pick('v')}, 3):",
                f"for {number}, {item} in zip(range(3), {self.pick('l')}):",
            ]
        )
        for kind, name in (("i", number), ("v", item)):
            if name in header:
                self.note(kind, name)
        made = self.loop(depth, header, [])
        self.names = before
        return [made]

    def s_while(self, depth: int) -> Body:
        if len(self.outer) == 2:
            return self.s_number(depth)
        counter = f"k{self.fresh('')}"
        limit = self.random.randint(1, 4)
        start = Line(f"{counter} = 0")
        if self.chance(0.3):
            return [
                start,
                self.loop(depth, f"while ({counter} := {counter} + 1) < {limit} and {self.condition()}:", []),
            ]
        return [
            start,
            self.loop(depth, f"while {counter} < {limit} and {self.condition()}:", [Line(f"{counter} += 1", True)]),
        ]

    def s_try(self, depth: int) -> Body:
        inner = self.body(depth + 1, self.random.randint(1, 2))
        before = {kind: list(names) for kind, names in self.names.items()}
        causes: list[Callable[[], Line | Compound]] = [
            lambda: Compound([(f"if {self.condition()}:", [Line(f"raise ValueError(f'stop {{{self.integer(1)}}}')")])]),
            lambda: self.assign("i", f"12 // ({self.integer(1)} % 3)"),
            lambda: self.assign("v", f"{self.pick('l')}[{self.integer(1)} % 5]"),
            lambda: self.assign("v", f"{self.pick('d')}[{self.random.choice(['a', 'c', 'z'])!r}]"),
            lambda: Line(f"{self.pick('v')}[{self.integer(1)} % 5] = 0.5"),
            lambda: Line(f"{self.pick('v')} = {self.pick('v')} + Tensor([1.0, 2.0])"),
            lambda: Line(f"assert {self.condition()}, 'assertion'"),
        ]
        cause = self.random.choice(causes)()
        self.names = before
        inner.insert(self.random.randrange(len(inner) + 1), cause)
        caught = "(ValueError, LookupError, ArithmeticError, AssertionError)"
        if self.chance(0.15):
            caught = "KeyError"
        handler: Body = [Line("box.seen.append(type(error).__name__)"), *self.body(depth + 1, 1)]
        clauses = [("try:", inner), (f"except {caught} as error:", handler)]
        if self.chance(0.3):
            clauses.append(("else:", self.body(depth + 1, 1)))
        if self.chance(0.3):
            clauses.append(("finally:", [Line("box.count += 1"), *self.s_number(depth + 1)]))
        return [Compound(clauses)]

    def s_closure(self, depth: int) -> Body:
        """A function that changes a variable around it, and calls of it."""
        name, captured = self.fresh("g"), self.fresh("i")
        first = Line(f"{captured} = {self.integer(1)}")
        self.note("i", captured)
        kept = self.names, self.outer
        self.names = {kind: list(names) for kind, names in self.names.items()} | {"v": ["a", *self.names["v"]]}
        self.outer = []
        inner: Body = [Line(f"nonlocal {captured}"), Line(f"{captured} = ({captured} + 1) % 6")]
        if self.chance(0.4):
            inner.append(Compound([(f"if {self.condition()}:", [Line(f"return {self.tensor('v', 1)}")])]))
        inner.append(Line(f"return {self.tensor('v')}"))
        self.names, self.outer = kept
        made: Body = [first, Compound([(f"def {name}(a):", inner)])]
        for _ in range(self.random.randint(1, 2)):
            made.append(self.assign("v", f"{name}({self.tensor('v', 1)})"))
        return made

    def s_return(self, depth: int) -> Body:
        condition = f"{self.condition()} and {self.condition()}"
        return [Compound([(f"if {condition}:", [Line(f"return {self.tensor('v', 1)}, {self.number(1)}")])])]


def random_source(seed: int) -> Source:
    """The function of a seed."""
    writer = _Writer(seed)
    body = writer.body(0, writer.random.randint(4, 9))
    shown = [writer.pick(kind) for kind in "vvmifld" if writer.names[kind]] + writer.names["s"][-1:]
    return Source(body, f"return {', '.join(shown)}")


_versions: dict[int, int] = {}


def program(seed: int, source: Source | None = None, grad: bool = False) -> Program:
    """The program of a seed, or another source in its place, ready to be checked. Its text can be inspected."""
    written = text(source or random_source(seed))
    version = _versions[seed] = _versions.get(seed, -1) + 1
    filename = f"<random program {seed}.{version}>"
    linecache.cache[filename] = (len(written), None, written.splitlines(keepends=True), filename)
    namespace = dict(_GLOBALS, __name__=__name__)
    exec(compile(written, filename, "exec"), namespace)
    return Program(
        f"random program {seed}", lambda _jit: namespace["f"], lambda: _calls(seed), grad=grad, raises=None,
        state=("TOTAL",), namespace=namespace,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ mismatches


def mismatch(
    seed: int, source: Source | None = None, grad: bool = False, jit: Callable[[Any], Any] = ms.jit
) -> str | None:
    """What `check` finds wrong, or how the compiler failed; None when all is equal."""
    try:
        made = program(seed, source, grad)
    except SyntaxError:  # a smaller version that is no program
        return None
    try:
        check(made, jit)
    except AssertionError as error:
        return str(error)
    except Exception as error:  # the compiler's own
        return f"{type(error).__name__}: {error}"
    return None


def _smaller(body: Body) -> Iterator[Body]:
    """The body with one statement less, or with one compound in parts."""
    for place, statement in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        if isinstance(statement, Line):
            if not statement.fixed:
                yield before + after
            continue
        yield before + after
        clauses = statement.clauses
        for _, inner in clauses:
            yield before + inner + after
        for number, (header, inner) in enumerate(clauses):
            others = clauses[:number], clauses[number + 1 :]
            if number:
                yield [*before, Compound([*others[0], *others[1]]), *after]
            for less in _smaller(inner):
                yield [*before, Compound([*others[0], (header, less), *others[1]]), *after]


def minimise(seed: int, grad: bool = False, jit: Callable[[Any], Any] = ms.jit) -> Source:
    """The source of a seed that mismatches, without the statements that the mismatch does not need."""
    source = random_source(seed)
    shrinking = True
    while shrinking:
        shrinking = False
        for body in _smaller(source.body):
            candidate = Source(body, source.result)
            if mismatch(seed, candidate, grad, jit):
                source, shrinking = candidate, True
                break
    names = [name.strip() for name in source.result.removeprefix("return").split(",")]
    for name in names:  # then the results, down to one
        left = [other for other in names if other != name]
        candidate = Source(source.body, f"return {', '.join(left)}")
        if left and mismatch(seed, candidate, grad, jit):
            source, names = candidate, left
    return source
