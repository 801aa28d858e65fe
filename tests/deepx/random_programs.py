"""Random programs that are valid, in canonical text and in text as people write it.

A tensor is *exact* while only operations that IEEE rounds correctly made it. Operations that jump (comparisons, remainders,
extremes with gradients) take exact operands only: on others a last bit would decide.
"""

from __future__ import annotations

import random

SHAPES = [(), (3,), (2, 3), (3, 2), (2, 1, 3), (1,), (0,), (4, 2)]
EXACT = {
    "t1": ["copytensor"],
    "t1 a1": ["add_scalar", "sub_scalar", "rsub_scalar", "mul_scalar"],
    "t1 t2": ["add", "sub", "mul"],
    "t1 t2 jump": ["max", "min"],
    "t1 a1 jump": ["max_scalar", "min_scalar"],
}
FLOAT = {
    "t1": ["exp", "sqrt", "log", "sin", "cos", "tanh"],
    "t1 a1": ["div_scalar", "rdiv_scalar"],
    "t1 t2": ["div"],
    "t1 t2 jump": ["mod"],
    "t1 a1 jump": ["mod_scalar"],
}
ROUNDED = {"exp", "log", "sin", "cos", "tanh", "sum", "matmul", "prod"}
IN_PLACE_FORBIDDEN = {"mul", "max", "max_scalar", "min", "min_scalar", "log", "rdiv_scalar", "sin", "cos", "matmul", "prod",
                      "reducemax", "reducemin", "mod", "div"}  # fmt: skip


class Writer:
    """Writes lines and keeps what is needed to write the next."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.tensors: dict[str, tuple[str, tuple, bool]] = {}
        self.count = 0

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.random.choice(['', '_', 'x.'])}{self.count}"

    def number(self, dtype: str) -> str:
        if dtype.startswith("int"):
            return str(self.random.choice([-3, -1, 2, 3, 7]))
        return self.random.choice(["-1.5", "0.25", "2.0", "3.0", "-0.5", "1e-05", "1.25"])

    def argument(self, dtype: str) -> str:
        name = self.fresh("a")
        self.lines.append(f"argset@{dtype} {self.number(dtype)}->{name}")
        return name

    def vector(self, numbers) -> str:
        name = self.fresh("v")
        words = [str(n) for n in numbers]
        self.lines.append(" ".join([f"argset@{self.random.choice(['int32', 'int64', 'int8'])}", *words]) + f"->{name}")
        return name

    def new(self, dtype: str, shape: tuple, exact: bool = True) -> str:
        shape_name, name = self.vector(shape), self.fresh("t")
        self.lines.append(f"newtensor@{dtype} {shape_name}->{name}")
        self.tensors[name] = (dtype, shape, exact)
        return name

    def leaf(self, dtype: str) -> str:
        start, step = self.argument(dtype), self.argument(dtype)
        name = self.new(dtype, self.random.choice(SHAPES))
        self.lines.append(f"arange@{dtype} {start} {step}->{name}")
        return name

    def result(self, dtype: str, shape: tuple, exact: bool) -> str:
        """A tensor to write to: new, or one that is there already."""
        old = [name for name, (kind, size, _) in self.tensors.items() if (kind, size) == (dtype, shape)]
        if old and self.random.random() < 0.3:
            name = self.random.choice(old)
            self.tensors[name] = (dtype, shape, exact)
            return name
        return self.new(dtype, shape, exact)

    def write(self) -> None:
        """One more instruction, with backward now and then."""
        name = self.random.choice(list(self.tensors))
        dtype, shape, exact = self.tensors[name]
        is_float = dtype.startswith("float")
        choice = self.random.choice(["elementwise"] * 4 + ["reduce", "shape", "join", "product", "cells"])
        if choice == "elementwise":
            table = FLOAT if is_float and self.random.random() < 0.5 else EXACT
            form = self.random.choice(list(table))
            op = self.random.choice(table[form])
            operands = [name]
            if "t2" in form:
                mates = [other for other, (kind, size, _) in self.tensors.items() if (kind, size) == (dtype, shape)]
                operands.append(self.random.choice(mates))
                exact = exact and self.tensors[operands[1]][2]
            elif "a1" in form:
                operands.append(self.argument(dtype if is_float else self.random.choice([dtype, "int8"])))
            if "jump" in form and not exact:
                return
            self.line(op, dtype, operands, shape, exact and op not in ROUNDED)
        elif choice == "reduce" and shape:
            op = self.random.choice(["sum", "prod", "reducemax", "reducemin"])
            axes = sorted({self.random.randrange(len(shape)) for _ in range(self.random.randrange(3))})
            gone = axes or range(len(shape))
            if op in ("reducemax", "reducemin") and (not exact or any(shape[i] == 0 for i in gone)):
                return
            kept = tuple(1 if i in gone else n for i, n in enumerate(shape))
            removed = tuple(n for i, n in enumerate(shape) if i not in gone)
            vector = self.vector([axis - self.random.choice([0, len(shape)]) for axis in axes])
            self.line(
                op,
                dtype,
                [name, vector],
                self.random.choice([kept, removed]),
                exact and not (is_float and op in ROUNDED),
            )
        elif choice == "shape" and shape:
            op = self.random.choice(["reshape", "transpose", "broadcastTo", "repeat"])
            order = self.random.sample(range(len(shape)), len(shape))
            times = [self.random.choice([1, 2, 3]) for _ in shape]
            numbers, size = {
                "reshape": (shape[::-1], shape[::-1]),
                "transpose": (order, tuple(shape[i] for i in order)),
                "broadcastTo": ((2, *shape), (2, *shape)),
                "repeat": (times, tuple(n * k for n, k in zip(shape, times))),
            }[op]
            self.line(op, dtype, [name, self.vector(numbers)], size, exact)
        elif choice == "join" and shape:
            axis = self.random.randrange(len(shape))
            if self.random.random() < 0.5:
                argument = self.fresh("a")
                self.lines.append(f"argset@int32 {axis}->{argument}")
                longer = (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :])
                self.line("concat", dtype, [name, name, argument], longer, exact)
            elif shape[axis]:
                index = [self.random.randrange(shape[axis]) for _ in range(4)]
                numbers, places, argument = self.vector(index), self.new("int32", (4,)), self.fresh("a")
                self.lines += [f"fromvec@int32 {numbers}->{places}", f"argset@int64 {axis}->{argument}"]
                size = (*shape[:axis], 4, *shape[axis + 1 :])
                self.line("indexselect", dtype, [name, places, argument], size, exact, unwanted={places})
                del self.tensors[places]  # whose numbers must stay places
        elif choice == "product" and len(shape) == 2:
            mates = [n for n, (kind, size, _) in self.tensors.items() if kind == dtype and size == shape[::-1]]
            if mates:
                self.line(
                    "matmul", dtype, [name, self.random.choice(mates)], (shape[0], shape[0]), exact and not is_float
                )
        elif choice == "cells" and len(self.tensors) > 4:
            del self.tensors[name]
            self.lines.append(f"deltensor {name}")

    def line(self, op: str, dtype: str, operands: list, shape: tuple, exact: bool, unwanted: set = frozenset()) -> None:
        before = {name: self.tensors[name] for name in operands if name[0] == "t"}
        result = self.result(dtype, shape, exact)
        self.lines.append(f"{op}@{dtype} " + " ".join(operands) + f"->{result}")
        self.tensors[result] = (dtype, shape, exact)
        if not dtype.startswith("float") or self.random.random() < 0.4:
            return
        if result in operands and op in IN_PLACE_FORBIDDEN:
            return
        g = self.new(dtype, shape)
        a = self.argument(dtype)
        self.lines.append(f"arange@{dtype} {a} {a}->{g}")
        words, grads = [], {}
        for name in operands:
            if name[0] != "t":
                words.append(name)
            elif name in unwanted or self.random.random() < 0.2:
                words.append(f"{name}(_)")
            elif name == result and self.random.random() < 0.5:
                words.append(f"{name}({g})")
                self.tensors[g] = (dtype, shape, False)
            else:
                grad = grads.get(name) or self.new(dtype, before[name][1], False)
                grads[name] = grad
                words.append(f"{name}({grad})")
        backward = f"{op}@{dtype} " + " ".join(words) + f"<-{result}({g})"
        self.lines += [backward] * self.random.choice([1, 1, 2])


def random_program(seed: int) -> str:
    """Canonical text of a valid program."""
    writer = Writer(seed)
    dtypes = writer.random.choice(
        [["float64"], ["float64", "int32"], ["float32", "int8"], ["float64", "int64", "int16"]]
    )
    for _ in range(4):
        writer.leaf(writer.random.choice(dtypes))
    for _ in range(writer.random.randrange(5, 25)):
        writer.write()
    return "\n".join(writer.lines) + "\n"


def disarray(text: str, seed: int) -> str:
    """The same program as untidy people write it."""
    chance = random.Random(seed)

    def blanks(least: int) -> str:
        return "".join(chance.choice(" \t") for _ in range(least + chance.randrange(2)))

    lines = []
    for line in text.splitlines():
        arrow = "->" if "->" in line else "<-"
        line = line.replace(" ", blanks(1)).replace(arrow, blanks(0) + arrow + blanks(0))
        line = (
            line.replace("(", blanks(0) + "(" + blanks(0))
            .replace(")", blanks(0) + ")")
            .replace("@", blanks(0) + "@" + blanks(0))
        )
        if line.startswith("deltensor") and chance.random() < 0.5:
            line += "->"
        lines.append(blanks(0) + line + chance.choice(["", " ", "// a comment", " //id=3 author=me"]))
        lines += chance.choice([[], [], [""], ["  // only a comment"]])
    return chance.choice(["\n", "\r\n"]).join(lines)
