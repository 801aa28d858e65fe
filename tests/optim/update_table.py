"""Every optimizer with its options, beside the rule in numpy that it must follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import update_rules as ref

import anfora
from anfora import Parameter, Tensor, optim

SHAPES = ((3, 4), (5,), (2, 3, 7), ())


@dataclass(frozen=True)
class Case:
    """An optimizer: how it is made, and the options of its rule in numpy."""

    label: str
    make: Callable[[list], Any]
    rule: Callable
    options: dict[str, Any] = field(default_factory=dict)


def new(kind: Any, **arguments: Any) -> Callable[[list], Any]:
    return lambda parameters: kind(parameters, **arguments)


X = optim.experimental

CASES = [
    Case("SGD", new(optim.SGD, learning_rate=0.1), ref.descent, {"lr": 0.1}),
    Case("SGD momentum", new(optim.SGD, learning_rate=0.1, momentum=0.9, dampening=0.5, weight_decay=0.1),
         ref.sgd, {"lr": 0.1, "mu": 0.9, "dampening": 0.5, "decay": 0.1}),
    Case("SGD nesterov", new(optim.SGD, learning_rate=0.1, momentum=0.9, nesterov=True, loss_scale=8.0),
         ref.sgd, {"lr": 0.1, "mu": 0.9, "nesterov": True, "scale": 8.0}),
    Case("Momentum", new(optim.Momentum, learning_rate=0.1, momentum=0.9), ref.momentum, {"lr": 0.1, "mu": 0.9}),
    Case("Momentum nesterov",
         new(optim.Momentum, learning_rate=0.1, momentum=0.9, weight_decay=0.1, loss_scale=4.0, use_nesterov=True),
         ref.momentum, {"lr": 0.1, "mu": 0.9, "nesterov": True, "decay": 0.1, "scale": 4.0}),
    Case("Momentum list of rates", new(optim.Momentum, learning_rate=[0.1, 0.05, 0.01], momentum=0.5),
         ref.momentum, {"lr": [0.1, 0.05, 0.01], "mu": 0.5}),
    Case("Adagrad", new(optim.Adagrad, learning_rate=0.1), ref.adagrad, {"lr": 0.1}),
    Case("Adagrad without update", new(optim.Adagrad, learning_rate=0.1, accum=0.5, update_slots=False, loss_scale=2.0),
         ref.adagrad, {"lr": 0.1, "first": 0.5, "updates": False, "scale": 2.0}),
    Case("RMSProp", new(optim.RMSProp, learning_rate=0.1, momentum=0.3, weight_decay=0.1),
         ref.rmsprop, {"lr": 0.1, "mu": 0.3, "decay": 0.1}),
    Case("RMSProp centered", new(optim.RMSProp, learning_rate=0.1, decay=0.8, centered=True, epsilon=1e-3),
         ref.rmsprop, {"lr": 0.1, "rho": 0.8, "centered": True, "eps": 1e-3}),
    Case("Adadelta", new(optim.Adadelta, learning_rate=0.5, rho=0.8, epsilon=1e-2, weight_decay=0.1),
         ref.adadelta, {"lr": 0.5, "rho": 0.8, "eps": 1e-2, "decay": 0.1}),
    Case("Adam", new(optim.Adam, learning_rate=0.1), ref.adam, {"lr": 0.1}),
    Case("Adam nesterov", new(optim.Adam, learning_rate=0.1, beta1=0.8, beta2=0.99, use_nesterov=True, weight_decay=0.1),
         ref.adam, {"lr": 0.1, "b1": 0.8, "b2": 0.99, "nesterov": True, "decay": 0.1}),
    Case("Adam amsgrad", new(optim.Adam, learning_rate=0.1, beta2=0.5, use_amsgrad=True, eps=0.1, loss_scale=2.0),
         ref.adam, {"lr": 0.1, "b2": 0.5, "amsgrad": True, "eps": 0.1, "scale": 2.0}),
    Case("AdamOffload", new(optim.AdamOffload, learning_rate=0.1), ref.adam, {"lr": 0.1}),
    Case("LazyAdam", new(optim.LazyAdam, learning_rate=0.1), ref.adam, {"lr": 0.1}),
    Case("AdaMax", new(optim.AdaMax, learning_rate=0.1, beta2=0.6, weight_decay=0.1),
         ref.adamax, {"lr": 0.1, "b2": 0.6, "decay": 0.1}),
    Case("AdamWeightDecay", new(optim.AdamWeightDecay, learning_rate=0.01, weight_decay=0.1),
         lambda *a, share, **o: ref.adam_decay(*a, decay=share, **o), {"lr": 0.01, "share": 0.1}),
    Case("AdamW", new(optim.AdamW, lr=0.1, weight_decay=0.1),
         lambda *a, share, **o: ref.adam_corrected(*a, decay=share, **o), {"lr": 0.1, "share": 0.1}),
    Case("Lamb", new(optim.Lamb, learning_rate=0.1, weight_decay=0.1),
         lambda *a, share, **o: ref.lamb(*a, decay=share, **o), {"lr": 0.1, "share": 0.1}),
    Case("Rprop", new(optim.Rprop, learning_rate=0.1, etas=(0.25, 1.5), step_sizes=(0.01, 0.2)),
         ref.rprop, {"lr": 0.1, "etas": (0.25, 1.5), "sizes": (0.01, 0.2)}),
    Case("ASGD", new(optim.ASGD, learning_rate=0.1, lambd=0.1, alpha=0.5, t0=2.0, weight_decay=0.1),
         ref.asgd, {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 2.0, "decay": 0.1}),
    Case("ProximalAdagrad", new(optim.ProximalAdagrad, learning_rate=0.1, l1=0.5, l2=0.3, accum=0.2),
         ref.proximal_adagrad, {"lr": 0.1, "l1": 0.5, "l2": 0.3, "first": 0.2}),
    Case("FTRL", new(optim.FTRL, learning_rate=0.1, l1=0.2, l2=0.3, weight_decay=0.1),
         ref.ftrl, {"lr": 0.1, "l1": 0.2, "l2": 0.3, "decay": 0.1}),
    Case("FTRL power", new(optim.FTRL, learning_rate=0.1, lr_power=-0.25), ref.ftrl, {"lr": 0.1, "power": -0.25}),
    Case("AdaFactor", new(optim.AdaFactor), ref.adafactor, {"lr": None}),
    Case("AdaFactor rate",
         new(optim.AdaFactor, learning_rate=0.1, relative_step=False, scale_parameter=False, beta1=None,
             weight_decay=0.1, clip_threshold=0.5),
         lambda *a, share, **o: ref.adafactor(*a, decay=share, scaled=False, b1=0.0, clip=0.5, **o),
         {"lr": 0.1, "share": 0.1}),
    Case("LARS", lambda ps: optim.LARS(optim.SGD(ps, 0.1, 0.9, weight_decay=0.1, loss_scale=4.0), coefficient=0.5),
         lambda *a, share, **o: ref.lars(*a, decay=share, **o),
         {"lr": 0.1, "mu": 0.9, "c": 0.5, "share": 0.1, "scale": 4.0}),
    Case("LARS clip", lambda ps: optim.LARS(optim.SGD(ps, 0.1, weight_decay=0.1), coefficient=0.2, use_clip=True),
         lambda *a, share, **o: ref.lars(*a, decay=share, **o), {"lr": 0.1, "c": 0.2, "share": 0.1, "clip": True}),
    # those of PyTorch
    Case("X.SGD", new(X.SGD, lr=0.1, momentum=0.9, dampening=0.5, weight_decay=0.1),
         ref.sgd, {"lr": 0.1, "mu": 0.9, "dampening": 0.5, "decay": 0.1}),
    Case("X.SGD maximize", new(X.SGD, lr=0.1, maximize=True), ref.descent, {"lr": 0.1, "scale": -1.0}),
    Case("X.Adagrad", new(X.Adagrad, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.1, weight_decay=0.1),
         ref.adagrad, {"lr": 0.1, "lr_decay": 0.1, "eps": 1e-10, "decay": 0.1}),
    Case("X.RMSprop", new(X.RMSprop, lr=0.1, momentum=0.5), ref.rmsprop_outside, {"lr": 0.1, "mu": 0.5}),
    Case("X.RMSprop centered", new(X.RMSprop, lr=0.1, centered=True, alpha=0.8, maximize=True),
         ref.rmsprop_outside, {"lr": 0.1, "rho": 0.8, "centered": True, "scale": -1.0}),
    Case("X.Adadelta", new(X.Adadelta, lr=0.5), ref.adadelta, {"lr": 0.5}),
    Case("X.Adam", new(X.Adam, lr=0.1, weight_decay=0.1), ref.adam_corrected, {"lr": 0.1, "decay": 0.1}),
    Case("X.Adam amsgrad", new(X.Adam, lr=0.1, betas=(0.8, 0.5), amsgrad=True, maximize=True),
         ref.adam_corrected, {"lr": 0.1, "b1": 0.8, "b2": 0.5, "amsgrad": True, "scale": -1.0}),
    Case("X.Adamax", new(X.Adamax, lr=0.1, betas=(0.9, 0.6)), ref.adamax, {"lr": 0.1, "b2": 0.6, "inside": True}),
    Case("X.NAdam", new(X.NAdam, lr=0.1, weight_decay=0.1, momentum_decay=0.1), ref.nadam,
         {"lr": 0.1, "decay": 0.1, "psi": 0.1}),
    Case("X.RAdam", new(X.RAdam, lr=0.1, betas=(0.9, 0.99)), ref.radam, {"lr": 0.1, "b2": 0.99}),
    Case("X.Rprop", new(X.Rprop, lr=0.1), ref.rprop, {"lr": 0.1}),
    Case("X.ASGD", new(X.ASGD, lr=0.1, lambd=0.1, alpha=0.5, t0=2.0), ref.asgd,
         {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 2.0}),
]  # fmt: skip


def some(*labels):
    return [case for case in CASES if case.label in labels]


def label(case):
    return case.label


def arrays(shapes, seed, dtype=np.float32):
    """Normal numbers of these shapes."""
    draw = np.random.default_rng(seed)
    return [np.asarray(draw.normal(size=shape)).astype(dtype) for shape in shapes]


def parameters(values, dtype=None):
    return [Parameter(Tensor(value, dtype), name=f"p{i}") for i, value in enumerate(values)]


def tensors(values, dtype=None):
    return tuple(Tensor(value, dtype) for value in values)


def values(held):
    """Copies of what Parameters hold, as numpy arrays."""
    return [np.array(p.astype(anfora.float32).asnumpy() if p.dtype is anfora.bfloat16 else p.asnumpy()) for p in held]


def states(optimizer):
    """Everything that an optimizer holds, by name, as bytes."""
    return {p.name: p.asnumpy().tobytes() for p in optimizer.get_parameters()}
