"""Rows of the op table: matrix products and what is made of them."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, values

from anfora import ops

inf, nan = np.inf, np.nan
HALVES = ("float16", "bfloat16", "float32", "float64")
TOL = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5}


def turned(x, turn):
    return np.swapaxes(x, -1, -2) if turn and x.ndim > 1 else x


def ref_matmul(x, y, transpose_a=False, transpose_b=False):
    return turned(x, transpose_a) @ turned(y, transpose_b)


def ref_dense(x, w, b=None):
    y = x @ w.T
    return y if b is None else y + b


def ref_bidense(x1, x2, w, b=None):
    y = np.einsum("...i,oij,...j->...o", x1, w, x2)
    return y if b is None else y + b


ROWS = [
    Row(
        ops.matmul,
        ref=ref_matmul,
        samples=[
            S(normal(2, 3), normal(3, 4)),
            S(normal(3), normal(3)),
            S(normal(2, 3), normal(3)),
            S(normal(3), normal(3, 2)),
            S(normal(3), normal(2, 3, 2)),
            S(normal(2, 2, 3), normal(3)),
            S(normal(2, 2, 3), normal(3, 2)),
            S(normal(3, 1, 2), normal(2, 2)),
            S(normal(2, 3), normal(2, 3, 2)),
            S(normal(2, 3), normal(2, 3, 1)),
            S(normal(2, 1, 2, 3), normal(3, 3, 2)),
            S(normal(3, 2), normal(3, 4), transpose_a=True),
            S(normal(2, 3), normal(4, 3), transpose_b=True),
            S(normal(3, 2), normal(4, 3), transpose_a=True, transpose_b=True),
            S(normal(2, 3, 2), normal(2, 3), transpose_a=True, transpose_b=True),
            S(normal(2, 3, 2), normal(2, 4, 3), transpose_a=True, transpose_b=True),
            S(normal(2, 3, 2), normal(3), transpose_a=True, transpose_b=True),
            S(normal(3), normal(2, 2, 3), transpose_a=True, transpose_b=True),
            S(normal(33, 70), normal(70, 19), smooth=False),
            S(normal(2, 5000), normal(5000, 3) * 0.1, smooth=False),
            S(normal(0, 3), normal(3, 2)),
            S(normal(2, 0), normal(0, 3)),
            S(normal(0, 2, 3), normal(3, 2)),
            S(normal(2, 3), integers(-3, 4, 3, 2, dtype=np.int8)),
            S(integers(-9, 9, 4, 3), integers(-9, 9, 3)),
            S(integers(-9, 9, 4, 3, dtype=np.int32), integers(-9, 9, 3, 5, dtype=np.int32)),
            S(integers(-99, 99, 4, 3, dtype=np.int8), integers(-99, 99, 3, 5, dtype=np.int8)),
            S(integers(0, 9, 2, 3, dtype=np.uint8), integers(0, 9, 3, 2, dtype=np.uint8)),
            S(values(inf, 1.0), values(0.0, 1.0), smooth=False),
            S(values(nan, 1.0), values(2.0, 1.0), smooth=False),
        ],
        errors=[
            Bad(normal(2, 5), normal(4, 3), error=ValueError, match=r"axis -1 of `input` has length 5, but axis -2"),
            Bad(normal(5, 2), normal(4), transpose_a=True, error=ValueError, match="axis -2 of `input`"),
            Bad(normal(2, 2, 3), normal(3, 3, 2), error=ValueError, match="cannot be broadcast"),
            Bad(normal(), normal(3), error=ValueError, match="at least one axis"),
            Bad(normal(3), 2.0, error=ValueError, match="multiplied with"),
            Bad(bools(2, 2), bools(2, 2), error=TypeError, match="needs numbers"),
        ],
        dtypes=HALVES,
        tol=TOL,
    ),
    Row(
        ops.dense,
        ref=ref_dense,
        samples=[
            S(normal(2, 3), normal(4, 3), normal(4)),
            S(normal(2, 3), normal(4, 3)),
            S(normal(3), normal(4, 3), normal(4)),
            S(normal(2, 2, 3), normal(4, 3), normal(4)),
            S(normal(2, 3), normal(1, 3), normal(1)),
            S(normal(2, 3), normal(3), normal()),
            S(normal(2, 2, 3), normal(3)),
            S(normal(3), normal(3), normal()),
            S(normal(40, 70), normal(33, 70), normal(33), smooth=False),
            S(normal(0, 3), normal(4, 3), normal(4)),
            S(normal(2, 0), normal(4, 0), normal(4)),
            S(normal(2, 3), normal(0, 3), normal(0)),
            S(integers(-9, 9, 2, 3), integers(-9, 9, 4, 3), integers(-9, 9, 4)),
        ],
        errors=[
            Bad(normal(2, 5), normal(4, 3), error=ValueError, match="axis -1 of `input` has length 5"),
            Bad(normal(2, 3), normal(4, 3), normal(3), error=ValueError, match=r"`bias` of shape \[4\]"),
            Bad(normal(2, 3), normal(2, 4, 3), error=ValueError, match="one or two axes"),
            Bad(normal(), normal(4, 3), error=ValueError, match="at least one axis"),
            Bad(bools(2, 3), bools(4, 3), error=TypeError, match="needs numbers"),
        ],
        dtypes=HALVES,
        tol=TOL,
    ),
    Row(
        ops.bidense,
        ref=ref_bidense,
        samples=[
            S(normal(2, 3), normal(2, 4), normal(5, 3, 4), normal(5)),
            S(normal(2, 2, 3), normal(2, 2, 1), normal(2, 3, 1)),
            S(normal(3), normal(4), normal(5, 3, 4)),
            S(normal(0, 3), normal(0, 4), normal(5, 3, 4), normal(5)),
        ],
        errors=[
            Bad(normal(2, 3), normal(3, 4), normal(5, 3, 4), error=ValueError, match="do not fit the weight"),
            Bad(normal(2, 3), normal(2, 4), normal(3, 4), error=ValueError, match="3 axes"),
            Bad(
                normal(2, 3), normal(2, 4), normal(5, 3, 4), normal(4), error=ValueError, match=r"`bias` of shape \[5\]"
            ),
        ],
        tol=TOL,
    ),
    Row(
        ops.bias_add,
        ref=lambda x, b, data_format="NCHW": x + (b if data_format == "NHWC" else b.reshape(-1, *(1,) * (x.ndim - 2))),
        samples=[
            S(normal(2, 3), normal(3)),
            S(normal(2, 3, 2, 2), normal(3)),
            S(normal(2, 2, 2, 3), normal(3), data_format="NHWC"),
            S(normal(2, 3, 2, 1, 2), normal(3), "NCDHW"),
            S(integers(-9, 9, 2, 3), integers(-9, 9, 3)),
            S(normal(0, 3, 2), normal(3)),
        ],
        errors=[
            Bad(normal(2, 3), normal(2), error=ValueError, match="does not fit axis 1"),
            Bad(normal(3), normal(3), error=ValueError, match="does not fit"),
            Bad(normal(2, 3), normal(3), "NHCW", error=ValueError, match="data_format"),
        ],
    ),
    Row(
        ops.mm,
        ref=np.matmul,
        samples=[S(normal(2, 3), normal(3, 4)), S(normal(0, 3), normal(3, 4))],
        errors=[
            Bad(normal(2, 3), normal(3), error=ValueError, match="2 axes for `mat2`"),
            Bad(normal(2, 3), normal(2, 3), error=ValueError, match="axis -2 of `mat2` has length 2"),
            Bad("ij", normal(1, 1), error=TypeError, match="needs a tensor for `input`"),
        ],
        tol=TOL,
    ),
    Row(
        ops.bmm,
        ref=np.matmul,
        samples=[
            S(normal(2, 3, 2), normal(2, 2, 4)),
            S(normal(2, 1, 3, 2), normal(2, 1, 2, 2)),
            S(normal(0, 3, 2), normal(0, 2, 4)),
        ],
        errors=[
            Bad(normal(2, 3), normal(3, 4), error=ValueError, match="at least one"),
            Bad(normal(2, 3, 2), normal(1, 2, 2), error=ValueError, match="same leading axes"),
            Bad(normal(2, 3, 2), normal(2, 3, 2), error=ValueError, match="has length 2"),
        ],
        tol=TOL,
    ),
    Row(
        ops.mv,
        ref=np.matmul,
        samples=[S(normal(2, 3), normal(3)), S(normal(0, 3), normal(3))],
        errors=[
            Bad(normal(3), normal(3), error=ValueError, match="2 axes"),
            Bad(normal(2, 3), normal(2), error=ValueError, match="axis 0 of `vec`"),
        ],
        tol=TOL,
    ),
    Row(
        ops.dot,
        ref=np.dot,
        samples=[
            S(normal(3), normal(3)),
            S(normal(2, 3), normal(3)),
            S(normal(2, 3), normal(2, 3, 2)),
            S(normal(2, 2, 3), normal(3, 2)),
            S(normal(0), normal(0)),
            S(integers(-9, 9, 3), integers(-9, 9, 3)),
        ],
        errors=[
            Bad(normal(2, 3), normal(2, 3), error=ValueError, match="do not fit"),
            Bad(normal(), normal(3), error=ValueError, match="at least one axis"),
        ],
        tol=TOL,
    ),
    Row(
        ops.vecdot,
        ref=lambda x, y, axis=-1: np.sum(x * y, axis),
        samples=[S(normal(2, 3), normal(2, 3)), S(normal(2, 3), normal(3, 2, 1), axis=1)],
        errors=[Bad(normal(2, 3), normal(2), error=ValueError, match="broadcast")],
    ),
    Row(
        ops.inner,
        ref=np.inner,
        samples=[
            S(normal(3), normal(3)),
            S(normal(2, 3), normal(3)),
            S(normal(2, 3), normal(4, 2, 3)),
            S(normal(), normal(2, 2)),
            S(normal(2, 0), normal(3, 0)),
        ],
        errors=[Bad(normal(2, 3), normal(3, 2), error=ValueError, match="axis -1 of `other`")],
        tol=TOL,
    ),
    *(
        Row(
            op,
            ref=np.outer,
            samples=[S(normal(2), normal(3)), S(normal(0), normal(3)), S(integers(0, 9, 2), normal(3))],
            errors=[Bad(normal(2, 2), normal(3), error=ValueError, match="1 axis for `input`")],
        )
        for op in (ops.outer, ops.ger)
    ),
    *(
        Row(
            op,
            ref=lambda x, a, b, beta=1, alpha=1, product=product: beta * x + alpha * product(a, b),
            samples=[
                S(normal(*result), normal(*left), normal(*right)),
                S(normal(*result[1:]), normal(*left), normal(*right), beta=0.5, alpha=-2.0),
                S(integers(-9, 9), integers(-9, 9, *left), integers(-9, 9, *right), beta=2, alpha=3),
            ],
            errors=[
                Bad(normal(7, 7, 7, 7), normal(*left), normal(*right), error=ValueError, match="cannot be added"),
                Bad(normal(*result), normal(2, 9, 5, 5), normal(*right), error=ValueError, match="needs a tensor of"),
                Bad(
                    integers(0, 3),
                    integers(0, 3, *left),
                    integers(0, 3, *right),
                    alpha=0.5,
                    error=TypeError,
                    match="integer for `alpha`",
                ),
            ],
            tol=TOL,
        )
        for op, product, result, left, right in (
            (ops.addmm, np.matmul, (2, 4), (2, 3), (3, 4)),
            (ops.addmv, np.matmul, (2,), (2, 3), (3,)),
            (ops.addbmm, lambda a, b: np.sum(a @ b, 0), (2, 4), (3, 2, 3), (3, 3, 4)),
            (ops.baddbmm, np.matmul, (3, 2, 4), (3, 2, 3), (3, 3, 4)),
            (ops.addr, np.outer, (2, 4), (2,), (4,)),
        )
    ),
    Row(
        ops.tensor_dot,
        ref=np.tensordot,
        samples=[
            S(normal(2, 3), normal(3, 4), 1),
            S(normal(2, 3), normal(2, 3), 2),
            S(normal(2), normal(3), 0),
            S(normal(2, 3, 4), normal(4, 2), ((0, 2), (1, 0))),
            S(normal(2, 3, 2), normal(2, 3), [[1], [-1]]),
            S(normal(2, 3), normal(3, 2), (1, 0)),
            S(normal(2, 0), normal(0, 2), 1),
        ],
        errors=[
            Bad(normal(2, 3), normal(2, 3), 1, error=ValueError, match="axis 1 of `x1` has length 3"),
            Bad(normal(2, 3), normal(2, 3), 3, error=ValueError, match=r"in \[0, 2\]"),
            Bad(normal(2, 3), normal(2, 3), ((0, 0), (0, 0)), error=ValueError, match="each once"),
            Bad(normal(2, 3), normal(2, 3), "ij", error=TypeError, match="two lists"),
        ],
        tol=TOL,
    ),
    Row(
        ops.batch_dot,
        ref=lambda x, y, axes=None: np.stack(
            [
                np.atleast_1d(
                    np.tensordot(
                        a, b, ((axes[0] - 1,), (axes[1] - 1,)) if axes else ((-1,), (-2 if b.ndim > 1 else -1,))
                    )
                )
                for a, b in zip(x, y)
            ]
        ),
        samples=[
            S(normal(2, 3), normal(2, 3)),
            S(normal(2, 3), normal(2, 3, 2)),
            S(normal(2, 2, 3), normal(2, 3)),
            S(normal(2, 2, 3), normal(2, 4, 3, 2)),
            S(normal(2, 3, 2), normal(2, 2, 3), (1, 2)),
        ],
        errors=[
            Bad(normal(2, 3), normal(3, 3), error=ValueError, match="2 and 3 items"),
            Bad(normal(2, 3), normal(2, 4), error=ValueError, match="has length 3"),
            Bad(normal(2, 3), normal(2, 3), 0, error=ValueError, match="axis 0 is that of the batch"),
        ],
        tol=TOL,
    ),
    Row(
        ops.kron,
        ref=np.kron,
        samples=[
            S(normal(2), normal(3)),
            S(normal(2, 3), normal(3, 1)),
            S(normal(2), normal(2, 3)),
            S(normal(2, 1, 2), normal(2)),
            S(normal(), normal(2)),
            S(integers(-9, 9, 2, 2), integers(-9, 9, 2, 2)),
            S(normal(0, 2), normal(2, 2)),
        ],
        errors=[Bad(2.0, normal(2), error=TypeError, match="needs a tensor")],
    ),
    Row(
        ops.trace,
        ref=np.trace,
        samples=[
            S(normal(3, 3)),
            S(normal(2, 4), 1),
            S(normal(4, 2), -2),
            S(normal(2, 3, 2), 0, 0, 2),
            S(integers(-9, 9, 3, 3)),
            S(normal(0, 3)),
        ],
        errors=[Bad(normal(3), error=ValueError, match="at least two axes")],
    ),
    Row(
        ops.einsum,
        ref=np.einsum,
        samples=[
            S("ij,jk->ik", normal(2, 3), normal(3, 4)),
            S("ij,jk", normal(2, 3), normal(3, 2)),
            S("ba", normal(2, 3)),
            S("ii->i", normal(3, 3)),
            S("iij->j", normal(3, 3, 2)),
            S("i, j -> ij", normal(3), normal(2)),
            S("ij,ij->", normal(2, 3), normal(2, 3)),
            S("...ij,...jk->...ik", normal(2, 2, 3), normal(3, 2)),
            S("...->...", normal(2, 3)),
            S("i...->...", normal(2, 3)),
            S("ni,oij,nj->no", normal(2, 3), normal(2, 3, 2), normal(2, 2)),
            S("ij,jk,kl->il", normal(2, 3), normal(3, 2), normal(2, 2)),
            S("ij,ij->ij", normal(1, 3), normal(2, 1)),
            S(",ij->ji", normal(), normal(2, 3)),
            S("ij,k->k", normal(2, 3), normal(2)),
            S("bhid,bhjd->bhij", normal(1, 2, 3, 2), normal(1, 2, 2, 2)),
            S("ij,jk->ik", normal(0, 3), normal(3, 2)),
            S("ij,jk->ik", integers(-9, 9, 2, 3), integers(-9, 9, 3, 2)),
        ],
        errors=[
            Bad("ij,jk->ik", normal(2, 3), error=ValueError, match="2 operands, but there are 1"),
            Bad("ij->ij", normal(2), error=ValueError, match="names 2 axes for an operand that has 1"),
            Bad("i->i", normal(2, 2), error=ValueError, match="names 1 axes for an operand that has 2"),
            Bad("ij->ik", normal(2, 2), error=ValueError, match="which no operand has"),
            Bad("ij->ii", normal(2, 2), error=ValueError, match="a letter twice"),
            Bad("i1->i", normal(2, 2), error=ValueError, match="may hold letters"),
            Bad(
                "ij,jk->ik",
                normal(2, 3),
                normal(2, 3),
                error=ValueError,
                match="'j' of 'ij,jk->ik' has the lengths 3 and 2",
            ),
            Bad(normal(2), normal(2), error=TypeError, match="string for `equation`"),
            Bad("i->i", 2.0, error=TypeError, match="needs a tensor"),
        ],
        tol=TOL,
    ),
    Row(
        ops.cross,
        ref=lambda x, y, dim=None: np.cross(x, y, axis=-1 if dim is None else dim),
        samples=[
            S(normal(3), normal(3)),
            S(normal(2, 3), normal(3)),
            S(normal(3, 2), normal(3, 2), dim=0),
            S(normal(2, 3, 40), normal(1, 3, 1), dim=1),
            S(integers(0, 9, 4, 3), normal(4, 3)),
            S(integers(0, 9, 4, 3), integers(0, 9, 4, 3, dtype=np.int32)),
            S(normal(0, 3), normal(0, 3), dim=1),
        ],
        errors=[
            Bad(normal(2), normal(2), error=ValueError, match="axis of length 3"),
            Bad(normal(3, 2), normal(3, 2), dim=1, error=ValueError, match="does not have length 3"),
            Bad(normal(3), normal(2), error=ValueError, match="broadcast"),
        ],
        covers=["cross_product"],
    ),
]
