"""Groups of parameters, rates and weight decays."""

from __future__ import annotations

import numpy as np
import pytest
import update_rules as ref
from update_table import arrays, parameters, tensors, values

from anfora import Parameter, Tensor, nn, optim
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError

SHAPES = ((3, 4), (5,), (2, 3, 2, 2), (7,))
START = arrays(SHAPES, 0)
GRADIENTS = [arrays(SHAPES, 1 + step) for step in range(3)]


class Falling(optim.LearningRateSchedule):
    """0.1, 0.05, 0.0333 …"""

    def construct(self, global_step):
        return 0.1 / (global_step + 1)


class Decay(nn.Cell):
    """0, 0.1, 0.2 …"""

    def construct(self, global_step):
        return global_step * 0.1


def follows(held, optimizer, options, order=None):
    """Train; parameter i must follow Momentum with options[i], and get the gradient at place order.index(i)."""
    want = [
        ref.train(ref.momentum, p, [step[i] for step in GRADIENTS], mu=0.9, **options[i])[-1]
        for i, p in enumerate(START)
    ]
    for step in GRADIENTS:
        optimizer(tensors([step[i] for i in order or range(len(START))]))
    for got, expected in zip(values(held), want):
        np.testing.assert_allclose(got, expected, 2e-5, 2e-6)


def test_settings_of_groups():
    held = parameters(START)
    groups = [
        {"params": held[:1], "lr": 0.2, "weight_decay": 0.5},
        {"params": [held[2]], "grad_centralization": True},
        {"params": (p for p in (held[1], held[3])), "lr": Falling(), "weight_decay": 0.0},
    ]
    optimizer = optim.Momentum(groups, learning_rate=0.1, momentum=0.9, weight_decay=0.25, loss_scale=2.0)
    falling = {"lr": [0.1, 0.05, 0.1 / 3], "scale": 2.0}
    options = [
        {"lr": 0.2, "decay": 0.5, "scale": 2.0},
        falling,
        {"lr": 0.1, "decay": 0.25, "centralize": True, "scale": 2.0},
        falling,
    ]
    assert [p.name for p in optimizer.parameters] == ["p0", "p2", "p1", "p3"]
    assert (optimizer.is_group, optimizer.is_group_lr, optimizer.is_group_params_ordered) == (True, True, False)
    assert optimizer.dynamic_lr and not optimizer.dynamic_weight_decay
    follows(held, optimizer, options, [0, 2, 1, 3])


def test_order_params():
    held = parameters(START)
    groups = [{"params": held[2:], "lr": 0.2}, {"params": held[:2]}, {"order_params": held}]
    optimizer = optim.Momentum(groups, 0.1, 0.9)
    assert optimizer.is_group_params_ordered and [*optimizer.parameters] == held
    assert optimizer.get_lr_parameter(held[3]).item() == np.float32(0.2)
    follows(held, optimizer, [{"lr": 0.1}] * 2 + [{"lr": 0.2}] * 2)


def test_normalisations_have_no_weight_decay_without_groups():
    names = ("conv.weight", "norm.gamma", "norm.beta", "dense.bias")
    held = [Parameter(Tensor(value), name=name) for name, value in zip(names, START)]
    optimizer = optim.Momentum(held, 0.1, 0.9, weight_decay=0.5)
    assert optimizer.decay_flags == (True, False, False, True)
    follows(held, optimizer, [{"lr": 0.1, "decay": share} for share in (0.5, 0.0, 0.0, 0.5)])


def test_with_groups_every_parameter_has_the_weight_decay():
    held = [Parameter(Tensor(START[1]), name="norm.gamma")]
    optim.SGD([{"params": held}], 0.5, weight_decay=0.5)(tensors([np.zeros(5, np.float32)]))
    np.testing.assert_allclose(values(held)[0], START[1] * 0.75, 1e-6)


def test_a_weight_decay_that_changes():
    held = parameters(START)
    optimizer = optim.Momentum(held, Falling(), 0.9, weight_decay=Decay())
    assert optimizer.dynamic_weight_decay and optimizer.get_weight_decay().item() == 0.0
    v, p = 0.0, START[0].astype(float)
    for t, step in enumerate(GRADIENTS):
        optimizer(tensors(step))
        v = 0.9 * v + step[0] + 0.1 * t * p
        p = p - 0.1 / (t + 1) * v
    np.testing.assert_allclose(values(held)[0], p, 1e-5)
    assert abs(optimizer.get_weight_decay().item() - 0.3) < 1e-6


@pytest.mark.parametrize(
    "rate, want",
    [
        (0.5, [0.5] * 3),
        (1, [1.0] * 3),
        (np.float32(0.5), [0.5] * 3),
        (Tensor(0.5), [0.5] * 3),
        ([0.5, 0.25], [0.5, 0.25, 0.25]),
        ((0.5,), [0.5] * 3),
        (np.array([0.5, 0.25, 0.125]), [0.5, 0.25, 0.125]),
        (Tensor([0.5, 0.25, 0.125]), [0.5, 0.25, 0.125]),
        ((r for r in (0.5, 0.25)), [0.5, 0.25, 0.25]),
        (Falling(), [0.1, 0.05, 0.1 / 3]),
    ],
    ids=["float", "int", "numpy", "tensor", "list", "tuple", "array", "tensor of rates", "generator", "schedule"],
)
def test_forms_of_a_rate(rate, want):
    optimizer = optim.SGD([Parameter([1.0], name="w")], rate)
    for expected in want:
        assert abs(float(optimizer.get_lr()) - expected) < 1e-7
        optimizer(Tensor([0.0]))


def test_rates_may_be_set():
    held = parameters(START[:1])
    optimizer = optim.SGD(held, 0.1)
    assert isinstance(optimizer.learning_rate, Parameter) and optimizer.get_lr() is optimizer.learning_rate
    optimizer.learning_rate.set_data(Tensor(0.5))
    optimizer(tensors(GRADIENTS[0][:1]))
    np.testing.assert_allclose(values(held)[0], START[0] - 0.5 * GRADIENTS[0][0], 1e-5)
    optimizer.param_groups[0]["lr"] = 0.25
    assert optimizer.learning_rate.item() == 0.25


@pytest.mark.parametrize(
    "rate, want",
    [(0.5, [0.5, 0.5]), (Tensor(0.5), [0.5, 0.5]), ([0.5, 0.25, 0.125], [0.25, 0.125]), (Falling(), [0.05, 0.1 / 3]),
     (Parameter(0.5, name="rate"), [0.5, 0.5])],
    ids=["number", "tensor", "list", "schedule", "parameter"],
)  # fmt: skip
def test_rates_may_be_assigned(rate, want):
    weight = Parameter([0.0], name="w")
    optimizer = optim.Momentum([weight], 1.0, 0.0)
    optimizer(Tensor([1.0]))
    optimizer.learning_rate = rate
    for expected in want:
        weight.set_data(Tensor([0.0]))
        assert abs(float(optimizer.get_lr()) - expected) < 1e-7
        optimizer(Tensor([1.0]))
        assert abs(weight.item() + expected) < 1e-6
    assert optimizer.get_lr_parameter(weight) is not None


def test_what_else_may_be_assigned():
    held = [Parameter(Tensor(START[1]), name="a.gamma"), Parameter(Tensor(START[3]), name="b")]
    zeros = tensors([np.zeros(5, np.float32), np.zeros(7, np.float32)])
    optimizer = optim.Momentum(held, 0.5, 0.9)
    optimizer.momentum = 0.0
    optimizer.weight_decay = Tensor(0.5)
    optimizer.decay_flags = [True, False]
    optimizer(zeros)
    optimizer(zeros)
    np.testing.assert_allclose(values(held)[0], START[1] * 0.75**2, 1e-6)
    np.testing.assert_array_equal(values(held)[1], START[3])
    grouped = optim.SGD([{"params": held, "lr": 0.1}])
    for name, value in (("learning_rate", 0.1), ("weight_decay", -1.0), ("decay_flags", [True])):
        with pytest.raises(OpValueError):
            setattr(grouped, name, value)


@pytest.mark.parametrize("decay", [0.5, Tensor(0.5), Falling()], ids=["number", "tensor", "schedule"])
def test_a_decay_set_for_all_groups_is_one(decay):
    """As an optimizer of the program's own sets it, which hands it to a function of single values."""
    held = [Parameter(Tensor(START[1]), name="a"), Parameter(Tensor(START[3]), name="b")]
    optimizer = optim.Momentum([{"params": held[:1], "weight_decay": 0.1}, {"params": held[1:]}], 0.5, 0.9)
    assert [float(d) for d in optimizer.get_weight_decay()] == [np.float32(0.1), 0.0]
    optimizer.weight_decay = decay
    assert isinstance(optimizer.get_weight_decay(), Tensor)
    assert optimizer.weight_decay is decay or float(optimizer.weight_decay) == 0.5
    optimizer.param_groups[0]["weight_decay"] = 0.25
    assert len(optimizer.get_weight_decay()) == len(optimizer.weight_decay) == 2


def test_get_lr_parameter():
    held = parameters(START)
    optimizer = optim.Momentum([{"params": held[:2], "lr": 0.2}, {"params": held[2:], "lr": [0.1, 0.2]}], 0.1, 0.9)
    rates = optimizer.get_lr_parameter(held[1:3])
    assert rates[0].item() == np.float32(0.2) and rates[1].shape == (2,)
    same = optimizer.get_lr_parameter(optimizer.parameters[1:3])
    assert same[0] is rates[0] and same[1] is rates[1]
    assert [float(rate) for rate in optimizer.get_lr()] == [float(np.float32(r)) for r in (0.2, 0.2, 0.1, 0.1)]
    with pytest.raises(OpTypeError, match="needs a Parameter"):
        optimizer.get_lr_parameter("p0")
    with pytest.raises(OpValueError, match="has no parameter other"):
        optimizer.get_lr_parameter(Parameter([1.0], name="other"))


def w(name="w", value=1.0):
    return Parameter([value], name=name)


ONE = w("one")

BAD_PARAMETERS = [
    (None, OpValueError, "but got None"),
    ([], OpValueError, "must not be empty"),
    (3, OpTypeError, "needs a list of Parameters"),
    (ONE, OpTypeError, "needs a list of Parameters"),
    ([Tensor([1.0])], OpTypeError, "needs Parameters, but got Tensor"),
    (["w"], OpTypeError, "needs Parameters, but got str"),
    ([Parameter(Tensor([1]), name="n")], OpTypeError, "floating-point"),
    ([ONE, ONE], OpRuntimeError, "one twice"),
    ([w(), w()], OpRuntimeError, "two parameters of the name 'w'"),
    ([w(), {"params": [w("v")]}], OpTypeError, "not both"),
    ([{"lr": 0.1}], KeyError, "needs the key 'params'"),
    ([{"params": []}], OpValueError, "must not be empty"),
    ([{"params": {1, 2}}], OpTypeError, "needs a list of Parameters"),
    ([{"params": [w()], "rate": 0.1}], KeyError, "no setting 'rate'"),
    ([{"params": [w()], "lr": "fast"}], OpTypeError, "learning_rate"),
    ([{"params": [w()], "lr": -1.0}], OpValueError, "learning_rate"),
    ([{"params": [w()], "weight_decay": -1.0}], OpValueError, "weight_decay"),
    ([{"params": [w()], "grad_centralization": 1}], OpTypeError, "grad_centralization"),
    ([{"params": [ONE]}, {"params": [ONE]}], OpRuntimeError, "one twice"),
    ([{"params": [ONE]}, {"order_params": [w()]}], OpValueError, "each parameter of the groups once"),
    ([{"params": [ONE]}, {"order_params": [ONE, ONE]}], OpValueError, "each parameter of the groups once"),
    ([{"params": [ONE]}, {"order_params": [ONE], "lr": 0.1}], OpValueError, "must be alone"),
    ([{"order_params": [ONE]}], OpValueError, "no group"),
]


@pytest.mark.parametrize(
    "given, error, words", BAD_PARAMETERS, ids=[bad[2] + f" {i}" for i, bad in enumerate(BAD_PARAMETERS)]
)
def test_parameters_that_are_refused(given, error, words):
    with pytest.raises(error, match=words):
        optim.Momentum(given, 0.1, 0.9)


BAD_ARGUMENTS = [
    (optim.SGD, {"learning_rate": -0.1}, OpValueError, "learning_rate"),
    (optim.SGD, {"learning_rate": "0.1"}, OpTypeError, "learning_rate"),
    (optim.SGD, {"learning_rate": True}, OpTypeError, "learning_rate"),
    (optim.SGD, {"learning_rate": None}, OpTypeError, "learning_rate"),
    (optim.SGD, {"learning_rate": []}, OpValueError, "empty"),
    (optim.SGD, {"learning_rate": [0.1, "a"]}, OpTypeError, "learning_rate"),
    (optim.SGD, {"learning_rate": Tensor([[0.1]])}, OpValueError, "0 or 1 axes"),
    (optim.SGD, {"learning_rate": float("nan")}, OpValueError, "learning_rate"),
    (optim.SGD, {"momentum": -0.1}, OpValueError, "momentum"),
    (optim.SGD, {"nesterov": True}, OpValueError, "momentum > 0"),
    (optim.SGD, {"momentum": 0.9, "dampening": 0.1, "nesterov": True}, OpValueError, "dampening 0"),
    (optim.SGD, {"weight_decay": Decay()}, OpTypeError, "weight_decay"),
    (optim.SGD, {"loss_scale": 0.0}, OpValueError, "loss_scale"),
    (optim.SGD, {"loss_scale": "a"}, OpTypeError, "loss_scale"),
    (optim.Momentum, {"learning_rate": 0.1, "momentum": "a"}, OpTypeError, "momentum"),
    (optim.Momentum, {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": 1}, OpTypeError, "use_nesterov"),
    (optim.Momentum, {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": -1}, OpValueError, "weight_decay"),
    (optim.Adam, {"beta1": 1.0}, OpValueError, "beta1"),
    (optim.Adam, {"beta2": 0.0}, OpValueError, "beta2"),
    (optim.Adam, {"beta2": 1 - 1e-12}, OpValueError, "beta2"),
    (optim.Adam, {"eps": 0.0}, OpValueError, "eps"),
    (optim.Adam, {"use_amsgrad": True, "use_lazy": True}, OpValueError, "use_amsgrad"),
    (optim.AdamWeightDecay, {"beta1": "a"}, OpTypeError, "beta1"),
    (optim.AdamW, {"betas": 0.9}, OpTypeError, "betas"),
    (optim.AdamW, {"betas": (0.9, 1.0)}, OpValueError, "betas"),
    (optim.AdamW, {"lr": [0.1]}, OpTypeError, "lr"),
    (optim.Lamb, {"learning_rate": 0.1, "eps": -1.0}, OpValueError, "eps"),
    (optim.Adagrad, {"accum": -1.0}, OpValueError, "accum"),
    (optim.RMSProp, {"decay": -1.0}, OpValueError, "decay"),
    (optim.RMSProp, {"centered": 1}, OpTypeError, "centered"),
    (optim.Adadelta, {"rho": 1.5}, OpValueError, "rho"),
    (optim.Rprop, {"etas": (1.5, 1.2)}, OpValueError, "etas"),
    (optim.Rprop, {"etas": [0.5, 1.2]}, OpTypeError, "etas"),
    (optim.Rprop, {"step_sizes": (1.0, 0.5)}, OpValueError, "step_sizes"),
    (optim.ASGD, {"lambd": 1}, OpTypeError, "lambd"),
    (optim.FTRL, {"lr_power": 0.5}, OpValueError, "lr_power"),
    (optim.FTRL, {"learning_rate": [0.1]}, OpValueError, "one number"),
    (optim.ProximalAdagrad, {"l1": -1.0}, OpValueError, "l1"),
    (optim.AdaFactor, {"learning_rate": 0.1}, OpValueError, "relative_step"),
    (optim.AdaFactor, {"eps": 1.0}, OpTypeError, "eps"),
]


@pytest.mark.parametrize(
    "kind, arguments, error, words",
    BAD_ARGUMENTS,
    ids=[f"{bad[0].__name__}-{bad[3]}-{i}" for i, bad in enumerate(BAD_ARGUMENTS)],
)
def test_arguments_that_are_refused(kind, arguments, error, words):
    with pytest.raises(error, match=words):
        kind([w()], **arguments)


def test_lars_takes_an_optimizer():
    inner = optim.LARS(optim.SGD([w()], 0.1))
    for given in (inner, None):
        with pytest.raises(OpTypeError, match="needs an optimizer"):
            optim.LARS(given)


# -- those of PyTorch ------------------------------------------------------------------------------------------------


def test_groups_with_options():
    held = parameters(START)
    groups = [{"params": held[:2], "momentum": 0.5}, {"params": held[2:], "lr": 0.2, "maximize": True}]
    optimizer = optim.experimental.SGD(groups, lr=0.1, momentum=0.9, weight_decay=0.1)
    for step in GRADIENTS:
        optimizer(tensors(step))
    for i, (got, start) in enumerate(zip(values(held), START)):
        steps = [step[i] for step in GRADIENTS]
        p, v = start.astype(float), 0.0
        for t, g in enumerate(steps):
            g = (g if i < 2 else -g) + 0.1 * p
            v = g if t == 0 else (0.5 if i < 2 else 0.9) * v + g
            p = p - (0.1 if i < 2 else 0.2) * v
        np.testing.assert_allclose(got, p, 2e-5, 2e-6)


def test_add_param_group():
    held = parameters(START)
    optimizer = optim.experimental.Adam(held[:2], lr=0.1)
    optimizer(tensors(GRADIENTS[0][:2]))
    optimizer.add_param_group({"params": held[2:], "lr": 0.5, "amsgrad": True})
    assert [group["lr"].item() for group in optimizer.param_groups] == [np.float32(0.1), 0.5]
    assert optimizer.group_start_id == [0, 2, 4]
    before = values(held)
    optimizer(tensors(GRADIENTS[1]))
    assert all((a != b).all() for a, b in zip(before, values(held)))
    with pytest.raises(OpRuntimeError, match="has a parameter of the name 'p0' already"):
        optimizer.add_param_group({"params": [held[0]]})
    with pytest.raises(OpTypeError, match="needs a dict"):
        optimizer.add_param_group(held)


@pytest.mark.parametrize("kind", ["Adam", "SGD", "ASGD", "NAdam"])
def test_groups_without_parameters(kind):
    """Filters of names may find nothing; the group keeps its place, for schedulers."""
    held = parameters(START)
    optimizer = getattr(optim.experimental, kind)([{"params": []}, {"params": held, "lr": 0.5}], lr=0.1)
    optimizer(tensors(GRADIENTS[0]))
    optim.lr_scheduler.LambdaLR(optimizer, [lambda t: 2.0, lambda t: 0.5])
    assert [group["lr"].item() for group in optimizer.param_groups] == [np.float32(0.2), 0.25]
    assert (values(held)[0] != START[0]).all()


def test_settings_may_change_between_steps():
    held = parameters(START[:1])
    optimizer = optim.experimental.SGD(held, lr=0.5)
    optimizer.param_groups[0]["weight_decay"] = 0.5
    optimizer(tensors([np.zeros((3, 4), np.float32)]))
    np.testing.assert_allclose(values(held)[0], START[0] * 0.75, 1e-6)
    adam = optim.experimental.Adam(parameters(START), lr=0.5)
    adam.param_groups[0]["amsgrad"] = True
    adam(tensors(GRADIENTS[0]))
    assert len(adam.max_exp_avg_sq) == len(START)


def test_lars_comes_before_the_centralization():
    (start,), (gradient,) = arrays([(3, 4)], 0), arrays([(3, 4)], 1)
    held = parameters([start])
    inner = optim.SGD([{"params": held, "grad_centralization": True}], 0.1, weight_decay=0.5, loss_scale=2.0)
    optim.LARS(inner, epsilon=0.0, coefficient=0.25)(tensors([gradient]))
    p, g = start.astype(float), gradient / 2.0
    lengths = np.linalg.norm(p), np.linalg.norm(g)
    g = (g + 0.5 * p) * 0.25 * lengths[0] / (lengths[1] + 0.5 * lengths[0])
    np.testing.assert_allclose(values(held)[0], p - 0.1 * (g - g.mean(1, keepdims=True)), 1e-5, 1e-6)
