"""Rows for what several processes do together, of one process: everything comes back as it was."""

from __future__ import annotations

from row import Bad, Row, S, bools, integers, normal

from anfora import ops
from anfora.core.errors import OpTypeError, OpValueError
from anfora.ops.exchange import summed_gradients

WORLD = "mccl_world_group"


def same(input, *_):
    return input


ROWS = [
    Row(
        ops.all_reduce,
        ref=same,
        samples=[S(normal(3, 4)), S(normal(2), "avg"), S(normal(2), "max"), S(normal(2, 2), "prod"), S(normal(0, 3))],
        dtypes=("float16", "bfloat16", "float32", "float64"),
        exact=True,
        covers=["reduced_over_all"],
        errors=[
            Bad(bools(3), error=OpTypeError, match="numbers"),
            Bad(normal(3), "mean", error=OpValueError, match="one of sum"),
            Bad(normal(3), 1, error=OpTypeError, match="string"),
            Bad(normal(3), "sum", "mine", error=OpValueError, match="there is no group 'mine'"),
        ],
    ),
    Row(
        summed_gradients,
        ref=lambda gradients, scale, *_: tuple(g * scale for g in gradients),
        samples=[S((normal(2, 3), normal(4)), 0.5, WORLD, 1), S((normal(3),), 1.0, WORLD, 1)],
        errors=[Bad((integers(0, 3, 2),), 1.0, WORLD, 1, error=OpTypeError, match="floating point")],
    ),
    Row(
        ops.reduce_scatter,
        ref=same,
        samples=[S(normal(4, 2)), S(normal(3), "avg"), S(normal(3), "min"), S(normal(3), "prod")],
        exact=True,
        covers=["scattered"],
        errors=[
            Bad(normal(), error=OpValueError, match="divides axis 0"),
            Bad(bools(2), error=OpTypeError, match="numbers"),
        ],
    ),
    Row(
        ops.all_gather,
        ref=same,
        samples=[S(normal(4, 2)), S(normal(1))],
        exact=True,
        covers=["gathered"],
        errors=[Bad(normal(), error=OpValueError, match="at least one axis")],
    ),
    Row(
        ops.broadcast_from,
        ref=same,
        samples=[S(normal(4, 2), 0), S(normal(), 0)],
        exact=True,
        covers=["from_one"],
        errors=[
            Bad(normal(2), 1, error=OpValueError, match="process 1 is not among"),
            Bad(normal(2), "0", error=OpTypeError, match="integer"),
        ],
    ),
]
