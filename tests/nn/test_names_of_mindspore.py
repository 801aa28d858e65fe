"""Names that MindSpore programs use around layers and operators, each with what it does."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, RowTensor, Tensor, nn, ops
from anfora.core.errors import OpTypeError
from anfora.nn.accumulation import GradientAccumulation
from anfora.nn.optim.optimizer import opt_init_args_register
from anfora.nn.utils import no_init_parameters

X = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))


def test_a_class_form_that_takes_the_size_in_the_call():
    assert ops.ResizeBilinearV2()(X, (2, 2)).tolist() == [[[[0.0, 2.0], [8.0, 10.0]]]]
    assert ops.ResizeBilinearV2(half_pixel_centers=True)(X, Tensor([8, 3], ms.int32)).shape == (1, 1, 8, 3)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_functions_chosen_by_types(mode):
    scale = ops.MultitypeFuncGraph("scale")

    @scale.register("Tensor", "RowTensor")
    def _(s, g):
        return g.values * s

    @scale.register("Int64", "Tensor")
    def _(s, g):
        return g + s

    @scale.register("Float32", "Tensor")
    def _(s, g):
        return g - s

    @scale.register("Tensor", "Tensor")
    def _(s, g):
        return g * s

    @scale.register("TypeType", "Tensor")
    def _(kind, g):
        return g.astype(kind)

    class Net(nn.Cell):
        def construct(self, x):
            return scale(Tensor(3.0), x), scale(2, x), scale(0.5, x), scale(ms.int32, x)

    ms.set_context(mode=mode)
    try:
        for _ in range(2):
            got = Net()(Tensor([1.0, 2.0]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert [x.tolist() for x in got] == [[3.0, 6.0], [3.0, 4.0], [0.5, 1.5], [1, 2]]
    assert scale(Tensor(3.0), RowTensor(Tensor([1]), Tensor([[2.0]]), (4, 1))).tolist() == [[6.0]]


def test_arguments_by_name_are_fixed_too():
    assert ops.partial(lambda y, x: y - x, x=2)(5) == 3


def test_a_tensor_on_memory_of_numpy():
    array = np.zeros(2, np.float32)
    x = Tensor.from_numpy(array)
    array[0] = 5
    assert x.tolist() == [5.0, 0.0]


def test_an_optimizer_keeps_what_it_was_made_with():
    class Mine(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params, learning_rate=0.1, beta=0.5, weight_decay=0.0):
            super().__init__(learning_rate, params, weight_decay)

    class Around:
        @opt_init_args_register
        def __init__(self, optimizer, scale=3):
            pass

    params = nn.Dense(2, 2).trainable_params()
    made = Mine(params, Tensor(0.5), beta=0.75)
    assert (made.init_params, made.init_learning_rate) == ({"params": params}, 0.5)
    assert made.init_args == {"beta": 0.75, "weight_decay": 0.0}
    assert Mine(params, nn.CosineDecayLR(0.0, 1.0, 10)).init_learning_rate is None
    assert Around(made).init_params == {"params": params} and Around(made).init_args == {"scale": 3}


def test_flags_and_contexts_change_nothing():
    assert ops.add_flags(lambda x: x + 1, has_effect=True)(1) == 2
    for mark in (ops.add_flags, ops.core):
        with pytest.raises(OpTypeError, match="a function or a Cell, but got 3"):
            mark(3)
        for written_in_c in (object, len):
            with pytest.raises(OpTypeError, match="what may have attributes, but got <"):
                mark(written_in_c)
    with no_init_parameters():
        net = nn.Dense(3, 4)
    assert np.abs(net.weight.asnumpy()).max() > 0


def test_mixed_precision_cast():
    x, labels, rest = ops.mixed_precision_cast(ms.float16, (Tensor([1.5]), Tensor([1]), {"k": [Tensor(2.0), "text"]}))
    assert (x.dtype, labels.dtype, rest["k"][0].dtype, rest["k"][1]) == (ms.float16, ms.int64, ms.float16, "text")


#: Operators between processes: made with, called with.
COLLECTIVES = {
    "AllReduce": ((ops.ReduceOp.SUM,), X),
    "AllReduce of maxima": ((ops.ReduceOp.MAX, "nccl_world_group"), X),
    "ReduceScatter": ((), X),
    "AllGather": ((), X),
    "AlltoAll": ((1, 0, 1), X),
}


@pytest.mark.parametrize("name", COLLECTIVES)
def test_one_process_gets_back_what_it_sends(name):
    args, x = COLLECTIVES[name]
    operator = getattr(ops, name.split()[0])(*args)
    np.testing.assert_array_equal(operator(x).asnumpy(), x.asnumpy())
    np.testing.assert_array_equal(ms.grad(lambda x: (operator(x) * x).sum())(x).asnumpy(), 2 * x.asnumpy())
    with pytest.raises(TypeError, match="needs a tensor, but got int"):
        operator(3)


def test_what_is_sent_to_all_processes():
    first, second = ops.Broadcast(0)((X, Tensor([1])))
    np.testing.assert_array_equal(first.asnumpy(), X.asnumpy())
    assert second.tolist() == [1]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ops.AllReduce("mean"), "`op` is one of sum, max, min, prod, avg, but got 'mean'"),
        (lambda: ops.AllReduce(3), "needs a string for `op`"),
        (lambda: ops.AllGather(3), "needs a string for `group`"),
        (lambda: ops.Broadcast(1), "process 1 is not among"),
        (lambda: ops.Broadcast("0"), "needs an integer"),
        (lambda: ops.AlltoAll(2, 0, 1), "must be the number of processes, 1"),
    ],
)
def test_wrong_arguments_of_collectives(make, text):
    with pytest.raises((TypeError, ValueError), match=text):
        make()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_gradients_over_several_steps(mode):
    """Three steps of a mean over three gradients are one step of a plain optimizer with that mean."""
    gradients = np.random.default_rng(0).standard_normal((6, 2)).astype(np.float32)
    weights = []
    for steps in (3, 1):
        w = Parameter(Tensor([1.0, 2.0]), name="w")
        step = GradientAccumulation(steps, nn.Momentum([w], 0.1, 0.9))
        parts = gradients if steps == 3 else gradients.reshape(2, 3, 2).mean(1)
        ms.set_context(mode=mode)
        try:
            for g in parts:
                assert step(Tensor(1.0), (Tensor(g),)).item() == 1.0
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        weights.append(w.asnumpy())
    np.testing.assert_allclose(*weights, rtol=1e-6)


@pytest.mark.parametrize("rate", [0.5, nn.PolynomialDecayLR(0.5, 0.1, 4, 1.0)], ids=["fixed", "by schedule"])
def test_an_optimizer_of_the_program_s_own_counts_its_steps(rate):
    """As optimizers of MindSpore's libraries are written: `get_lr` counts the steps that a schedule needs."""

    class Plain(nn.Optimizer):
        def __init__(self, params, learning_rate):
            super().__init__(learning_rate, params)

        def get_lr(self):
            lr = self.learning_rate
            if self.dynamic_lr:
                lr = self.learning_rate(self.global_step).reshape(())
            if self._is_dynamic_lr_or_weight_decay():
                self.assignadd(self.global_step, self.global_step_increase_tensor)
            return lr

        def construct(self, gradients):
            gradients = self.flatten_gradients(gradients)
            gradients = self._grad_sparse_indices_deduplicate(gradients)
            lr = self.get_lr()
            for parameter, gradient in zip(self._parameters, gradients):
                ops.assign_sub(parameter, lr * gradient)
            return True

    w = Parameter(Tensor([4.0]), name="w")
    step = Plain([w], rate)
    for _ in range(3):
        step((Tensor([1.0]),))
    expected = 4 - sum([0.5] * 3 if rate == 0.5 else [0.5, 0.4, 0.3])
    assert w.item() == pytest.approx(expected)
    assert step.global_step.tolist() == [0 if rate == 0.5 else 3]
