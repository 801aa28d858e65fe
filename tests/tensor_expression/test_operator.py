"""Kernels as operators: calls, gradients on the tape, threads, memory."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import pickle
import platform
import subprocess
import sys

import numpy as np
import pytest
from guarded import guarded

import anfora
from anfora import Tensor, nn, ops
from anfora.core.abstract import TensorType
from anfora.kernel import executor
from anfora.kernel.plan import Planner
from anfora.tensor_expression import KernelError, kernel
from anfora.tensor_expression.machine import plan_kernel
from anfora.tensor_expression.operator import operator_of

CONV = "A<2, 8, 14, 14>[n, k, p, q] = B<2, 4, 16, 16>[n, c, p + r, q + s] * C<8, 4, 3, 3>[k, c, r, s];"


def normal(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def test_convolution_is_the_operator():
    image, filters = Tensor(normal(2, 4, 16, 16)), Tensor(normal(8, 4, 3, 3, seed=1))
    made = kernel(CONV)
    out, back = anfora.vjp(made, image, filters)
    wanted, wanted_back = anfora.vjp(lambda x, w: ops.conv2d(x, w), image, filters)
    g = Tensor(normal(2, 8, 14, 14, seed=2))
    np.testing.assert_allclose(out.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-4)
    for a, b in zip(back(g), wanted_back(g)):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("lowering", ["gather", "scatter"])
@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        (CONV, {}),
        ("C<70, 90>[i, j] = A<70, 110>[i, k] * B<110, 90>[k, j];", {}),
        ("C<70, 90>[i, j] = A<70, 110>[i, k] * B<90, 110>[j, k];", {}),
        ("y<300, 5>[i, j] = x<300, 700>[i, j + 3 * k] - 2 * z<5>[j];", {}),
        ("Y<40, 40>[p, q] = X<83, 83>[2 * p + r, 2 * q + s] * X<83, 83>[2 * p + r, 2 * q];", {"r": 4, "s": 4}),
    ],
)
def test_threads_change_no_bit(text, ranges, lowering):
    made = kernel(text, ranges=ranges, lowering=lowering)
    arrays = [Tensor(normal(*v.shape, seed=i)) for i, v in enumerate(made.forward.inputs)]
    g = Tensor(normal(*made.forward.outputs[0].shape, seed=9))
    threads = anfora.get_num_threads()
    found = []
    try:
        for count in (1, 2, 4):
            anfora.set_num_threads(count)
            out, back = anfora.vjp(made, *arrays)
            found.append([out.asnumpy().tobytes(), *(d.asnumpy().tobytes() for d in back(g))])
    finally:
        anfora.set_num_threads(threads)
    assert found[0] == found[1] == found[2]


def test_strided_inputs_and_views():
    made = kernel("C<4, 5>[i, j] = A<4, 5>[i, j] * B<4, 5>[i, j] + 1.0;")
    wide, turned = normal(4, 10), normal(5, 4, seed=1)
    out = made(Tensor(wide)[:, ::2], Tensor(turned).T)
    np.testing.assert_allclose(out.asnumpy(), wide[:, ::2] * turned.T + 1, rtol=1e-6)


@pytest.mark.parametrize("lowering", ["gather", "scatter"])
def test_second_derivative(lowering):
    made = kernel("y<5>[i] = x<7>[i + r] * x<7>[i] * w<3>[r];", lowering=lowering, data_type="double")
    x, w = normal(7, dtype=np.float64), normal(3, seed=1, dtype=np.float64)

    def slope(x):  # the sum of the squares of the gradient
        return (anfora.grad(lambda x: made(x, Tensor(w)).sum())(x) ** 2).sum()

    found = anfora.grad(slope)(Tensor(x)).asnumpy()
    h = 1e-6
    for i in range(7):
        step = np.eye(7)[i] * h
        wanted = (slope(Tensor(x + step)) - slope(Tensor(x - step))).item() / (2 * h)
        np.testing.assert_allclose(found[i], wanted, rtol=1e-6, atol=1e-6)


def test_several_results():
    made = kernel("S<4>[i] = A<4>[i] + B<4>[i]; P<4>[i] = S<4>[i] * B<4>[i];")
    a, b = normal(4), normal(4, seed=1)
    total, product = made(Tensor(a), Tensor(b))
    np.testing.assert_allclose(product.asnumpy(), (a + b) * b, rtol=1e-6)
    da, db = anfora.grad(lambda a, b: made(a, b)[1].sum(), (0, 1))(Tensor(a), Tensor(b))
    np.testing.assert_allclose(da.asnumpy(), b, rtol=1e-6)
    np.testing.assert_allclose(db.asnumpy(), a + 2 * b, rtol=1e-6)
    da = anfora.grad(lambda a: (made(a, Tensor(b))[0] * made(a, Tensor(b))[1]).sum())(Tensor(a))
    np.testing.assert_allclose(da.asnumpy(), 2 * (a + b) * b, rtol=1e-5)
    assert total.shape == (4,)


def test_initial_values():
    """A result that is read first starts at zeros, or at what is given by place or name; nothing is written in place."""
    made = kernel("A<3>[i] = A<3>[i] + B<3>[i];")
    b, start = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])
    assert made(b).tolist() == [1, 2, 3]
    assert made(b, start).tolist() == made(b, A=start).tolist() == [11, 22, 33]
    assert start.tolist() == [10, 20, 30]


def test_scalars():
    made = kernel("L<1> = s<1> * X<3>[i];")
    x = Tensor([1.0, 2.0, 3.0])
    assert made(2.0, x).shape == () and made(2.0, x).item() == 12
    assert made(Tensor(2.0), x).item() == made(Tensor([2.0]), x).item() == made(2, x).item() == 12
    for s in (Tensor(2.0), Tensor([2.0])):
        assert anfora.grad(made)(s, x).shape == s.shape and anfora.grad(made)(s, x).sum().item() == 6


def test_without_inputs():
    assert kernel("C<3>[i] = 1.5;")().tolist() == [1.5, 1.5, 1.5]


def test_non_finite_values_pass_a_guard():
    """What is outside contributes 0, whatever is inside of it: padding is no product with zero."""
    x = Tensor([np.inf, np.nan, 1.0])
    assert kernel("y<3>[i] = x<3>[i + 1];")(x).tolist()[1:] == [1.0, 0.0]
    assert np.isnan(kernel("y<3>[i] = x<3>[i + 1];")(x).tolist()[0])


def test_in_a_cell():
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = anfora.Parameter(Tensor([1.0, 2.0]), name="w")
            self.mix = kernel("y<2, 3>[i, j] = w<2>[i] * x<3>[j];")

        def construct(self, x):
            return self.mix(self.w, x)

    net = Net()
    gradient = anfora.grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor([1.0, 2.0, 3.0]))
    gradient = gradient[0] if isinstance(gradient, tuple) else gradient
    assert gradient.tolist() == [6.0, 6.0]
    assert copy.deepcopy(net)(Tensor([1.0, 1.0, 1.0])).tolist() == [[1, 1, 1], [2, 2, 2]]


def test_pickle_and_json(tmp_path):
    file = tmp_path / "case.json"
    file.write_text(json.dumps({"name": "double_it", "ins": ["A"], "outs": ["C"], "data_type": "float",
                                "kernel": "C<2>[i] = A<2>[i] * 2;"}))  # fmt: skip
    made = kernel.from_json(file)
    twin = pickle.loads(pickle.dumps(made))
    assert twin(Tensor([1.0, 2.0])).tolist() == made(Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    file.write_text('{"name": }')
    with pytest.raises(KernelError, match="K-CASE: not JSON"):
        kernel.from_json(file)


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("lowering", ["gather", "scatter"])
def test_no_byte_beside_a_buffer(lowering, at_end):
    """Inputs and results at a page which may not be read or written."""
    made = kernel("y<7, 19>[i, j] = x<8, 21>[i + r, j + s - 1] * w<3, 5>[r, s];", lowering=lowering)
    for nests in (made.forward, made.gradient()):
        arrays = [normal(*v.shape, seed=i) for i, v in enumerate(nests.inputs)]
        wanted = operator_of(nests)(*map(Tensor, arrays))
        for a, b in zip(wanted if isinstance(wanted, tuple) else (wanted,), run_guarded(nests, arrays, at_end)):
            np.testing.assert_array_equal(a.asnumpy(), b)


def run_guarded(nests, arrays: list[np.ndarray], at_end: bool) -> list[np.ndarray]:
    layouts = [TensorType(anfora.float32, v.shape).contiguous for v in (*nests.inputs, *nests.outputs)]
    count = len(arrays)
    planner = Planner(tuple(layouts[:count]), tuple(layouts[count:]))
    plan_kernel(planner, nests, planner.operands[:count], planner.operands[count:])
    inputs = [guarded(array, at_end) for array in arrays]
    outs = [guarded(np.full(v.shape, 77, np.float32), at_end) for v in nests.outputs]
    assert executor.run(executor.Program(planner.finish()), [a.ctypes.data for a in (*inputs, *outs)]) == 0
    return outs


PROGRAM = """
import sys, warnings
sys.path[:0] = [{here!r}]
import numpy as np, anfora
from cases import EXAMPLES
from test_cases import build, inputs_of
arrays = {{}}
for example in EXAMPLES:
    for lowering in ("gather", "scatter"):
        made = build(example, "float", lowering)
        given, d = inputs_of(made)
        out, back = anfora.vjp(made, *map(anfora.Tensor, given.values()))
        results = back(anfora.Tensor(d))
        for i, t in enumerate((out, *(results if isinstance(results, tuple) else (results,)))):
            arrays[example.name + lowering + str(i)] = t.asnumpy()
np.savez({file!r}, **arrays)
"""


def test_other_machines_give_the_same_bits(tmp_path):
    """Without AVX-512, without AVX2 and fused multiply-add, on one thread."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("the CPUs named here are x86-64")
    found = []
    for number, cpu in enumerate(("", "x86-64")):
        file = str(tmp_path / f"{number}.npz")
        program = PROGRAM.format(here=str(pathlib.Path(__file__).parent), file=file)
        environment = {**os.environ, "ANFORA_CPU": cpu, "ANFORA_NUM_THREADS": "1" if cpu else "2"}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(dict(np.load(file)))
    here, there = found
    assert here and [name for name in here if here[name].tobytes() != there[name].tobytes()] == []
