"""An operator of one's own: one step of a cluster of stars.

    python -m anfora.examples.own_physics

What numpy and operators do by arrays of all pairs is a loop here, which numba compiles: no pair is ever stored. Its
signature, `(d),(n,d),(n)->(d)`, says that it is about one star; the axis of the stars lies around it, and the threads share
it. The gradient is a loop as well.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import numpy as np

import anfora as ms
from anfora import Tensor, ops

SOFTENING = 0.01


@ms.custom_op("(d),(n,d),(n)->(d)")
def pull(place, places, masses, out):
    """The acceleration at a place in space, by all masses. What a loop adds up lies in numbers, not in the result, so
    that it stays in the processor."""
    x, y, z = place[0], place[1], place[2]
    pull_x = pull_y = pull_z = 0.0
    for i in range(places.shape[0]):
        to_x, to_y, to_z = places[i, 0] - x, places[i, 1] - y, places[i, 2] - z
        square = SOFTENING + to_x * to_x + to_y * to_y + to_z * to_z
        strength = masses[i] / (square * math.sqrt(square))
        pull_x += strength * to_x
        pull_y += strength * to_y
        pull_z += strength * to_z
    out[0], out[1], out[2] = pull_x, pull_y, pull_z


@pull.gradient
def pull_gradient(place, places, masses, g, d_place, d_places, d_masses):
    """With r the distance: out = m r / |r|³, so d out = dm r / |r|³ + m (dr - 3 r (r dr) / |r|²) / |r|³."""
    for i in range(places.shape[0]):
        square, along = SOFTENING, 0.0
        for k in range(place.shape[0]):
            square += (places[i, k] - place[k]) ** 2
            along += g[k] * (places[i, k] - place[k])
        cube = square * math.sqrt(square)
        d_masses[i] = along / cube
        for k in range(place.shape[0]):
            slope = masses[i] / cube * (g[k] - 3 * along / square * (places[i, k] - place[k]))
            d_places[i, k] = slope
            d_place[k] -= slope


def step(places: Tensor, speeds: Tensor, masses: Tensor, dt: float = 0.01) -> tuple[Tensor, Tensor]:
    """The cluster a little later."""
    speeds = speeds + pull(places, places, masses) * dt
    return places + speeds * dt, speeds


def step_in_operators(places: Tensor, speeds: Tensor, masses: Tensor, dt: float = 0.01) -> tuple[Tensor, Tensor]:
    apart = places.expand_dims(0) - places.expand_dims(1)
    square = (apart * apart).sum(-1) + SOFTENING
    strength = masses / (square * ops.sqrt(square))
    speeds = speeds + (strength.expand_dims(-1) * apart).sum(1) * dt
    return places + speeds * dt, speeds


def step_in_numpy(places: np.ndarray, speeds: np.ndarray, masses: np.ndarray, dt: float = 0.01) -> tuple:
    apart = places[None] - places[:, None]
    square = (apart * apart).sum(-1) + SOFTENING
    strength = masses / (square * np.sqrt(square))
    speeds = speeds + (strength[..., None] * apart).sum(1) * dt
    return places + speeds * dt, speeds


def cluster(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, speeds and masses of some stars."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((count, 3)), 0.1 * rng.standard_normal((count, 3)), rng.uniform(0.5, 1.5, count) / count


def milliseconds(function: Callable, *arguments: object, times: int = 9) -> float:
    """The median time of a call."""
    function(*arguments)
    found = []
    for _ in range(times):
        start = time.perf_counter()
        function(*arguments)
        found.append(time.perf_counter() - start)
    return 1e3 * statistics.median(found)


def main(count: int = 1000) -> int:
    """Compare the three steps."""
    arrays = cluster(count)
    tensors = tuple(map(Tensor, arrays))
    ours, theirs = step(*tensors)[1].asnumpy(), step_in_numpy(*arrays)[1]
    print(f"{count} stars; largest difference to numpy {np.abs(ours - theirs).max():.1e}")
    took = {
        "numpy": milliseconds(step_in_numpy, *arrays),
        "operators": milliseconds(step_in_operators, *tensors),
        "operators, compiled": milliseconds(ms.jit(step_in_operators), *tensors),
        "an operator of one's own": milliseconds(step, *tensors),
    }
    for name, duration in took.items():
        print(f"  {name:26} {duration:8.2f} ms")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
