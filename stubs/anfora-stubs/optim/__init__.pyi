# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import experimental as experimental
from . import lr_scheduler as lr_scheduler
from anfora.optim.adafactor import AdaFactor as AdaFactor
from anfora.optim.adagrad import Adadelta as Adadelta
from anfora.optim.adagrad import Adagrad as Adagrad
from anfora.optim.adagrad import RMSProp as RMSProp
from anfora.optim.adam import AdaMax as AdaMax
from anfora.optim.adam import Adam as Adam
from anfora.optim.adam import AdamOffload as AdamOffload
from anfora.optim.adam import AdamWeightDecay as AdamWeightDecay
from anfora.optim.adam import LazyAdam as LazyAdam
from anfora.optim.asgd import ASGD as ASGD
from anfora.optim.dynamic_lr import cosine_decay_lr as cosine_decay_lr
from anfora.optim.dynamic_lr import exponential_decay_lr as exponential_decay_lr
from anfora.optim.dynamic_lr import inverse_decay_lr as inverse_decay_lr
from anfora.optim.dynamic_lr import natural_exp_decay_lr as natural_exp_decay_lr
from anfora.optim.dynamic_lr import piecewise_constant_lr as piecewise_constant_lr
from anfora.optim.dynamic_lr import polynomial_decay_lr as polynomial_decay_lr
from anfora.optim.dynamic_lr import warmup_lr as warmup_lr
from anfora.optim.lamb import LARS as LARS
from anfora.optim.lamb import Lamb as Lamb
from anfora.optim.optimizer import Optimizer as Optimizer
from anfora.optim.options_adam import AdamW as AdamW
from anfora.optim.proximal import FTRL as FTRL
from anfora.optim.proximal import ProximalAdagrad as ProximalAdagrad
from anfora.optim.rprop import Rprop as Rprop
from anfora.optim.schedule import CosineDecayLR as CosineDecayLR
from anfora.optim.schedule import ExponentialDecayLR as ExponentialDecayLR
from anfora.optim.schedule import InverseDecayLR as InverseDecayLR
from anfora.optim.schedule import LearningRateSchedule as LearningRateSchedule
from anfora.optim.schedule import NaturalExpDecayLR as NaturalExpDecayLR
from anfora.optim.schedule import PolynomialDecayLR as PolynomialDecayLR
from anfora.optim.schedule import WarmUpLR as WarmUpLR
from anfora.optim.sgd import Momentum as Momentum
from anfora.optim.sgd import SGD as SGD

