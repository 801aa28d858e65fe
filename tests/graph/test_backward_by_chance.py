"""Programs made by chance that call `backward()`, with hooks, gradients of their own, optimizers and hops in between: what
a call leaves, and what a walk back from outside finds then, is what PyNative mode leaves, call after call."""

from __future__ import annotations

import numpy as np
import pytest
from chance import Writer, loaded
from outcomes import bits

from anfora import Parameter, Tensor, custom_vjp, jit, nn
from anfora.nn import Cell

EXPRESSIONS = (
    "{} * {}", "{} + {}", "{} - {} * 2.5", "ops.relu({}) + {}", "ops.sin({}) + 0 * {}", "{} * rate + {}",
    "m.reverse({}) + {}", "m.double({}) * {}", "m.watched({}) - {}", "m.mixed({}, {})[0]", "sum(m.mixed({}, {}))",
    "{}.reshape(2, 1).sum(1) * {}", "{}[::1] - {}", "ops.tanh({} + {}).detach()",
)  # fmt: skip


class Statements(Writer):
    """A function of an argument, a number, three Parameters and what holds the rest."""

    def function(self):
        self.names = ["x", "p[0]", "p[1]", "p[2]"]
        self.lines = ["def program(x, rate, p, m):"]
        for _ in range(self.rng.integers(4, 15)):
            self.statement()
        results = f"{self.one()}, {self.one()}"
        self.write(1, f"return {results}, [q.grad for q in p]")
        return "\n".join(self.lines)

    def one(self):
        return self.pick(*self.names[-6:], *self.names[:4])

    def new(self, text):
        name = f"v{len(self.names)}"
        self.names.append(name)
        return f"{name} = {text}"

    def statement(self):
        kind = self.rng.random()
        made = [name for name in self.names if name[0] == "v"] or ["m.reverse(p[0])"]
        if kind < 0.42:
            self.write(1, self.new(self.pick(*EXPRESSIONS).format(self.one(), self.one())))
        elif kind < 0.6:
            self.backward()
        elif kind < 0.67:
            self.write(1, f"p[{self.rng.integers(3)}].grad = None")
        elif kind < 0.73:
            self.write(1, self.pick("m.optimizer.zero_grad()", "m.optimizer.zero_grad(set_to_none=False)"))
        elif kind < 0.78:
            self.write(1, "if any([q.grad is not None for q in p]):")
            self.write(2, "m.optimizer.step()")
        elif kind < 0.84:
            hook = self.pick("g * 2", "m.log.append(g)", "m.log.append(g) or g + 1")
            self.write(1, f"{self.pick(*made)}.register_hook(lambda g: {hook})")
        elif kind < 0.9:
            self.write(1, f"m.log.append({self.pick(self.one(), f'p[{self.rng.integers(3)}].grad')})")
        elif kind < 0.93:
            self.write(1, self.new(f"({self.one()} + 0).detach().requires_grad_()"))
        elif kind < 0.95:
            self.write(1, f"p[{self.rng.integers(3)}].requires_grad = {self.pick(True, False)}")
        elif kind < 0.97:
            self.write(1, f"{self.pick(*made)}.add_(1)")
        else:
            self.write(1, f"m.log.append(float({self.one()}.sum()))")

    def backward(self):
        how = self.pick("", "", "retain_graph=True")
        call = self.pick(
            f"({self.one()} * {self.one()}).sum().backward({how})",
            f"{self.one()}.sum().backward({how})",
            f"{self.one()}.backward(x)",
        )
        if self.rng.random() < 0.25:
            self.write(1, "try:")
            self.write(2, call)
            self.write(1, "except RuntimeError:")
            self.write(2, "m.log.append('refused')")
        else:
            self.write(1, call)


class Reverse(Cell):
    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        return (-dout,)


class Mixed(Cell):
    def construct(self, x, y):
        return x * y, x + y

    def bprop(self, x, y, out, dout):
        return dout[0] * y + out[1], dout[1] - x


class Thrice(Cell):
    def construct(self, x):
        return x * 3


@custom_vjp
def double(x):
    return x * 2


double.defbwd(lambda x, out, dout: (dout * 10 + out,))


class Things:
    """What a program works with."""

    def __init__(self):
        self.log = []
        self.reverse, self.mixed, self.watched, self.double = Reverse(), Mixed(), Thrice(), double
        self.watched.register_backward_hook(lambda cell, given, taken: self.log.append((given, taken)))
        starts = ([1.0, 2.0], [-1.0, 0.5], [3.0, -2.0])
        self.parameters = [Parameter(Tensor(start), name=f"p{k}") for k, start in enumerate(starts)]
        self.optimizer = nn.Momentum(self.parameters, 0.1, 0.9)

    def seen(self, function, x, rate):
        """All that can be seen of a call."""
        shown = []
        try:
            *results, gradients = function(x, rate, self.parameters, self)
            shown.append(bits((results, gradients)))
            for result in results:
                try:
                    result.sum().backward()
                except Exception as error:
                    shown.append((type(error), getattr(error, "message", None)))
        except Exception as error:
            shown.append((type(error), getattr(error, "message", None)))
        states = list(self.optimizer.get_parameters())
        shown.append(bits((x.grad, [(p, p.grad, p.requires_grad) for p in self.parameters], states, self.log)))
        self.log.clear()
        return shown


@pytest.mark.parametrize("seed", range(60))
def test_what_is_left_is_what_pynative_mode_leaves(seed, tmp_path):
    text = Statements(seed).function()
    function = loaded(text, tmp_path).program
    plain, own, compiled = Things(), Things(), jit(function)
    for k, rate in enumerate((0.5, 0.5, 0.25, 3.0)):
        x, y = (Tensor(np.array([k + 1, -k], np.float32)) for _ in range(2))
        if (k + seed) % 3 == 0:
            x.requires_grad_()
            y.requires_grad_()
        assert own.seen(compiled, y, rate) == plain.seen(function, x, rate), (k, text)
    assert compiled.program.native is None
