"""Programs as people write them in models and training loops: run by Python, compiled by `jit`, and in GRAPH_MODE, with
data, numbers, shapes and attributes that change from call to call. All that can be seen of the three is the same: results,
errors, what is printed, random states, and everything that a program wants watched."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import math
import random
import types
from collections import deque
from typing import Any, NamedTuple

import numpy as np
import pytest
from harness import Picture, difference, graph_mode
from outcomes import hops

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.experimental import optim as experimental

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


class Seen:
    """What is seen of the calls of a program."""

    def __init__(self):
        self.entries, self.watched, self.printed = [], [], io.StringIO()

    def watch(self, *values):
        """What these hold is a part of what is seen behind each call."""
        self.watched += values

    def see(self, *values):
        picture = Picture()
        self.entries.append(("seen", *map(picture.of, values)))

    def call(self, function, *args):
        result = error = None
        try:
            result = function(*args)
        except Exception as raised:
            error = raised
        self.see(result, error, args, self.watched, self.printed.getvalue(), random.getstate(), ms.get_rng_state())
        return result


def run(function, jit):
    """All that is seen of a program in a world of its own."""
    ms.set_seed(1)
    np.random.seed(1)
    random.seed(1)
    seen = Seen()
    with contextlib.redirect_stdout(seen.printed):
        function(jit, seen)
    return tuple(seen.entries)


def t(shape, seed=0):
    return Tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


class MLP(nn.Cell):
    def __init__(self, inputs=4, hidden=8, outputs=3):
        super().__init__()
        self.fc1 = nn.Dense(inputs, hidden)
        self.fc2 = nn.Dense(hidden, outputs)
        self.act = nn.ReLU()

    def construct(self, x):
        return self.fc2(self.act(self.fc1(x)))


def mean_square(net):
    return lambda x: (net(x) ** 2).mean()


# -- the programs ------------------------------------------------------------------------------------------------------


@program
def momentum_by_hand_with_dataclass(jit, seen):
    @dataclasses.dataclass
    class Config:
        lr: float = 0.1
        beta: float = 0.9
        warm: int = 3
        it: int = 0

    cfg = Config()
    net = MLP()
    params = net.trainable_params()
    vel = [ops.zeros_like(p) for p in params]
    vg = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, params)

    @jit
    def step(x):
        cfg.it += 1
        scale = min(1.0, cfg.it / cfg.warm)
        loss, g = vg(x)
        for i, (p, gi) in enumerate(zip(params, g)):
            vel[i] = cfg.beta * vel[i] + gi
            p.set_data(p - cfg.lr * scale * vel[i])
        return loss, scale

    seen.watch(net, cfg, vel)
    for k in range(9):
        if k == 5:
            cfg.lr *= 0.3
        if k == 6:
            cfg.beta = 0.5
        seen.call(step, t((2 + k % 2, 4), k))


@program
def early_stopping(jit, seen):
    net = MLP()
    opt = nn.Adam(net.trainable_params(), 0.01)
    vg = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, opt.parameters)

    class Stopper:
        def __init__(self):
            self.best = float("inf")
            self.bad = 0
            self.patience = 2
            self.stop = False

        def __call__(self, loss):
            value = float(loss)
            if value < self.best - 1e-3:
                self.best = value
                self.bad = 0
            else:
                self.bad += 1
                if self.bad > self.patience:
                    self.stop = True
            return self.stop

    s = Stopper()

    @jit
    def step(x):
        loss, g = vg(x)
        opt(g)
        if s(loss):
            print(f"stop at best {s.best:.4f}, bad={s.bad}")
        return loss

    seen.watch(net, opt, s)
    for k in range(12):
        seen.call(step, t((3, 4), k % 3))


@program
def nan_check(jit, seen):
    net = MLP()
    opt = nn.SGD(net.trainable_params(), 0.1)
    vg = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, opt.parameters)
    info = {"epoch": 0, "skipped": []}

    @jit
    def step(x, n):
        loss, g = vg(x)
        v = float(loss)
        if math.isnan(v) or math.isinf(v):
            info["skipped"].append(n)
            raise ValueError(f"loss is {v} at step {n} in epoch {info['epoch']}")
        opt(g)
        return v

    seen.watch(net, opt, info)
    for k in range(9):
        x = t((3, 4), k)
        if k in (2, 5):
            x = x * float("nan")
        if k == 7:
            x = x * float("inf")
        info["epoch"] = k // 2
        seen.call(step, x, k)


@program
def dynamic_loss_scale(jit, seen):
    net = MLP()
    opt = nn.Momentum(net.trainable_params(), 0.05, 0.9)

    class Scaler:
        def __init__(self):
            self.scale = 2.0**10
            self.good = 0
            self.window = 2

        def update(self, ok):
            if ok:
                self.good += 1
                if self.good >= self.window:
                    self.scale *= 2.0
                    self.good = 0
            else:
                self.scale = max(1.0, self.scale / 2.0)
                self.good = 0

    sc = Scaler()

    def forward(x):
        return (net(x) ** 2).mean() * sc.scale

    vg = ms.value_and_grad(forward, None, opt.parameters)

    @jit
    def step(x):
        loss, g = vg(x)
        g = [gi / sc.scale for gi in g]
        ok = all(bool(ops.isfinite(gi).all()) for gi in g)
        if ok:
            opt(tuple(g))
        sc.update(ok)
        return loss / sc.scale, ok

    seen.watch(net, opt, sc)
    for k in range(12):
        x = t((3, 4), k)
        if k in (3, 8):
            x[0, 0] = float("inf")
        seen.call(step, x)


@program
def grad_accum(jit, seen):
    net = MLP()
    opt = nn.Adam(net.trainable_params(), 0.01)
    vg = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, opt.parameters)

    class Acc:
        def __init__(self):
            self.buf = None
            self.count = 0
            self.every = 3

    a = Acc()

    @jit
    def step(x):
        loss, g = vg(x)
        if a.buf is None:
            a.buf = [gi / a.every for gi in g]
        else:
            for i, gi in enumerate(g):
                a.buf[i] = a.buf[i] + gi / a.every
        a.count += 1
        if a.count % a.every == 0:
            norm = ops.sqrt(sum((b * b).sum() for b in a.buf))
            limit = 0.1 * a.count
            if float(norm) > limit:
                a.buf = [b * (limit / float(norm)) for b in a.buf]
            opt(tuple(a.buf))
            a.buf = None
            return loss, norm.item()
        return loss, None

    seen.watch(net, opt, a)
    for k in range(13):
        if k == 6:
            a.every = 2
        seen.call(step, t((3, 4), k))


@program
def ema_weights(jit, seen):
    net = MLP()
    opt = nn.SGD(net.trainable_params(), 0.1)
    vg = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, opt.parameters)
    ema = {p.name: p.copy() for p in net.trainable_params()}

    class State:
        pass

    s = State()
    s.n = 0

    @jit
    def step(x, decay=0.99):
        loss, g = vg(x)
        opt(g)
        s.n += 1
        d = min(decay, (1 + s.n) / (10 + s.n))
        for p in net.trainable_params():
            ema[p.name] = d * ema[p.name] + (1 - d) * p
        return loss, d

    seen.watch(net, opt, ema, s)
    for k in range(8):
        seen.call(step, t((3, 4), k), *([0.2 + k / 100] if k > 3 else []))


@program
def lstm_tbptt(jit, seen):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(3, 5)
            self.head = nn.Dense(5, 2)
            self.calls = 0

        def construct(self, xs, state=None):
            b = xs.shape[1]
            if state is None:
                state = (ops.zeros((b, 5)), ops.zeros((b, 5)))
            h, c = state
            outs = []
            for i in range(xs.shape[0]):
                h, c = self.cell(xs[i], (h, c))
                outs.append(self.head(h))
            self.calls += 1
            return ops.stack(outs), (h, c)

    net = Net()
    opt = nn.Adam(net.trainable_params(), 0.01)

    def forward(xs, st):
        o, st = net(xs, st)
        return (o**2).mean(), st

    vg = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)

    @jit
    def step(xs, st):
        (loss, st), g = vg(xs, st)
        opt(g)
        return loss, tuple(ops.stop_gradient(s) for s in st)

    seen.watch(net, opt)
    st = None
    for k in range(7):
        r = seen.call(step, t((3 + k % 3, 2, 3), k), st)
        if r:
            st = r[1]


@program
def attention_kv_cache(jit, seen):
    class Attn(nn.Cell):
        def __init__(self, d=8, h=2):
            super().__init__()
            self.q = nn.Dense(d, d)
            self.k = nn.Dense(d, d)
            self.v = nn.Dense(d, d)
            self.o = nn.Dense(d, d)
            self.h = h
            self.cache = {}
            self.pos = 0
            self.temperature = 1.0

        def construct(self, x):
            b, n, d = x.shape

            def split(z):
                return z.reshape(b, -1, self.h, d // self.h).transpose(0, 2, 1, 3)

            q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
            if not self.training:
                if "k" in self.cache:
                    k = ops.concat((self.cache["k"], k), 2)
                    v = ops.concat((self.cache["v"], v), 2)
                self.cache["k"], self.cache["v"] = k, v
            s = q @ k.transpose(0, 1, 3, 2) / (math.sqrt(d // self.h) * self.temperature)
            m = k.shape[2]
            mask = ops.triu(ops.ones((n, m)), 1 + m - n).astype(ms.bool_)
            s = s.masked_fill(mask, -1e9)
            self.pos += n
            a = ops.softmax(s, -1)
            return self.o((a @ v).transpose(0, 2, 1, 3).reshape(b, n, d))

    net = Attn()
    net.set_train(False)
    f = jit(net)
    seen.watch(net)
    for k in range(6):
        net.temperature = 1.0 - 0.05 * k
        seen.call(f, t((1, 1 if k else 3, 8), k))
    net.set_train(True)
    seen.call(f, t((1, 4, 8), 9))
    net.set_train(False)
    net.cache.clear()
    for k in range(3):
        seen.call(f, t((1, 2, 8), 20 + k))


@program
def running_stats(jit, seen):
    class Norm(nn.Cell):
        def __init__(self):
            super().__init__()
            self.mean = Parameter(ops.zeros(3), name="mean", requires_grad=False)
            self.var = Parameter(ops.ones(3), name="var", requires_grad=False)
            self.w = Parameter(ops.ones(3), name="w")
            self.momentum = 0.9
            self.steps = 0

        def construct(self, x):
            if self.training:
                m, v = x.mean(0), x.var(0)
                mom = self.momentum if self.momentum is not None else self.steps / (self.steps + 1)
                self.mean.set_data(self.mean * mom + ops.stop_gradient(m) * (1 - mom))
                ops.assign(self.var, self.var * mom + ops.stop_gradient(v) * (1 - mom))
                self.steps += 1
            else:
                m, v = self.mean, self.var
            return (x - m) / ops.sqrt(v + 1e-5) * self.w

    net = Norm()
    net.set_train()
    vg = jit(ms.value_and_grad(lambda x: (net(x) ** 3).sum(), 0, net.trainable_params()))
    seen.watch(net)
    for k in range(10):
        net.set_train(k not in (3, 7))
        if k == 5:
            net.momentum = None
        if k == 8:
            net.momentum = 0.5
        seen.call(vg, t((4, 3), k))


@program
def freeze_unfreeze(jit, seen):
    net = MLP()

    @jit
    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        for p in net.get_parameters():
            if p.requires_grad and p.grad is not None:
                p.set_data(p - 0.1 * p.grad)
                p.grad = None
        return loss

    seen.watch(net)
    for k in range(9):
        if k in (3, 6):
            for p in net.fc1.get_parameters():
                p.requires_grad = k == 6
        seen.call(step, t((3, 4), k))


@program
def hooks(jit, seen):
    net = MLP()
    told = []
    stats = {}

    def fwd(cell, args, out):
        told.append((type(cell).__name__, out.shape, float(out.mean())))
        return out * stats.get("gain", 1.0)

    def pre(cell, args):
        stats["n"] = stats.get("n", 0) + 1
        return (args[0] + 0.1 * stats["n"],)

    def bwd(cell, gi, go):
        stats["g"] = go[0].sum()
        return None

    f = jit(ms.value_and_grad(lambda x: (net(x) ** 2).mean(), 0, net.trainable_params()))
    seen.watch(net, told, stats)
    h = []
    for k in range(12):
        if k == 2:
            h.append(net.fc1.register_forward_hook(fwd))
        if k == 4:
            h.append(net.fc2.register_forward_pre_hook(pre))
        if k == 6:
            h.append(net.fc1.register_backward_hook(bwd))
        if k == 7:
            stats["gain"] = 1.5
        if k == 8:
            h[0].remove()
        if k == 10:
            for z in h[1:]:
                z.remove()
        seen.call(f, t((2, 4), k))


@program
def tensor_hooks(jit, seen):
    w = Parameter(t((3,), 1), name="w")
    rec = []
    cfg = {"clip": 0.5}

    @jit
    def f(x):
        y = w * x
        y.register_hook(lambda g: ops.clamp(g, -cfg["clip"], cfg["clip"]))
        loss = (y**2).sum()
        loss.backward()
        g = w.grad
        w.grad = None
        rec.append(g.sum().item())
        return loss, g

    seen.watch(w, rec)
    for k in range(7):
        cfg["clip"] = 0.5 + k * 0.3
        seen.call(f, t((3,), k))


@program
def custom_bprop_cell(jit, seen):
    class Clip(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = 1.0
            self.n = 0

        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            self.n += 1
            return (dout * self.scale,)

    c = Clip()
    w = Parameter(t((3,), 1), name="w")
    f = jit(ms.value_and_grad(lambda x: (c(x * w) ** 2).sum(), 0, [w]))
    seen.watch(c)
    for k in range(8):
        c.scale = 1.0 - 0.1 * k
        seen.call(f, t((3,), k))


@program
def custom_function(jit, seen):
    class STE(ms.Function):
        @staticmethod
        def forward(ctx, x, levels):
            ctx.save_for_backward(x)
            ctx.levels = levels
            return ops.round(x * levels) / levels

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * (ops.abs(x) < ctx.levels).astype(ms.float32), None

    f = jit(ms.value_and_grad(lambda x, n: (STE.apply(x, n) ** 2).sum(), 0))
    for k in range(8):
        seen.call(f, t((3,), k), [1, 2, 3, 4, 2.5, 0.3, 7, 1][k])


@program
def gan_two_opts(jit, seen):
    G, D = MLP(2, 6, 4), MLP(4, 6, 1)
    og, od = nn.Adam(G.trainable_params(), 1e-2, beta1=0.5), nn.Adam(D.trainable_params(), 1e-2, beta1=0.5)
    bce = nn.BCEWithLogitsLoss()
    cfg = types.SimpleNamespace(real=1.0, n_critic=2, it=0)

    def dl(x, z):
        f = ops.stop_gradient(G(z))
        a, b = D(x), D(f)
        return bce(a, ops.ones_like(a) * cfg.real) + bce(b, ops.zeros_like(b))

    def gl(z):
        o = D(G(z))
        return bce(o, ops.ones_like(o))

    vd, vg = ms.value_and_grad(dl, None, od.parameters), ms.value_and_grad(gl, None, og.parameters)

    @jit
    def step(x):
        z = ops.randn(x.shape[0], 2)
        ld, g = vd(x, z)
        od(g)
        lg = None
        cfg.it += 1
        if cfg.it % cfg.n_critic == 0:
            lg, g = vg(ops.randn(x.shape[0], 2))
            og(g)
        return {"d": ld, "g": lg, "it": cfg.it}

    seen.watch(G, D, og, od, cfg)
    for k in range(8):
        if k == 4:
            cfg.real = 0.9
        if k == 5:
            cfg.n_critic = 1
        seen.call(step, t((3 + k % 2, 4), k))


@program
def maml(jit, seen):
    w = Parameter(t((3,), 1), name="w")
    cfg = {"inner": 0.1, "steps": 2}

    def model(w, x):
        return ops.tanh(x @ w)

    def inner(w, x, y):
        return ((model(w, x) - y) ** 2).mean()

    def meta(w, xs, ys, xq, yq):
        for _ in range(cfg["steps"]):
            w = w - cfg["inner"] * ms.grad(inner)(w, xs, ys)
        return inner(w, xq, yq)

    vg = ms.value_and_grad(meta)

    @jit
    def step(*data):
        loss, g = vg(w, *data)
        w.set_data(w - 0.1 * g)
        return loss, g

    seen.watch(w)
    for k in range(8):
        cfg["inner"] = 0.1 + 0.02 * k
        cfg["steps"] = 1 + k % 3
        seen.call(step, t((4, 3), k), t((4,), k + 1), t((4, 3), k + 2), t((4,), k + 3))


@program
def regularizers(jit, seen):
    net = MLP()
    opt = nn.SGD(net.trainable_params(), 0.05)
    lam = {"weight": 0.01, "bias": 0.0}

    def forward(x):
        loss = (net(x) ** 2).mean()
        reg = 0.0
        for n, p in net.parameters_and_names():
            kind = n.split(".")[-1]
            if lam[kind]:
                reg = reg + lam[kind] * (p**2).sum()
            else:
                reg += 0.001 * p.abs().sum()
        return loss + reg, reg

    vg = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)

    @jit
    def step(x):
        (loss, r), g = vg(x)
        opt(g)
        return float(loss), float(r)

    seen.watch(net)
    for k in range(8):
        lam["weight"] *= 1.1
        if k == 4:
            lam["bias"] = 0.02
        if k == 6:
            lam["bias"] = 0
        seen.call(step, t((2, 4), k))


@program
def greedy_decode(jit, seen):
    emb = nn.Embedding(7, 4)
    head = nn.Dense(4, 7)
    gru = nn.GRUCell(4, 4)
    cfg = {"eos": 3, "temp": 1.0}

    @jit
    def decode(h, start, max_len):
        tok, out = start, []
        while len(out) < max_len:
            h = gru(emb(Tensor([tok])), h)
            logits = head(h) / cfg["temp"]
            tok = int(logits.argmax(-1)[0])
            out.append(tok)
            if tok == cfg["eos"]:
                break
        else:
            out.append(-1)
        return out, h

    for k in range(8):
        cfg["eos"] = k % 7
        cfg["temp"] = 1 + k / 10
        seen.call(decode, t((1, 4), k), k % 7, 3 + k)


@program
def replay_buffer(jit, seen):
    q = MLP(4, 8, 2)
    tgt = MLP(4, 8, 2)
    opt = nn.Adam(q.trainable_params(), 1e-2)
    buf = deque(maxlen=5)
    cfg = {"gamma": 0.9, "tau": 0.1, "n": 0}

    def loss(s, a, r, s2):
        qa = q(s).gather_elements(1, a.reshape(-1, 1)).reshape(-1)
        y = r + cfg["gamma"] * ops.stop_gradient(tgt(s2)).max(1)
        return ((qa - y) ** 2).mean()

    vg = ms.value_and_grad(loss, None, opt.parameters)

    @jit
    def step(s, a, r, s2):
        buf.append((s, a, r, s2))
        if len(buf) < 3:
            return None
        batch = list(buf)[-3:]
        S, A, R, S2 = (ops.stack(z) if isinstance(z[0], Tensor) else Tensor(z) for z in zip(*batch))
        loss, g = vg(S, A, R.astype(ms.float32), S2)
        opt(g)
        for p, tp in zip(q.get_parameters(), tgt.get_parameters()):
            tp.set_data(tp * (1 - cfg["tau"]) + p * cfg["tau"])
        cfg["n"] += 1
        return loss

    seen.watch(q, tgt, opt, buf, cfg)
    for k in range(9):
        if k == 6:
            cfg["gamma"] = 0.5
        seen.call(step, t((4,), k), k % 2, 0.5 * k, t((4,), k + 1))


@program
def random_dropout_noise(jit, seen):
    net = nn.SequentialCell(nn.Dense(4, 8), nn.Dropout(p=0.3), nn.ReLU(), nn.Dense(8, 2))
    net.set_train()
    cfg = {"noise": 0.1}

    @jit
    def f(x):
        x = x + cfg["noise"] * ops.randn_like(x)
        return net(x).sum() + ops.dropout(x, p=0.5, training=net.training).sum()

    seen.watch(net)
    for k in range(9):
        if k == 4:
            ms.set_seed(3)
        if k == 5:
            net.set_train(False)
        if k == 7:
            net.set_train(True)
        cfg["noise"] = 0.1 * k
        seen.call(f, t((3, 4), k))


@program
def bool_masks_inplace(jit, seen):
    @jit
    def f(x, y, thr, fill):
        m = x > thr
        z = x.copy()
        z[m] = fill
        z[~m] *= 2
        x[0] = y[0] * thr
        sel = y[m]
        n = m.sum().item()
        w = ops.where(m, x, y)
        w[:, 1] += fill
        w[-1, ::2] = n
        return z, sel, n, w, sel.sum() if n else None

    for k in range(9):
        seen.call(f, t((3, 4), k), t((3, 4), k + 50), [0.0, 0.5, 9.0, -9.0][k % 4], 0.1 * k)


@program
def weight_sharing(jit, seen):
    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(6, 4)
            self.mix = nn.Dense(4, 4)
            self.scale = 4**0.5

        def construct(self, ids):
            h = self.emb(ids) * self.scale
            for _ in range(self.depth):
                h = ops.tanh(self.mix(h))
            return h @ self.emb.embedding_table.T

    net = Tied()
    net.depth = 2
    opt = nn.Adam(net.trainable_params(), 0.02)
    lf = nn.CrossEntropyLoss()
    vg = ms.value_and_grad(lambda i, y: lf(net(i).reshape(-1, 6), y.reshape(-1)), None, opt.parameters)

    @jit
    def step(i, y):
        loss, g = vg(i, y)
        opt(g)
        return loss

    seen.watch(net, opt)
    for k in range(9):
        net.depth = 1 + k % 4
        net.scale = 2 + 0.1 * k
        seen.call(
            step,
            Tensor(np.random.default_rng(k).integers(0, 6, (2, 3))),
            Tensor(np.random.default_rng(k + 1).integers(0, 6, (2, 3))),
        )


@program
def custom_exception(jit, seen):
    class Diverged(RuntimeError):
        def __init__(self, step, loss):
            super().__init__(step, loss)
            self.step, self.loss = step, loss

        def __str__(self):
            return f"diverged at {self.step}: {self.loss:.3f}"

    caught = []

    @jit
    def inner(x, i):
        loss = float(x.sum())
        if loss < 0:
            raise Diverged(i, loss)
        return loss

    @jit
    def f(x, i):
        try:
            return inner(x, i)
        except Diverged as e:
            caught.append((e.step, e.loss, str(e), e.args))
            if i > 5:
                raise RuntimeError(f"gave up at {i}") from e
            return -1.0

    seen.watch(caught)
    for k in range(9):
        seen.call(f, t((2,), k), k)


@program
def send_generator(jit, seen):
    def ctrl():
        best = math.inf
        lr = 1.0
        bad = 0
        while True:
            loss = yield lr
            if loss < best:
                best, bad = loss, 0
            else:
                bad += 1
                if bad >= 2:
                    lr *= 0.1
                    bad = 0

    c = ctrl()
    next(c)

    @jit
    def f(x):
        lr = c.send(x.sum().item())
        return x * lr, lr

    for k in range(10):
        seen.call(f, t((2,), k))


@program
def try_finally_restore(jit, seen):
    net = MLP()
    st = {"lr": 0.1, "depth": 0}

    class scope:
        def __init__(self, lr):
            self.lr = lr

        def __enter__(self):
            self.old = st["lr"]
            st["lr"] = self.lr
            st["depth"] += 1
            return self

        def __exit__(self, *e):
            st["lr"] = self.old
            st["depth"] -= 1
            return e[0] is KeyError

    @jit
    def f(x, lr, k):
        with scope(lr) as s:
            y = net(x) * st["lr"]
            if k % 4 == 2:
                raise KeyError(k)
            if k % 4 == 3:
                raise ValueError(f"lr {lr} old {s.old}")
            return y, st["lr"]
        return "swallowed", st["lr"]

    seen.watch(net, st)
    for k in range(9):
        seen.call(f, t((2, 4), k), 0.1 * k, k)


@program
def plateau(jit, seen):
    class Plateau:
        def __init__(self, lr, factor=0.5, patience=1, min_lr=1e-3):
            self.lr, self.factor, self.patience, self.min_lr = lr, factor, patience, min_lr
            self.best, self.wait, self.history = None, 0, []

        def step(self, metric):
            if self.best is None or metric < self.best:
                self.best, self.wait = metric, 0
            else:
                self.wait += 1
                if self.wait > self.patience:
                    old, self.lr = self.lr, max(self.lr * self.factor, self.min_lr)
                    self.wait = 0
                    print(f"reducing lr {old:.4g} -> {self.lr:.4g} (best {self.best:.5f})")
            self.history.append(self.lr)

    p = Plateau(0.1)
    net = MLP()
    ps = net.trainable_params()
    vg = ms.value_and_grad(mean_square(net), None, ps)

    @jit
    def f(x):
        loss, g = vg(x)
        for q, gi in zip(ps, g):
            q.set_data(q - p.lr * gi)
        p.step(loss.item())
        return loss

    seen.watch(net, p)
    for k in range(14):
        seen.call(f, t((2, 4), k % 4))


@program
def state_dict_rollback(jit, seen):
    net = MLP()
    opt = nn.Adam(net.trainable_params(), 0.05)
    vg = ms.value_and_grad(mean_square(net), None, opt.parameters)
    best = {"loss": math.inf, "w": None}

    @jit
    def f(x):
        loss, g = vg(x)
        v = float(loss)
        if v < best["loss"]:
            best["loss"] = v
            best["w"] = {n: p.value().copy() for n, p in net.parameters_and_names()}
        elif v > 1.5 * best["loss"]:
            for n, p in net.parameters_and_names():
                p.set_data(best["w"][n])
        opt(g)
        return v

    seen.watch(net, opt, best)
    for k in range(10):
        seen.call(f, t((2, 4), k))


@program
def sam_two_passes(jit, seen):
    net = MLP()
    ps = net.trainable_params()
    c = {"rho": 0.05, "lr": 0.1}
    vg = ms.value_and_grad(mean_square(net), None, ms.ParameterTuple(ps))

    @jit
    def f(x):
        loss, g = vg(x)
        n = ops.sqrt(sum((gi**2).sum() for gi in g))
        e = [gi * (c["rho"] / (n + 1e-12)) for gi in g]
        for p, ei in zip(ps, e):
            p += ei
        l2, g2 = vg(x)
        for p, ei, gi in zip(ps, e, g2):
            p -= ei
            p -= c["lr"] * gi
        return loss, l2

    seen.watch(net)
    for k in range(8):
        c["rho"] *= 1.2
        c["lr"] = 0.1 / (1 + k)
        seen.call(f, t((2, 4), k))


@program
def seq2seq_teacher_forcing(jit, seen):
    class S2S(nn.Cell):
        def __init__(self):
            super().__init__()
            self.enc = nn.GRUCell(3, 4)
            self.dec = nn.GRUCell(2, 4)
            self.o = nn.Dense(4, 2)
            self.tf = 1.0
            self.used = []

        def construct(self, xs, ys):
            h = ops.zeros((xs.shape[1], 4))
            for x in xs:
                h = self.enc(x, h)
            inp = ops.zeros_like(ys[0])
            loss = 0
            self.used = []
            for y in ys:
                h = self.dec(inp, h)
                p = self.o(h)
                loss = loss + ((p - y) ** 2).mean()
                force = random.random() < self.tf
                self.used.append(force)
                inp = y if force else ops.stop_gradient(p)
            self.tf *= 0.8
            return loss / len(ys)

    net = S2S()
    opt = nn.Adam(net.trainable_params(), 1e-2)
    vg = ms.value_and_grad(net, None, opt.parameters)

    @jit
    def step(a, b):
        loss, g = vg(a, b)
        opt(g)
        return loss

    seen.watch(net, opt)
    for k in range(9):
        seen.call(step, t((3, 2, 3), k), t((2 + k % 2, 2, 2), k))


@program
def returned_closure(jit, seen):
    @jit
    def make(x, lr):
        n = 0

        def step(g):
            nonlocal n
            n += 1
            return x - lr * n * g

        def peek():
            return lr, n

        return step, peek

    kept = []
    for k in range(6):
        r = seen.call(make, t((2,), k), 0.1 * k)
        kept.append(r)
        for s, p in kept:
            seen.see(s(t((2,), 9)), p())


@program
def exceptions_in_middle_keep_effects(jit, seen):
    net = MLP()
    opt = nn.SGD(net.trainable_params(), 0.1)
    st = {"n": 0, "lr": 0.5, "loss": []}
    vg = ms.value_and_grad(mean_square(net), None, opt.parameters)

    @jit
    def f(x, bad):
        st["n"] += 1
        st["loss"].append(st["lr"] * st["n"])
        loss, g = vg(x)
        net.fc1.bias.set_data(net.fc1.bias * st["lr"])
        if bad:
            st["lr"] /= 2
            ops.ones((2, 3)) @ ops.ones((2 + st["n"], 2))
        opt(g)
        st["n"] += 10
        return loss

    seen.watch(net, opt, st)
    for k in range(8):
        seen.call(f, t((2, 4), k), k % 3 == 2)


@program
def gradient_penalty(jit, seen):
    D = MLP(4, 6, 1)
    cfg = {"gp": 10.0, "every": 2, "i": 0}
    opt = nn.RMSProp(D.trainable_params(), 1e-2)

    def dl(r, f, e):
        base = D(f).mean() - D(r).mean()
        if cfg["i"] % cfg["every"] == 0:
            mid = e * r + (1 - e) * f
            g = ms.grad(lambda z: D(z).sum())(mid)
            n = ops.sqrt((g**2).sum(1) + 1e-8)
            base = base + cfg["gp"] * ((n - 1) ** 2).mean()
        return base

    vg = ms.value_and_grad(dl, None, opt.parameters)

    @jit
    def step(r):
        cfg["i"] += 1
        loss, g = vg(r, ops.randn(*r.shape), ops.rand(r.shape[0], 1))
        opt(g)
        for p in D.trainable_params():
            p.set_data(ops.clip(p, -0.1 * cfg["i"], 0.1 * cfg["i"]))
        return loss

    seen.watch(D, opt, cfg)
    for k in range(8):
        cfg["gp"] *= 0.9
        seen.call(step, t((3, 4), k))


@program
def toggling_grad_flags(jit, seen):
    a, b = MLP(), MLP()
    cfg = {"turn": 0}

    @jit
    def f(x):
        cfg["turn"] += 1
        train, other = (a, b) if cfg["turn"] % 2 else (b, a)
        for p in other.get_parameters():
            p.requires_grad = False
        for p in train.get_parameters():
            p.requires_grad = True
        loss = ((a(x) - b(x)) ** 2).mean()
        loss.backward()
        n = 0
        for p in train.get_parameters():
            if p.grad is not None:
                p.set_data(p - 0.1 / cfg["turn"] * p.grad)
                n += 1
            p.grad = None
        return loss, n

    seen.watch(a, b, cfg)
    for k in range(8):
        seen.call(f, t((2, 4), k))


@program
def trainer_object(jit, seen):
    class Trainer:
        def __init__(self):
            self.net = MLP()
            self.opt = nn.Adam(self.net.trainable_params(), 1e-2)
            self.step_no = 0
            self.ema = None
            self.best = None
            self.log = []
            self.scale = 1.0
            self.vg = ms.value_and_grad(self.forward, None, self.opt.parameters, has_aux=True)

        def forward(self, x):
            o = self.net(x)
            self.seen = o.shape
            self.scale *= 1.01
            return (o**2).mean() * self.scale, o

        def step(self, x):
            (loss, o), g = self.vg(x)
            self.opt(g)
            self.step_no += 1
            v = loss.item()
            self.ema = v if self.ema is None else 0.9 * self.ema + 0.1 * v
            if self.best is None or v < self.best:
                self.best = v
                self.log.append((self.step_no, v))
            return o

    tr = Trainer()
    f = jit(tr.step)
    seen.watch(tr)
    for k in range(9):
        if k == 5:
            tr.scale = 0.5
        seen.call(f, t((2 + (k == 7), 4), k))


@program
def trainer_cell(jit, seen):
    class Train(nn.Cell):
        def __init__(self, net, opt):
            super().__init__(auto_prefix=False)
            self.net = net
            self.opt = opt
            self.clip = 1.0
            self.n = 0
            self.weights = opt.parameters
            self.grad_fn = ms.value_and_grad(self.loss, None, self.weights)

        def loss(self, x, y):
            self.n += 1
            return nn.CrossEntropyLoss()(self.net(x), y) * (1 + self.n / 10)

        def construct(self, x, y):
            loss, g = self.grad_fn(x, y)
            g = ops.clip_by_global_norm(g, self.clip)
            self.opt(g)
            return loss, self.n

    net = MLP()
    tr = Train(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    f = jit(tr)
    seen.watch(tr, net)
    for k in range(8):
        tr.clip = 1.0 / (k + 1)
        seen.call(f, t((3, 4), k), Tensor([0, 1, k % 3]))


@program
def amp_scaler_train(jit, seen):
    net = MLP()
    opt = nn.SGD(net.trainable_params(), 0.1)
    sc = ms.amp.DynamicLossScaler(16, 2, 2)
    info = {"overflow": 0}

    def fwd(x):
        return sc.scale((net(x) ** 2).mean())

    vg = ms.value_and_grad(fwd, None, opt.parameters)

    @jit
    def f(x):
        loss, g = vg(x)
        g = sc.unscale(g)
        ok = ms.amp.all_finite(g)
        if ok:
            opt(g)
        else:
            info["overflow"] += 1
        sc.adjust(ok)
        return sc.unscale(loss), ok, sc.scale_value.item()

    seen.watch(net, info)
    for k in range(10):
        seen.call(f, t((3, 4), k) * (float("inf") if k in (3, 7) else 1.0))


@program
def swap_layers(jit, seen):
    net = MLP()
    f = jit(ms.value_and_grad(mean_square(net), 0))
    g = jit(net)
    seen.watch(net)
    for k in range(10):
        if k == 3:
            net.fc1 = nn.Dense(4, 8, activation="tanh")
        if k == 4:
            net.act = nn.Tanh()
        if k == 5:
            net.act = lambda x: x * 2
        if k == 6:
            net.fc2 = nn.SequentialCell(nn.Dense(8, 4), nn.Dense(4, 2))
        if k == 7:
            net.fc1.weight = Parameter(t((8, 4), 99), name="neww")
        if k == 8:
            net.construct = types.MethodType(lambda self, x: self.fc1(x) * 3, net)
        seen.call(f, t((2, 4), k))
        seen.call(g, t((2, 4), k))


@program
def ppo_clip(jit, seen):
    pol = MLP(3, 8, 2)
    opt = nn.Adam(pol.trainable_params(), 1e-2)
    c = {"clip": 0.2, "ent": 0.01, "kl": 0.02, "epochs": 3}

    def fwd(s, a, old, adv):
        lp = ops.log_softmax(pol(s), 1)
        loss = lp.gather_elements(1, a.reshape(-1, 1)).reshape(-1)
        r = ops.exp(loss - old)
        ent = -(ops.exp(lp) * lp).sum(1).mean()
        return -ops.minimum(r * adv, ops.clip(r, 1 - c["clip"], 1 + c["clip"]) * adv).mean() - c["ent"] * ent, (
            old - loss
        ).mean()

    vg = ms.value_and_grad(fwd, None, opt.parameters, has_aux=True)

    @jit
    def f(s, a, adv):
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        old = ops.log_softmax(pol(s), 1).gather_elements(1, a.reshape(-1, 1)).reshape(-1)
        for done in range(c["epochs"]):  # noqa: B007 - it is returned
            (loss, kl), g = vg(s, a, old, adv)
            if float(kl) > 1.5 * c["kl"]:
                break
            opt(g)
        c["clip"] *= 0.95
        c["ent"] = max(0.0, c["ent"] - 0.002)
        return loss, done

    seen.watch(pol, c)
    for k in range(8):
        c["epochs"] = 2 + k % 3
        seen.call(f, t((5, 3), k), Tensor(np.arange(5) % 2), t((5,), k + 7))


@program
def quant_aware(jit, seen):
    class FakeQuant(nn.Cell):
        def __init__(self):
            super().__init__()
            self.lo = self.hi = None
            self.bits = 8
            self.on = True

        def construct(self, x):
            if self.training:
                lo, hi = x.min().item(), x.max().item()
                self.lo = lo if self.lo is None else 0.9 * self.lo + 0.1 * lo
                self.hi = hi if self.hi is None else 0.9 * self.hi + 0.1 * hi
            if not self.on:
                return x
            s = (self.hi - self.lo) / (2**self.bits - 1)
            q = ops.round((x - self.lo) / s) * s + self.lo
            return x + ops.stop_gradient(q - x)

    class N(nn.Cell):
        def __init__(self):
            super().__init__()
            self.f = nn.Dense(4, 4)
            self.q = FakeQuant()

        def construct(self, x):
            return self.q(self.f(x))

    n = N()
    n.set_train()
    f = jit(ms.value_and_grad(mean_square(n), None, n.trainable_params()))
    seen.watch(n)
    for k in range(10):
        n.q.bits = 8 - k // 2
        n.q.on = k != 3
        n.set_train(k != 6)
        seen.call(f, t((2, 4), k))


@program
def bound_method(jit, seen):
    class Tr:
        def __init__(self):
            self.w = Parameter(Tensor([2.0]), name="w")
            self.n = 0
            self.hist = []
            self.lr = 0.1
            self.vg = ms.value_and_grad(self.loss, None, [self.w])

        def loss(self, x):
            self.n += 1
            self.hist.append(self.n * self.lr)
            return (x * self.w * self.n).sum() * self.lr

        def step(self, x):
            loss, g = self.vg(x)
            self.lr *= 0.9
            return loss, g

    a = Tr()
    f = jit(a.step)
    h = jit(a.vg)
    seen.watch(a)
    for k in range(8):
        seen.call(f, t((1,), k))
        seen.call(h, t((1,), k))


@program
def callable_object(jit, seen):
    class L:
        def __init__(self):
            self.n = 0

        def __call__(self, x):
            self.n += 1
            return (x * w * self.n).sum()

    w = Parameter(Tensor([2.0]), name="w")
    loss = L()
    h = jit(ms.value_and_grad(loss, None, [w]))
    h2 = jit(ms.grad(loss))
    h3 = jit(ms.vmap(loss))
    h4 = jit(ms.jacrev(loss))
    h5 = jit(lambda x: ms.vjp(loss, x)[0])
    h6 = jit(ms.jit(loss))
    seen.watch(loss)
    for k in range(8):
        for f in (h, h2, h3, h4, h5, h6):
            seen.call(f, t((1,), k))


@program
def gradop(jit, seen):
    class N(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = 0
            self.w = Parameter(Tensor([2.0]), name="w")

        def construct(self, x):
            self.n += 1
            return (x * self.w * self.n).sum()

    n = N()
    g = ms.GradOperation(get_by_list=True)(n, ms.ParameterTuple(n.trainable_params()))
    g2 = ms.GradOperation(get_all=True)

    class G(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net
            self.op = ms.GradOperation(get_all=True)

        def construct(self, x):
            return self.op(self.net)(x)

    G = G(n)
    seen.watch(n)
    a, b, c = jit(g), jit(lambda x: g2(n)(x)), jit(G)
    for k in range(8):
        for f in (a, b, c):
            seen.call(f, t((1,), k))


@program
def lr_sched_attrs(jit, seen):
    w = Parameter(Tensor([2.0]), name="w")
    o = experimental.SGD([w], lr=0.1)
    s = experimental.lr_scheduler.ExponentialLR(o, 0.5)

    @jit
    def f(x):
        return x * s.last_epoch + s.gamma, s.get_last_lr(), s._step_count if hasattr(s, "_step_count") else None

    seen.watch(w)
    for k in range(6):
        seen.call(f, t((1,), k))
        s.step()
        if k == 3:
            s.gamma = 0.25


@program
def metric_attrs(jit, seen):
    m = ms.Accuracy()
    loss = nn.Loss()
    acc = nn.MAE()

    @jit
    def f(p, y):
        m.update(p, y)
        loss.update(p.sum())
        acc.update(p.sum(1), y.astype(ms.float32))
        return m.eval(), loss.eval(), acc.eval(), {k: v for k, v in vars(loss).items() if isinstance(v, (int, float))}

    @jit
    def g(x):
        return x * m._total_num, m.eval(), vars(m).get("_correct_num")

    for k in range(7):
        if k == 5:
            m.clear()
            loss.clear()
            acc.clear()
        seen.call(g, t((1,), k))
        seen.call(f, t((3, 2), k), Tensor([0, 1, k % 2]))
        seen.call(g, t((1,), k))


@program
def scaler_attrs(jit, seen):
    s = ms.amp.DynamicLossScaler(scale_value=16, scale_factor=2, scale_window=2)
    m = ms.DynamicLossScaleManager(8, 2, 2)

    @jit
    def f(x):
        y = s.scale(x)
        ok = ms.amp.all_finite((y,))
        s.adjust(ok)
        m.update_loss_scale(not bool(ok))
        return s.unscale(y), ok, s.scale_value, m.get_loss_scale(), s.counter

    for k in range(8):
        seen.call(f, t((2,), k) * (float("inf") if k == 4 else 1))


# -- all of them -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_the_same_in_all_modes(name):
    function = PROGRAMS[name]
    compiled = []

    def jit(target):
        compiled.append(ms.jit(target))
        return compiled[-1]

    expected = run(function, lambda target: target)
    for way in (contextlib.nullcontext, graph_mode):
        with way():
            found = run(function, jit if way is contextlib.nullcontext else lambda target: target)
        assert "<number" not in repr(found)
        assert difference(expected, found) is None, way
    for each in compiled:
        found = each.__dict__.get("_program") if isinstance(each, nn.Cell) else each.program
        assert found.native is None


# -- what has gone wrong -----------------------------------------------------------------------------------------------


def numbered(kind, weight, draws):
    """What counts its calls in an attribute, as something that can be differentiated."""

    def count(owner, x):
        draw = random.random() if draws else 0.5
        owner.calls += 1
        return (x * weight * owner.calls * (2.0 if draw < 0.6 else 3.0)).sum()

    class Layer(nn.Cell):
        calls = 0
        construct = count

    class Counter:
        calls = 0
        __call__ = method = count

    owner = Layer() if kind == "Cell" else Counter()
    return owner, {"method": getattr(owner, "method", None), "partial": functools.partial(count, owner)}.get(
        kind, owner
    )


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("kind", ["Cell", "object", "method", "partial"])
@pytest.mark.parametrize("way", ["jit", "GRAPH_MODE", "inside"])
def test_what_is_differentiated_keeps_its_attributes(way, kind, draws):
    def counted(wrap):
        weight = Parameter(Tensor([2.0, 3.0]), name="weight")
        random.seed(1)
        owner, function = numbered(kind, weight, draws)
        gradient = wrap(ms.value_and_grad(function, None, [weight]))
        found = []
        for n in range(7):
            owner.calls += 10 * (n == 5)
            value, (by_weight,) = gradient(Tensor([1.0, float(n)]))
            found.append((value.item(), by_weight.tolist(), owner.calls))
        return found

    expected = counted(lambda gradient: gradient)
    if way == "GRAPH_MODE":
        with graph_mode():
            assert counted(lambda gradient: gradient) == expected
    elif way == "jit":
        assert counted(ms.jit) == expected
    else:
        assert counted(lambda gradient: ms.jit(lambda x: gradient(x))) == expected


def test_all_finite_and_scalers_walk_over_nestings_without_the_interpreter():
    scaler = ms.amp.DynamicLossScaler(16, 2, 2)

    @ms.jit
    def f(x, y):
        scaled = scaler.scale({"x": x, "rest": [y, (x, 3)]})
        is_finite = ms.amp.all_finite(scaled)
        scaler.adjust(is_finite)
        return scaler.unscale(scaled), is_finite, scaler.scale_value.item()

    found = [f(Tensor([1.0]), Tensor([value])) for value in (2.0, 3.0, math.inf, 4.0, 5.0, 6.0)]
    assert [scale for _, _, scale in found] == [16.0, 32.0, 16.0, 16.0, 32.0, 32.0]
    assert [is_finite.item() for _, is_finite, _ in found] == [True, True, False, True, True, True]
    assert found[-1][0]["rest"][0].tolist() == [6.0] and found[-1][0]["rest"][1][1] == 3
    assert f.program.native is None and not hops(f)


HISTORIES = {
    "square": lambda w: w * w,
    "again": lambda w: w * w,
    "multiple": lambda w: w * 3,
    "exponential": ops.exp,
    "cube": lambda w: w * w * w,
    "view": lambda w: (w * w).reshape(2),
    "none": lambda w: Tensor([1.0, 2.0]),
    "leaf": lambda w: leaf(),
}


def leaf():
    made = Tensor([3.0, 4.0])
    made.requires_grad = True
    return made


@pytest.mark.parametrize("first", HISTORIES)
@pytest.mark.parametrize("way", ["value_and_grad", "both", "vjp", "from a closure"])
def test_what_was_computed_outside_is_a_constant_of_a_gradient(way, first):
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")
    given = {}

    def loss(x, other):
        return (weight * other * x).sum()

    def pulled(x, other):
        value, pull = ms.vjp(lambda x: weight * other * x, x, weights=[weight])
        return value, pull(ops.ones_like(value))

    gradient = {
        "value_and_grad": ms.value_and_grad(loss, None, [weight]),
        "both": ms.value_and_grad(loss, 0, [weight]),
        "vjp": pulled,
        "from a closure": ms.value_and_grad(lambda x, _: loss(x, given["other"]), None, [weight]),
    }[way]
    compiled = ms.jit(gradient)
    for n, history in enumerate([HISTORIES[first], *HISTORIES.values()]):
        x = Tensor([1.0, 1.0 + n])
        found = []
        for function in (gradient, compiled):
            given["other"] = history(weight)
            found.append(repr(function(x, given["other"])))
        assert found[0] == found[1], n


@pytest.mark.parametrize("way", ["jit", "GRAPH_MODE"])
def test_what_was_computed_outside_counts_as_it_was_in_a_compiled_gradient(way):
    def results(wrap):
        weight = Parameter(Tensor([2.0, 3.0]), name="weight")
        gradient = wrap(ms.value_and_grad(lambda x, other: (weight * other * x).sum(), None, [weight]))
        for changes in (0, 0, 1, 0, 2, 1, 0):
            other, before = weight * weight, weight.tolist()
            if changes == 1:
                weight.set_data(weight - 0.1)
            elif changes == 2:
                weight[0] = 7.0
            # d(w · v² · x)/dw, where v is what w was: a constant
            slope = [v * v * x for v, x in zip(before, (1.0, 2.0))]
            yield gradient(Tensor([1.0, 2.0]), other)[1][0].tolist(), slope

    expected = list(results(lambda gradient: gradient))
    for found, wanted in expected:
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    with graph_mode() if way == "GRAPH_MODE" else contextlib.nullcontext():
        assert list(results(ms.jit if way == "jit" else lambda gradient: gradient)) == expected


def test_an_attribute_that_a_tensor_gets_later_is_found():
    def f(x):
        return x * getattr(x, "weight", 1.0), hasattr(x, "label")

    compiled = ms.jit(f)
    for n in range(6):
        x = Tensor([1.0, 2.0])
        if n % 2:
            x.weight = float(n)
        if n > 3:
            x.label = "late"
        assert repr(compiled(x)) == repr(f(x)), n
    assert compiled.program.native is None and not hops(compiled)


# -- numbers that vary, in states that are walked over -------------------------------------------------------------------


class State(NamedTuple):
    step: int
    mean: Any


def in_dicts():
    states = [{"step": 0, "powers": [1.0]} for _ in range(3)]

    def f(x):
        for state in states:
            state["step"] += 1
            x = x / (1 - 0.9 ** state["step"])
        for i, (state, other) in enumerate(zip(states, reversed(states))):
            state["powers"][0] *= 0.5
            x = x + other["powers"][0] * i
        return x

    return f, states


def in_a_named_tuple():
    box = [State(0, Tensor([0.0, 0.0]))]

    def f(x):
        state = box[0]._replace(step=box[0].step + 1, mean=box[0].mean * 0.9 + x)
        box[0] = state
        return state.mean / (1 - 0.9**state.step)

    return f, box


def by_a_comprehension():
    steps = [0]

    def f(x):
        steps[0] += 1
        rates = {name: 0.1 * steps[0] * i for i, name in enumerate("abc")}
        return x * rates["b"] + rates["c"]

    return f, steps


def by_an_optimizer():
    """AdamW in PyTorch's style, with a warm-up, an average of the weights, and a log of dicts."""
    ms.set_seed(1)
    net = MLP()
    weights = list(net.trainable_params())
    means, squares, averages = ([f(p) for p in weights] for f in (ops.zeros_like, ops.zeros_like, ms.Tensor))
    gradient = ms.value_and_grad(mean_square(net), None, weights)
    log: list[dict] = []

    def f(x):
        loss, gradients = gradient(ops.stack([x, x * 2]).reshape(1, 4))
        n = len(log) + 1
        rate = 0.01 * min(1.0, n / 5)
        decay = min(0.99, (1 + n) / (10 + n))
        with ms.no_grad():
            for p, g, mean, square, average in zip(weights, gradients, means, squares, averages):
                mean.mul_(0.9).add_(g, alpha=0.1)
                square.mul_(0.99).addcmul_(g, g, value=0.01)
                p.mul_(1 - rate * 0.01)
                p.addcdiv_(mean, square.sqrt().add_(1e-8), value=-rate * (1 - 0.99**n) ** 0.5 / (1 - 0.9**n))
                average.copy_(average * decay + p.clamp(-rate, rate) * (1 - decay))
        log.append({"loss": loss.item(), "rate": rate, "step": n})
        return loss

    return f, (weights, averages, log)


@pytest.mark.parametrize("make", [in_dicts, in_a_named_tuple, by_a_comprehension, by_an_optimizer])
def test_states_that_count_are_not_compiled_anew(make):
    (f, state), (plain, expected) = make(), make()
    compiled = ms.jit(f)
    for n in range(30):
        x = Tensor([1.0, float(n)])
        assert repr(compiled(x)) == repr(plain(x))
        assert repr(state) == repr(expected)
    assert compiled.program.native is None and compiled.program.recordings < 4


def test_what_is_walked_over_first_is_looked_at_as_a_whole_later():
    def make():
        states, texts = [{"t": 0, "more": [1, {"z": 5}]}, {"t": 5, "more": [2, {"z": 6}]}], []

        def f(x, is_whole):
            for state in states:
                state["t"] += 1
                x = x + state["t"]
            for state, other in zip(states, list(states)):
                x = x * state["more"][1]["z"] + other["more"][0]
            if is_whole:
                texts.append((str(states), states == states[:], states[0] == {"t": 4, "more": [1, {"z": 5}]}))
            return x

        return f, states, texts

    for whole in (True, False):
        (f, states, texts), (plain, expected, expected_texts) = make(), make()
        compiled = ms.jit(f)
        for n in range(9):
            for held in (states, expected):
                if n == 3:
                    held[1]["more"][1]["z"] = 7
                elif n == 4:
                    held[0]["more"][0] = 4
                    held[0]["more"].append(3)
                elif n == 5:
                    held.append({"t": 1.5, "more": [3, {"z": 1}]})
                elif n == 6:
                    held[0], held[1] = held[1], held[0]
                elif n == 7:
                    held[2] = held[0]
            is_whole = whole != (n == 2)
            assert repr(compiled(Tensor([1.0]), is_whole)) == repr(plain(Tensor([1.0]), is_whole)), n
            assert (states, texts) == (expected, expected_texts), n
        assert compiled.program.native is None


class Rates:
    """A schedule that is an iterator."""

    def __init__(self, count):
        self.step, self.count, self.last = 0, count, None

    def __next__(self):
        self.step += 1
        if self.step > self.count:
            raise StopIteration
        self.last = 0.9**self.step
        return self.last


class WalkedRates(Rates):
    def __iter__(self):
        return self


@pytest.mark.parametrize("kind", [Rates, WalkedRates])
def test_iterators_of_the_program_are_gone_into(kind):
    def made_inside(x):
        rates = kind(1)
        return x * next(rates, 5.0), next(rates, -1.0), rates.step

    def make(rates):
        return lambda x: (x * next(rates, 2.0), rates.last, x * next(rates, 3.0), rates.step)

    rates, expected = kind(9), kind(9)
    for function, plain, most in ((made_inside, made_inside, 1), (make(rates), make(expected), 5)):
        compiled = ms.jit(function)
        for n in range(12):
            assert repr(compiled(Tensor([1.0 + n]))) == repr(plain(Tensor([1.0 + n]))), n
            assert vars(rates) == vars(expected)
        assert compiled.program.native is None and not hops(compiled)
        assert compiled.program.recordings <= most


def test_a_metric_that_is_made_inside_is_another_one_in_each_call():
    def f(prediction, label):
        metric = ms.Accuracy()
        metric.update(prediction, label)
        metric.update(prediction * -1, label)
        mean = nn.Loss()
        mean.update(prediction.sum())
        return metric.eval(), mean.eval()

    compiled = ms.jit(f)
    for n in range(5):
        args = t((3, 2), n), Tensor([0, 1, n % 2])
        assert compiled(*args) == f(*args), n
