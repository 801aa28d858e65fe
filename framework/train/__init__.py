"""Training: `Model` and its callbacks, metrics, mixed precision, checkpoints, under MindSpore's names.

model.py            Model: train, fit, eval, predict
dataset_helper.py   how the loop gets its data; data_sink
summary.py          SummaryRecord: files for TensorBoard
state.py            what a checkpoint holds besides Parameters
together.py         what several processes agree on before they begin
callback/           what is done at the moments of a training
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from anfora.core.nearest import below

#: The modules whose names are this package's too, as in MindSpore.
_HOMES = ("anfora.train.", "anfora.nn.metrics", "anfora.nn.amp", "anfora.interop.checkpoint")


def __getattr__(name: str) -> Any:
    """The names live in the modules of this package, in `anfora.nn` and in `anfora`, and are loaded when they are used."""
    anfora = sys.modules["anfora"]
    if name == "__all__":
        names = (name for home, names in anfora._HOMES.items() if home.startswith(_HOMES) for name in names)
        return sorted(name for name in names if not name.startswith("_"))
    if name in ("amp", "callback", "metrics", "serialization"):
        return sys.modules.get(f"{__name__}.{name}") or importlib.import_module(f"{__name__}.{name}")
    if not name.startswith("__"):
        try:
            return getattr(anfora, name)
        except AttributeError:
            pass
    return below(__name__, name)


def __dir__() -> list[str]:
    return sorted([*__getattr__("__all__"), "amp", "callback", "metrics"])
