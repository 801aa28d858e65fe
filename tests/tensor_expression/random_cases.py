"""Random small kernels, and what they mean: a brute-force evaluator in plain Python that knows nothing of the package.

Index expressions are kept as text, which means the same in Python: `//` and `%` are floored there too. A term is summed
over every point of a box that is larger than its domain, skipping points where some access is outside its tensor.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

import numpy as np

REACH = 21  #: no index of a random kernel has a larger value


@dataclass
class Term:
    """sign · template, whose `{0}`, `{1}` … are accesses: (tensor, index texts)."""

    sign: int
    template: str
    accesses: list[tuple[str, list[str]]]


@dataclass
class Program:
    """One statement `Y[left] = terms`."""

    left: list[str]
    terms: list[Term]
    shapes: dict[str, tuple[int, ...]]
    ranges: dict[str, int] = field(default_factory=dict)

    def text(self) -> str:
        def spelled(name: str, indices: list[str]) -> str:
            shape = ", ".join(map(str, self.shapes[name]))
            return f"{name}<{shape}>[{', '.join(indices)}]" if self.shapes[name] else f"{name}<1>"

        right = ""
        for term in self.terms:
            body = term.template.format(*(spelled(*access) for access in term.accesses))
            right += f" {'-' if term.sign < 0 else '+'} {body}" if right else body
        return f"{spelled('Y', self.left)} = {right};"

    @property
    def ins(self) -> list[str]:
        return list(dict.fromkeys(name for term in self.terms for name, _ in term.accesses))

    def case(self) -> dict:
        return {"name": "random_case", "ins": self.ins, "outs": ["Y"], "data_type": "double", "kernel": self.text(),
                "ranges": self.ranges}  # fmt: skip

    def evaluate(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """The result, by brute force."""
        result = np.zeros(self.shapes["Y"])
        lengths = dict(zip(self.left, self.shapes["Y"]))
        for term in self.terms:
            texts = [text for _, indices in term.accesses for text in indices]
            names = sorted({n for text in texts for n in re.findall("[a-z]+", text)} | set(self.left))
            places = compile("(" + "".join(f"({text}), " for text in texts) + ")", "indices", "eval")
            value = compile(term.template.format(*(f"v[{i}]" for i in range(len(term.accesses)))), "value", "eval")
            spans = [range(min(lengths.get(n, REACH), self.ranges.get(n, REACH))) for n in names]
            for point in itertools.product(*spans):
                scope = dict(zip(names, point))
                flat = iter(eval(places, {}, scope))
                found = []
                for name, indices in term.accesses:
                    place = tuple(next(flat) for _ in indices)
                    if not all(0 <= i < n for i, n in zip(place, self.shapes[name])):
                        break
                    found.append(arrays[name][place])
                else:
                    result[tuple(scope[n] for n in self.left)] += term.sign * eval(value, {"v": found})
        return result


def random_program(rng: np.random.Generator) -> Program:
    """A kernel whose indices have offsets, strides, quotients and remainders."""
    left = ["i", "j"][: rng.integers(0, 3)]
    shapes: dict[str, tuple[int, ...]] = {"Y": tuple(int(rng.integers(1, 6)) for _ in left)}
    ranges: dict[str, int] = {}
    terms = []
    for _ in range(rng.integers(1, 4)):
        summed = [str(n) for n in rng.permutation(["r", "s"])[: rng.integers(0, 3)]]
        pool = left + summed
        accesses = []
        for number in range(rng.integers(1, 3)):
            if number and rng.random() < 0.25:  # again the same tensor
                name, indices = accesses[-1]
                accesses.append((name, [_index(rng, pool, ranges) for _ in indices]))
                continue
            free = [n for n in "ABCDEF" if n not in shapes]
            name = free[0]
            rank = int(rng.integers(0 if rng.random() < 0.1 else 1, 3)) if pool else 0
            shapes[name] = tuple(int(rng.integers(1, 6)) for _ in range(rank))
            accesses.append((name, [_index(rng, pool, ranges) for _ in range(rank)]))
        used = {n for _, indices in accesses for text in indices for n in re.findall("[a-z]+", text)}
        for n in summed:  # a bound for what only remainders and differences hold
            if n in used and n not in ranges and not _is_bounded(accesses, n):
                ranges[n] = int(rng.integers(1, 4))
        templates = ["{0}", "2 * {0}", "{0} / 3", "({0} + 1) * 0.5"] if len(accesses) == 1 else [
            "{0} * {1}", "{0} / {1}", "({0} - {1}) * 1.5", "{0} * ({1} + {0})", "-({0} * {1})",
        ]  # fmt: skip
        terms.append(Term(int(rng.choice([1, -1])) if terms else 1, str(rng.choice(templates)), accesses))
    return Program(left, terms, shapes, ranges)


def _is_bounded(accesses: list, name: str) -> bool:
    simple = re.compile(
        rf"(\d \* )?{name}( [+-] \d)?|{name} // \d|[a-z] \+ {name}|{name} \+ [a-z]|2 \* [a-z] \+ {name}"
    )
    return any(simple.fullmatch(text) for _, indices in accesses for text in indices)


def _index(rng: np.random.Generator, pool: list[str], ranges: dict[str, int]) -> str:
    a, b = (str(rng.choice(pool)) for _ in range(2))
    c = int(rng.integers(1, 4))
    forms = [a, a, a, f"{a} + {c}", f"{a} - {c}", f"2 * {a}", f"3 * {a} + 1", f"{a} // {c + 1}", f"{a} % {c + 1}",
             f"({a} - {c}) % 5", f"{c} - {a}"]  # fmt: skip
    if a != b:
        forms += [f"{a} + {b}", f"{a} + {b} - 1", f"2 * {a} + {b}", f"{a} - {b}", f"{a} - {b} + 2", f"2 * {a} - 2 * {b}",
                  f"({a} * 3 + {b}) // 2", f"({a} * 3 + {b}) % 2", f"{a} // 2 + {b}"]  # fmt: skip
    return str(rng.choice(forms))
