"""Rows of the op table: the algebra of complex matrices, eigenvalues, Householder reflections."""

import numpy as np
from row import Bad, Row, S, normal
from rows_complexes import of_complex

from anfora import Tensor, ops
from anfora.ops import factors

X = S(normal(2, 3, 3), normal(2, 3, 3))
TALL, WIDE = S(normal(4, 3), normal(4, 3)), S(normal(2, 3), normal(2, 3))
SIDES = S(normal(2, 3, 3), normal(2, 3, 3), normal(2, 3, 2), normal(2, 3, 2))
FOUR = S(normal(4, 3), normal(4, 3), normal(4, 2), normal(4, 2))
LOOSE = {"float32": 2e-4, "float64": 1e-10}
BY_LIBRARY = {"strided": False, "why": "LAPACK", "tol": LOOSE}


def crossed(x):
    return np.conj(np.swapaxes(x, -1, -2))


def positive_definite(x):
    """A Hermitian matrix with positive eigenvalues."""
    if isinstance(x, Tensor):
        return x @ ops.adjoint(x) + ops.eye(x.shape[-1], dtype=x.dtype)
    return x @ crossed(x) + np.eye(x.shape[-1])


def complex_row(op, ref, *samples, name, **settings):
    return of_complex(op, ref, *samples, name=name, **{**BY_LIBRARY, **settings})


def logarithm(x):
    """By eigenvalues, which random matrices have apart from each other."""
    w, v = np.linalg.eig(x)
    return (v * np.log(w)[..., None, :]) @ np.linalg.inv(v)


def reflections(call):
    """A function of matrices by their reflections, with the phases that are left to the library taken out."""
    return lambda x, *rest: call(*ops.geqrf(x), *rest)


ROWS = [
    complex_row(ops.inverse, np.linalg.inv, X, name="inverse"),
    complex_row(ops.det, np.linalg.det, X, name="det"),
    complex_row(lambda x: list(ops.slogdet(x)), lambda x: list(np.linalg.slogdet(x)), X, name="slogdet"),
    complex_row(ops.logdet, lambda x: np.log(np.linalg.det(x)), X, name="logdet"),
    complex_row(ops.matrix_solve, np.linalg.solve, SIDES, name="matrix_solve"),
    complex_row(lambda a, b: ops.matrix_solve(a, b, True), lambda a, b: np.linalg.solve(crossed(a), b), SIDES,
                name="matrix_solve_adjoint"),
    complex_row(lambda x: ops.matrix_power(x, -3), lambda x: np.linalg.matrix_power(x, -3), X, name="matrix_power",
                second=False, why="LAPACK; second gradients of the third power are large"),
    complex_row(lambda x: ops.matrix_exp(x) @ ops.matrix_exp(-x), lambda x: x @ np.linalg.inv(x), X, name="matrix_exp",
                second=False, grad=False),
    complex_row(ops.matrix_logarithm, logarithm, X, name="matrix_logarithm", covers=["matrix_logarithm"], second=False,
                why="LAPACK; its second gradient is that of a matrix four times as large"),
    complex_row(lambda x: ops.cholesky(positive_definite(x)), lambda x: np.linalg.cholesky(positive_definite(x)), X,
                name="cholesky"),
    complex_row(lambda x: ops.cholesky(positive_definite(x), True),
                lambda x: crossed(np.linalg.cholesky(positive_definite(x))), X, name="cholesky_upper"),
    complex_row(lambda x: ops.cholesky_inverse(ops.cholesky(positive_definite(x))),
                lambda x: np.linalg.inv(positive_definite(x)), X, name="cholesky_inverse", second=False),
    complex_row(lambda x, b: ops.cholesky_solve(b, ops.cholesky(positive_definite(x), True), True),
                lambda x, b: np.linalg.solve(positive_definite(x), b), SIDES, name="cholesky_solve", second=False),
    complex_row(lambda x: ops.svd(x, compute_uv=False), lambda x: np.linalg.svd(x, compute_uv=False), TALL, WIDE,
                name="singular_values", second=False, why="LAPACK; the vectors have no gradient"),
    complex_row(lambda x: (lambda s, u, v: (u * ops.expand_dims(s, -2)) @ ops.adjoint(v))(*ops.svd(x)), lambda x: x,
                TALL, WIDE, name="svd", grad=False),
    complex_row(lambda x: list(ops.qr(x)), lambda x: list(np.linalg.qr(x)), TALL, name="qr"),
    complex_row(ops.pinv, np.linalg.pinv, TALL, WIDE, name="pinv"),
    complex_row(lambda x: [ops.matrix_norm(x, "nuc"), ops.matrix_norm(x, 2)],
                lambda x: [np.linalg.norm(x, "nuc"), np.linalg.norm(x, 2)], TALL, name="matrix_norms", second=False),
    complex_row(ops.lstsq, lambda a, b: np.linalg.lstsq(a, b, None)[0], FOUR, name="lstsq", second=False),
    # eigenvalues come in no order, and their vectors in no phase
    complex_row(lambda x: ops.eigvals(x).sum(-1), lambda x: np.linalg.eigvals(x).sum(-1), X, name="eigvals"),
    complex_row(lambda x: [abs(v) * ops.expand_dims(abs(w), -2) for w, v in [ops.eig(x)]],
                lambda x: [np.abs(v) * np.abs(w)[..., None, :] for w, v in [np.linalg.eig(x)]], X,
                name="eig", second=False),
    complex_row(lambda x: (lambda w, v: (v * ops.expand_dims(w, -2)) @ ops.inverse(v))(*ops.eig(x)), lambda x: x, X,
                name="eig_put_together"),
    Row(
        lambda x: ops.view_as_real((ops.eigvals(x) ** 3).sum(-1)),
        lambda x: np.stack([np.trace(np.linalg.matrix_power(x, 3), axis1=-2, axis2=-1), np.zeros(x.shape[:-2])], -1),
        [S(normal(2, 3, 3))],
        covers=["eig"], **BY_LIBRARY,
        errors=[],
    ),
    Row(
        ops.eig,
        lambda x: [np.array([2, 3]) + 0j, np.eye(2) + 0j],
        [S(np.diag([2.0, 3.0]))],
        grad=False, strided=False, why="other rows have it",
        errors=[
            Bad(np.ones((2, 3)), error=ValueError, match="square"),
            Bad(np.ones((2, 2), int), error=TypeError, match="eig needs a floating-point tensor"),
            Bad(np.full((2, 2), np.nan), error=ValueError, match="finite numbers"),
        ],
    ),
    complex_row(lambda x: factors.eigh(positive_definite(x))[0], lambda x: np.linalg.eigvalsh(positive_definite(x)), X,
                name="eigh_values", second=False),
    complex_row(lambda x: (lambda w, v: (v * ops.expand_dims(ops.exp(w * 0.1), -2)) @ ops.adjoint(v))(
                    *factors.eigh(x + ops.adjoint(x))),
                lambda x: (lambda w, v: (v * np.exp(w * 0.1)[..., None, :]) @ crossed(v))(*np.linalg.eigh(x + crossed(x))),
                X, name="eigh_function", second=False),
    # reflections
    *(
        complex_row(call, ref, *samples, name=name, grad=False, why="LAPACK; geqrf has no gradient")
        for name, call, ref, *samples in (
            ("orgqr", reflections(ops.orgqr), lambda x: np.linalg.qr(x)[0], TALL),
            ("ormqr", reflections(ops.ormqr), lambda x, b: np.linalg.qr(x, "complete")[0] @ b, FOUR),
            ("ormqr_turned", lambda x, b: ops.ormqr(*ops.geqrf(x), b, transpose=True),
             lambda x, b: crossed(np.linalg.qr(x, "complete")[0]) @ b, SIDES),
            ("ormqr_right", lambda x, b: ops.ormqr(*ops.geqrf(x), b, False, True),
             lambda x, b: b @ crossed(np.linalg.qr(x, "complete")[0]),
             S(normal(4, 3), normal(4, 3), normal(2, 4), normal(2, 4))),
        )
    ),
    Row(
        ops.geqrf,
        lambda x: [x, np.zeros(2)],
        [S(np.array([[2.0, 1.0], [0.0, 3.0]]))],
        grad=False, strided=False, why="the gradient is refused",
        errors=[
            Bad(normal(3), error=ValueError, match="matrices"),
            Bad(np.ones((2, 2), int), error=TypeError, match="floating"),
        ],
    ),
    Row(
        ops.orgqr,
        lambda y, tau: np.linalg.multi_dot([
            np.eye(4) - t * np.outer(v, v) for t, v in zip(tau, (np.tril(y, -1) + np.eye(4, 3)).T)
        ])[:, :3],
        [S(normal(4, 3), normal(3))],
        errors=[
            Bad(normal(3, 4), normal(3), error=ValueError, match="no more columns"),
            Bad(normal(4, 3), normal(4), error=ValueError, match="do not fit reflections"),
        ],
    ),
    Row(
        ops.ormqr,
        lambda y, tau, b: np.linalg.multi_dot([
            *(np.eye(4) - t * np.outer(v, v) for t, v in zip(tau, (np.tril(y, -1) + np.eye(4, 3)).T)), b
        ]),
        [S(normal(4, 3), normal(2), normal(4, 2))],
        errors=[Bad(normal(4, 3), normal(3), normal(3, 2), error=ValueError, match="does not fit reflections of 4 rows")],
    ),
]  # fmt: skip
