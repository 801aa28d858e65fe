"""Optimizers: update rules and learning rates.

To read in this order:

    update.py          how the formula of an optimizer becomes one native call over all parameters
    checks.py          checks of hyperparameters
    groups.py          groups of parameters, and what they are given
    optimizer.py       the base of optimizers: the step
    sgd.py, adagrad.py, adam.py, rprop.py, asgd.py, proximal.py, lamb.py, adafactor.py
                       the optimizers of MindSpore, each with its formula and source
    options.py, options_sgd.py, options_adam.py, experimental.py
                       those of PyTorch, whose settings may differ from group to group
    schedule.py        learning rates as Cells from the step to the rate
    dynamic_lr.py      learning rates as lists with one a step
    lr_scheduler.py    objects that change the rates of an optimizer from outside
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.optim import experimental, lr_scheduler
from anfora.optim.adafactor import AdaFactor
from anfora.optim.adagrad import Adadelta, Adagrad, RMSProp
from anfora.optim.adam import Adam, AdaMax, AdamOffload, AdamWeightDecay, LazyAdam
from anfora.optim.asgd import ASGD
from anfora.optim.dynamic_lr import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from anfora.optim.lamb import LARS, Lamb
from anfora.optim.optimizer import Optimizer
from anfora.optim.options_adam import AdamW
from anfora.optim.proximal import FTRL, ProximalAdagrad
from anfora.optim.rprop import Rprop
from anfora.optim.schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from anfora.optim.sgd import SGD, Momentum

__all__ = [
    "ASGD", "FTRL", "LARS", "SGD", "AdaFactor", "AdaMax", "Adadelta", "Adagrad", "Adam", "AdamOffload", "AdamW",
    "AdamWeightDecay", "LazyAdam", "Lamb", "Momentum", "Optimizer", "ProximalAdagrad", "RMSProp", "Rprop",
    "CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "LearningRateSchedule", "NaturalExpDecayLR",
    "PolynomialDecayLR", "WarmUpLR",
    "cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr",
    "polynomial_decay_lr", "warmup_lr",
    "experimental", "lr_scheduler",
]  # fmt: skip

if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
