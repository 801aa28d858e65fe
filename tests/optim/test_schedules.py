"""Learning rates: Cells, lists, and schedulers, against closed forms."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import anfora
from anfora import Parameter, Tensor, optim
from anfora.core.errors import OpTypeError, OpValueError
from anfora.optim import lr_scheduler as sched

STEPS = range(25)


# Each row: a schedule, the same as a list of rates (one step an epoch), and the closed form.
CURVES = [
    ("exponential", optim.ExponentialDecayLR(0.1, 0.9, 4), optim.exponential_decay_lr(0.1, 0.9, 25, 1, 4),
     lambda t: 0.1 * 0.9 ** (t / 4)),
    ("exponential stair", optim.ExponentialDecayLR(0.1, 0.9, 4, True), optim.exponential_decay_lr(0.1, 0.9, 25, 1, 4, True),
     lambda t: 0.1 * 0.9 ** math.floor(t / 4)),
    ("natural", optim.NaturalExpDecayLR(0.1, 0.2, 4), optim.natural_exp_decay_lr(0.1, 0.2, 25, 1, 4),
     lambda t: 0.1 * math.exp(-0.2 * t)),
    ("natural stair", optim.NaturalExpDecayLR(0.1, 0.2, 4, True), optim.natural_exp_decay_lr(0.1, 0.2, 25, 1, 4, True),
     lambda t: 0.1 * math.exp(-0.2 * math.floor(t / 4) * 4)),
    ("inverse", optim.InverseDecayLR(0.1, 0.9, 4), optim.inverse_decay_lr(0.1, 0.9, 25, 1, 4),
     lambda t: 0.1 / (1 + 0.9 * t / 4)),
    ("inverse stair", optim.InverseDecayLR(0.1, 0.9, 4, True), optim.inverse_decay_lr(0.1, 0.9, 25, 1, 4, True),
     lambda t: 0.1 / (1 + 0.9 * math.floor(t / 4))),
    ("cosine", optim.CosineDecayLR(0.01, 0.1, 7), optim.cosine_decay_lr(0.01, 0.1, 25, 1, 7),
     lambda t: 0.01 + 0.09 * (1 + math.cos(math.pi * min(t, 7) / 7)) / 2),
    ("polynomial", optim.PolynomialDecayLR(0.1, 0.01, 7, 1.5), optim.polynomial_decay_lr(0.1, 0.01, 25, 1, 7, 1.5),
     lambda t: 0.09 * (1 - min(t, 7) / 7) ** 1.5 + 0.01),
    ("polynomial again", optim.PolynomialDecayLR(0.1, 0.01, 7, 1.5, True),
     optim.polynomial_decay_lr(0.1, 0.01, 25, 1, 7, 1.5, True),
     lambda t: 0.09 * (1 - t / (7 * max(math.ceil(t / 7), 1))) ** 1.5 + 0.01),
    ("warm-up", optim.WarmUpLR(0.1, 7), optim.warmup_lr(0.1, 25, 1, 7), lambda t: 0.1 * min(t, 7) / 7),
]  # fmt: skip


@pytest.mark.parametrize("schedule, rates, form", [row[1:] for row in CURVES], ids=[row[0] for row in CURVES])
def test_curves(schedule, rates, form):
    want = [form(t) for t in STEPS]
    np.testing.assert_allclose(rates, want, 1e-12)
    np.testing.assert_allclose([schedule(Tensor(t)).item() for t in STEPS], want, 1e-5, 1e-8)
    assert schedule(Tensor([3], anfora.int32)).shape == (1,)
    for twin in (copy.deepcopy(schedule), pickle.loads(pickle.dumps(schedule))):
        assert twin(Tensor(5)).item() == schedule(Tensor(5)).item()


def test_lists_change_with_the_epoch():
    assert optim.exponential_decay_lr(1.0, 0.5, 7, 3, 1) == [1.0] * 3 + [0.5] * 3 + [0.25]
    assert optim.piecewise_constant_lr([2, 5], [0.1, 0.2]) == [0.1] * 2 + [0.2] * 3


@pytest.mark.parametrize("row", CURVES[::3], ids=lambda row: row[0])
def test_in_an_optimizer(row):
    _, schedule, rates, form = row
    for given in (schedule, rates):
        weight = Parameter([0.0], name="w")
        optimizer = optim.SGD([weight], given)
        total = 0.0
        for t in STEPS:
            assert abs(float(optimizer.get_lr()) - form(t)) < 1e-6
            optimizer(Tensor([1.0]))
            total += form(t)
        assert abs(weight.item() + total) < 1e-4


BAD = [
    (optim.ExponentialDecayLR, (1, 0.9, 4), OpTypeError, "learning_rate"),
    (optim.ExponentialDecayLR, (0.0, 0.9, 4), OpValueError, "learning_rate"),
    (optim.ExponentialDecayLR, (0.1, -0.9, 4), OpValueError, "decay_rate"),
    (optim.ExponentialDecayLR, (0.1, 0.9, 0), OpValueError, "decay_steps"),
    (optim.ExponentialDecayLR, (0.1, 0.9, 4.0), OpTypeError, "decay_steps"),
    (optim.ExponentialDecayLR, (0.1, 0.9, True), OpTypeError, "decay_steps"),
    (optim.ExponentialDecayLR, (0.1, 0.9, 4, 1), OpTypeError, "is_stair"),
    (optim.CosineDecayLR, (0.1, 0.1, 4), OpValueError, "min_lr < max_lr"),
    (optim.CosineDecayLR, (-0.1, 0.1, 4), OpValueError, "min_lr"),
    (optim.PolynomialDecayLR, (0.1, 0.01, 4, 0.0), OpValueError, "power"),
    (optim.PolynomialDecayLR, (0.1, 1, 4, 1.0), OpTypeError, "end_learning_rate"),
    (optim.WarmUpLR, (-0.1, 4), OpValueError, "learning_rate"),
    (optim.warmup_lr, (0.1, 0, 1, 1), OpValueError, "total_step"),
    (optim.warmup_lr, (0.1, 1, 1.5, 1), OpTypeError, "step_per_epoch"),
    (optim.exponential_decay_lr, (1, 0.9, 4, 1, 1), OpTypeError, "learning_rate"),
    (optim.piecewise_constant_lr, ([1], [0.1, 0.2]), OpValueError, "as many milestones"),
    (optim.piecewise_constant_lr, ([2, 1], [0.1, 0.2]), OpValueError, "rising"),
    (optim.piecewise_constant_lr, (2, 0.1), OpTypeError, "needs a list"),
    (optim.piecewise_constant_lr, ([1], [1]), OpTypeError, "float"),
]


@pytest.mark.parametrize("kind, arguments, error, words", BAD)
def test_what_is_refused(kind, arguments, error, words):
    with pytest.raises(error, match=words):
        kind(*arguments)


# -- schedulers ------------------------------------------------------------------------------------------------------


def momentum(*rates):
    """An optimizer with a group for each rate."""
    groups = [{"params": [Parameter([1.0], name=f"w{i}")], "lr": rate} for i, rate in enumerate(rates)]
    return optim.Momentum(groups, 0.1, 0.9)


def restarts(t, first, factor):
    """Steps since the last restart, and the length of the period."""
    length = first
    while t >= length:
        t, length = t - length, length * factor
    return t / length


def triangle(t, up, down):
    at = t % (up + down)
    return at / up if at <= up else (up + down - at) / down


# Each row: how a scheduler is made, and the factor of the first rate at step t, or the rate itself.
SCHEDULERS = [
    ("step", lambda o: sched.StepLR(o, 3, 0.5), lambda t, r: r * 0.5 ** (t // 3)),
    ("multi", lambda o: sched.MultiStepLR(o, [2, 5, 5], 0.5), lambda t, r: r * 0.5 ** ((t >= 2) + 2 * (t >= 5))),
    ("exponential", lambda o: sched.ExponentialLR(o, 0.8), lambda t, r: r * 0.8**t),
    ("constant", lambda o: sched.ConstantLR(o, 0.5, 4), lambda t, r: r * (0.5 if t < 4 else 1)),
    ("linear", lambda o: sched.LinearLR(o, 0.25, 0.75, 5), lambda t, r: r * (0.25 + 0.5 * min(t, 5) / 5)),
    ("polynomial", lambda o: sched.PolynomialLR(o, 6, 2.0), lambda t, r: r * (1 - min(t, 6) / 6) ** 2),
    ("lambda", lambda o: sched.LambdaLR(o, lambda t: 1 / (1 + t)), lambda t, r: r / (1 + t)),
    ("lambdas", lambda o: sched.LambdaLR(o, [lambda t: 0.9**t, lambda t: 0.9**t]), lambda t, r: r * 0.9**t),
    ("multiplicative", lambda o: sched.MultiplicativeLR(o, lambda t: t / (t + 1)), lambda t, r: r / (t + 1)),
    ("cosine", lambda o: sched.CosineAnnealingLR(o, 5, 0.01),
     lambda t, r: 0.01 + (r - 0.01) * (1 + math.cos(math.pi * t / 5)) / 2),
    ("restarts", lambda o: sched.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
     lambda t, r: 0.01 + (r - 0.01) * (1 + math.cos(math.pi * restarts(t, 3, 2))) / 2),
    ("cyclic", lambda o: sched.CyclicLR(o, 0.1, 0.5, 3, 2), lambda t, r: 0.1 + 0.4 * triangle(t, 3, 2)),
    ("cyclic halved", lambda o: sched.CyclicLR(o, 0.1, 0.5, 3, mode="triangular2"),
     lambda t, r: 0.1 + 0.4 * triangle(t, 3, 3) * 0.5 ** (t // 6)),
    ("cyclic falling", lambda o: sched.CyclicLR(o, 0.1, 0.5, 3, mode="exp_range", gamma=0.9),
     lambda t, r: 0.1 + 0.4 * triangle(t, 3, 3) * 0.9**t),
    ("sequence", lambda o: sched.SequentialLR(o, [sched.LinearLR(o, 0.5, 1.0, 4), sched.ExponentialLR(o, 0.8)], [4]),
     lambda t, r: r * (0.5 + 0.5 * t / 4 if t < 4 else 0.8 ** (t - 4))),
]  # fmt: skip
BY_NAME = [pytest.param(*row[1:], id=row[0]) for row in SCHEDULERS]


@pytest.mark.parametrize("make, form", BY_NAME)
def test_schedulers(make, form):
    rates = (0.5, 0.25)
    optimizer = momentum(*rates)
    scheduler = make(optimizer)
    for t in range(14):
        want = [form(t, rate) for rate in rates]
        np.testing.assert_allclose([group["lr"].item() for group in optimizer.param_groups], want, 1e-5, 1e-7)
        np.testing.assert_allclose([rate.item() for rate in scheduler.get_last_lr()], want, 1e-5, 1e-7)
        optimizer((Tensor([0.0]), Tensor([0.0])))
        scheduler.step()


@pytest.mark.parametrize("make, form", BY_NAME)
def test_schedulers_go_on(make, form):
    optimizer, other = momentum(0.5, 0.25), momentum(0.5, 0.25)
    scheduler = make(optimizer)
    for _ in range(5):
        scheduler.step()
    twin = make(other)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    twin.load_state_dict(copy.deepcopy(scheduler.state_dict()))
    for t in range(5, 10):
        for held in (optimizer, other):
            np.testing.assert_allclose([g["lr"].item() for g in held.param_groups], [form(t, 0.5), form(t, 0.25)], 1e-5)
        scheduler.step()
        twin.step()


def test_a_step_uses_the_rate():
    weight = Parameter([0.0], name="w")
    optimizer = optim.SGD([weight], 1.0)
    scheduler = sched.ExponentialLR(optimizer, 0.5)
    for _ in range(3):
        optimizer(Tensor([1.0]))
        scheduler.step()
    assert weight.item() == -1.75


def test_closed_forms_of_an_epoch():
    optimizer = momentum(0.5)
    scheduler = sched.StepLR(optimizer, 3, 0.5)
    scheduler.step(7)
    assert scheduler.last_epoch == 7 and optimizer.param_groups[0]["lr"].item() == 0.125
    fraction = sched.CosineAnnealingWarmRestarts(momentum(0.5), 4)
    fraction.step(1.5)
    np.testing.assert_allclose(fraction.get_last_lr()[0].item(), 0.25 * (1 + math.cos(math.pi * 1.5 / 4)), 1e-6)


def test_starting_later_needs_the_first_rate():
    with pytest.raises(KeyError, match="initial_lr"):
        sched.ExponentialLR(momentum(0.5), 0.5, last_epoch=3)
    optimizer = momentum(0.5)
    sched.ExponentialLR(optimizer, 0.5)
    scheduler = sched.LambdaLR(optimizer, lambda t: 0.5**t, last_epoch=3)
    assert scheduler.last_epoch == 4 and optimizer.param_groups[0]["lr"].item() == 0.5 * 0.5**4


@pytest.mark.parametrize(
    "options, losses, want",
    [
        ({"patience": 1}, [3, 2, 2, 2, 2, 2], [1, 1, 1, 0.5, 0.5, 0.25]),
        ({"patience": 0, "mode": "max"}, [1, 2, 2, 3, 1], [1, 1, 0.5, 0.5, 0.25]),
        ({"patience": 0, "cooldown": 2}, [1, 1, 1, 1, 1], [1, 0.5, 0.5, 0.5, 0.25]),
        ({"patience": 0, "min_lr": 0.4}, [1, 1, 1, 1], [1, 0.5, 0.4, 0.4]),
        ({"patience": 0, "threshold": 0.1}, [1, 0.95, 0.92, 0.8], [1, 0.5, 0.25, 0.25]),
        ({"patience": 0, "threshold": 0.5, "threshold_mode": "abs"}, [3, 2.6, 2.4], [1, 0.5, 0.5]),
        ({"patience": 0}, [1, math.nan, 0.5], [1, 0.5, 0.5]),
    ],
)
def test_plateaus(options, losses, want):
    optimizer = momentum(1.0)
    scheduler = sched.ReduceLROnPlateau(optimizer, factor=0.5, **options)
    got = []
    for loss in losses:
        scheduler.step(Tensor(float(loss)))
        got.append(optimizer.param_groups[0]["lr"].item())
    np.testing.assert_allclose(got, want, 1e-6)


#: What MindSpore 2.10 gives: a scheduler begins with the rate that the optimizer was made with, also behind others.
TOGETHER = [
    ("rates, cyclic", lambda o: [sched.ExponentialLR(o, 0.5), sched.CyclicLR(o, 0.01, 0.1, 3)],
     [0.1, 0.04, 0.07, 0.1, 0.07, 0.04, 0.01, 0.04]),
    ("cyclic, rates", lambda o: [sched.CyclicLR(o, 0.01, 0.1, 3), sched.ExponentialLR(o, 0.5)],
     [0.01, 0.02, 0.035, 0.05, 0.035, 0.02, 0.005, 0.02]),
    ("constant, then cyclic",
     lambda o: [sched.SequentialLR(o, [sched.ConstantLR(o, 0.1, 2), sched.CyclicLR(o, 0.01, 0.1, 3)], [3])],
     [0.01, 0.01, 0.1, 0.01, 0.04, 0.07, 0.1, 0.07]),
    ("cyclic, then rates",
     lambda o: [sched.SequentialLR(o, [sched.CyclicLR(o, 0.01, 0.1, 2), sched.ExponentialLR(o, 0.5)], [3])],
     [0.01, 0.055, 0.1, 0.01, 0.005, 0.0025, 0.00125, 0.000625]),
    ("steps, a line", lambda o: [sched.StepLR(o, 2, 0.5), sched.LinearLR(o, 0.5, 1.0, 4)],
     [0.05, 0.0625, 0.0375, 0.04375, 0.025, 0.025, 0.0125, 0.0125]),
    ("cosine, steps", lambda o: [sched.CosineAnnealingLR(o, 4, 0.01), sched.MultiStepLR(o, [2, 5], 0.5)],
     [0.1, 0.08682, 0.0275, 0.015126, 0.01, 0.01159, 0.015429, 0.019268]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "want"), [row[1:] for row in TOGETHER], ids=[row[0] for row in TOGETHER])
def test_several_schedulers_of_one_optimizer(make, want):
    optimizer = momentum(0.1)
    schedulers, got = make(optimizer), []
    for _ in want:
        got.append(optimizer.param_groups[0]["lr"].item())
        for scheduler in schedulers:
            scheduler.step()
    np.testing.assert_allclose(got, want, rtol=1e-4)


BAD_SCHEDULERS = [
    (lambda o: sched.StepLR(None, 3), OpTypeError, "needs an optimizer"),
    (lambda o: sched.StepLR(o, 0), OpValueError, "step_size"),
    (lambda o: sched.StepLR(o, 1.5), OpTypeError, "step_size"),
    (lambda o: sched.StepLR(o, 3, "a"), OpTypeError, "gamma"),
    (lambda o: sched.StepLR(o, 3, last_epoch=-2), OpValueError, "last_epoch"),
    (lambda o: sched.StepLR(o, 3, last_epoch=0.5), OpTypeError, "last_epoch"),
    (lambda o: sched.MultiStepLR(o, 3), OpTypeError, "milestones"),
    (lambda o: sched.MultiStepLR(o, [1.5]), OpTypeError, "milestones"),
    (lambda o: sched.ConstantLR(o, 1.5), OpValueError, "factor"),
    (lambda o: sched.LinearLR(o, 0.0), OpValueError, "start_factor"),
    (lambda o: sched.LinearLR(o, 0.5, 1.5), OpValueError, "end_factor"),
    (lambda o: sched.LambdaLR(o, [math.exp] * 3), OpValueError, "one value a group"),
    (lambda o: sched.CosineAnnealingWarmRestarts(o, 0), OpValueError, "T_0"),
    (lambda o: sched.CyclicLR(o, 0.1, 0.5, mode="square"), OpValueError, "no mode 'square'"),
    (lambda o: sched.ReduceLROnPlateau(o, "least"), OpValueError, "'min' or 'max'"),
    (lambda o: sched.ReduceLROnPlateau(o, factor=1.0), OpValueError, "factor"),
    (lambda o: sched.SequentialLR(o, [sched.StepLR(o, 1)], [1]), OpValueError, "one milestone less"),
    (lambda o: sched.SequentialLR(o, [sched.StepLR(momentum(0.1), 1)], []), OpValueError, "of another optimizer"),
    (lambda o: sched.StepLR(momentum(optim.WarmUpLR(0.1, 3)), 3), OpTypeError, "fixed rates"),
]


@pytest.mark.parametrize("make, error, words", BAD_SCHEDULERS)
def test_schedulers_that_are_refused(make, error, words):
    with pytest.raises(error, match=words):
        make(momentum(0.5, 0.25))


def test_groups_that_share_a_rate_cannot_part():
    held = [Parameter([1.0], name=name) for name in "ab"]
    optimizer = optim.Momentum([{"params": [p]} for p in held], 0.1, 0.9)
    sched.LambdaLR(optimizer, lambda t: 0.5)
    with pytest.raises(OpValueError, match="share one"):
        sched.LambdaLR(optimizer, [lambda t: 0.5, lambda t: 0.25])
