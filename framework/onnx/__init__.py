"""ONNX: networks as files that other libraries run, and theirs as networks that run and are trained here.

    export(net, x, file_name="net", file_format="ONNX")     writes net.onnx
    net = anfora.onnx.load("net.onnx")                      a Cell, whoever has written the file

table.py      the table of operators: how a primitive of ours is written, how one of ONNX's is read
program.py    the graph of a network as rows, with lengths that are free
writer.py     from rows to a model; export.py, what `export` does with it
library.py    the library `onnx`, which is imported where it is needed: `pip install anfora[onnx]`

The rows of the table, by kind of operator: elementwise.py, activations.py, shapes.py, indices.py, reductions.py,
products.py, normalizations.py, recurrent.py.
"""

from __future__ import annotations

from anfora.onnx import (  # noqa: F401  (they fill the table)
    activations,
    elementwise,
    indices,
    normalizations,
    products,
    recurrent,
    reductions,
    shapes,
)

__all__: list[str] = []
