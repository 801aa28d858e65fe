"""Optimizers whose settings may differ from group to group, by the names and with the arguments of PyTorch and of
`mindspore.experimental.optim`; their base, and the schedulers that go with them (`lr_scheduler`)."""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.optim import lr_scheduler as lr_scheduler
from anfora.optim.options import Optimizer
from anfora.optim.options_adam import Adam, Adamax, AdamW, NAdam, RAdam
from anfora.optim.options_sgd import ASGD, SGD, Adadelta, Adagrad, RMSprop, Rprop

__all__ = [
    "ASGD", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop",
    "lr_scheduler",
]  # fmt: skip


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
