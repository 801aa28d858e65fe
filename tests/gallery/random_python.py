"""Random Python functions on tensors and Python values, as source texts.

A function is made from its seed alone. It takes tensors, numbers, a flag, objects, a list, a dict and a Cell, and does what
programs do with them: branches and loops on Python values and on tensors, containers with aliases, closures, recursion,
writes and views, exceptions, conversions, output, attributes, special methods, `with`, gradients, helpers, random numbers.
Loops are bounded, and values stay finite and small: products go through tanh, integers through a remainder.

`program(seed)` is ready for `harness.check`; `minimise` drops statements while a mismatch remains.
"""

from __future__ import annotations

import functools
import linecache
import re
from collections.abc import Callable
from typing import Any

from harness import Program, check
from random_given import GLOBALS, PARAMETERS, calls, said_at_once
from random_grammar import Body, Compound, Family, Line, Names, Source, smaller, text
from random_patches import Patching
from random_signals import Late, interrupted

import anfora as ms

__all__ = ["PYTHON", "catching", "minimise", "mismatch", "mismatch_of_signal", "program", "random_source", "text"]


class _Writer(Names):
    """Writes statements. `names` has the variables in sight by kind:

    v, m, s: tensors of shape (3), (2, 3) and (); i, f: Python's int and float; l: lists of tensors; d: dicts of tensors;
    o: bags; p: pairs; a: arrays of numpy of length 3; g: functions of one vector.
    """

    def __init__(self, seed: int) -> None:
        names = {
            "v": ["x", "y"], "m": ["w"], "s": [], "i": ["n"], "f": ["r"], "l": ["items"], "d": ["table"], "o": ["bag"],
            "p": [], "a": [], "g": ["halve", "net"],
        }  # fmt: skip
        super().__init__(seed, names)
        self.outer: list[str] = []  # loops around the statement being written

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
                lambda: f"len({self.pick('o')})",
                lambda: f"getattr(box, {self.random.choice(['count', 'extra_count'])!r}, {one(depth + 1)})",
                lambda: f"sum(1 for v in {self.group()} if {self.test('v')})",
                lambda: f"max(range(len({self.pick('l')})), key=lambda k: float({self.pick('l')}[k].sum()), default=0)",
                lambda: f"sum(range({one(depth + 1)} % 5)) % 4",
                lambda: f"divmod({one(depth + 1)}, 3)[{self.random.randrange(2)}]",
                lambda: f"(lambda *args, k=1: len(args) + k)({self.pick('v')}, k={one(depth + 1)})",
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
                lambda: "getattr(box, 'step', 0.25)",
                lambda: f"float(max({self.group()}, key=lambda v: float(v.mean()), default=x)[0])",
                lambda: f"math.fsum({self.tensor('v', 2)}.tolist()) * 0.25",
                lambda: f"float({self.tensor('v', 2)}.asnumpy()[{self.random.randrange(3)}])",
            ]
        return self.random.choice(forms)()

    def patched(self, value: str) -> str:
        """What uses things that come and go between two calls: see `random_patches`."""
        name = self.pick("v")
        forms = [
            f"({name}.twice() if hasattr({name}, 'twice') else {value})",
            f"getattr({name}, 'doubled', {value})",
            f"ops.tanh({value}.sinh())",
            f"{value}.hypot({name})",
            f"({name} @ {name} * 0.25 + {value})",
            f"ops.tanh(~ops.stack([{name} > 0, {name} > 0.5])[0] * {value})",
            "(net.weight.scaled() if hasattr(net.weight, 'scaled') else net.bias * 0.5)",
            "ops.tanh(net.bias.sinh())",
            f"(net.aside({value}) if hasattr(net, 'aside') else {name})",
            f"({value} * {self.pick('o')} if hasattr(Bag, '__rmul__') else [{name}])[0]",
            f"(later({value}) if 'later' in globals() or hasattr(builtins, 'later') else {name})",
        ]
        return self.random.choice(forms)

    def group(self) -> str:
        """Something that gives tensors of shape (3) when it is iterated over; not more while it is extended meanwhile."""
        forms: list[Callable[[], str]] = [
            lambda: f"{self.pick('l')}[:3]",
            lambda: self.pick("o"),
            lambda: f"{self.pick('d')}.values()",
            lambda: f"pieces({self.pick('v')}, {self.random.randint(1, 3)})",
            lambda: f"Steps({self.pick('v')}, {self.random.randint(1, 3)})",
            lambda: f"[{self.pick('v')}, {self.pick('v')}]",
            lambda: f"map({self.pick('g')}, {self.pick('l')}[:3])",
            lambda: f"reversed({self.pick('l')})",
            lambda: f"(v * 0.5 for v in {self.pick('l')}[:3])",
        ]
        return self.random.choice(forms)()

    def test(self, name: str) -> str:
        """A condition on a tensor."""
        return self.random.choice(
            [f"{name}.sum() > 0", f"{name}[0] < {self.float(2)}", f"float({name}.max()) > 0.5", f"{name} is not x"]
        )

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
            lambda: self.pick("o"),
            lambda: f"{self.pick('o')} {self.random.choice(['==', '!=', '<', 'is'])} {self.pick('o')}",
            lambda: f"{self.pick('v')} in {self.pick('o')}",
            lambda: f"{self.random.choice(['c', 'a'])!r} {self.random.choice(['in', 'not in'])} {self.pick('d')}",
            lambda: f"hasattr(box, {self.random.choice(['extra', 'value', 'other'])!r})",
            lambda: (
                f"isinstance(getattr(box, 'extra', None), {self.random.choice(['Tensor', 'list', '(int, float)'])})"
            ),
            lambda: f"{self.random.choice(['any', 'all'])}({self.test('v')} for v in {self.group()})",
            lambda: f"0 <= {self.integer(2)} < 3",
            lambda: f"bool({self.pick('l')})",
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
            lambda: f"mixed({sub()}, *[{sub()}], rate={self.float(2)})",
            lambda: f"mixed({sub()}, **{{'b': {sub()}, 'other': {sub()}}})",
            lambda: f"shrink({sub()}, {self.integer(2)} % 6)",
            lambda: f"compiled({sub()}, {self.integer(2)} % 3)",
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
                lambda: f"{self.pick('o')}[{self.random.choice([0, -1])}]",
                lambda: f"{self.pick('o')}({sub()}, scale={self.float(2)})",
                lambda: f"{self.pick('o')}.first",
                lambda: f"({self.pick('o')} {self.random.choice('+*')} {sub()})[0]",
                lambda: f"({sub()} * 0.5 + {self.pick('o')})[-1]",
                lambda: f"getattr(box, {self.random.choice(['value', 'part0', 'part1'])!r}, {sub()})",
                lambda: f"getattr({sub()}, {self.random.choice(['sin', 'tanh', 'abs'])!r})()",
                lambda: (
                    f"{self.random.choice(['max', 'min'])}({self.group()}, key=lambda v: float(v.sum()), default=y)"
                ),
                lambda: f"functools.reduce(lambda a, b: (a + b) * 0.5, {self.group()}, {sub()})",
                lambda: f"tree({sub()}, {self.integer(2)} % 5)",
                lambda: f"{self.pick('g')}({sub()})",
                lambda: f"ms.grad(lambda a: ops.tanh(a * {sub()}).sum())({sub()})",
                lambda: f"next(iter({self.group()}), {sub()})",
                lambda: f"{sub()}.astype(ms.float64).astype(ms.float32)",
                lambda: f"Pair({sub()}, {self.float(2)}).mixed(0.25)",
                lambda: f"{self.pick('p')}.mixed()" if self.names["p"] else self.pick("v"),
                lambda: f"Tensor({self.pick('a')})" if self.names["a"] else self.pick("v"),
                lambda: self.patched(sub()),
                lambda: self.patched(sub()),
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
            self.s_attribute, self.s_attribute, self.s_bag, self.s_bag, self.s_sort, self.s_array, self.s_pair,
            self.s_noticed, self.s_noticed, self.s_patch,
        ]  # fmt: skip
        nested = [
            self.s_if, self.s_if, self.s_for, self.s_while, self.s_try, self.s_closure, self.s_return, self.s_with,
            self.s_recursion, self.s_gradient, self.s_match, self.s_generator,
        ]  # fmt: skip
        if not depth and self.chance(0.03):
            return self.s_long(depth)
        if depth >= 3 or (depth and self.chance(0.5)):
            chosen = self.random.choice(simple)
        else:
            chosen = self.random.choice(simple + nested * 2)
        if self.outer and self.chance(0.1):
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
            f"{name}.asnumpy()[{self.random.randrange(3)}] = {self.float(2)}",
            f"{self.pick('o')}[0][1] = {self.float(2)}",
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

    def s_attribute(self, depth: int) -> Body:
        """Attributes by name."""
        name = self.random.choice(["'value'", f"'part' + str({self.integer(1)} % 2)"])
        other = self.random.choice(["extra_count", "other"])
        forms: list[Callable[[], Body]] = [
            lambda: [Line(f"setattr(box, {name}, {self.tensor('v', 1)})")],
            lambda: [Line(f"setattr(box, {other!r}, {self.integer(1)})")],
            lambda: [Compound([(f"if hasattr(box, {other!r}):", [Line(f"delattr(box, {other!r})")])])],
            lambda: [self.assign("v", f"getattr(box, {name}, {self.pick('v')})")],
            lambda: [Compound([("if getattr(box, 'extra', None) is None:", [Line(f"box.extra = {self.pick('v')}")])])],
            lambda: [Line(f"box.__dict__.update(other={self.integer(1)})")],
            lambda: [Line(f"print(sorted(vars(box)), callable(box), {self.condition(1)})")],
        ]
        return self.random.choice(forms)()

    def _without_net(self, expression: str) -> str:
        """An expression for a hook of the Cell: one that calls the Cell again has no end, and how deep Python goes
        before it says so is its own matter."""
        return "0.5" if re.search(r"\bnet\b", expression) else expression

    def s_noticed(self, depth: int) -> Body:
        """What drops an object that is noticed, hooks, subclasses of Tensor and list, and places that tensors name."""
        value, place = self.tensor("v", 1), f"{self.pick('v')}.argmax() % 2"
        forms: list[Callable[[], Body]] = [
            lambda: [Line(f"box.held = {self.random.choice(['None', self.integer(1), self.pick('v')])}")],
            lambda: [Line(f"box.notices[{self.random.choice(['a', 'b'])!r}] = {self.integer(1)}")],
            lambda: [Line(f"box.notices.pop({self.random.choice(['a', 'b'])!r}, None)")],
            lambda: [Line("box.notices.clear()")],
            lambda: [self.assign("i", "box.count")],
            lambda: [
                Compound(
                    [
                        (
                            f"with net.register_forward_hook(lambda c, a, o: o * {self._without_net(self.float(1))}):",
                            [self.assign("v", f"ops.tanh(net({value}))")],
                        )
                    ]
                )
            ],
            lambda: [self.assign("v", f"box.loud * {self.random.choice([value, self.float(1)])}")],
            lambda: [
                Line(f"Louder.gain = {self.integer(2)}"),
                self.assign("v", f"ops.tanh(box.loud * {self.pick('v')})"),
                Line("Louder.gain = 1", fixed=True),
            ],
            lambda: [Line(f"box.stack.append({value})"), self.assign("i", "(len(box.stack) + box.stack.put) % 5")],
            lambda: [self.assign("v", f"{self.pick('l')}[{place}]")],
            lambda: [Line(f"{self.pick('l')}[{place}] = {value}")],
            lambda: [self.assign("i", f"[3, 1, 2][{self.pick('v')}.argmax()] + len(box.loud)")],
        ]
        return self.random.choice(forms)()

    def s_patch(self, depth: int) -> Body:
        """Methods that the program itself replaces."""
        number = self.float(1)
        forms = [
            f"Tensor.twice = lambda s: ops.mul(s, {number})",
            "vars(Tensor).get('twice') and delattr(Tensor, 'twice')",
            f"Pair.mixed = lambda s, rate=0.5: s.a * rate + {number}",
            f"Box.double = property(lambda s: s.value * {number})",
            f"Box.extra_count = {self.integer(1)}",
            f"Bag.__len__ = lambda s: {self.random.randint(1, 3)}",
            f"Bag.__call__ = lambda s, v, *more, scale=0.5: v * (scale + {number})",
            f"Net.aside = lambda s, v: v * {number}",
            f"mixed.__defaults__ = ({number},)",
        ]
        return [Line(self.random.choice(forms))]

    def s_bag(self, depth: int) -> Body:
        """Special methods."""
        name, value = self.pick("o"), self.tensor("v", 1)
        forms: list[Callable[[], Line | Compound]] = [
            lambda: Line(f"{name}[{self.random.choice([0, -1])}] = {value}"),
            lambda: Line(f"{name} += {value}"),
            lambda: Line(f"{name}.parts.append({value})"),
            lambda: Compound([(f"if len({name}) > 2:", [Line(f"del {name}[0]")])]),
            lambda: self.assign("o", f"Bag([{value}, {self.pick('v')}])"),
            lambda: self.assign("o", f"{name} {self.random.choice('+*')} {self.random.choice([value, self.float(1)])}"),
            lambda: self.assign("o", f"{value} + {name}"),
            lambda: self.assign("o", f"{name} + {self.pick('o')}"),
            lambda: self.assign("o", f"-{name}"),
            lambda: self.assign("o", name),
            lambda: self.assign("o", f"{name}[:2]"),
            lambda: self.assign("o", f"max([{name}, {self.pick('o')}])"),
            lambda: self.assign("v", f"{name}({value}, {self.pick('v')}, scale={self.float(1)})"),
            lambda: self.assign("l", f"list({name})"),
            lambda: self.assign("l", f"[v for v in {name} if {self.test('v')}] or [*{name}]"),
            lambda: Line(f"print({name}, {self.condition(1)})"),
            lambda: self.assign("g", name),
        ]
        return [self.random.choice(forms)()]

    def s_sort(self, depth: int) -> Body:
        name = self.pick("l")
        key = self.random.choice(["float(v.sum())", "(len(v.shape), float(v[0]))", f"bool({self.test('v')})"])
        reverse = self.random.choice(["", ", reverse=True", f", reverse={self.condition(1)}"])
        forms: list[Callable[[], Line]] = [
            lambda: Line(f"{name}.sort(key=lambda v: {key}{reverse})"),
            lambda: self.assign("l", f"sorted({self.group()}, key=lambda v: {key}{reverse}) or [x]"),
            lambda: self.assign("i", f"sorted([{self.integer(1)}, {self.integer(1)}]{reverse})[0]"),
            lambda: self.assign(
                "d", f"dict(sorted({self.pick('d')}.items(), key=lambda kv: float(kv[1].sum()){reverse}))"
            ),
        ]
        return [self.random.choice(forms)()]

    def s_array(self, depth: int) -> Body:
        """Memory that numpy sees."""
        if not self.names["a"] or self.chance(0.4):
            value = self.random.choice([f"{self.pick('v')}.asnumpy()", f"{self.tensor('v', 1)}.asnumpy() * 0.5"])
            return [self.assign("a", value)]
        name = self.pick("a")
        forms: list[Callable[[], Line]] = [
            lambda: Line(f"{name}[{self.random.randrange(3)}] = {self.float(1)}"),
            lambda: self.assign("v", f"ms.from_numpy({name})"),
            lambda: self.assign("v", f"Tensor({name})"),
            lambda: self.assign("f", f"float({name}.mean())"),
        ]
        return [self.random.choice(forms)()]

    def s_pair(self, depth: int) -> Body:
        if not self.names["p"] or self.chance(0.4):
            return [
                self.assign(
                    "p", f"Pair({self.tensor('v', 1)}{self.random.choice(['', ', 0.25', f', {self.pick(chr(118))}'])})"
                )
            ]
        name = self.pick("p")
        forms: list[Callable[[], Line]] = [
            lambda: Line(f"{name}.a = {self.tensor('v', 1)}"),
            lambda: Line(f"{name}.b = {self.number(1)}"),
            lambda: self.assign("v", f"{name}.mixed({self.float(1)})"),
            lambda: self.assign("g", f"{name}.mixed" if self.chance(0.2) else f"functools.partial(mixed, {name}.a)"),
            lambda: Line(f"box.extra = {name}"),
        ]
        return [self.random.choice(forms)()]

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
                f"for {item} in list({self.group()})[:4]:",
                f"for {item} in {self.pick('o')}[:2]:",
                f"for {item} in Steps({self.pick('v')}, 3):",
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

    def s_long(self, depth: int) -> Body:
        """A loop of some hundred iterations over a few lines."""
        number = self.fresh("i")
        count = self.random.choice([str(self.random.randint(60, 300)), f"{self.random.randint(20, 60)} * (n + 1)"])
        before = {kind: list(names) for kind, names in self.names.items()}
        self.note("i", number)
        forms: list[Callable[[], Line]] = [
            lambda: Line(f"{self.pick('v')} = {self.tensor('v', 1)} * 0.5 + {self.tensor('v', 2)} * 0.25"),
            lambda: Line(f"{self.pick('v')} += ops.sin({self.tensor('v', 2)}) * 0.01"),
            lambda: Line(f"{self.pick('v')}[{number} % 3] = {self.random.choice([number + ' * 0.01', self.float(2)])}"),
            lambda: Line(f"{self.pick('m')} = ops.tanh({self.pick('m')} + {self.pick('v')} * 0.1)"),
            lambda: Line(f"{self.pick('f')} = math.tanh({self.pick('f')} + {number} * 0.1)"),
            lambda: Line(f"{self.pick('i')} = ({self.pick('i')} + {number}) % 7"),
            lambda: Line(f"{self.pick('l')}[{number} % 2] = {self.pick('v')}"),
            lambda: Line("box.count += 1"),
        ]
        inner: Body = [self.random.choice(forms)() for _ in range(self.random.randint(1, 3))]
        leave = self.random.choice(
            ["", "", f"{self.pick('v')}.sum() > {round(self.random.uniform(2, 6), 1)}", f"{number} > 90"]
        )
        if leave:
            inner.append(Compound([(f"if {leave}:", [Line(self.random.choice(["break", "continue"]))])]))
        self.names = before
        return [Compound([(f"for {number} in range({count}):", inner)])]

    def s_with(self, depth: int) -> Body:
        header = self.random.choice(
            [
                "with ms.no_grad():",
                "with ms.no_grad():",
                f"with {self.pick('o')} as {self.target('v')}:",
                f"with {self.pick('o')}:",
                f"with counted(box, {self.tensor('v', 1)}) as {self.target('v')}:",
                "with contextlib.suppress(LookupError, ValueError):",
                f"with ms.no_grad(), {self.pick('o')}:",
            ]
        )
        inner = self.body(depth + 1, self.random.randint(1, 2))
        if self.chance(0.3):
            cause = self.random.choice(
                [f"{self.pick('v')} = {self.pick('l')}[{self.integer(1)} % 5]", f"{self.pick('d')}['z']", "bag['z']"]
            )
            inner.insert(self.random.randrange(len(inner) + 1), Line(cause))
        return [Compound([(header, inner)])]

    def s_recursion(self, depth: int) -> Body:
        """An inner function that calls itself, a number of times or until the data says so."""
        name, value = (
            self.fresh("h"),
            self.random.choice(["a * 0.75 + 0.1", "ops.sin(a)", f"ops.tanh(a + {self.pick('v')})"]),
        )
        stop = self.random.choice(["k <= 0", "k <= 0 or a.sum() > 1", "k <= 0 or float(a.max()) < 0.2"])
        call = f"{name}({value}, k - 1)"
        last = self.random.choice([call, f"{call} * 0.5 + a * 0.25", f"({call} + {name}(-a, k - 3)) * 0.5"])
        count = self.random.randint(2, 7 if "k - 3" in last else 25)
        inner: Body = [
            Compound([(f"if {stop}:", [Line(f"return {self.random.choice(['a', '-a', 'a * 2'])}", True)])], True)
        ]
        if self.chance(0.3):
            inner.insert(0, Line(self.random.choice(["box.count += 1", "print(k, end=' ')", "box.seen.append(k)"])))
        inner.append(Line(f"return {last}"))
        return [
            Compound([(f"def {name}(a, k={count}):", inner)]),
            self.assign("v", f"{name}({self.tensor('v', 1)})"),
        ]

    def s_gradient(self, depth: int) -> Body:
        """Gradients inside of the program, of a function that may do anything."""
        name = self.fresh("q")
        kept = self.names, self.outer
        self.names = {kind: list(names) for kind, names in self.names.items()} | {"v": ["a", "a", *self.names["v"]]}
        self.outer = []
        inner: Body = []
        extra = self.random.choice(["", "", "print('in', end=' ')", "box.count += 1", "box.seen.append(a)"])
        if extra:
            inner.append(Line(extra))
        if self.chance(0.5):
            inner.append(Line(f"a = {self.tensor('v', 1)}"))
        if self.chance(0.3):
            inner.append(Compound([(f"if {self.condition()}:", [Line(f"return {self.tensor('s', 1)}")])]))
        inner.append(Line(f"return {self.tensor('s', 0)}"))
        self.names, self.outer = kept
        first = self.tensor("v", 1)
        if self.chance(0.5):
            return [Compound([(f"def {name}(a):", inner)]), self.assign("v", f"ops.tanh(ms.grad({name})({first}))")]
        one, two = self.target("s"), self.target("v")
        self.note("s", one)
        self.note("v", two)
        return [Compound([(f"def {name}(a):", inner)]), Line(f"{one}, {two} = ms.value_and_grad({name})({first})")]

    def s_match(self, depth: int) -> Body:
        subject, first, second = self.random.choice(
            [
                (f"{self.integer(1)} % 3", "0", "1 | 2"),
                (f"({self.integer(1)} % 3, flag)", "(0, True)", "(k, False) if k > 0"),
                (f"{self.pick('l')}[:3]", f"[{self.fresh('v')}]", f"[{self.fresh('v')}, *_]"),
                (f"{self.pick('d')}", "{'c': c}", "{'a': _, **rest}"),
                ("getattr(box, 'extra', None)", "None | int() | float()", "Tensor()"),
            ]
        )
        cases: list[tuple[str, Body]] = [
            (f"case {first}:", self.body(depth + 2, 1)),
            (f"case {second}:", self.body(depth + 2, 1)),
        ]
        if self.chance(0.6):
            cases.append(("case _:", self.body(depth + 2, 1)))
        return [Compound([(f"match {subject}:", [Compound(cases)])])]

    def s_generator(self, depth: int) -> Body:
        """A generator of the program, and who takes its items."""
        name = self.fresh("e")
        kept = self.names, self.outer
        self.names = {kind: list(names) for kind, names in self.names.items()} | {"v": ["a", *self.names["v"]]}
        self.outer = []
        inner: Body = [Line(f"yield {self.tensor('v', 1)}")]
        more: Body = [Line(f"a = {self.tensor('v', 1)} * 0.5"), Line("yield a")]
        inner.append(Compound([(f"for k in range({self.random.randint(1, 3)}):", more)]))
        if self.chance(0.4):
            inner.insert(1, Line(self.random.choice(["box.count += 1", "print('item')", f"yield from {self.group()}"])))
        self.names, self.outer = kept
        value, call = self.tensor("v", 1), f"{name}({self.tensor('v', 1)})"
        uses: list[Callable[[], Line]] = [
            lambda: self.assign("l", f"list({call})"),
            lambda: self.assign("v", f"next({call})"),
            lambda: self.assign("v", f"functools.reduce(lambda a, b: (a - b) * 0.5, {call}, {value})"),
            lambda: self.assign("l", f"[v * u for v, u in zip({call}, {self.pick('l')})] or [{value}]"),
            lambda: Line(f"{self.pick('l')}.extend({call})"),
            lambda: self.assign("o", f"Bag({call})"),
            lambda: self.assign("l", f"sorted({call}, key=lambda v: float(v.sum()))"),
        ]
        return [Compound([(f"def {name}(a):", inner)]), self.random.choice(uses)()]

    def s_try(self, depth: int) -> Body:
        inner = self.body(depth + 1, self.random.randint(1, 2))
        before = {kind: list(names) for kind, names in self.names.items()}
        causes: list[Callable[[], Line | Compound]] = [
            lambda: Compound([(f"if {self.condition()}:", [Line(f"raise ValueError('stop', {self.integer(1)})")])]),
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
        self.note("g", name)
        return made

    def s_return(self, depth: int) -> Body:
        condition = f"{self.condition()} and {self.condition()}"
        return [Compound([(f"if {condition}:", [Line(f"return {self.tensor('v', 1)}, {self.number(1)}")])])]


def random_source(seed: int) -> Source:
    """The function of a seed."""
    writer = _Writer(seed)
    body = writer.body(0, writer.random.randint(4, 9))
    shown = [writer.pick(kind) for kind in "vvmifldop" if writer.names[kind]] + writer.names["s"][-1:]
    return Source(body, f"return {', '.join(shown)}", PARAMETERS)


#: What this file makes.
PYTHON = Family(random_source, calls, GLOBALS, ("TOTAL",), is_patched=True)

_versions: dict[int, int] = {}


def catching(source: Source) -> Source:
    """The same, which also catches what the handlers of signals raise."""
    caught: Body = [Line("box.seen.append('caught')"), Line("return 'caught'")]
    clauses: list[tuple[str, Body]] = [
        ("try:", [*source.body, Line(source.result)]), ("except Late:", caught),
        ("finally:", [Line("box.seen.append('finally')")]),
    ]  # fmt: skip
    return Source([Compound(clauses)], "return None", source.parameters)


def program(seed: int, source: Source | None = None, grad: bool = False, family: Family = PYTHON) -> Program:
    """The program of a seed, or another source in its place, ready to be checked. Its text can be inspected."""
    written = text(source or family.source(seed))
    version = _versions[seed] = _versions.get(seed, -1) + 1
    filename = f"<random program {seed}.{version}>"
    linecache.cache[filename] = (len(written), None, written.splitlines(keepends=True), filename)
    namespace = dict(family.namespace, __name__=__name__, Late=Late)
    exec(compile(written, filename, "exec"), namespace)
    made = Program(
        f"random program {seed}", lambda _jit: namespace["f"], lambda: family.calls(seed), grad=grad, raises=None,
        state=family.state, namespace=namespace,
    )  # fmt: skip
    if family.is_patched:
        made.between = made.around = Patching(seed, namespace, written)
    return made


# ------------------------------------------------------------------------------------------------------------ mismatches


def mismatch(
    seed: int, source: Source | None = None, grad: bool = False, jit: Callable[[Any], Any] = ms.jit,
    family: Family = PYTHON,
) -> str | None:  # fmt: skip
    """What `check` finds wrong, or how the compiler failed; None when all is equal."""
    try:
        made = program(seed, source, grad, family)
    except SyntaxError:
        if source is None:
            raise
        return None  # a smaller version that is no program
    try:
        check(made, jit)
    except AssertionError as error:
        return str(error)
    except Exception as error:  # the compiler's own
        return f"{type(error).__name__}: {error}"
    return None


def mismatch_of_signal(
    seed: int, turn: int = 0, source: Source | None = None, jit: Callable[[Any], Any] = ms.jit
) -> str:
    """How a signal fares in the program of a seed: see `interrupted`; for a mismatch a text of several words. Each turn has
    another moment."""
    try:
        made = program(seed, catching(source or random_source(seed)))
        made.namespace["print"] = said_at_once
        return interrupted(made, 1000 * seed + turn, jit)
    except SyntaxError:
        return "unheard"
    except Exception as error:  # the compiler's own
        return f"{type(error).__name__}: {error}"


def _place(found: str | None) -> str | None:
    """Where a mismatch is, in words that do not depend on how many calls went before."""
    return None if found is None else found.split("\n")[0].partition(" differs at ")[2]


def minimise(seed: int, grad: bool = False, jit: Callable[[Any], Any] = ms.jit, family: Family = PYTHON) -> Source:
    """The source of a seed that mismatches, without the statements that the mismatch does not need."""
    source = family.source(seed)
    wrong = _place(mismatch(seed, source, grad, jit, family))
    shrinking = True
    while shrinking:
        shrinking = False
        for body in smaller(source.body):
            candidate = Source(body, source.result, source.parameters)
            if _place(mismatch(seed, candidate, grad, jit, family)) == wrong:
                source, shrinking = candidate, True
                break
    names = [name.strip() for name in source.result.removeprefix("return").split(",")]
    for name in names:  # then the results, down to one
        left = [other for other in names if other != name]
        candidate = Source(source.body, f"return {', '.join(left)}", source.parameters)
        if left and mismatch(seed, candidate, grad, jit, family):
            source, names = candidate, left
    return source
