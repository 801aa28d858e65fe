"""Kernels inside compiled programs: rows like other operators, with the bits, gradients and errors of PyNative mode."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Parameter, Tensor, jit, nn, ops
from anfora.eager import dispatch
from anfora.graph.run.points import Hop
from anfora.tensor_expression import KernelError, kernel

PRODUCT = kernel("C<4, 6>[i, j] = A<4, 5>[i, k] * B<5, 6>[k, j];", name="product")
SMOOTH = kernel("y<4, 4>[i, j] = x<4, 6>[i, j + r] * w<3>[r];", name="smooth")
BOTH = kernel("S<4>[i] = A<4>[i] + B<4>[i]; P<4>[i] = S<4>[i] * B<4>[i];", name="both")
chosen = PRODUCT


def normal(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


A, B, W = normal(4, 5), normal(5, 6, seed=1), normal(3, seed=2)


def one(a, b):
    return ops.tanh(PRODUCT(a, b))


def chain(a, b, w):
    return (SMOOTH(PRODUCT(a, b), w) ** 2).sum()


def by_name(a, b):
    return PRODUCT(B=b, A=a)


def two_results(a, b):
    total, product = BOTH(a[:, 0], b[0, :4])
    return total * product


def a_loop(a, b):
    for _ in range(3):
        a = ops.relu(PRODUCT(a, b))[:, :5]
    return a


def slope(a, b, w):
    return anfora.grad(chain, (0, 1, 2))(a, b, w)


def value_and_slope(a, b, w):
    return anfora.value_and_grad(chain, (0, 2))(a, b, w)


def of_the_kernel_itself(a, b):
    return anfora.grad(PRODUCT, (0, 1))(a, b)


def second(a, b, w):
    def length(a):
        return sum((d**2).sum() for d in anfora.grad(chain, (0, 1, 2))(a, b, w))

    return anfora.grad(length)(a)


PROGRAMS = [
    (one, (A, B)), (chain, (A, B, W)), (by_name, (A, B)), (two_results, (A, B)), (a_loop, (A, B)), (slope, (A, B, W)),
    (value_and_slope, (A, B, W)), (of_the_kernel_itself, (A, B)), (second, (A, B, W)),
]  # fmt: skip


def hops(compiled) -> list[str]:
    program = compiled.program
    points = [*program.entries.values(), *program.points.values()]
    return [v.end.reason for point in points for v in point.variants if isinstance(v.end, Hop)]


def rows(compiled) -> list[str]:
    [point] = compiled.program.entries.values()
    [variant] = point.variants
    return [row.entry.op.name for row in variant.piece.calls]


def bits(results) -> list[bytes]:
    if isinstance(results, tuple):
        return [part for result in results for part in bits(result)]
    return [results.asnumpy().tobytes()]


@pytest.mark.parametrize(("program", "arguments"), PROGRAMS, ids=[program.__name__ for program, _ in PROGRAMS])
def test_jit_runs_kernels_natively(program, arguments, monkeypatch):
    compiled = jit(program)
    for _ in range(2):  # recorded, compiled
        assert bits(compiled(*arguments)) == bits(program(*arguments))
    assert compiled.program.native is None and hops(compiled) == []
    fresh = tuple(argument * 2 for argument in arguments)
    wanted = bits(program(*fresh))

    def refuse(*_):
        raise AssertionError("an operator was called from Python")

    monkeypatch.setattr(dispatch, "run_now", refuse)
    assert bits(compiled(*fresh)) == wanted
    assert compiled.program.recordings == 1


def test_a_kernel_is_a_row():
    compiled = jit(chain)
    compiled(A, B, W)
    assert rows(compiled)[:2] == ["product", "smooth"]


def test_a_gradient_of_a_compiled_function():
    compiled = jit(chain)
    wanted = bits(anfora.grad(chain, (0, 1, 2))(A, B, W))
    for _ in range(3):
        assert bits(anfora.grad(compiled, (0, 1, 2))(A, B, W)) == wanted
    assert hops(compiled) == [] and compiled.program.native is None


def test_backward_through_a_compiled_function():
    found = []
    for function in (chain, jit(chain)):
        for _ in range(2):
            leaves = [t.copy() for t in (A, B, W)]
            for leaf in leaves:
                leaf.requires_grad = True
            function(*leaves).backward()
            found.append(bits(tuple(leaf.grad for leaf in leaves)))
    assert all(other == found[0] for other in found)


def test_a_kernel_itself_can_be_compiled():
    compiled = jit(PRODUCT)
    for _ in range(3):
        assert bits(compiled(A, B)) == bits(PRODUCT(A, B))
    assert hops(compiled) == []


class Layer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(B.copy(), name="weight")
        self.product = PRODUCT

    def construct(self, a):
        return SMOOTH(self.product(a, self.weight), W)


def test_graph_mode_compiles_cells_with_kernels():
    net = Layer()
    step = anfora.value_and_grad(lambda a: net(a).sum(), None, net.trainable_params())
    wanted, (_, wanted_gradients) = bits(net(A)), step(A)
    anfora.set_context(mode=anfora.GRAPH_MODE)
    try:
        for _ in range(3):
            assert bits(net(A)) == wanted
            _, gradients = step(A)
            assert bits(tuple(gradients)) == bits(tuple(wanted_gradients))
    finally:
        anfora.set_context(mode=anfora.PYNATIVE_MODE)


def test_another_kernel_under_the_same_name_is_noticed(monkeypatch):
    def program(a, b):
        return chosen(a, b)

    compiled = jit(program)
    wanted = PRODUCT(A, B)
    for _ in range(2):
        assert bits(compiled(A, B)) == bits(wanted)
    monkeypatch.setitem(globals(), "chosen", kernel("C<4, 6>[i, j] = A<4, 5>[i, k] * B<5, 6>[k, j] * 2.0;"))
    np.testing.assert_allclose(compiled(A, B).asnumpy(), 2 * wanted.asnumpy(), 1e-5, 1e-5)


def test_errors_inside_a_compiled_function():
    compiled = jit(one)
    compiled(A, B)
    for _ in range(2):
        with pytest.raises(KernelError, match=r"K-SHAPE: product needs \w+\[5, 6\] for `B`"):
            compiled(A, A)
    assert bits(compiled(A, B)) == bits(one(A, B))
