"""ONNX: networks as files that other libraries run, and theirs as networks that run and are trained here.

    export(net, x, file_name="net", file_format="ONNX")     writes net.onnx
    net = anfora.onnx.load("net.onnx")                      a Cell, whoever has written the file

table.py      the table of operators: how a primitive of ours is written, how one of ONNX's is read
program.py    the graph of a network as rows, with lengths that are free
writer.py     from rows to a model; export.py, what `export` does with it
reader.py     from a model to a graph; sizes.py, what is worked out of lengths; imported.py, the Cell that runs it
windows.py    what convolutions and pooling have in common
library.py    the library `onnx`, which is imported where it is needed: `pip install anfora[onnx]`

The rows of the table, by kind of operator, first those to ONNX, then those from it: elementwise.py, activations.py,
shapes.py, indices.py, reductions.py, products.py, pooling.py, normalizations.py, losses.py, recurrent.py, attention.py,
images.py, quantized.py, signals.py, randoms.py, control.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.onnx import (  # noqa: F401  (they fill the table)
    activations,
    attention,
    control,
    elementwise,
    images,
    indices,
    losses,
    normalizations,
    pooling,
    products,
    quantized,
    randoms,
    recurrent,
    reductions,
    shapes,
    signals,
)
from anfora.onnx.imported import OnnxCell, load

__all__ = ["OnnxCell", "load"]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
