"""Rows of the op table: random numbers, against Philox and SplitMix64 in plain numpy and Python."""

import math

import numpy as np
from row import Bad, Row, S, integers, normal, positive, values
from scipy.special import erfinv

from anfora import ops
from anfora.ops import random

_LOW = np.uint64(2**32 - 1)


def philox(counter, key):
    """Philox 4x32-10: four words of counters and two of a key to four words."""
    c, k = [np.asarray(word, np.uint64) for word in counter], [int(word) for word in key]
    for _ in range(10):
        p, q = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (q >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]),
            q & _LOW,
            (p >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]),
            p & _LOW,
        ]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c


def blocks(seed, offset, count):
    """The words of blocks of 16 counters: (blocks, 4, 16)."""
    counter = np.uint64(offset % 2**64) + np.arange(16 * count, dtype=np.uint64)
    words = philox(
        [counter & _LOW, counter >> np.uint64(32), 0 * counter, 0 * counter], [seed % 2**32, seed % 2**64 >> 32]
    )
    return np.array(words).reshape(4, count, 16).transpose(1, 0, 2)


def words32(seed, offset, n):
    return blocks(seed, offset, -(-n // 64)).reshape(-1)[:n]


def words64(seed, offset, n):
    w = blocks(seed, offset, -(-n // 32))
    return (w[:, 0::2] | w[:, 1::2] << np.uint64(32)).reshape(-1)[:n]


def unit(seed, offset, n, wide):
    if wide:
        return (words64(seed, offset, n) >> np.uint64(11)) * 2.0**-53
    return (words32(seed, offset, n) >> np.uint64(8)) * 2.0**-24


def gauss(seed, offset, n, wide):
    w = blocks(seed, offset, -(-n // (32 if wide else 64)))
    if wide:
        pairs = w[:, 0::2] | w[:, 1::2] << np.uint64(32)
        u, angle = ((pairs[:, :1] >> np.uint64(11)) + 0.5) * 2.0**-53, (pairs[:, 1:] >> np.uint64(11)) * 2.0**-53
    else:
        u, angle = (w[:, 0::2] + 0.5) * 2.0**-32, (w[:, 1::2] >> np.uint64(8)) * 2.0**-24
    radius = np.sqrt(-2 * np.log(u))
    return np.stack([radius * np.cos(2 * np.pi * angle), radius * np.sin(2 * np.pi * angle)], 2).reshape(-1)[:n]


def two_signs(seed, offset, n, wide):
    if wide:
        bits = words64(seed, offset, n)
        u = ((bits >> np.uint64(11)) + 0.5) * 2.0**-53
    else:
        bits = words32(seed, offset, n)
        u = ((bits >> np.uint64(1)) + 0.5) * 2.0**-31
    return np.where(bits & np.uint64(1), np.log(u), -np.log(u))


def exponentials(seed, offset, n, wide):
    return -np.log(1 - unit(seed, offset, n, True) if wide else (words32(seed, offset, n) + 0.5) * 2.0**-32)


def ref_sample(seed, offset, kind, shape, a, b, dtype):
    n, wide = math.prod(shape), dtype == "float64"
    if kind == "integers":
        return np.array([int(w) * b // 2**64 + a for w in words64(seed, offset, n)]).reshape(shape)
    if kind == "uniform":
        x = unit(seed, offset, n, wide) * (b - a) + a
    elif kind == "normal":
        x = gauss(seed, offset, n, wide) * b + a
    elif kind == "truncated":
        x = math.sqrt(2) * erfinv((2 * unit(seed, offset, n, wide) - 1) * math.erf(math.sqrt(2))) * b + a
    elif kind == "laplace":
        x = two_signs(seed, offset, n, wide) * b + a
    else:
        x = exponentials(seed, offset, n, wide) / a
    return x.reshape(shape)


def ref_drop(x, seed, offset, kept):
    stays = words32(seed, offset, x.size).reshape(x.shape) < kept
    return np.where(stays, x * (2**32 / max(kept, 1)), 0)


def ref_shuffled(seed, offset, n, dtype):
    order = list(range(n))
    words = [int(w) for w in words64(seed, offset, n)]
    for i in range(n - 1, 0, -1):
        j = words[i] * (i + 1) >> 64
        order[i], order[j] = order[j], order[i]
    return np.array(order, dtype)


def ref_choose(weights, seed, offset, count, replacement):
    rows, n = weights.shape
    with np.errstate(all="ignore"):
        if replacement:
            u = unit(seed, offset, rows * count, True).reshape(rows, count)
            sums = weights.cumsum(1)
            return np.array([np.searchsorted(s, f * s[-1], "right") for s, f in zip(sums, u)]).reshape(rows, count)
        times = -np.log(1 - unit(seed, offset, rows * n, True).reshape(rows, n)) / weights
        return np.argsort(times, 1, kind="stable")[:, :count]


class Stream:
    """SplitMix64."""

    def __init__(self, state):
        self.state = int(state)

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) >> 11

    def open(self):
        return (self.word() + 1) * 2.0**-53


def one_gamma(a, stream):
    boost = 1.0
    if a < 1:
        boost, a = stream.open() ** (1 / a), a + 1
    d = a - 1 / 3
    while True:
        x = math.sqrt(-2 * math.log(stream.open())) * math.cos(2 * math.pi * stream.word() * 2.0**-53)
        v = (1 + x / math.sqrt(9 * d)) ** 3
        if v > 0 and math.log(stream.open()) < x * x / 2 + d - d * v + d * math.log(v):
            return d * v * boost


def one_poisson(mean, stream):
    """By products of uniform numbers: for small means."""
    count, product = -1, 1.0
    while product > math.exp(-mean) or count < 0:
        product *= stream.open()
        count += 1
    return count


def ref_varying(one):
    def ref(parameter, seed, offset, shape, dtype):
        many = np.broadcast_to(parameter, shape)
        bits = words64(seed, offset, many.size)
        return np.array([one(float(p), Stream(b)) for p, b in zip(many.flat, bits)]).reshape(shape)

    return ref


FLOATS = [
    S(7, 0, kind, shape, a, b, dtype)
    for kind, a, b in [
        ("uniform", 0.0, 1.0),
        ("uniform", -3.0, 5.0),
        ("normal", 0.0, 1.0),
        ("normal", 2.0, 0.5),
        ("truncated", 1.0, 2.0),
        ("exponential", 2.0, 0.0),
        ("laplace", 1.0, 3.0),
    ]
    for shape, dtype in [
        ((5, 27), "float32"),
        ((67,), "float64"),
        ((3,), "float16"),
        ((), "float32"),
        ((2, 0), "float32"),
    ]
]

WHY = "it is a choice, or has no gradient"

ROWS = [
    Row(
        random.sample,
        ref=ref_sample,
        samples=[
            *FLOATS,
            S(-5, 2**33, "uniform", (70,), 0.0, 1.0, "float32"),
            S(2**62 + 1, -16, "uniform", (70,), 0.0, 1.0, "float32"),  # the counter passes 2 ** 64
            S(7, 0, "integers", (40,), -3, 10, "int64"),
            S(7, 16, "integers", (3, 5), 0, 256, "uint8"),
            S(7, 0, "integers", (9,), -(2**63), 2**64 - 1, "int64"),
        ],
        errors=[
            Bad(7, 0, "uniform", (2,), 0, 1, "int32", error=TypeError, match="floating-point"),
            Bad(7, 0, "uniform", (2,), 0, 1, "bool", error=TypeError, match="floating-point"),
            Bad(7, 0, "integers", (2,), 0, 1, "float32", error=TypeError, match="integer"),
        ],
        dtypes=("float32",),
        tol={"float32": 2e-3},
        why="float16 among the samples sets the tolerance; test_random.py compares float32 and float64 more sharply",
    ),
    Row(
        random.drop,
        ref=ref_drop,
        samples=[
            S(normal(3, 30), 7, 0, 2**31),
            S(normal(2, 3), 7, 16, 3 * 2**30),
            S(normal(4), 7, 0, 0),
            S(normal(4), 7, 0, 2**32 - 1),
            S(normal(), 7, 0, 2**31),
            S(normal(0, 2), 7, 0, 2**31),
        ],
        errors=[Bad(integers(0, 2, 3), 7, 0, 2**31, error=TypeError, match="floating-point")],
        dtypes=("float16", "bfloat16", "float32", "float64"),
    ),
    Row(
        random.shuffled,
        ref=ref_shuffled,
        samples=[
            S(7, 0, 10, "int64"),
            S(7, 0, 40, "uint8"),
            S(3, 5, 7, "float32"),
            S(7, 0, 0, "int64"),
            S(7, 0, 1, "int32"),
        ],
    ),
    Row(
        random.choose,
        ref=ref_choose,
        samples=[
            S(positive(3, 5), 7, 0, 8, True),
            S(positive(3, 5), 7, 0, 5, False),
            S(positive(40, 3), 7, 16, 2, False),
            S(np.array([[0.0, 1.0, 0.0, 2.0]]), 7, 0, 2, False),
            S(np.array([[0.0, 1.0, 0.0]]), 7, 0, 4, True),
            S(positive(2, 3), 7, 0, 0, True),
            S(positive(0, 3), 7, 0, 2, True),
        ],
        errors=[
            Bad(np.array([[1.0, -1.0]]), 7, 0, 1, True, error=ValueError, match=r"weight at \(0, 1\) is -1"),
            Bad(np.array([[1.0], [np.inf]]), 7, 0, 1, True, error=ValueError, match=r"weight at \(1, 0\) is inf"),
            Bad(np.array([[1.0, 0.0]]), 7, 0, 2, False, error=ValueError, match="1 positive"),
            Bad(np.array([[0.0, 0.0]]), 7, 0, 1, True, error=ValueError, match="0 positive"),
        ],
        grad=False,
        why=WHY,
    ),
    Row(
        random.sample_gamma,
        ref=ref_varying(one_gamma),
        samples=[
            S(values(0.3, 1.0, 2.5), 7, 0, (4, 3), "float64"),
            S(np.array(0.5), 7, 16, (40,), "float32"),
            S(values(30.0), 7, 0, (0, 1), "float32"),
        ],
        errors=[
            Bad(
                values(1.0, 0.0),
                7,
                0,
                (3, 2),
                "float32",
                error=ValueError,
                match=r"positive and finite, but is 0.0 at \[0, 1\]",
            )
        ],
        grad=False,
        why=WHY,
        tol={"float64": 1e-6},
    ),
    Row(
        random.sample_poisson,
        ref=ref_varying(one_poisson),
        samples=[
            S(values(0.0, 0.7, 9.0), 7, 0, (4, 3), "float32"),
            S(np.array(2.0), 7, 16, (40,), "int32"),
            S(values(3.0), 7, 0, (0,), "float32"),
        ],
        errors=[
            Bad(
                values(-1.0),
                7,
                0,
                (2, 1),
                "float32",
                error=ValueError,
                match="not negative and within the result.s type, but is -1",
            ),
            Bad(values(np.nan), 7, 0, (1,), "float32", error=ValueError, match="nan"),
        ],
        grad=False,
        why=WHY,
    ),
    Row(
        ops.dropout,
        ref=lambda x, p=0.5, training=True, seed=None: (
            ref_drop(x, seed, 0, round((1 - p) * 2**32)) if training and p else x
        ),
        samples=[
            S(normal(3, 4), 0.3, seed=7),
            S(normal(3, 4), 0.3, False),
            S(normal(3), 0.0),
            S(normal(3), p=1, seed=1),
        ],
        errors=[
            Bad(normal(3), 1.5, error=ValueError, match=r"\[0, 1\]"),
            Bad(normal(3), "x", error=TypeError, match="number"),
        ],
    ),
]
