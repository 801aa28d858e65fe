"""Layers, losses, and what trains them; a layer is a `Cell`.

    checks.py         checks of hyperparameters             initial.py        first values of parameters
    containers.py     SequentialCell, CellList, CellDict    basic.py          Dense, Flatten, norms

    conv.py           convolutions                          pooling.py        windows of an image to one number
    normalization.py  BatchNorm2d, LayerNorm and their kin  dropout.py        random zeros
    activation.py     activation functions                  padding.py        elements around a tensor
    embedding.py      tables of vectors                     recurrent.py      RNN, LSTM and GRU
    transformer.py    attention, encoder, decoder           image.py          other sizes, windows
    combined.py       layer, normalisation and activation   graph_cell.py     a graph as a network
    functions.py      functions that older programs hold as layers

    loss.py           losses                                image_quality.py  how alike two images are
    wrap.py           a network with its loss, its gradient, an optimizer's step
    loss_scale.py     training with a scaled loss
    reducer.py        gradients of several processes; micro_batches.py, in the same bits on any number of them;
                      micro_steps.py, steps of training that way
    accumulation.py   gradients added up over steps     utils.py          around the making of a network
    amp.py            networks in half precision, scales of losses; `anfora.amp`
    metrics.py        how good predictions are; `anfora.train`
    metrics_classes.py, metrics_images.py    tables of classes; outlines, parts of an image

    bijectors.py      mappings between them; `anfora.nn.probability.bijector`
    distributions.py  probability distributions; `anfora.nn.probability.distribution`

    older.py          operators that MindSpore's layers hold as attributes
    learning_rate_schedule.py   the schedules of `anfora.optim`, under MindSpore's path

The optimizers and learning rates of `anfora.optim` have their names here too, as MindSpore programs write them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from anfora.core.cell import Cell
from anfora.core.nearest import missing_in
from anfora.nn import learning_rate_schedule as learning_rate_schedule
from anfora.nn import older as older
from anfora.nn import utils as utils
from anfora.nn.activation import *  # noqa: F403
from anfora.nn.basic import *  # noqa: F403
from anfora.nn.combined import *  # noqa: F403
from anfora.nn.containers import *  # noqa: F403
from anfora.nn.conv import *  # noqa: F403
from anfora.nn.dropout import *  # noqa: F403
from anfora.nn.embedding import *  # noqa: F403
from anfora.nn.functions import *  # noqa: F403
from anfora.nn.graph_cell import *  # noqa: F403
from anfora.nn.image import *  # noqa: F403
from anfora.nn.image_quality import *  # noqa: F403
from anfora.nn.loss import *  # noqa: F403
from anfora.nn.loss_scale import *  # noqa: F403
from anfora.nn.metrics import *  # noqa: F403
from anfora.nn.metrics_classes import *  # noqa: F403
from anfora.nn.metrics_images import *  # noqa: F403
from anfora.nn.normalization import *  # noqa: F403
from anfora.nn.padding import *  # noqa: F403
from anfora.nn.pooling import *  # noqa: F403
from anfora.nn.recurrent import *  # noqa: F403
from anfora.nn.reducer import *  # noqa: F403
from anfora.nn.transformer import *  # noqa: F403
from anfora.nn.utils import no_init_parameters as no_init_parameters
from anfora.nn.wrap import *  # noqa: F403
from anfora.optim import *  # noqa: F403

#: The modules whose public names these are.
_MODULES = (
    "activation", "basic", "combined", "containers", "conv", "dropout", "embedding", "functions", "graph_cell", "image",
    "image_quality",
    "loss", "loss_scale", "metrics", "metrics_classes", "metrics_images", "normalization", "padding", "pooling",
    "recurrent", "reducer", "transformer", "wrap",
)  # fmt: skip

__all__ = [
    "Cell",
    *(name for module in _MODULES for name in import_module(f"anfora.nn.{module}").__all__),
    *(name for name in import_module("anfora.optim").__all__ if name not in ("experimental", "lr_scheduler")),
    "learning_rate_schedule",
    "no_init_parameters",
]

if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
