"""The border to numpy: its functions refuse a tensor that a tape follows, in both modes, and name the operator that keeps
the gradient; of other tensors they see the array. What asks for shape and type alone is always answered."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, no_grad
from anfora.core.errors import OpRuntimeError

A = np.array([3.0, 4.0], np.float32)


def into(array, value):
    array[:] = value
    return array


#: What numpy is asked of w, and what the error names.
REFUSED = {
    "a function": (lambda w: np.exp(w), "ops.exp"),
    "a function of two": (lambda w: np.multiply(w, A), "ops.multiply"),
    "the second of two, with out": (lambda w: np.add(A, w, out=A.copy()), "ops.add"),
    "an array in place": (lambda w: A.copy().__iadd__(w), "ops.add"),
    "a reduction": (lambda w: np.sum(w), "ops.sum"),
    "a method of a function": (lambda w: np.add.reduce(w), "ops.sum"),
    "another name": (lambda w: np.power(w, 2), "ops.pow"),
    "in a list": (lambda w: np.concatenate([A, w]), "ops.concat"),
    "by name": (lambda w: np.clip(A, a_min=w, a_max=None), "ops.clip"),
    "of linalg": (lambda w: np.linalg.norm(w), "ops.norm"),
    "only in numpy's dialect": (lambda w: np.percentile(w, 50), "asnumpy"),
    "in anfora.numpy": (lambda w: np.convolve(w, A), "anfora.numpy.convolve"),
    "no number is lost, but a tape follows": (lambda w: np.isnan(w), "ops.isnan"),
    "asarray": (lambda w: np.asarray(w), "asnumpy"),
    "array": (lambda w: np.array(w), "asnumpy"),
    "array of a list": (lambda w: np.array([w[0], w[1]]), "asnumpy"),
    "a number": (lambda w: np.float32(w[0]), "asnumpy"),
    "float of a function": (lambda w: float(np.sum(w)), "ops.sum"),
    "a method of an array": (lambda w: A.dot(w), "asnumpy"),
    "into an array": (lambda w: into(A.copy(), w), "asnumpy"),
    "a distribution": (lambda w: np.random.default_rng(0).normal(w), "asnumpy"),
    "a function of the program": (lambda w: np.vectorize(lambda v: v + 1)(w), "asnumpy"),
    "through DLPack": (lambda w: np.from_dlpack(w), "asnumpy"),
    "full_like with its number": (lambda w: np.full_like(A, w), "asnumpy"),
    "a view": (lambda w: np.exp(w[:1]), "ops.exp"),
    "a result": (lambda w: np.exp(w * 2), "ops.exp"),
    "a list as a tensor": (lambda w: Tensor([w[0], w[1]]), "ops.stack"),
}

#: What is allowed, and what it gives for w = [1, 2].
ALLOWED = {
    "shape": (lambda w: np.shape(w), (2,)),
    "ndim": (lambda w: np.ndim(w), 1),
    "size": (lambda w: np.size(w), 2),
    "len": (lambda w: len(w), 2),
    "result_type": (lambda w: np.result_type(w, np.float64).name, "float64"),
    "iscomplexobj": (lambda w: np.iscomplexobj(w), False),
    "zeros_like": (lambda w: np.zeros_like(w).tolist(), [0.0, 0.0]),
    "full_like": (lambda w: np.full_like(w, 7).tolist(), [7.0, 7.0]),
    "item": (lambda w: np.exp(w[0].item() - 1), 1.0),
    "float": (lambda w: np.exp(float(w[0]) - 1), 1.0),
    "tolist": (lambda w: np.add(w.tolist(), 1).tolist(), [2.0, 3.0]),
    "asnumpy": (lambda w: np.add(w.asnumpy(), 1).tolist(), [2.0, 3.0]),
    "detach": (lambda w: np.add(w.detach(), 1).tolist(), [2.0, 3.0]),
    "without the tape": (lambda w: no_grad()(lambda: np.exp(w * 0).tolist())(), [1.0, 1.0]),
    "an integer": (lambda w: np.exp(Tensor([0])).tolist(), [1.0]),
}

#: How a tape comes to follow w.
FOLLOWED = {
    "grad": lambda f: ms.grad(f)(Tensor([1.0, 2.0])),
    "GRAPH_MODE": lambda f: in_graph_mode(ms.grad(f)),
    "a compiled function under a tape": lambda f: [
        ms.grad(g)(Tensor([1.0, 2.0])) for g in [ms.jit(f)] for _ in range(3)
    ],
    "a compiled gradient": lambda f: [g(Tensor([1.0, 2.0])) for g in [ms.jit(ms.grad(f))] for _ in range(3)],
    "requires_grad": lambda f: f(Tensor([1.0, 2.0]).requires_grad_()),
    "a compiled function of a leaf": lambda f: ms.jit(f)(Tensor([1.0, 2.0]).requires_grad_()),
    "vjp": lambda f: ms.vjp(f, Tensor([1.0, 2.0])),
    "jvp": lambda f: ms.jvp(f, Tensor([1.0, 2.0]), Tensor([1.0, 2.0])),
}


def in_graph_mode(function):
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        return [function(Tensor([1.0, 2.0])) for _ in range(3)]
    finally:
        ms.set_context(mode=before)


@pytest.mark.parametrize("way", FOLLOWED)
@pytest.mark.parametrize("name", REFUSED)
def test_what_would_lose_a_gradient_is_refused(name, way):
    ask, ours = REFUSED[name]
    with pytest.raises(OpRuntimeError, match="which a tape follows: its gradient would be lost") as caught:
        FOLLOWED[way](lambda w: (w * Tensor(np.float32(np.sum(ask(w))))).sum())
    assert ours in str(caught.value) and "asnumpy()" in str(caught.value)


@pytest.mark.parametrize("way", FOLLOWED)
@pytest.mark.parametrize("name", ALLOWED)
def test_shapes_types_and_what_is_asked_for_in_words(name, way):
    ask, expected = ALLOWED[name]
    found = []
    FOLLOWED[way](lambda w: (found.append(ask(w)), (w * w).sum())[1])
    assert found and all(each == expected for each in found)


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("name", [name for name in REFUSED if "as a" not in name])
def test_of_a_tensor_that_no_tape_follows_numpy_sees_the_array(name, compile):
    ask = compile(lambda w: ask_numpy(w))
    ask_numpy = REFUSED[name][0]
    expected = ask_numpy(np.array([1.0, 2.0], np.float32))
    for _ in range(3):
        found = ask(Tensor([1.0, 2.0]))
        assert not isinstance(found, Tensor)
        np.testing.assert_array_equal(found, expected)


def test_where_the_array_comes_first_the_operator_keeps_the_gradient():
    assert ms.grad(lambda w: (A * w).sum() + np.subtract(A, w).sum())(Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
    assert ms.grad(lambda w: (np.float64(2) * w).sum())(Tensor([1.0, 2.0])).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit], ids=["eager", "jit"])
def test_a_parameter_is_followed_while_a_gradient_by_it_is_taken(compile):
    p, x = Parameter(Tensor([1.0, 2.0]), name="p"), Tensor([3.0, 4.0])
    forward = compile(lambda x: (x * Tensor(np.square(p))).sum())
    listed = compile(lambda x: (x * Tensor([p, p])).sum())
    for _ in range(2):
        assert np.mean(p) == 1.5 and forward(x).item() == 19.0 and listed(x).item() == 22.0
        assert ms.grad(forward)(x).tolist() == [1.0, 4.0]  # by x, not by p
        for function in (forward, listed):
            with pytest.raises(OpRuntimeError, match="tape follows"):
                ms.grad(function, None, p)(x)
            with pytest.raises(OpRuntimeError, match="tape follows"):
                ms.value_and_grad(function, 0, (p,))(x)
        assert forward(x).item() == 19.0


def test_hooks_and_gradients_of_the_program_compute_with_numbers():
    """The walk back is not followed, unless for a second derivative."""

    class Cube(ms.nn.Cell):
        def construct(self, x):
            return x * x * x

        def bprop(self, x, out, dout):
            return (dout * Tensor(3 * np.square(x)),)

    cube = Cube()
    assert ms.grad(lambda x: cube(x).sum())(Tensor([1.0, 2.0])).tolist() == [3.0, 12.0]
    with pytest.raises(OpRuntimeError, match="square keeps the gradient"):
        ms.grad(ms.grad(lambda x: cube(x).sum()))(Tensor(2.0))


def test_numpy_writes_into_a_tensor_that_is_given_as_out():
    out = Tensor([0.0, 0.0, 0.0])
    assert np.add([1.0, 2.0, 3.0], 1.0, out) is out
    assert out.tolist() == [2.0, 3.0, 4.0]
    whole, part = Tensor([0.0]), np.zeros(1)
    got = np.modf(np.array([1.5], np.float32), out=(part, whole))
    assert got[0] is part and got[1] is whole
    assert (part.item(), whole.item()) == (0.5, 1.0)
