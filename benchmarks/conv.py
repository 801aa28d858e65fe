"""Convolution, pooling, normalisation and softmax beside torch and jax.

    python benchmarks/conv.py                                        anfora on 1 and 2 threads
    python benchmarks/conv.py --peer torch=PYTHON --peer jax=PYTHON
    python benchmarks/conv.py --threads 2 --cases "conv_a conv_l2 pool_1"
    python benchmarks/conv.py --parts --cases conv_b                 forward, input and weight gradient, each alone

Every contestant runs in a process of its own, with the interpreter that is named for it, and takes its turn case by
case; rounds are repeated, and the best time of all counts, because whatever else runs on the machine only adds. A peer
is measured in all its settings (torch: contiguous, channels_last, with `torch_compiled=PYTHON` compiled; jax: NCHW, NHWC,
convolution and pooling alone) and its best one counts.
`fwd` is the forward, `all` forward and the gradients for all inputs. anfora packs its weights in every call.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

#: batch, channels, height and width, output channels, window, stride, padding
CONVOLUTIONS = {
    "conv_a": (32, 3, 32, 32, 32, 3, 1, 1),
    "conv_b": (32, 64, 56, 56, 64, 3, 1, 1),
    "conv_c": (32, 16, 16, 16, 32, 3, 2, 1),
    "conv_l1": (64, 1, 32, 32, 6, 5, 1, 0),
    "conv_l2": (64, 6, 14, 14, 16, 5, 1, 0),
    "lenet1_b32": (32, 1, 32, 32, 6, 5, 1, 0),
    "lenet2_b32": (32, 6, 14, 14, 16, 5, 1, 0),
    "lenet1_b256": (256, 1, 32, 32, 6, 5, 1, 0),
    "lenet2_b256": (256, 6, 14, 14, 16, 5, 1, 0),
    "resnet20_first": (64, 3, 32, 32, 16, 3, 1, 1),
    "resnet20_16": (64, 16, 32, 32, 16, 3, 1, 1),
    "resnet20_32": (64, 32, 16, 16, 32, 3, 1, 1),
    "resnet20_64": (64, 64, 8, 8, 64, 3, 1, 1),
    "resnet20_16_32": (64, 16, 32, 32, 32, 3, 2, 1),
    "resnet20_32_64": (64, 32, 16, 16, 64, 3, 2, 1),
    "resnet20_short32": (64, 16, 32, 32, 32, 1, 2, 0),
    "resnet20_short64": (64, 32, 16, 16, 64, 1, 2, 0),
    "resnet18_first": (1, 3, 224, 224, 64, 7, 2, 3),
    "resnet18_56": (1, 64, 56, 56, 64, 3, 1, 1),
    "resnet18_28": (1, 128, 28, 28, 128, 3, 1, 1),
    "resnet18_14": (1, 256, 14, 14, 256, 3, 1, 1),
    "resnet18_7": (1, 512, 7, 7, 512, 3, 1, 1),
    "resnet18_56_28": (1, 64, 56, 56, 128, 3, 2, 1),
    "resnet18_28_14": (1, 128, 28, 28, 256, 3, 2, 1),
    "resnet18_14_7": (1, 256, 14, 14, 512, 3, 2, 1),
    "lenet1_b64": (64, 1, 32, 32, 6, 5, 1, 0),
    "lenet2_b64": (64, 6, 14, 14, 16, 5, 1, 0),
    "resnet_56_b8": (8, 64, 56, 56, 64, 3, 1, 1),
    "one_56_b8": (8, 64, 56, 56, 256, 1, 1, 0),
    "one_14_b8": (8, 512, 14, 14, 256, 1, 1, 0),
}
DEPTHWISE = {
    "depthwise_1": (32, 64, 28, 28, 3, 1, 1),
    "depthwise_2": (32, 64, 28, 28, 3, 2, 1),
    "depthwise_14": (8, 256, 14, 14, 3, 1, 1),
    "depthwise_56_5": (8, 64, 56, 56, 5, 1, 2),
}
#: maxima over squares of two, but the last: batch, channels, height and width, window, stride, padding
POOLINGS = {
    "maxpool": (32, 64, 56, 56, 2, 2, 0),
    "pool_1": (64, 6, 28, 28, 2, 2, 0),
    "pool_2": (64, 16, 10, 10, 2, 2, 0),
    "pool_resnet": (8, 64, 112, 112, 3, 2, 1),
}
#: kind, shape
ROWS = {
    "batch_norm": ("batch_norm", (32, 64, 56, 56)),
    "batch_norm_16": ("batch_norm", (64, 16, 32, 32)),
    "batch_norm_512": ("batch_norm", (64, 512)),
    "layer_norm": ("layer_norm", (1024, 768)),
    "layer_norm_b": ("layer_norm", (4096, 768)),
    "rms_norm": ("rms_norm", (1024, 768)),
    "group_norm": ("group_norm", (8, 64, 56, 56)),
    "softmax": ("softmax", (1024, 1000)),
}
CASES = [*CONVOLUTIONS, *DEPTHWISE, *POOLINGS, *ROWS]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", default="1 2")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--seconds", type=float, default=0.2, help="for a sample of one case")
    options.add_argument(
        "--peer", action="append", default=[], metavar="NAME=PYTHON", help="torch, torch_compiled or jax"
    )
    options.add_argument("--cases", default=" ".join(CASES))
    options.add_argument("--parts", action="store_true", help="time the parts of anfora's convolution")
    options.add_argument("--serve", default="", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        _serve(chosen.serve, int(chosen.threads), chosen.seconds)
        return
    threads = [int(t) for t in chosen.threads.split()]
    contestants = [
        _Contestant(f"anfora {t}", sys.executable, "parts" if chosen.parts else "anfora", t, chosen.seconds)
        for t in threads
    ]
    for peer in chosen.peer:
        name, python = peer.split("=", 1)
        contestants.append(_Contestant(name, python, name, max(threads), chosen.seconds))
    print(f"{'ms':20}" + "".join(f"{c.name + ' ' + kind:>15}" for kind in ("fwd", "all") for c in contestants))
    for case in chosen.cases.split():
        for _ in range(chosen.rounds):
            for contestant in contestants:
                contestant.measure(case)
        _print_row(case, contestants, chosen.parts)


def _print_row(case: str, contestants: list[_Contestant], parts: bool) -> None:
    if parts:
        for contestant in contestants:
            print(
                f"{case:20} {contestant.name}  " + "  ".join(f"{k} {v * 1e3:.4f}" for k, v in contestant.best.items())
            )
            contestant.best = {}
        return
    line = f"{case:20}"
    for kind in ("fwd", "all"):
        for contestant in contestants:
            line += f"{contestant.best[kind] * 1e3:15.4f}"
        peers = [c.best[kind] for c in contestants if not c.name.startswith("anfora")]
        if peers:
            best = min(c.best[kind] for c in contestants if c.name.startswith("anfora"))
            line += f"  x{min(peers) / best:.2f}"
    print(line, flush=True)
    for contestant in contestants:
        contestant.best = {}


class _Contestant:
    """A process that measures on request; the best times so far by kind."""

    def __init__(self, name: str, python: str, runner: str, threads: int, seconds: float) -> None:
        self.name, self.best = name, dict[str, float]()
        command = [python, __file__, "--serve", runner, "--threads", str(threads), "--seconds", str(seconds)]
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), ANFORA_NUM_THREADS=str(threads))
        self._process = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-3, text=True, env=environment)

    def measure(self, case: str) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(case + "\n")
        self._process.stdin.flush()
        for kind, seconds in json.loads(self._process.stdout.readline()).items():
            self.best[kind] = min(seconds, self.best.get(kind, seconds))


def _serve(runner: str, threads: int, seconds: float) -> None:
    runners = {"anfora": _anfora, "parts": _parts, "torch": _torch, "torch_compiled": _torch_compiled, "jax": _jax}
    make = runners[runner](threads)
    known: dict[str, dict[str, list[Callable]]] = {}
    for line in sys.stdin:
        case = line.strip()
        if case not in known:
            known.clear()
            known[case] = make(case)
        best = {kind: min(_time(call, seconds) for call in calls) for kind, calls in known[case].items()}
        print(json.dumps(best), flush=True)


def _time(call: Callable, seconds: float) -> float:
    """The best of many samples."""
    call()
    started = time.perf_counter()
    call()
    calls = max(1, int(0.002 / max(time.perf_counter() - started, 1e-7)))
    best, until = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - started) / calls)
    return best


def _shapes(case: str) -> tuple[tuple[int, ...], tuple[int, ...] | None, int, int, int, int]:
    """x, weights (none: pooling), window, stride, padding, groups."""
    if case in POOLINGS:
        *x, window, stride, padding = POOLINGS[case]
        return tuple(x), None, window, stride, padding, 1
    if case in DEPTHWISE:
        *x, window, stride, padding = DEPTHWISE[case]
        return tuple(x), (x[1], 1, window, window), window, stride, padding, x[1]
    *x, k, window, stride, padding = CONVOLUTIONS[case]
    return tuple(x), (k, x[1], window, window), window, stride, padding, 1


# -- contestants: each makes, for a case, the calls to time by kind --------------------------------------------------


def _anfora(threads: int) -> Callable:
    parts = _parts(threads)

    def make(case: str) -> dict[str, list[Callable]]:
        calls = [calls[0] for calls in parts(case).values()]

        def everything() -> None:
            for call in calls:
                call()

        return {"fwd": [calls[0]], "all": [everything]}

    return make


def _parts(threads: int) -> Callable:
    import numpy as np

    from anfora.core.abstract import Layout, TensorType
    from anfora.core.dtype import as_dtype
    from anfora.kernel import conv, executor, pooling
    from anfora.kernel.plan import Planner
    from anfora.ops import normalization, softmaxes

    executor.set_num_threads(threads)

    def layout(array: np.ndarray) -> Layout:
        return Layout(TensorType(as_dtype(array.dtype), array.shape), array.strides)

    def prepared(rule: Callable, inputs: list[np.ndarray], *outputs: np.ndarray, **attributes) -> Callable:
        results = [np.empty_like(out) for out in outputs]
        p = Planner(tuple(map(layout, inputs)), tuple(map(layout, results)))
        rule(p, *p.operands, **attributes)
        program, addresses = executor.Program(p.finish()), [a.ctypes.data for a in (*inputs, *results)]
        return lambda keep=(inputs, results): executor.run(program, addresses)

    def rows(kind: str, shape: tuple[int, ...]) -> dict[str, list[Callable]]:
        x, g = (np.random.default_rng(i).standard_normal(shape, np.float32) for i in range(2))
        w, b = (np.ones(shape[-1] if kind in ("layer_norm", "rms_norm") else shape[1], np.float32) for _ in range(2))
        if kind == "softmax":
            forward, backward = softmaxes.softmax.kernel_rule, softmaxes.softmax_gradient.kernel_rule
            return {
                "fwd": [prepared(forward, [x], x, axis=1, dtype=None)],
                "bwd": [prepared(backward, [x, g], x, axis=1)],
            }
        if kind == "layer_norm":
            forward, backward = normalization.layer_norm.kernel_rule, normalization.layer_norm_gradient.kernel_rule
            shared = {"eps": 1e-5}
            return {
                "fwd": [prepared(forward, [x, w, b], x, normalized_shape=shape[1:], **shared)],
                "bwd": [prepared(backward, [x, w, g], x, w, b, trailing=1, affine=True, **shared)],
            }
        if kind == "rms_norm":
            forward, backward = normalization.rms_norm.kernel_rule, normalization.rms_norm_gradient.kernel_rule
            return {
                "fwd": [prepared(forward, [x, w], x, x[:, :1], epsilon=1e-6)],
                "bwd": [prepared(backward, [x, w, g], x, w, eps=1e-6)],
            }
        forward, backward = normalization.channel_norm.kernel_rule, normalization.channel_norm_gradient.kernel_rule
        groups = 8 if kind == "group_norm" else 0
        mean = np.ones((shape[0], groups) if groups else shape[1], np.float32)
        return {
            "fwd": [prepared(forward, [x, w, b], x, mean, mean, groups=groups, eps=1e-5)],
            "bwd": [prepared(backward, [x, mean, mean, w, g], x, w, b, groups=groups, eps=1e-5)],
        }

    def make(case: str) -> dict[str, list[Callable]]:
        if case in ROWS:
            return rows(*ROWS[case])
        x_shape, w_shape, window, stride, padding, groups = _shapes(case)
        length = [(n + 2 * padding - window) // stride + 1 for n in x_shape[2:]]
        random = np.random.default_rng(0)
        shapes = x_shape, w_shape or (1,), (x_shape[0], w_shape[0] if w_shape else x_shape[1], *length)
        x, w, g = (random.standard_normal(shape, np.float32) for shape in shapes)
        shared = {"stride": (stride, stride), "padding": (padding,) * 4, "dilation": (1, 1)}
        if w_shape is None:
            shared["kernel"] = (window, window)
            return {
                "fwd": [prepared(pooling.plan_max_pool2d, [x], g, **shared)],
                "bwd": [prepared(pooling.plan_max_pool2d_gradient, [x, g], x, **shared)],
            }
        shared["groups"] = groups
        return {
            "fwd": [prepared(conv.plan_conv2d, [x, w], g, **shared)],
            "dx": [prepared(conv.plan_conv2d_input_gradient, [g, w], x, **shared)],
            "dw": [prepared(conv.plan_conv2d_weight_gradient, [x, g], w, **shared)],
        }

    return make


def _torch_compiled(threads: int) -> Callable:
    return _torch(threads, ("compiled", "compiled channels_last"))


def _torch(threads: int, settings: tuple[str, ...] = ("contiguous", "channels_last")) -> Callable:
    import torch
    from torch.nn import functional

    torch.set_num_threads(threads)

    def of_rows(kind: str, shape: tuple[int, ...]) -> tuple[Callable, tuple]:
        length = shape[-1:] if kind in ("layer_norm", "rms_norm") else shape[1:2]
        forward = {
            "softmax": lambda x: functional.softmax(x, 1),
            "layer_norm": lambda x, w, b: functional.layer_norm(x, length, w, b),
            "rms_norm": lambda x, w: functional.rms_norm(x, length, w, 1e-6),
            "group_norm": lambda x, w, b: functional.group_norm(x, 8, w, b),
            "batch_norm": lambda x, w, b: functional.batch_norm(x, None, None, w, b, True),
        }[kind]
        return forward, (shape, *(length,) * {"softmax": 0, "rms_norm": 1}.get(kind, 2))

    def of_windows(case: str) -> tuple[Callable, tuple]:
        x_shape, w_shape, window, stride, padding, groups = _shapes(case)

        def forward(x, *w):
            if w:
                return functional.conv2d(x, *w, stride=stride, padding=padding, groups=groups)
            return functional.max_pool2d(x, window, stride, padding)

        return forward, (x_shape, *([w_shape] if w_shape else []))

    def make(case: str) -> dict[str, list[Callable]]:
        forward, shapes = of_rows(*ROWS[case]) if case in ROWS else of_windows(case)
        calls: dict[str, list[Callable]] = {"fwd": [], "all": []}
        for setting in settings:
            if "compiled" in setting:
                torch._dynamo.reset()
            place = torch.channels_last if "channels_last" in setting else torch.contiguous_format
            if len(shapes[0]) != 4 and "channels_last" in setting:
                continue
            given = [
                torch.randn(shape).to(memory_format=place) if len(shape) == 4 else torch.randn(shape)
                for shape in shapes
            ]
            run = torch.compile(forward) if "compiled" in setting else forward
            learned = [a.clone(memory_format=torch.preserve_format).requires_grad_() for a in given]
            with torch.no_grad():
                g = torch.ones_like(forward(*given))

            def infer(run=run, given=given):
                with torch.inference_mode():
                    run(*given)

            def everything(run=run, learned=learned, g=g):
                torch.autograd.grad(run(*learned), learned, g)

            calls["fwd"].append(infer)
            calls["all"].append(everything)
        return calls

    return make


def _jax(threads: int) -> Callable:
    import jax
    import jax.numpy as jnp

    def make(case: str) -> dict[str, list[Callable]]:
        x_shape, w_shape, window, stride, padding, groups = _shapes(case)
        calls: dict[str, list[Callable]] = {"fwd": [], "all": []}
        key = jax.random.key(0)
        for layout in ("NCHW", "NHWC"):
            order = [0, 1, 2, 3] if layout == "NCHW" else [0, 2, 3, 1]
            given = [jnp.transpose(jax.random.normal(key, x_shape), order)]
            pads = [(padding, padding)] * 2
            if w_shape is None:
                spread = [(0, 0), *pads, (0, 0)] if layout == "NHWC" else [(0, 0), (0, 0), *pads]
                sizes = [(1, n, n, 1) if layout == "NHWC" else (1, 1, n, n) for n in (window, stride)]

                def forward(x, sizes=sizes, spread=spread):
                    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, *sizes, spread)
            else:
                kernel = "OIHW" if layout == "NCHW" else "HWIO"
                turn = [0, 1, 2, 3] if layout == "NCHW" else [2, 3, 1, 0]
                given.append(jnp.transpose(jax.random.normal(key, w_shape), turn))

                def forward(x, w, kernel=kernel, layout=layout, pads=pads):
                    return jax.lax.conv_general_dilated(
                        x, w, (stride, stride), pads, dimension_numbers=(layout, kernel, layout),
                        feature_group_count=groups,
                    )  # fmt: skip

            def both(g, *given, forward=forward):
                y, back = jax.vjp(forward, *given)
                return y, back(g)

            fast, gradients, g = jax.jit(forward), jax.jit(both), jnp.ones_like(forward(*given))
            calls["fwd"].append(lambda f=fast, a=given: jax.block_until_ready(f(*a)))
            calls["all"].append(lambda f=gradients, a=given, g=g: jax.block_until_ready(f(g, *a)))
        return calls

    return make


if __name__ == "__main__":
    main()
