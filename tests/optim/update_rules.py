"""Update rules in numpy, written down from the papers, and the loop around them.

A rule is a function `(p, g, s, t, **options) -> p` in float64: s is a dict in which it keeps what it likes, t counts steps
from 1.
"""

from __future__ import annotations

import numpy as np


def train(rule, start, gradients, *, decay=0.0, scale=1.0, centralize=False, **options):
    """The parameter after each step.

    Args:
        start: the parameter; after each step it is rounded to its type.
        gradients: one for each step.
        options: of the rule; a list under "lr" has the rate of each step.
    """
    p, s, seen = start, {}, []
    for t, g in enumerate(gradients, 1):
        wide, g = p.astype(np.float64), g.astype(np.float64) / scale
        g = g + decay * wide
        if centralize and g.ndim > 1:
            g = g - g.mean(tuple(range(1, g.ndim)), keepdims=True)
        rate = options["lr"][min(t, len(options["lr"])) - 1] if isinstance(options["lr"], list) else options["lr"]
        p = rule(wide, g, s, t, **{**options, "lr": rate}).astype(start.dtype)
        seen.append(p)
    return seen


def single(x):
    return float(np.float32(x))


def average(s, name, x, keep):
    s[name] = keep * s.get(name, 0.0) + (1 - keep) * x
    return s[name]


def descent(p, g, s, t, *, lr):
    return p - lr * g


def momentum(p, g, s, t, *, lr, mu, nesterov=False):
    v = s["v"] = mu * s.get("v", 0.0) + g
    return p - lr * (g + mu * v) if nesterov else p - lr * v


def sgd(p, g, s, t, *, lr, mu, dampening=0.0, nesterov=False):
    v = s["v"] = g if t == 1 else mu * s["v"] + (1 - dampening) * g
    return p - lr * (g + mu * v) if nesterov else p - lr * v


def adagrad(p, g, s, t, *, lr, first=0.1, updates=True, eps=0.0, lr_decay=0.0):
    n = s["n"] = s.get("n", first) + (g * g if updates else 0.0)
    return p - lr / (1 + (t - 1) * lr_decay) * g / (np.sqrt(n) + eps)


def rmsprop(p, g, s, t, *, lr, rho=0.9, mu=0.0, eps=1e-10, centered=False):
    n = s["n"] = rho * s.get("n", 1.0) + (1 - rho) * g * g
    a = average(s, "a", g, rho) if centered else 0.0
    v = s["v"] = mu * s.get("v", 0.0) + lr * g / np.sqrt(n - a * a + eps)
    return p - v


def rmsprop_outside(p, g, s, t, *, lr, rho=0.99, mu=0.0, eps=1e-8, centered=False):
    """PyTorch's: ε outside of the root, the rate outside of the momentum."""
    n = average(s, "n", g * g, rho)
    a = average(s, "a", g, rho) if centered else 0.0
    v = s["v"] = mu * s.get("v", 0.0) + g / (np.sqrt(n - a * a) + eps)
    return p - lr * v


def adadelta(p, g, s, t, *, lr=1.0, rho=0.9, eps=1e-6):
    n = average(s, "n", g * g, rho)
    d = np.sqrt(s.get("u", 0.0) + eps) / np.sqrt(n + eps) * g
    average(s, "u", d * d, rho)
    return p - lr * d


def adam(p, g, s, t, *, lr, b1=0.9, b2=0.999, eps=1e-8, nesterov=False, amsgrad=False):
    """With ε beside the uncorrected root, as in the paper before its section 2.1."""
    b1, b2 = single(b1), single(b2)
    m, v = average(s, "m", g, b1), average(s, "v", g * g, b2)
    if amsgrad:
        v = s["w"] = np.maximum(s.get("w", 0.0), v)
    if nesterov:
        m = b1 * m + (1 - b1) * g
    return p - lr * np.sqrt(1 - b2**t) / (1 - b1**t) * m / (np.sqrt(v) + eps)


def adam_corrected(p, g, s, t, *, lr, b1=0.9, b2=0.999, eps=1e-8, amsgrad=False, decay=0.0):
    p = p * (1 - lr * decay)
    m, v = average(s, "m", g, b1), average(s, "v", g * g, b2)
    if amsgrad:
        v = s["w"] = np.maximum(s.get("w", 0.0), v)
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)


def adam_decay(p, g, s, t, *, lr, b1=0.9, b2=0.999, eps=1e-6, decay=0.0):
    m, v = average(s, "m", g, single(b1)), average(s, "v", g * g, single(b2))
    return p - lr * (m / (np.sqrt(v) + eps) + decay * p)


def adamax(p, g, s, t, *, lr, b1=0.9, b2=0.999, eps=1e-8, inside=False):
    if not inside:
        b1, b2 = single(b1), single(b2)
    m = average(s, "m", g, b1)
    u = s["u"] = np.maximum(b2 * s.get("u", 0.0), np.abs(g) + (eps if inside else 0.0))
    return p - lr / (1 - b1**t) * m / (u + (0.0 if inside else eps))


def nadam(p, g, s, t, *, lr, b1=0.9, b2=0.999, eps=1e-8, psi=4e-3):
    now, then = (b1 * (1 - 0.5 * 0.96 ** (k * psi)) for k in (t, t + 1))
    product = s["product"] = s.get("product", 1.0) * now
    m, v = average(s, "m", g, b1), average(s, "v", g * g, b2)
    ahead = then * m / (1 - product * then) + (1 - now) * g / (1 - product)
    return p - lr * ahead / (np.sqrt(v / (1 - b2**t)) + eps)


def radam(p, g, s, t, *, lr, b1=0.9, b2=0.999, eps=1e-8):
    m, v = average(s, "m", g, b1), average(s, "v", g * g, b2)
    limit = 2 / (1 - b2) - 1
    length = limit - 2 * t * b2**t / (1 - b2**t)
    m = m / (1 - b1**t)
    if length <= 5:
        return p - lr * m
    r = np.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
    return p - lr * m * r * np.sqrt(1 - b2**t) / (np.sqrt(v) + eps)


def rprop(p, g, s, t, *, lr, etas=(0.5, 1.2), sizes=(1e-6, 50.0)):
    size, before = s.get("size", np.full(p.shape, lr)), s.get("before", np.zeros(p.shape))
    agree = np.sign(g * before)
    size = np.clip(np.where(agree > 0, size * etas[1], np.where(agree < 0, size * etas[0], size)), *sizes)
    g = np.where(agree < 0, 0.0, g)
    s["size"], s["before"] = size, g
    return p - np.sign(g) * size


def asgd(p, g, s, t, *, lr, lambd=1e-4, alpha=0.75, t0=1e6):
    eta, mu = s.get("eta", lr), s.get("mu", 1.0)
    p = p * (1 - lambd * eta) - eta * g
    a = s.get("a", np.zeros(p.shape))
    s["a"] = p if mu == 1 else a + mu * (p - a)
    s["eta"], s["mu"] = lr / (1 + lambd * lr * t) ** alpha, 1 / max(1.0, t - t0)
    return p


def proximal_adagrad(p, g, s, t, *, lr, first=0.1, l1=0.0, l2=0.0):
    n = s["n"] = s.get("n", first) + g * g
    r = lr / np.sqrt(n)
    q = p - r * g
    return np.sign(q) * np.maximum(np.abs(q) - r * l1, 0.0) / (1 + r * l2)


def ftrl(p, g, s, t, *, lr, first=0.1, power=-0.5, l1=0.0, l2=0.0):
    old = s.get("n", first)
    new = s["n"] = old + g * g
    z = s["z"] = s.get("z", 0.0) + g - (new**-power - old**-power) / lr * p
    return np.where(np.abs(z) > l1, (np.sign(z) * l1 - z) / (new**-power / lr + 2 * l2), 0.0)


def lamb(p, g, s, t, *, lr, b1=0.9, b2=0.999, eps=1e-6, decay=0.0):
    m, v = average(s, "m", g, b1), average(s, "v", g * g, b2)
    u = m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps) + decay * p
    lengths = np.linalg.norm(p), np.linalg.norm(u)
    return p - lr * u * (lengths[0] / lengths[1] if lengths[0] > 0 and lengths[1] > 0 else 1.0)


def adafactor(
    p, g, s, t, *, lr=None, eps=(1e-30, 1e-3), clip=1.0, power=0.8, b1=0.9, decay=0.0, scaled=True, warmup=False
):
    def rms(x):
        return np.sqrt(np.mean(x * x))

    beta = 1 - float(t) ** -power
    square = g * g + eps[0]
    if g.ndim > 1:
        row, column = average(s, "r", square.mean(-1), beta), average(s, "c", square.mean(-2), beta)
        u = g / np.sqrt(row[..., :, None] * column[..., None, :] / row.mean(-1)[..., None, None])
    else:
        u = g / np.sqrt(average(s, "v", square, beta))
    rate = min(1e-6 * t if warmup else 1e-2, 1 / np.sqrt(t)) if lr is None else lr
    if scaled:
        rate = rate * max(eps[1], rms(p))
    u = rate * u / max(1.0, rms(u) / clip)
    if b1:
        u = average(s, "m", u, b1)
    return p - rate * decay * p - u


def lars(p, g, s, t, *, lr, c=0.001, eps=1e-5, decay=0.0, clip=False, mu=0.0):
    lengths = np.linalg.norm(p), np.linalg.norm(g)
    r = c * lengths[0] / (lengths[1] + decay * lengths[0] + eps) if min(lengths) > 0 else 1.0
    return sgd(p, (g + decay * p) * (min(r / lr, 1.0) if clip else r), s, t, lr=lr, mu=mu)
