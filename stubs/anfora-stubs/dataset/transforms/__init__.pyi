# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.dataset.functions import not_random as not_random

Compose: builtins.type

Concatenate: builtins.type

Duplicate: builtins.type

Fill: builtins.type

Mask: builtins.type

OneHot: builtins.type

PadEnd: builtins.type

RandomApply: builtins.type

RandomChoice: builtins.type

RandomOrder: builtins.type

Relational: Any

Slice: builtins.type

TypeCast: builtins.type

Unique: builtins.type
