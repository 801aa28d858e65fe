"""The gradient of a graph is a graph."""

from anfora.graph.gradient.transform import gradient_graph

__all__ = ["gradient_graph"]
