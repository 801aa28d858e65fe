"""Random Python functions that go over things, as source texts: iterators that are half used up where a piece of a program
ends, shared by two, changed underneath, kept from call to call, copied, ended, given back.

Statements are those of `random_python`; a program takes a tensor, numbers, a list, a dict, an iterator and a box, in which
iterators stay for the next call.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import itertools
import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import Call, call
from random_grammar import Body, Compound, Family, Line, Names, Source

import anfora as ms
from anfora import Tensor, ops

__all__ = ["ITERATORS"]

PARAMETERS = "t, n, r, row, table, it"


class Box:
    """What stays from call to call: attributes, and what was said."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.kept: list[Any] = []
        self.row: list[Any] = [1.5, 2, 3.25]
        self.it: Any = None

    def say(self, value: Any) -> Any:
        self.said.append(value)
        return value


class Counted:
    """An iterator of the program's own, which may be asked behind its end."""

    def __init__(self, rest: Any, most: int = 3) -> None:
        self.rest, self.left = iter(rest), most

    def __iter__(self) -> Counted:
        return self

    def __next__(self) -> Any:
        self.left -= 1
        if self.left == -1:
            raise StopIteration
        return next(self.rest)


class Rows:
    """Something to go over, by `__getitem__` alone."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __getitem__(self, place: int) -> Any:
        return self.items[place]


class Via:
    """A call of which nothing is known: numpy makes it."""

    def __call__(self, function: Any, *args: Any) -> Any:
        found: list[Any] = []
        np.frompyfunc(lambda _: found.append(function(*args)), 1, 1)(np.zeros(1))
        return found[0]


def halves(items: Any) -> Iterator[Any]:
    for item in items:
        yield item * 0.5


def told(box: Box, items: Any) -> Iterator[Any]:
    """A generator that says how it is used and ended."""
    try:
        for number, item in enumerate(items):
            sent = yield item
            if sent is not None:
                box.say(("sent", sent))
            if number == 4:
                return
    except ValueError as error:
        box.say(("thrown", str(error)))
        yield 0.25
    finally:
        box.say("ended")


def picky(item: Any) -> Any:
    """Refuses some numbers."""
    if 2.0 < float(item) < 3.0:
        raise ValueError("picky")
    return float(item) * 2


def large(item: Any) -> bool:
    return float(item) > 1.0


def pair(a: Any, b: Any = 0.5) -> Any:
    return a - b * 0.5


GLOBALS: dict[str, Any] = {
    "ms": ms, "ops": ops, "np": np, "math": math, "functools": functools, "itertools": itertools, "copy": copy,
    "collections": collections, "operator": operator, "Tensor": Tensor, "Counted": Counted, "Rows": Rows,
    "via": Via(), "box": Box(), "halves": halves, "told": told, "picky": picky, "large": large, "pair": pair,
    "contextlib": contextlib,
}  # fmt: skip


def calls(seed: int) -> list[Call]:
    """Arguments of three calls."""
    numbers = np.random.default_rng(seed)
    made = []

    def number() -> Any:
        value = float(numbers.uniform(-1, 4))
        return [value, int(value), Tensor([value]), value][numbers.integers(4)]

    for _ in range(3):
        row = [number() for _ in range(int(numbers.integers(2, 5)))]
        table = {key: number() for key in "abc"[: int(numbers.integers(1, 4))]}
        rest = [
            lambda: iter([1.5, 2.5, 3]),
            lambda: zip([1, 2], [3, 4]),
            lambda: (each * 1.5 for each in (1, 2, 3)),
            lambda: iter({1: 2, 3: 4}),
            lambda: map(abs, [-1, 2.5]),
            lambda row=row: iter(row),
            lambda table=table: iter(table.values()),
        ][numbers.integers(7)]()
        made.append(
            call(Tensor(numbers.uniform(-1, 2, 2).astype(np.float32)), int(numbers.integers(1, 5)),
                 float(numbers.uniform(-1, 3)), row, table, rest)
        )  # fmt: skip
    return made


class Writer(Names):
    """Writes statements. `names` has the variables in sight by kind:

    r: lists; d: dicts; q: deques; i: iterators; f: numbers.
    """

    def __init__(self, seed: int) -> None:
        names = {
            "r": ["row", "box.row"], "d": ["table"], "q": [], "i": ["it"], "f": ["n", "r"],
        }  # fmt: skip
        super().__init__(seed, names)
        self.loops = 0

    def one(self, *choices: Any) -> Any:
        chosen = self.random.choice(choices)
        return chosen() if callable(chosen) else chosen

    def made(self, kind: str, value: str) -> Line:
        """An assignment to an old name or a new one."""
        name = self.pick(kind) if self.names[kind] and self.chance(0.3) else self.fresh(kind)
        if name in ("box.row", "row", "table"):
            name = self.fresh(kind)
        if name not in self.names[kind]:
            self.names[kind].append(name)
        return Line(f"{name} = {value}")

    # -- expressions

    def number(self) -> str:
        return self.one(
            lambda: self.pick("f"), lambda: str(self.random.randint(-1, 4)), "t.sum().item()", "t[0]", "r * 0.5", "n + 1",
            lambda: f"len({self.pick('r')})", "t * 2", "True", "'a'" if self.chance(0.1) else "0.5",
        )  # fmt: skip

    def items(self, depth: int = 0) -> str:
        """Something that can be gone over."""
        forms: list[Any] = [
            lambda: self.pick("r"), lambda: self.pick("r"), lambda: self.pick("r"), lambda: self.pick("i"),
            lambda: self.pick("i"), lambda: f"{self.pick('d')}.values()", lambda: f"{self.pick('d')}.items()",
            lambda: self.pick("d"), lambda: f"[{self.number()}, {self.number()}, {self.number()}]",
            lambda: f"({self.number()}, {self.number()})", "range(n)", "range(3)", "t", "'abc'",
            lambda: f"Rows({self.pick('r')})", lambda: f"Counted({self.pick('r')}, {self.random.randint(1, 3)})",
            lambda: f"tuple({self.pick('r')})",
        ]  # fmt: skip
        if self.names["q"]:
            forms += [lambda: self.pick("q")] * 2
        if depth < 2:
            forms += [lambda: self.iterator(depth + 1)] * 8
        return self.one(*forms)

    def iterator(self, depth: int = 0) -> str:
        one = functools.partial(self.items, depth + 1)
        rows = self.pick("r")
        return self.one(
            lambda: f"iter({one()})", lambda: f"iter({one()})", lambda: f"iter({rows})", lambda: f"iter({rows})",
            lambda: f"reversed({rows})", lambda: f"reversed(tuple({rows}))", lambda: f"reversed({self.pick('d')}.values())",
            lambda: f"enumerate({one()})", lambda: f"enumerate({one()}, n)",
            lambda: f"zip({one()}, {one()})", lambda: f"zip({rows}, {one()})",
            lambda: f"map({self.one('abs', 'picky', 'large', 'box.say', 'lambda a: a * r')}, {one()})",
            lambda: f"map(pair, {one()}, {one()})",
            lambda: f"filter({self.one('None', 'large', 'picky', 'box.say')}, {one()})",
            lambda: f"(a * 2 for a in {one()})", lambda: f"(box.say(a) for a in {one()} if a is not None)",
            lambda: f"halves({one()})", lambda: f"told(box, {one()})", lambda: f"told(box, {rows})",
            lambda: f"itertools.chain({one()}, {one()})", lambda: f"itertools.chain.from_iterable([{one()}, {one()}])",
            lambda: f"itertools.islice({one()}, {self.one('1', '2', 'n', '1, 4', '0, None, 2')})",
            lambda: f"itertools.islice(itertools.cycle({one()}), 5)",
            lambda: f"itertools.zip_longest({one()}, {one()}, fillvalue={self.number()})",
            lambda: f"itertools.starmap({self.one('pair', 'lambda *a: a', 'operator.sub')}, zip({one()}, {one()}))",
            lambda: f"itertools.accumulate({one()}{self.one('', ', pair', ', lambda a, b: box.say(b)')})",
            lambda: f"(list(g) for k, g in itertools.groupby({one()}, large))",
            lambda: f"itertools.pairwise({one()})",
            lambda: f"itertools.product({one()}, {self.one(one, 'range(2)')})",
            lambda: f"itertools.combinations({one()}, 2)", lambda: f"itertools.permutations({rows}, 2)",
            lambda: f"itertools.takewhile({self.one('large', 'box.say')}, {one()})",
            lambda: f"itertools.dropwhile({self.one('large', 'picky')}, {one()})",
            lambda: f"itertools.filterfalse({self.one('large', 'None')}, {one()})",
            lambda: f"itertools.compress({one()}, {one()})",
            lambda: f"itertools.repeat({self.number()}, {self.one('2', 'n')})",
            lambda: f"iter(lambda: {rows}.pop(), 2)", lambda: f"iter({self.pick('r')}.pop, None)",
            lambda: f"itertools.tee({one()}, 2)[{self.random.randrange(2)}]", "itertools.islice(itertools.count(n), 6)",
            lambda: f"copy.copy({self.pick('i')})",
        )  # fmt: skip

    def condition(self) -> str:
        return self.one(
            "t.sum() > 1", "t.sum() > n", "t[0] < r", "n > 2", "r > 1", "float(t.sum()) > 0.5", lambda: self.pick("r"),
            lambda: f"len({self.pick('r')}) > 2", "t.max() > 0 and n > 1",
        )  # fmt: skip

    # -- statements

    def body(self, depth: int, count: int) -> Body:
        kept = {kind: list(names) for kind, names in self.names.items()}
        found: Body = []
        for _ in range(count):
            found += self.statement(depth)
        if depth:
            self.names = kept
        return found

    def statement(self, depth: int) -> Body:
        simple = [
            self.s_iterator, self.s_iterator, self.s_iterator, self.s_next, self.s_next, self.s_next, self.s_end,
            self.s_end, self.s_change, self.s_change, self.s_keep, self.s_container, self.s_take, self.s_ask,
            self.s_generator,
        ]  # fmt: skip
        nested = [self.s_if, self.s_for, self.s_for, self.s_for, self.s_try, self.s_while, self.s_closure, self.s_comp]
        return self.random.choice(simple if depth >= 3 or (depth and self.chance(0.5)) else simple + nested)(depth)

    def s_iterator(self, depth: int) -> Body:
        return [self.made("i", self.iterator())]

    def s_next(self, depth: int) -> Body:
        it = self.pick("i")
        return [
            self.one(
                lambda: self.made("f", f"next({it}, 0.5)"), lambda: Line(f"box.say(next({it}, None))"),
                lambda: Line(f"box.say(next({it}, None))"), lambda: Line(f"box.say([*itertools.islice({it}, 2)])"),
                lambda: Line(f"box.say(next({self.iterator()}, None))"),
                lambda: Line(f"box.say({it}.__next__())"),
            )
        ]  # fmt: skip

    def s_end(self, depth: int) -> Body:
        """What ends a piece."""
        return [
            self.one(
                lambda: Line("box.say(t.sum().item())"), lambda: Line("print(n, end=' ')"),
                lambda: Line(f"via({self.pick('r')}.append, {self.number()})"),
                lambda: Line(f"via(next, {self.pick('i')}, None)"),
                lambda: self.made("f", f"via(next, {self.pick('i')}, 0.5)"),
                lambda: Line(f"via({self.pick('r')}.clear)"),
                lambda: Line(f"via({self.pick('r')}.__delitem__, slice({self.random.randrange(3)}, None))"),
                lambda: Line(f"via({self.pick('d')}.update, {{'z': {self.number()}}})"),
                lambda: Compound([(f"if {self.condition()}:", [Line("t = t * 1.5")])]),
                lambda: Line("t = t[t > -9]"),
                lambda: Line(f"via(id, {self.pick('i')})"),
                lambda: Line(f"via(box.say, {self.pick('i')})"),
            )
        ]  # fmt: skip

    def s_change(self, depth: int) -> Body:
        row, table, value = self.pick("r"), self.pick("d"), self.number()
        forms: list[Any] = [
            f"{row}.append({value})", f"{row}.append({value})", f"{row}.insert(0, {value})", f"{row}[-1:] = [{value}]",
            f"{row}[:1] = []", f"del {row}[1:]", f"{row}.clear()", f"{row}.extend(itertools.islice({self.items()}, 3))",
            f"{row}.reverse()", f"{row} and {row}.pop()", f"{row}.sort(key=str)", f"{table}['a'] = {value}",
            f"{table}['b'] = {value}", f"{table}.pop('a', None)", f"{table}.update(c={value})", f"{row}[:] = [{value}]",
        ]  # fmt: skip
        if self.names["q"]:
            q = self.pick("q")
            forms += [f"{q}.append({value})", f"{q}.appendleft({value})", f"{q} and {q}.pop()", f"{q}.rotate(1)"]
        return [Line(self.one(*forms))]

    def s_keep(self, depth: int) -> Body:
        it = self.pick("i")
        return [
            self.one(
                lambda: Line(f"box.kept.append({it})"), lambda: Line(f"box.it = {it}"),
                lambda: Line(f"box.kept[-1:] = [{it}, {self.pick('r')}]"),
                lambda: self.made("i", f"box.it or {it}"),
                lambda: self.made("i", f"box.kept[-1] if box.kept and hasattr(box.kept[-1], '__next__') else {it}"),
                lambda: Line(f"{self.pick('d')}['it'] = {it}"), lambda: Line(f"box.kept.append([{it}, {it}])"),
                lambda: Line("box.kept.clear()"), lambda: Line("box.it = None"),
                lambda: self.made("i", it),
            )
        ]  # fmt: skip

    def s_container(self, depth: int) -> Body:
        return [
            self.one(
                lambda: self.made("r", f"[{self.number()}, {self.number()}, {self.number()}]"),
                lambda: self.made("r", f"[*itertools.islice({self.items()}, 4)]"),
                lambda: self.made("d", f"{{'a': {self.number()}, 'b': {self.number()}}}"),
                lambda: self.made("d", f"dict(enumerate(itertools.islice({self.items()}, 3)))"),
                lambda: self.made("q", f"collections.deque([{self.number()}, {self.number()}, {self.number()}])"),
                lambda: self.made("q", f"collections.deque(itertools.islice({self.items()}, 3), 4)"),
                lambda: self.made("r", self.pick("r")),
            )
        ]  # fmt: skip

    def s_take(self, depth: int) -> Body:
        """What takes several items, or all of them, or looks for one."""
        it, limited = self.pick("i"), f"itertools.islice({self.items()}, 4)"
        return [
            Line(
                self.one(
                    f"box.say(list({limited}))", f"box.say([*{limited}])", f"box.say({self.number()} in {limited})",
                    f"box.say(sum({limited}))", f"box.say(max({limited}, key=str, default=0))",
                    f"box.say(tuple({limited}))", f"a, *b = {limited}", f"box.say(any({limited}))",
                    f"box.say(all({limited}))",
                    f"box.say(dict(zip('abc', {it})))", f"box.say(sorted({limited}, key=str))",
                    f"box.say(functools.reduce(lambda a, b: b, {limited}, 0))", f"box.say(set(map(str, {limited})))",
                    f"box.say(list(zip({it}, {it}, {self.items()}))[:4])",
                    f"box.say(list(zip(range(3), {it})))",
                )
            )
        ]  # fmt: skip

    def s_ask(self, depth: int) -> Body:
        it = self.pick("i")
        return [
            Line(
                self.one(
                    f"box.say(type({it}).__name__)", f"box.say(operator.length_hint({it}, 7))", f"box.say({it} is box.it)",
                    f"box.say(iter({it}) is {it})", f"box.say(isinstance({it}, (zip, map, type(iter([])))))",
                    f"box.say(hasattr({it}, 'send'))",
                )
            )
        ]  # fmt: skip

    def s_generator(self, depth: int) -> Body:
        """A generator that is sent something, closed, or thrown into."""
        name = self.fresh("i")
        self.names["i"].append(name)
        do = self.one(f"box.say({name}.send({self.number()}))", f"{name}.close()",
                      f"box.say({name}.throw(ValueError('out')))", "pass")  # fmt: skip
        return [Line(f"{name} = told(box, {self.items()})"), Line(f"box.say(next({name}, None))"), Line(do)]

    def s_if(self, depth: int) -> Body:
        clauses = [(f"if {self.condition()}:", self.body(depth + 1, self.random.randint(1, 2)))]
        if self.chance(0.5):
            clauses.append(("else:", self.body(depth + 1, 1)))
        return [Compound(clauses)]

    def s_for(self, depth: int) -> Body:
        if self.loops == 2:
            return self.s_next(depth)
        self.loops += 1
        item, turn = self.fresh("f"), self.fresh("k")
        kept = {kind: list(names) for kind, names in self.names.items()}
        self.names["f"].append(item)
        over = self.one(lambda: self.items(), lambda: self.pick("i"), lambda: self.pick("r"))
        inner: Body = [
            Line(f"{turn} += 1", True),
            Compound([(f"if {turn} > {self.random.randint(2, 4)}:", [Line("break")])], True),
        ]
        inner += [Line(f"box.say({item})"), *self.body(depth + 1, self.random.randint(1, 2))]
        if self.chance(0.3):
            inner.append(
                Compound([(f"if {self.condition()}:", [Line(self.one("break", "continue", f"return {item}"))])])
            )
        self.names = kept
        self.loops -= 1
        clauses = [(f"for {item} in {over}:", inner)]
        if self.chance(0.2):
            clauses.append(("else:", [Line("box.say('else')")]))
        return [Line(f"{turn} = 0", True), Compound(clauses)]

    def s_while(self, depth: int) -> Body:
        if self.loops == 2:
            return self.s_end(depth)
        self.loops += 1
        turn = self.fresh("k")
        inner: Body = [Line(f"{turn} += 1", True), *self.body(depth + 1, self.random.randint(1, 2))]
        self.loops -= 1
        return [Line(f"{turn} = 0", True), Compound([(f"while {turn} < {self.random.randint(1, 3)}:", inner)], True)]

    def s_try(self, depth: int) -> Body:
        inner = self.body(depth + 1, self.random.randint(1, 2))
        inner.append(
            Line(
                self.one(
                    f"box.say(next({self.pick('i')}))", f"box.say(list(map(picky, {self.items()})))",
                    "raise ValueError('here')", f"box.say([picky(a) for a in {self.items()}])",
                    f"box.say({self.pick('r')}[3])",
                )
            )
        )  # fmt: skip
        clauses = [("try:", inner), ("except Exception as error:", [Line("box.say(type(error).__name__)")])]
        if self.chance(0.3):
            clauses.append(("finally:", [Line("box.say('finally')"), *self.body(depth + 1, 1)]))
        return [Compound(clauses)]

    def s_closure(self, depth: int) -> Body:
        """A function that takes from an iterator around it."""
        name, it = self.fresh("g"), self.pick("i")
        inner: Body = [Line(f"box.say(next({it}, None))"), Line(f"return next({it}, None)")]
        if self.chance(0.5):
            inner.insert(1, Line("box.say(t.sum().item())"))
        return [
            Compound([(f"def {name}(t=t):", inner)]),
            Line(f"box.say({name}())"), Line(f"box.say({name}())"),
        ]  # fmt: skip

    def s_comp(self, depth: int) -> Body:
        items = f"itertools.islice({self.items()}, 4)"
        pair = f"(a, next({self.pick('i')}, None))"
        value = self.one("a", "box.say(a)", "(a, t.sum().item())", "(a, t * 2)", pair, "picky(a)")
        test = self.one("", " if a is not None", " if t.sum() > r", f" if len({self.pick('r')}) < 9")
        return [
            self.one(
                lambda: self.made("r", f"[{value} for a in {items}{test}]"),
                lambda: self.made("d", f"{{str(k): {value} for k, a in enumerate({items}){test}}}"),
                lambda: self.made("i", f"({value} for a in {self.items()}{test})"),
                lambda: self.made("r", f"[(a, b) for a in {items} for b in {self.pick('r')}[:2]]"),
                lambda: self.made("r", f"[a for a in {items} for b in {self.pick('i')}][:4]"),
            )
        ]  # fmt: skip


def random_source(seed: int) -> Source:
    writer = Writer(seed)
    body = writer.body(0, writer.random.randint(4, 10))
    shown = [writer.pick(kind) for kind in "iirdf"] + ["t"]
    return Source(body, f"return {', '.join(shown)}", PARAMETERS)


#: What this file makes.
ITERATORS = Family(random_source, calls, GLOBALS, ("box",))
