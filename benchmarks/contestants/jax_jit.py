"""jax, with jit; the optimizers are written out."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from data import CONVOLUTIONS, ELEMENTS, labels, normal
from jax import lax


def conv(x, w, stride, padding):  # NHWC, HWIO: jax's own layout
    return lax.conv_general_dilated(
        x, w, (stride, stride), [(padding, padding)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def lenet_parameters():
    shapes = [(5, 5, 1, 6), (6,), (5, 5, 6, 16), (16,), (400, 120), (120,), (120, 84), (84,), (84, 10), (10,)]
    return [jnp.asarray(0.1 * normal(*shape)) for shape in shapes]


def lenet_forward(p, x):
    x = pool(jax.nn.relu(conv(x, p[0], 1, 0) + p[1]))
    x = pool(jax.nn.relu(conv(x, p[2], 1, 0) + p[3]))
    x = x.reshape(x.shape[0], -1)
    x = jax.nn.relu(x @ p[4] + p[5])
    x = jax.nn.relu(x @ p[6] + p[7])
    return x @ p[8] + p[9]


def cross_entropy(logits, y):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean()


def lenet(batch):
    x, y = jnp.asarray(normal(batch, 32, 32, 1)), jnp.asarray(labels(batch, 10))

    @jax.jit
    def update(p, v):
        loss, g = jax.value_and_grad(lambda p: cross_entropy(lenet_forward(p, x), y))(p)
        v = [0.9 * a + b for a, b in zip(v, g)]
        return loss, [a - 0.01 * b for a, b in zip(p, v)], v

    state = [lenet_parameters()]
    state.append([jnp.zeros_like(a) for a in state[0]])

    def step():
        loss, state[0], state[1] = update(*state)
        jax.block_until_ready(state)
        return float(loss)

    return step


def lenet_inference(batch):
    p, x = lenet_parameters(), jnp.asarray(normal(batch, 32, 32, 1))
    f = jax.jit(lenet_forward)
    return lambda: f(p, x).block_until_ready()


def perceptron():
    sizes = [(784, 512), (512,), (512, 512), (512,), (512, 10), (10,)]
    p = [jnp.asarray(0.05 * normal(*s)) for s in sizes]
    x, y = jnp.asarray(normal(128, 784)), jnp.asarray(labels(128, 10))

    def forward(p):
        h = jax.nn.relu(x @ p[0] + p[1])
        h = jax.nn.relu(h @ p[2] + p[3])
        return cross_entropy(h @ p[4] + p[5], y)

    @jax.jit
    def update(p, m, v, t):
        loss, g = jax.value_and_grad(forward)(p)
        m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
        v = [0.999 * a + 0.001 * b * b for a, b in zip(v, g)]
        rate = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        return loss, [a - rate * b / (jnp.sqrt(c) + 1e-8) for a, b, c in zip(p, m, v)], m, v

    zeros = [jnp.zeros_like(a) for a in p]
    state = [p, zeros, zeros, 0.0]

    def step():
        state[3] += 1.0
        loss, *state[:3] = update(*state)
        jax.block_until_ready(state[:3])
        return float(loss)

    return step


def convolution(name, backward):
    (n, c, h, w_), channels, kernel, stride, padding = CONVOLUTIONS[name]
    x, w = jnp.asarray(normal(n, h, w_, c)), jnp.asarray(normal(kernel, kernel, c, channels))
    f = jax.jit(lambda x, w: conv(x, w, stride, padding))
    if not backward:
        return lambda: f(x, w).block_until_ready()
    g = jnp.ones_like(f(x, w))

    @jax.jit
    def both(x, w):
        y, back = jax.vjp(lambda x, w: conv(x, w, stride, padding), x, w)
        return y, back(g)

    return lambda: jax.block_until_ready(both(x, w))


def jitted(function, *arrays):
    values = [jnp.asarray(a) for a in arrays]
    f = jax.jit(function)
    return lambda: jax.block_until_ready(f(*values))


def layer_norm(x, w, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * w + b


def batch_norm(x, w, b):
    mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(var + 1e-5) * w + b, mean, var


WORKLOADS = {
    **{f"lenet_train_b{n}": (lambda n=n: lenet(n)) for n in (32, 64, 256)},
    **{f"lenet_infer_b{n}": (lambda n=n: lenet_inference(n)) for n in (1, 256)},
    "mlp_train_b128": perceptron,
    **{f"matmul_{n}": (lambda n=n: jitted(jnp.matmul, normal(n, n), normal(n, n))) for n in (512, 1024)},
    **{f"{name}_fwd": (lambda name=name: convolution(name, False)) for name in CONVOLUTIONS},
    **{f"{name}_fwdbwd": (lambda name=name: convolution(name, True)) for name in CONVOLUTIONS},
    "softmax": lambda: jitted(jax.nn.softmax, normal(1024, 1000)),
    "layernorm": lambda: jitted(layer_norm, normal(4096, 768), normal(768), normal(768)),
    "gelu": lambda: jitted(lambda x: jax.nn.gelu(x, approximate=False), normal(ELEMENTS)),
    "fused_chain": lambda: jitted(
        lambda a, b, c, d: jnp.tanh(a * b + c) * jax.nn.sigmoid(d), *(normal(ELEMENTS) for _ in range(4))
    ),
    "sum_16m": lambda: jitted(jnp.sum, normal(16 << 20)),
    "maxpool": lambda: jitted(pool, normal(32, 56, 56, 64)),
    "batchnorm_train": lambda: jitted(batch_norm, normal(32, 56, 56, 64), normal(64), normal(64)),
    "embedding": lambda: jitted(lambda i, t: t[i], labels(4096, 30000), normal(30000, 256)),
    "topk": lambda: jitted(lambda x: lax.top_k(x, 10), normal(1024, 1000)),
}
