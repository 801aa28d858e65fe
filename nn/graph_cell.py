"""A graph as a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anfora.core.abstract import TensorType
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor

if TYPE_CHECKING:
    from anfora.graph.ir import FuncGraph

__all__ = ["GraphCell"]


class GraphCell(Cell):
    """Runs a graph as a network: what `anfora.load` has read, or one that was built by hand.

    Args:
        graph: the graph. Its `weights` become the Cell's Parameters; they stand behind the inputs of a call.
        params_init: other values for some of them, by name.
        obf_random_seed: not known here; must be None.
    Inputs:
        those of the graph, of the shapes and types that it was made for.
    Raises:
        OpTypeError: no graph, or an input of another kind.
        OpValueError: values for a weight that there is not, or an input of another shape or type.
    Example:
        >>> import tempfile
        >>> from anfora import Tensor, export, load, nn
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     export(nn.Dense(3, 2), Tensor([[1.0, 2.0, 3.0]]), file_name=f"{folder}/net", file_format="MINDIR")
        ...     net = nn.GraphCell(load(f"{folder}/net.mindir"))
        >>> [p.name for p in net.trainable_params()], net(Tensor([[1.0, 2.0, 3.0]])).shape
        (['weight', 'bias'], (1, 2))
    """

    def __init__(
        self, graph: FuncGraph, params_init: Mapping[str, Tensor] | None = None, obf_random_seed: int | None = None
    ) -> None:
        from anfora.graph.ir import FuncGraph  # which most programs do without

        super().__init__(auto_prefix=False)
        if not isinstance(graph, FuncGraph):
            raise OpTypeError(f"GraphCell needs a graph, but got {type(graph).__name__}", arg="graph")
        if obf_random_seed is not None:
            raise OpValueError("GraphCell knows no obfuscated graphs", arg="obf_random_seed")
        for name, value in (params_init or {}).items():
            if name not in graph.weights:
                raise OpValueError(f"the graph has no weight {name!r}; it has {', '.join(graph.weights) or 'none'}")
            graph.weights[name].set_data(value)
        self._graph = graph
        for name, weight in graph.weights.items():
            self.insert_param_to_cell(name, weight, check_name_contain_dot=False)
        self._weights = tuple(graph.weights.values())
        self._types = [parameter.abstract for parameter in graph.parameters][
            : len(graph.parameters) - len(self._weights)
        ]

    def construct(self, *inputs: Any) -> Any:
        for number, (value, wanted) in enumerate(zip(inputs, self._types)):
            if not (isinstance(value, Tensor) and isinstance(wanted, TensorType)):
                continue
            if value.shape != wanted.shape or value.dtype is not wanted.dtype:
                raise OpValueError(
                    f"input {number} of the graph {self._graph.name} is {wanted}, "
                    f"but got {TensorType(value.dtype, value.shape)}",
                    help="export the network with inputs of that shape and type.",
                )
        return self._graph(*inputs, *self._weights)
