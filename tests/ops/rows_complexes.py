"""Rows of the op table: complex numbers. The parts of the arguments are two samples each, and those of the results lie
along a last axis, so that gradients, strides and batches are tested as those of real numbers are; expected values are
numpy's."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, values

import anfora
from anfora import Tensor, ops


def joined(parts):
    """Complex tensors, or arrays, of parts that stand side by side."""
    make = ops.complex if isinstance(parts[0], Tensor) else _array
    return [make(parts[i], parts[i + 1]) for i in range(0, len(parts), 2)]


def _array(re, im):
    """Zeros keep their signs, and infinity times i has no real part."""
    made = np.empty(np.broadcast_shapes(re.shape, im.shape), complex)
    made.real, made.imag = re, im
    return made


def apart(result):
    if isinstance(result, (tuple, list)):
        return [apart(item) for item in result]
    if isinstance(result, Tensor):
        return ops.view_as_real(result) if result.dtype.is_complex else result
    result = np.asarray(result)
    return np.stack([result.real, result.imag], -1) if np.iscomplexobj(result) else result


def of_complex(op, ref, *samples, name=None, count=None, **settings):
    """A row of an operator on complex numbers; what follows the first `count` arrays is passed as it is."""

    def split(args):
        n = len(args) if count is None else 2 * count
        return [*joined(args[:n]), *args[n:]]

    def call(*args, **kwargs):
        return apart(op(*split(args), **kwargs))

    def expected(*args, **kwargs):
        return apart(ref(*split(args), **kwargs))

    call.__name__ = f"complex_{name or getattr(op, 'name', None) or op.__name__}"
    return Row(call, expected, samples, **settings)


A, B = normal(2, 3), normal(2, 3)
C, D = normal(2, 3), normal(3)
Z = S(A, B)
SPECIAL = S(values(0.0, -0.0, 1.0, -1.0, np.inf, 0.0, 2.0), values(0.0, 0.0, 0.0, 0.0, 1.0, np.inf, -0.0), smooth=False)
APART = S(normal(3) + 3, normal(3) * 0.1)  #: away from cuts and poles
LOOSE = {"float32": 4e-6}


def short_times(x, window=None, hop=2, center=True, normalized=False, pad_mode="reflect", onesided=True, parts=True):
    """`stft` of parts of 4 elements, one after the other."""
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(2, 2)], {"circular": "wrap"}.get(pad_mode.lower(), pad_mode.lower()))
    window = np.ones(4) if window is None else np.pad(window, (0, 4 - len(window)))
    turn = np.exp(-2j * np.pi * np.outer(np.arange(4), np.arange(4)) / 4)[: 3 if onesided else 4]
    columns = [turn @ (x[..., i : i + 4] * window)[..., None] for i in range(0, x.shape[-1] - 3, hop)]
    found = np.concatenate(columns, -1) / (2 if normalized else 1)
    return apart(found) if parts else found


def one(op, ref=None, *more, **settings):
    return of_complex(
        op, ref or getattr(np, op.name), Z, S(normal(), normal()), S(normal(0, 2), normal(0, 2)), *more, **settings
    )


def two(op, ref, **settings):
    return of_complex(
        op, ref, S(A, B, C, C[::-1] + 2), S(A, B, D, D[::-1] + 2), S(normal(), normal(), A, B), **settings
    )


def question(op, ref, name=None):
    return of_complex(op, ref, Z, SPECIAL, grad=False, why="a question", name=name)


def moved(op, ref, **settings):
    return of_complex(op, ref, Z, exact=True, name=settings.pop("name"), **settings)


PLACES = Tensor([2, 0, 2])

ROWS = [
    # element by element
    two(ops.add, np.add),
    two(ops.sub, np.subtract),
    two(ops.mul, np.multiply),
    two(ops.real_div, np.divide),
    of_complex(lambda z: 2 / z, lambda z: 2 / z, Z, name="number_by"),
    of_complex(lambda z: z * (1 - 2j) + 1j, lambda z: z * (1 - 2j) + 1j, Z, name="times_number"),
    of_complex(lambda z, x: z * x - x, lambda z, x: z * x - x, S(A, B, C), name="with_real", count=1),
    one(ops.neg, np.negative),
    one(ops.square, np.square),
    one(ops.positive, np.positive),
    one(ops.reciprocal, np.reciprocal),
    one(ops.abs, np.abs, SPECIAL),
    one(ops.angle, np.angle, SPECIAL, name="angle"),
    one(ops.sign, lambda z: np.where(z == 0, 0, z / np.where(z == 0, 1, np.abs(z))), name="sign"),
    one(ops.conj, np.conj, SPECIAL, name="conj"),
    one(ops.real, np.real, SPECIAL, name="real"),
    one(ops.imag, np.imag, SPECIAL, name="imag"),
    one(ops.exp),
    one(ops.expm1, None, S(values(1e-9, 0.3), values(1e-9, -0.2))),
    one(ops.log, None, S(values(1.0, -1.0, 0.6), values(1e-6, 0.0, 0.8), smooth=False)),
    one(ops.log1p, None, S(values(1e-9, -0.3), values(1e-9, -0.2))),
    one(ops.log2),
    one(ops.log10),
    one(ops.sqrt, None, S(values(-1.0, -1.0, 0.0, 4.0), values(0.0, -0.0, 0.0, -0.0), smooth=False)),
    one(ops.rsqrt, lambda z: 1 / np.sqrt(z)),
    one(ops.sin),
    one(ops.cos),
    one(ops.tan, None, S(values(0.5, -0.5), values(30.0, -30.0), smooth=False)),
    one(ops.sinh),
    one(ops.cosh),
    one(ops.tanh, None, S(values(30.0, -30.0), values(0.5, -0.5), smooth=False)),
    one(ops.asin, np.arcsin),
    one(ops.acos, np.arccos),
    one(ops.atan, np.arctan),
    one(ops.asinh, np.arcsinh),
    one(ops.acosh, np.arccosh),
    one(ops.atanh, np.arctanh),
    one(ops.sigmoid, lambda z: 1 / (1 + np.exp(-z)), S(values(-80.0, 80.0), values(0.5, 0.5), smooth=False)),
    of_complex(ops.pow, np.power, S(A, B, C, A), S(normal(3) + 3, D, D, D), tol=LOOSE),
    of_complex(lambda z: [z**2, z**3, z**1, z**0], lambda z: [z**2, z**3, z, np.ones_like(z)], Z, name="whole_powers"),
    of_complex(
        ops.addcmul, lambda x, a, b, value: x + value * a * b, S(A, B, C, A, B, C, value=0.5), name="addcmul"
    ),
    of_complex(
        ops.addcdiv, lambda x, a, b, value: x + value * a / b, S(A, B, C, A, B, C, value=2), name="addcdiv", tol=LOOSE
    ),
    of_complex(
        lambda a, b: [ops.lerp(a, b, 0.25), ops.lerp(a, b, 1 - 2j)],
        lambda a, b: [a + 0.25 * (b - a), a + (1 - 2j) * (b - a)],
        S(A, B, C, A), name="lerp", tol=LOOSE,
    ),
    of_complex(lambda z: ops.float_power(z, 2), lambda z: z**2, Z, name="float_power", dtypes=("float64",)),
    question(ops.isnan, np.isnan),
    of_complex(lambda z: ops.nonzero(z), lambda z: np.argwhere(z), Z, SPECIAL, grad=False, why="places", name="nonzero"),
    question(ops.isinf, np.isinf),
    question(ops.isfinite, np.isfinite),
    question(ops.isreal, np.isreal),
    question(ops.logical_not, np.logical_not),
    question(lambda z: z == 1, lambda z: z == 1, "equal"),
    question(lambda z: z != 1j, lambda z: z != 1j, "not_equal"),
    question(lambda z: [ops.logical_and(z, 1), ops.logical_or(z, 0), ops.logical_xor(z, z)],
             lambda z: [np.logical_and(z, 1), np.logical_or(z, 0), np.logical_xor(z, z)], "logic"),
    question(lambda z: [ops.isclose(z, z + 0), ops.isclose(z, z + 1)],
             lambda z: [np.isclose(z, z + 0), np.isclose(z, z + 1)], "isclose"),
    question(lambda z: [ops.all(z, 0), ops.any(z), ops.count_nonzero(z)],
             lambda z: [np.all(z, 0), np.any(z), np.int32(np.count_nonzero(z))], "truths"),
    of_complex(ops.nan_to_num, np.nan_to_num, Z, name="nan_to_num"),
    of_complex(
        lambda x, y, mask: [ops.where(mask, x, y), ops.where(mask, x, 0), ops.masked_fill(x, mask, 2j)],
        lambda x, y, mask: [np.where(mask, x, y), np.where(mask, x, 0), np.where(mask, 2j, x)],
        S(A, B, C, A, bools(2, 3)), name="chosen", count=2,
    ),
    # parts and conversions
    Row(
        ops.complex,
        lambda a, b: a + 1j * b,
        [S(A, B), S(A, D), S(normal(), A), S(normal(0), normal(0))],
        errors=[Bad(np.ones(2, complex), 1.0, error=TypeError, match="needs real numbers for `real`")],
        grad=False, why="`joined` has the gradients", covers=["joined"],
    ),
    of_complex(
        lambda z: z, lambda z: z, Z, S(A, D), name="joined",
        covers=["real_part", "imaginary_part", "conjugate", "argument", "direction"],
    ),
    Row(
        lambda a, b: ops.view_as_real(ops.polar(a, b)),
        lambda a, b: np.stack([a * np.cos(b), a * np.sin(b)], -1),
        [S(A, B), S(A, D)], covers=["polar"],
    ),
    Row(
        ops.view_as_real,
        lambda z: np.stack([z.real, z.imag], -1),
        [S(A + 1j * B), S((A + 1j * B).astype(np.complex64))],
        exact=True, grad=False, why="other rows are made of it",
        errors=[Bad(normal(2), error=TypeError, match="needs a complex tensor")],
    ),
    Row(
        lambda x: [ops.view_as_real(y) for y in (ops.view_as_complex(x), ops.view_as_complex(ops.swapaxes(x, 0, 1)))],
        lambda x: [x, x.swapaxes(0, 1)],
        [S(normal(2, 2, 2))],
        exact=True, covers=["view_as_complex"],
    ),
    Row(
        ops.view_as_complex,
        lambda x: x[..., 0] + 1j * x[..., 1],
        [S(normal(3, 2))],
        errors=[
            Bad(normal(3), error=ValueError, match="last axis of length 2"),
            Bad(integers(0, 3, 3, 2), error=TypeError, match="float32 or float64"),
        ],
        grad=False, why="the row before has it",
    ),
    of_complex(lambda z: z.astype(anfora.float64), lambda z: z.real, Z, name="cast_to_real", dtypes=("float64",)),
    of_complex(lambda z: [z.astype(anfora.int32), z.astype(anfora.bool_)], lambda z: [z.real.astype(np.int32), z != 0],
               S(A * 5, B), S(values(0.0, 0.0), values(0.0, 2.0)), name="cast_to_others", grad=False, why="steps"),
    Row(lambda x: ops.view_as_real(x.astype(anfora.complex128)), lambda x: np.stack([x, 0 * x], -1), [S(A)], exact=True),
    # moves
    moved(lambda z: z.T.reshape(6), lambda z: z.T.reshape(6), name="reshape"),
    moved(lambda z: [z[1], z[:, ::-1], z[..., None]], lambda z: [z[1], z[:, ::-1], z[..., None]], name="views"),
    moved(lambda z: [z[:, PLACES], ops.gather(z, PLACES, 1)], lambda z: [z[:, [2, 0, 2]]] * 2, name="places"),
    moved(lambda z: ops.gather_d(z, 1, Tensor([[0, 2], [1, 1]])), lambda z: np.stack([z[0, [0, 2]], z[1, [1, 1]]]),
          name="along"),
    moved(lambda z: [ops.concat([z, z], 1), ops.stack([z, z], 1)],
          lambda z: [np.concatenate([z, z], 1), np.stack([z, z], 1)], name="together"),
    moved(lambda z: [ops.flip(z, (1,)), ops.roll(z, 1, 1), ops.tile(z, (2, 1)), ops.repeat_interleave(z, 2, 0)],
          lambda z: [z[:, ::-1], np.roll(z, 1, 1), np.tile(z, (2, 1)), np.repeat(z, 2, 0)], name="repeated"),
    moved(lambda z: [ops.pad(z, (1, 2)), ops.pad(z, (1, 0), value=2)],
          lambda z: [np.pad(z, ((0, 0), (1, 2))), np.pad(z, ((0, 0), (1, 0)), constant_values=2)], name="padded"),
    moved(lambda z: [ops.tril(z), ops.triu(z, 1), ops.diagonal(z), ops.diag(z[0])],
          lambda z: [np.tril(z), np.triu(z, 1), np.diagonal(z), np.diag(z[0])], name="triangles"),
    moved(lambda z: [ops.adjoint(z), ops.broadcast_to(z, (2, 2, 3)), ops.copy(z)],
          lambda z: [z.conj().T, np.broadcast_to(z, (2, 2, 3)), z], name="turned"),
    of_complex(
        lambda x, y: [
            ops.scatter_nd(Tensor([[1], [3], [1]]), y, (4,)), ops.tensor_scatter_add(x[0], Tensor([[1], [1], [0]]), y)
        ],
        lambda x, y: [np.array([0, y[0] + y[2], 0, y[1]]), x[0] + np.array([y[2], y[0] + y[1], 0])],
        S(A, B, D, D[::-1]), name="scattered",
    ),
    of_complex(lambda z: [ops.zeros_like(z), ops.ones_like(z), ops.full_like(z, 2j)],
               lambda z: [np.zeros_like(z), np.ones_like(z), np.full_like(z, 2j)], Z, name="full",
               grad=False, why="constants"),
    # sums and products
    *(
        of_complex(
            op, ref, S(A, B), S(A, B, axis=0), S(A, B, axis=(0, 1)), S(A, B, axis=-1), S(normal(5), normal(5)), tol=LOOSE
        )
        for op, ref in (
            (ops.reduce_sum, lambda z, axis=None: z.sum(axis)), (ops.mean, lambda z, axis=None: z.mean(axis)),
            (ops.prod, lambda z, axis=None: z.prod(axis)),
            (ops.euclidean_norm, lambda z, axis=None: np.sqrt((np.abs(z) ** 2).sum(axis))),
        )
    ),
    of_complex(lambda z: ops.prod(z, 0, True), lambda z: z.prod(0, keepdims=True), Z, S(normal(0, 2), normal(0, 2)),
               name="kept_prod"),
    of_complex(lambda z: [ops.sum(z), z.sum(1), z.mean(), ops.sum(z.real(), dtype=anfora.complex128)],
               lambda z: [z.sum(), z.sum(1), z.mean(), z.real.sum() + 0j], Z, name="sums", dtypes=("float64",)),
    of_complex(lambda z: [ops.cumsum(z, 1), ops.cumsum(z, 0, reverse=True), ops.cumprod(z, 1),
                          ops.cumprod(z, -1, exclusive=True, reverse=True)],
               lambda z: [z.cumsum(1), z[::-1].cumsum(0)[::-1], z.cumprod(1),
                          np.stack([z[:, 1] * z[:, 2], z[:, 2], np.ones_like(z[:, 0])], 1)], Z, name="running"),
    of_complex(lambda z: [*ops.var_mean(z, 1), ops.std(z, ddof=1)], lambda z: [z.var(1), z.mean(1), z.std(ddof=1)],
               Z, name="moments", tol=LOOSE),
    of_complex(lambda z: [ops.vector_norm(z, 1), ops.vector_norm(z, 3, 1), ops.matrix_norm(z, 1), ops.norm(z)],
               lambda z: [np.abs(z).sum(), (np.abs(z) ** 3).sum(1) ** (1 / 3), np.abs(z).sum(0).max(), np.linalg.norm(z)],
               Z, name="norms", tol=LOOSE),
    *(
        of_complex(op, ref, *samples, tol=LOOSE)
        for op, ref, *samples in (
            (ops.matmul, np.matmul, S(A, B, normal(3, 4), normal(3, 4)), S(A, B, D, D[::-1]),
             S(normal(2, 2, 3), normal(2, 2, 3), normal(3, 1), normal(3, 1))),
            (ops.dense, lambda x, w, b: x @ w.T + b, S(A, B, normal(4, 3), normal(4, 3), normal(4), normal(4))),
            (ops.outer, np.outer, S(D, D[::-1], normal(2), normal(2))),
        )
    ),
    of_complex(lambda z, x: [z @ x, x.T @ z.T], lambda z, x: [z @ x, x.T @ z.T], S(A, B, normal(3, 2)), count=1,
               name="real_matmul", tol=LOOSE),
    of_complex(lambda x, y: ops.einsum("ij,kj->ik", x, y), lambda x, y: x @ y.T, S(A, B, C, A), name="einsum", tol=LOOSE),
    of_complex(ops.vecdot, lambda x, y: (x.conj() * y).sum(-1), S(A, B, C, A), S(A, B, D, D[::-1]), name="vecdot"),
    of_complex(ops.cov, np.cov, Z, name="cov", tol=LOOSE),
    # transforms
    *(
        of_complex(
            getattr(ops, name), getattr(np.fft, name),
            S(A, B), S(A, B, 5), S(A, B, 2, 0), S(A, B, 2, 1, "ortho"), S(A, B, 5, 0, "forward"), S(A[:, :1], B[:, :1], 4),
            S(normal(5), normal(5), 5), count=1, tol=LOOSE,
        )
        for name in ("fft", "ifft", "irfft", "hfft")
    ),
    *(
        Row(
            lambda *args, name=name: ops.view_as_real(getattr(ops, name)(*args)),
            lambda *args, name=name: apart(getattr(np.fft, name)(*args)),
            [S(A), S(A, 5), S(A, 2, 0), S(A, 4, 1, "ortho"), S(A, 1, 0, "forward"), S(normal(6))],
            tol=LOOSE, covers=["transform"],
        )
        for name in ("rfft", "ihfft", "fft", "ifft")
    ),
    *(
        of_complex(
            getattr(ops, name), lambda *args, name=name: getattr(np.fft, name)(*args),
            S(normal(2, 3, 4), normal(2, 3, 4)), S(A, B, (3, 2), (0, 1)), S(A, B, (2, 4), (1, 0)),
            S(A, B, None, (-1,), "ortho"),
            count=1, tol=LOOSE, second=name.startswith("i"), why="fftn's is that of ifftn",
        )
        for name in ("fftn", "ifftn", "irfftn")
    ),
    Row(
        lambda *args: ops.view_as_real(ops.rfftn(*args)),
        lambda *args: apart(np.fft.rfftn(*args)),
        [S(normal(2, 3, 4)), S(A, (3, 2), (0, 1)), S(A, (2, 4), (1, 0)), S(A, None, (0,), "forward")],
        tol=LOOSE,
    ),
    *(
        Row(
            lambda x, *window, options=options: ops.stft(x, 4, 2, len(window[0]) if window else None, *window, **options),
            lambda x, *window, options=options: short_times(x, *window, **options),
            [S(normal(9)), S(normal(2, 8)), S(normal(2, 8), normal(4)), S(normal(9), normal(3))],
            tol=LOOSE,
        )
        for options in ({}, {"center": False, "normalized": True}, {"pad_mode": "CONSTANT", "onesided": False},
                        {"pad_mode": "circular"})
    ),
    of_complex(lambda x: ops.stft(x, 4, 1), lambda x: short_times(x, hop=1, onesided=False, parts=False),
               S(normal(7), normal(7)), name="stft", tol=LOOSE),
    # what is refused
    *(
        Row(op, ref, [S(A)], grad=False, why="only refusals are new", errors=[
            Bad(np.ones(2, np.complex64), error=TypeError, match=f"{op.name} takes no complex numbers, but got complex64"),
        ])
        for op, ref in ((ops.floor, np.floor), (ops.relu, lambda x: np.maximum(x, 0)), (ops.reduce_max, np.max))
    ),
]  # fmt: skip
