# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.optim.options_adam import Adam as Adam
from anfora.optim.options_adam import AdamW as AdamW
from anfora.optim.options_adam import AdamW as FusedAdamW
from anfora.optim.options_sgd import SGD as SGD

