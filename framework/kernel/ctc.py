"""Connectionist temporal classification (Graves, Fernández, Gomez & Schmidhuber, ICML 2006): its forward and backward sums.

A sequence of L labels is read with a blank before, between and after them, 2 L + 1 states. alpha[n, t, s] is the logarithm
of the probability of all ways to be in state s at time t, the outputs up to t included; beta that of all ways on from
there, the output at t included. Everything is in float64; the examples of a batch are the units.
"""

from __future__ import annotations

import math

from anfora.core.dtype import float64, int64
from anfora.kernel.irregular import irregular
from anfora.kernel.loops import plan_copy
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["plan_ctc", "plan_ctc_gradient"]


def plan_ctc(
    p: Planner,
    log_probs: Buffer,
    targets: Buffer,
    times: Buffer,
    counts: Buffer,
    loss: Buffer,
    alpha: Buffer,
    blank: int,
) -> None:
    """Add the steps for `log_probs` (T, N, C), `targets` (N, S) and the lengths of both, (N,): the losses (N,), and alpha
    (N, T, 2 S + 1). Fails at the position of an example whose lengths or labels are out of range, or that has a blank among
    its labels."""
    losses, table = p.workspace(float64, *loss.shape), p.workspace(float64, *alpha.shape)
    _forward(p, _inputs(p, log_probs, targets, times, counts), losses, table, blank)
    plan_copy(p, losses, loss)
    plan_copy(p, table, alpha)


def plan_ctc_gradient(
    p: Planner,
    gradient: Buffer,
    log_probs: Buffer,
    targets: Buffer,
    times: Buffer,
    counts: Buffer,
    out: Buffer,
    blank: int,
) -> None:
    """Add the steps for the gradient of the losses to `log_probs`."""
    steps, batch, classes = log_probs.shape
    states = 2 * targets.shape[1] + 1
    inputs = _inputs(p, log_probs, targets, times, counts)
    losses, table = p.workspace(float64, batch), p.workspace(float64, batch, steps, states)
    _forward(p, inputs, losses, table, blank)
    weights, result = p.workspace(float64, batch), p.workspace(float64, *out.shape)
    plan_copy(p, gradient, weights)
    p.step(
        backward.address(), weights, *inputs, losses, table, result, steps, batch, classes, targets.shape[1], blank,
        units=batch, grain=split(batch, 40.0 * steps * states), scratch=16 * states,
    )  # fmt: skip
    plan_copy(p, result, out)


def _inputs(p: Planner, log_probs: Buffer, targets: Buffer, times: Buffer, counts: Buffer) -> list[Buffer]:
    """The inputs, contiguous, as float64 and int64."""
    copies = []
    for buffer, dtype in ((log_probs, float64), (targets, int64), (times, int64), (counts, int64)):
        if buffer.dtype is not dtype or not buffer.is_contiguous:
            copy = p.workspace(dtype, *buffer.shape)
            plan_copy(p, buffer, copy)
            buffer = copy
        copies.append(buffer)
    return copies


def _forward(p: Planner, inputs: list[Buffer], losses: Buffer, table: Buffer, blank: int) -> None:
    steps, batch, classes = inputs[0].shape
    width = inputs[1].shape[1]
    p.step(
        forward.address(), *inputs, losses, table, steps, batch, classes, width, blank,
        units=batch, grain=split(batch, 40.0 * steps * (2 * width + 1)),
    )  # fmt: skip


@irregular
def forward(
    lo, hi, scratch, x: "f64*", targets: "i64*", times: "i64*", counts: "i64*", losses: "f64*", alpha: "f64*", steps,
    batch, classes, width, blank,
):  # fmt: skip
    for n in range(lo, hi):
        length, count = times[n], counts[n]
        if length < 0 or length > steps or count < 0 or count > width:
            return n + 1
        for i in range(count):
            label = targets[n * width + i]
            if label < 0 or label >= classes or label == blank:
                return n + 1
        states = 2 * count + 1
        row = n * steps * (2 * width + 1)
        for i in range(steps * (2 * width + 1)):
            alpha[row + i] = -math.inf
        for t in range(length):
            here = row + t * (2 * width + 1)
            before = here - (2 * width + 1)
            for s in range(states):
                label = targets[n * width + s // 2] if s % 2 == 1 else blank
                if t == 0:
                    total = 0.0 if s < 2 else -math.inf
                else:
                    a = alpha[before + s]
                    b = alpha[before + s - 1] if s > 0 else -math.inf
                    c = -math.inf
                    if s > 2 and s % 2 == 1 and label != targets[n * width + s // 2 - 1]:
                        c = alpha[before + s - 2]
                    total = max(a, b, c)
                    if total > -math.inf:
                        total += math.log(math.exp(a - total) + math.exp(b - total) + math.exp(c - total))
                alpha[here + s] = total + x[(t * batch + n) * classes + label]
        if length == 0:
            losses[n] = 0.0 if count == 0 else math.inf
        else:
            last = row + (length - 1) * (2 * width + 1) + states - 1
            a = alpha[last]
            b = alpha[last - 1] if count > 0 else -math.inf
            total = max(a, b)
            if total > -math.inf:
                total += math.log(math.exp(a - total) + math.exp(b - total))
            losses[n] = -total
    return 0


@irregular
def backward(
    lo, hi, scratch: "f64*", weights: "f64*", x: "f64*", targets: "i64*", times: "i64*", counts: "i64*", losses: "f64*",
    alpha: "f64*", out: "f64*", steps, batch, classes, width, blank,
):  # fmt: skip
    most = 2 * width + 1
    for n in range(lo, hi):
        for t in range(steps):
            for i in range(classes):
                out[(t * batch + n) * classes + i] = 0.0
        if weights[n] == 0.0:
            continue
        length, count = times[n], counts[n]
        states = 2 * count + 1
        row = n * steps * most
        for t in range(length - 1, -1, -1):
            now, later = (t % 2) * most, (1 - t % 2) * most  # in scratch: beta at t and at t + 1
            for s in range(states):
                label = targets[n * width + s // 2] if s % 2 == 1 else blank
                if t == length - 1:
                    total = 0.0 if s >= states - 2 else -math.inf
                else:
                    a = scratch[later + s]
                    b = scratch[later + s + 1] if s + 1 < states else -math.inf
                    c = -math.inf
                    if s + 2 < states and s % 2 == 1 and label != targets[n * width + s // 2 + 1]:
                        c = scratch[later + s + 2]
                    total = max(a, b, c)
                    if total > -math.inf:
                        total += math.log(math.exp(a - total) + math.exp(b - total) + math.exp(c - total))
                place = (t * batch + n) * classes + label
                scratch[now + s] = total + x[place]
                out[place] -= weights[n] * math.exp(alpha[row + t * most + s] + total + losses[n])
    return 0
