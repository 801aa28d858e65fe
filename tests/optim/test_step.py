"""The step: one native call, in place, as a whole or not at all."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from update_table import CASES, SHAPES, arrays, label, parameters, some, states, tensors, values

import anfora
from anfora import Parameter, Tensor, optim
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.kernel import glue


@pytest.mark.parametrize("case", CASES, ids=label)
def test_is_one_native_call_in_place(case, monkeypatch):
    held = parameters(arrays(SHAPES, 0))
    optimizer = case.make(held)
    calls, launch = [], glue.launch
    monkeypatch.setattr(glue, "launch", lambda *arguments: (calls.append(1), launch(*arguments)))
    gradients = tensors(arrays(SHAPES, 1))
    optimizer(gradients)
    memory = {p.name: p._array.__array_interface__["data"][0] for p in optimizer.get_parameters()}
    optimizer(gradients)
    assert len(calls) == 2
    assert memory == {p.name: p._array.__array_interface__["data"][0] for p in optimizer.get_parameters()}


def test_returns_true_and_counts():
    step = optim.Momentum(parameters(arrays(SHAPES, 0)), 0.1, 0.9)
    assert bool(step(tensors(arrays(SHAPES, 1))))
    step(list(tensors(arrays(SHAPES, 1))))
    assert step.global_step.tolist() == [2]


def test_one_parameter_takes_its_gradient_alone():
    held = parameters([np.float32([1.0, 2.0])])
    optim.SGD(held, 0.5)(Tensor([1.0, 1.0]))
    assert held[0].tolist() == [0.5, 1.5]


GOOD = [np.ones((2, 3), np.float32), np.ones(4, np.float32)]

BAD = [
    ("too few", tensors(GOOD[:1]), OpValueError, "has 2 parameters, but got 1"),
    ("too many", tensors([*GOOD, *GOOD]), OpValueError, "has 2 parameters, but got 4"),
    ("shape", tensors([GOOD[0], GOOD[0]]), OpValueError, r"p1 has shape \(2, 3\), the parameter \(4,\)"),
    ("broadcast", tensors([GOOD[0], np.ones(1, np.float32)]), OpValueError, "p1 has shape"),
    ("bool", tensors([GOOD[0], np.ones(4, bool)]), OpTypeError, "not a number"),
    ("array", (Tensor(GOOD[0]), GOOD[1]), OpTypeError, "p1 is a ndarray"),
    ("None", (Tensor(GOOD[0]), None), OpTypeError, "p1 is a NoneType"),
    ("number", 1.0, OpTypeError, "tuple of gradients"),
]


@pytest.mark.parametrize("given, error, words", [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
@pytest.mark.parametrize("case", some("Momentum", "Adam", "LARS"), ids=label)
def test_what_is_refused_changes_nothing(case, given, error, words):
    optimizer = case.make(parameters(GOOD))
    optimizer(tensors(GOOD))
    before = states(optimizer)
    with pytest.raises(error, match=words):
        optimizer(given)
    assert states(optimizer) == before


def test_a_schedule_that_fails_changes_nothing():
    class Broken(optim.LearningRateSchedule):
        def construct(self, global_step):
            raise ArithmeticError("no rate")

    optimizer = optim.Adam(parameters(GOOD), Broken())
    before = states(optimizer)
    with pytest.raises(ArithmeticError, match="no rate"):
        optimizer(tensors(GOOD))
    assert states(optimizer) == before


def test_gradients_that_share_memory_with_parameters():
    """They have the values from before the step, whatever has been written when they are read."""
    array = np.float32([1.0, 2.0, 3.0])
    for give in (lambda p: p, lambda p: p[::-1], lambda p: anfora.from_numpy(p.asnumpy())):
        held = parameters([array])
        optimizer = optim.SGD(held, 0.5)
        gradient = give(held[0])
        want = array - 0.5 * gradient.asnumpy()
        optimizer((gradient,))
        np.testing.assert_array_equal(values(held)[0], want)


def test_other_kinds_of_gradients_in_turn():
    """Strides and element types may change from step to step."""
    held = parameters([np.zeros((2, 3), np.float32)])
    optimizer = optim.SGD(held, 1.0)
    ones = np.ones((2, 3), np.float32)
    for gradient in (Tensor(ones), Tensor(ones.T.copy()).T, Tensor(ones.astype("f2")), Tensor(ones)):
        optimizer((gradient,))
    assert (values(held)[0] == -4.0).all()


def test_set_data_between_steps():
    held = parameters([np.float32([1.0])])
    optimizer = optim.Momentum(held, 1.0, 0.5)
    optimizer(tensors([np.float32([1.0])]))
    held[0].set_data(Tensor([10.0]))
    optimizer.moments[0].set_data(Tensor([2.0]))
    optimizer(tensors([np.float32([1.0])]))
    assert held[0].tolist() == [8.0]


@pytest.mark.parametrize("case", some("SGD", "Adam", "AdaFactor", "LARS"), ids=label)
def test_another_shape_is_refused(case):
    held = parameters([np.float32([1.0])])
    optimizer = case.make(held)
    optimizer(tensors([np.float32([1.0])]))
    held[0].set_data(Tensor([1.0, 2.0]), slice_shape=True)
    for gradient in ([1.0], [1.0, 1.0]):
        with pytest.raises((OpRuntimeError, OpValueError), match=r"had shape|has shape"):
            optimizer(tensors([np.float32(gradient)]))
    assert held[0].tolist() == [1.0, 2.0] and optimizer.global_step.tolist() == [1]


def test_views_see_the_step():
    held = parameters([np.float32([[1.0, 2.0], [3.0, 4.0]])])
    row = held[0][1]
    optim.SGD(held, 1.0)(tensors([np.ones((2, 2), np.float32)]))
    assert row.tolist() == [2.0, 3.0]


def test_backward_after_a_step_is_that_of_the_forward_pass():
    w, x = Parameter([2.0], name="w"), Tensor([3.0])
    loss = (w * w * x).sum()
    optim.SGD([w], 0.5)((Tensor([1.0]),))
    loss.backward()
    assert w.tolist() == [1.5] and w.grad.tolist() == [12.0]  # 2 w x with w = 2


def test_step_takes_grad():
    w, b, rest = (Parameter([value], name=name) for value, name in ((2.0, "w"), (1.0, "b"), (5.0, "rest")))
    optimizer = optim.Momentum([w, b, rest], 0.25, 0.0)
    for _ in range(2):
        optimizer.zero_grad()
        (w * 2.0 + b).sum().backward()
        optimizer.step()
    assert (w.tolist(), b.tolist(), rest.tolist()) == ([1.0], [0.5], [5.0])
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.tolist() == [0.0] and rest.grad is None
    optimizer.zero_grad()
    with pytest.raises(OpRuntimeError, match=r"loss\.backward\(\)"):
        optimizer.step()


def test_optimizers_that_users_write():
    class Descent(optim.Optimizer):
        def construct(self, gradients):
            gradients = self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))
            rates = self.get_lr()
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            for i, (parameter, gradient) in enumerate(zip(self.parameters, gradients)):
                parameter.set_data(parameter - (rates[i] if self.is_group_lr else rates) * gradient)
            return True

    start, gradients = arrays(SHAPES, 0), arrays(SHAPES, 1)
    for groups in (False, True):
        pair = []
        for kind in (Descent, optim.SGD):
            held = parameters(start)
            given = held
            if groups:
                given = [{"params": held[:2], "lr": 0.2, "grad_centralization": True}, {"params": held[2:]}]
            make = {"learning_rate": 0.1, "weight_decay": 0.5, "loss_scale": 4.0}
            optimizer = kind(parameters=given, **make) if kind is Descent else kind(given, **make)
            optimizer(tensors(gradients))
            pair.append(values(held))
            assert optimizer.global_step.tolist() == [1]
        for got, want in zip(*pair):
            np.testing.assert_allclose(got, want, 1e-5, 1e-6)


def test_optimizers_written_for_mindspore():
    """The way in which programs for MindSpore write theirs, with what they expect of the base."""

    def update(factor, scale, lr, decay, parameter, moment, gradient, has_decay, is_own):
        gradient = gradient * scale + (parameter * decay if has_decay else 0.0)
        moment.set_data(moment * factor + gradient)
        parameter.set_data(parameter - lr * moment)
        return is_own

    class Heavy(optim.Optimizer):
        def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0):
            super().__init__(learning_rate, params, weight_decay, loss_scale)
            self.momentum = Tensor(momentum)
            self.reciprocal_scale = Tensor(1.0 / loss_scale)
            self.moments = self.parameters.clone(prefix="moments", init="zeros")

        def construct(self, gradients):
            lr = self.get_lr()
            rest = (self.parameters, self.moments, gradients, self.decay_flags, self.optim_filter)
            if self.is_group:
                lr = lr if self.is_group_lr else (lr,) * self.param_length
                step = functools.partial(update, self.momentum, self.reciprocal_scale)
                done = self.hyper_map(step, lr, self.weight_decay, *rest)
            else:
                step = functools.partial(update, self.momentum, self.reciprocal_scale, lr, self.weight_decay)
                done = self.map_(step, *rest)
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            return self.broadcast_params(done) if self.use_parallel else done

    start, gradients = arrays(SHAPES, 0), tensors(arrays(SHAPES, 1))
    for groups in (False, True):
        pair = []
        for kind in (Heavy, optim.Momentum):
            held = parameters(start)
            given = [{"params": held[:2], "lr": 0.2}, {"params": held[2:]}] if groups else held
            optimizer = kind(given, 0.1, 0.9, 0.5, 4.0)
            for _ in range(2):
                optimizer(gradients)
            pair.append(values(held))
        for got, want in zip(*pair):
            np.testing.assert_allclose(got, want, 1e-5, 1e-6)
