"""Numbers that results rest on are the same whatever the C library and numpy have been built for."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from fractions import Fraction

import pytest
from processors import WITHOUT

from anfora.core import exact
from anfora.kernel.irregular import irregular

PLACES = [0.1, 0.37, 1.0, 1.4142135623730951, 2.5, 3.141592653589793, 17.25, 99.5]


def near(found, expected):
    return abs(found - expected) <= math.ulp(expected)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tan", "erf"])
def test_values(name):
    """Within an ulp of the C library, which is not right to the last bit."""
    function, other = getattr(exact, name), getattr(math, name)
    for x in [*PLACES, *(-x for x in PLACES if name != "log")]:
        assert near(function(x), other(x)), x


def test_powers():
    for x in PLACES:
        for y in (-3.0, -0.5, 0.0, 0.75, 1.0, 2.0, 7.3):
            assert near(exact.power(x, y), x**y)
        for n in range(12):
            assert exact.power(x, n) == float(Fraction(x) ** n)
    for x in (0.9, 0.999, 0.5, 1.0, 0.0, -0.75):
        for n in (0, 1, 63, 64, 65, 2, 1000, 12345):
            expected = float(Fraction(x) ** n) if n < 2000 else x**n
            assert abs(exact.whole_power(x, n) - expected) <= 2 * math.ulp(expected)


def test_what_is_no_number_or_out_of_range():
    for name in ("exp", "log", "sin", "cos", "tan", "erf"):
        assert math.isnan(getattr(exact, name)(math.nan))
    assert all(math.isnan(getattr(exact, name)(math.inf)) for name in ("sin", "cos", "tan"))
    assert exact.exp(math.inf) == exact.exp(800.0) == math.inf and exact.exp(-math.inf) == exact.exp(-800.0) == 0.0
    assert exact.log(0.0) == -math.inf and exact.log(math.inf) == math.inf and math.isnan(exact.log(-1.0))
    assert [math.copysign(1.0, f(-0.0)) for f in (exact.sin, exact.tan, exact.erf)] == [-1.0] * 3
    assert exact.erf(math.inf) == 1.0 and exact.cos(1e22) == pytest.approx(0.5232147853951389, rel=1e-15)
    assert exact.sin(5e-324) == 5e-324 and exact.exp(-745.0) == 5e-324
    with pytest.raises(OverflowError):
        exact.power(10.0, 400.0)
    with pytest.raises(ZeroDivisionError):
        exact.power(0.0, -1.0)


PROGRAM = """
import hashlib, warnings
import numpy as np
import anfora as ms
from anfora import Parameter, Tensor, nn, ops, optim
from anfora import dataset as ds
from anfora.common import initializer as init
from anfora.dataset import vision
from anfora.optim import experimental as other

def digest(name, *values):
    found = hashlib.sha256()
    for value in values:
        array = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)
        found.update(np.ascontiguousarray(array).tobytes())
    print(name, found.hexdigest()[:16])

ms.set_seed(3)
steps, length = 4000, 1
digest("cosine", nn.cosine_decay_lr(1e-5, 0.1, steps, length, steps))
digest("exponential", nn.exponential_decay_lr(0.1, 0.977, steps, length, 7))
digest("natural", nn.natural_exp_decay_lr(0.1, 0.0013, steps, length, 3))
digest("polynomial", nn.polynomial_decay_lr(0.1, 1e-4, steps, length, steps, 0.9))
digest("warmup", nn.warmup_lr(0.1, steps, length, 333))
for schedule in (
    nn.CosineDecayLR(1e-4, 0.1, 900), nn.ExponentialDecayLR(0.1, 0.9, 7), nn.NaturalExpDecayLR(0.1, 0.01, 9),
    nn.PolynomialDecayLR(0.1, 0.01, 900, 0.7),
):
    digest(type(schedule).__name__, *[schedule(Tensor(step)) for step in range(300)])
lr = optim.lr_scheduler
for make in (
    lambda o: lr.CosineAnnealingLR(o, 300), lambda o: lr.PolynomialLR(o, 700, 0.9), lambda o: lr.ExponentialLR(o, 0.97),
    lambda o: lr.CosineAnnealingWarmRestarts(o, 50, 2), lambda o: lr.MultiStepLR(o, [3, 9], 0.3),
    lambda o: lr.CyclicLR(o, 0.01, 0.1, mode="exp_range", gamma=0.99),
):
    optimizer = optim.SGD([Parameter(1.0, name="w")], 0.1)
    scheduler = make(optimizer)
    rates = []
    for _ in range(500):
        scheduler.step()
        rates.append(float(scheduler._rates[0]))
    digest(type(scheduler).__name__, rates)
gradient = Tensor(np.linspace(0.3, 1.7, 7), ms.float32)
for kind in (
    nn.Adam, nn.AdaMax, nn.Lamb, nn.ASGD, nn.AdaFactor, nn.FTRL,
    other.Adam, other.NAdam, other.RAdam, other.AdamW, other.ASGD,
):
    parameters = [Parameter(Tensor(np.linspace(-1, 1, 7), ms.float32), name="w")]
    optimizer = kind(parameters, None if kind is nn.AdaFactor else 0.01)
    for _ in range(300):
        optimizer((gradient,))
    digest(type(optimizer).__module__ + "." + type(optimizer).__name__, *parameters, *optimizer.get_parameters())
for kind in (
    init.XavierNormal(), init.XavierUniform(), init.HeNormal(0.1), init.HeUniform(2.2), init.TruncatedNormal(),
    init.TruncatedNormal(1.0, 0.0, 3.0, 9.0), init.Normal(), init.VarianceScaling(),
):
    for dtype in (ms.float32, ms.float64):
        digest(f"{type(kind).__name__} {dtype}", init.initializer(kind, (60, 50), dtype))
for name, drawn in {
    "standard_normal": lambda: ops.standard_normal((5000,)),
    "normal": lambda: ops.normal((5000,), Tensor(0.0), Tensor(1.0)),
    "gamma": lambda: ops.gamma((3000, 3), Tensor([0.3, 2.0, 30.0]), Tensor(1.0)),
    "poisson": lambda: ops.random_poisson((3000, 3), Tensor([0.3, 12.0, 90.0])),
    "categorical": lambda: ops.random_categorical(Tensor(np.linspace(-1, 1, 40).reshape(4, 10)), 50),
    "multinomial": lambda: ops.multinomial(Tensor(np.linspace(0.1, 1, 400)), 300, False),
}.items():
    digest(name, drawn())
ds.config.set_seed(2)
sampler = ds.WeightedRandomSampler(list(np.linspace(0.1, 2, 400)), 300, replacement=False)
digest("WeightedRandomSampler", [int(x) for [x] in ds.NumpySlicesDataset(list(range(400)), sampler=sampler)])
image = np.random.RandomState(0).randint(0, 256, (40, 50, 3)).astype(np.uint8)
for transform in (
    vision.RandomResizedCrop(16), vision.RandomAffine(40, (0.2, 0.1), (0.8, 1.2), 10), vision.AdjustGamma(0.7),
    vision.RandomErasing(),
):
    rows = ds.NumpySlicesDataset([image] * 20, ["x"], shuffle=False)
    if isinstance(transform, vision.RandomErasing):
        rows = rows.map(vision.ToTensor(), "x")
    digest(type(transform).__name__, *[x for [x] in rows.map(transform, "x")])
draw = np.random.RandomState(1)
perplexity = nn.Perplexity()
perplexity.update(Tensor(draw.dirichlet(np.ones(7), 500)), Tensor(np.arange(500) % 7))
digest("Perplexity", perplexity.eval())
images = [Tensor(draw.rand(1, 3, 20, 20), ms.float32) for _ in range(2)]
digest("SSIM", nn.SSIM()(*images))
chances = ops.log_softmax(Tensor(np.linspace(-3, 3, 9 * 4 * 6).reshape(9, 4, 6) % 1.7))
lengths = Tensor([9] * 4, ms.int32), Tensor([3, 2, 1, 3], ms.int32)
digest("ctc_loss", ops.ctc_loss(chances, Tensor([[1, 2, 3]] * 4, ms.int32), *lengths)[0])
"""


def digests(**environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", reason="what is switched off")
def test_no_result_rests_on_the_c_library_or_numpy():
    """Schedules, optimizers, initializers, samplers and random operators with another libm, and another numpy."""
    usual = digests()
    other = digests(**WITHOUT)
    assert len(usual) > 40
    assert [line for line in zip(usual, other) if line[0] != line[1]] == []


@pytest.mark.parametrize("called", ["math.sinh(x[i])", "math.lgamma(x[i])"])
def test_kernels_of_numba_that_would_ask_the_c_library_are_refused(called):
    known = {"math": math}
    source = (
        f"def kernel(lo, hi, scratch, x: 'f64*'):\n    for i in range(lo, hi):\n        x[i] = {called}\n    return 0\n"
    )
    exec(source, known)
    with pytest.raises(RuntimeError, match="bug in this library: a kernel of numba calls"):
        irregular(known["kernel"]).address()
