"""float64's elementary functions: errors against 1400 bits and against long doubles, special values, and that the bits are
the same everywhere."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import textwrap
from fractions import Fraction

import numpy as np
import processors
import pytest
from processors import WITHOUT

from anfora import Tensor, ops
from anfora.kernel import activations, bodies, double, special
from anfora.kernel.loops import Operand, elementwise

#: Arguments, and the true value to 24 digits (mpmath, 1400 bits).
POINTS = {
    "sin": [
        ("0x1.0000000000000p-1", "0.479425538604203000273288"),
        ("0x1.8000000000000p+1", "0.141120008059867222100745"),
        ("-0x1.2000000000000p+1", "-0.778073196887921241410967"),
        ("0x1.e848000000000p+19", "-0.349993502171292952117652"),
        ("0x1.0000000000800p+40", "-0.79423653789372998641954"),
        ("0x1.6ac5b262ca1ffp+849", "1.0"),
        ("0x1.bf9b3c6059d24p+18", "6.32314832419476045714424e-16"),
    ],
    "cos": [
        ("0x1.0000000000000p-1", "0.877582561890372716116282"),
        ("0x1.8000000000000p+1", "-0.989992496600445457271573"),
        ("-0x1.2000000000000p+1", "-0.628173622722739088913389"),
        ("0x1.e848000000000p+19", "0.936752127533144786938533"),
        ("0x1.0000000000800p+40", "-0.607608691408032453720227"),
        ("0x1.6ac5b262ca1ffp+849", "-4.68716592425462761112258e-19"),
        ("0x1.fffffffffffffp+1023", "-0.99998768942655993746487"),
    ],
    "tan": [
        ("0x1.0000000000000p-1", "0.546302489843790513255179"),
        ("0x1.8000000000000p+1", "-0.142546543074277805295635"),
        ("-0x1.2000000000000p+1", "1.23862761622409647528657"),
        ("0x1.e848000000000p+19", "-0.373624453987599029173497"),
        ("0x1.921fb54442d18p+0", "16331239353195369.7559677"),
        ("0x1.7e43c8800759cp+996", "1.42144882387472441236684"),
    ],
    "exp2": [
        ("0x1.3333333333333p-2", "1.23114441334491627502515"),
        ("-0x1.6666666666666p-1", "0.61557220667245816119819"),
        ("0x1.9066666666666p+6", "1.35863427309281441414995e+30"),
        ("-0x1.f473333333333p+9", "5.00123589931180409664392e-302"),
        ("-0x1.0410000000000p+10", "7.13751461522467228677855e-314"),
    ],
    "log2": [
        ("0x1.3333333333333p-2", "-1.73696559416620621980702"),
        ("0x1.000001ad7f29bp+0", "0.000000144269496959655836820938"),
        ("0x0.012688b70e62bp-1022", "-1029.79770941508233224733"),
        ("0x1.4e7b4f70066e8p+999", "999.385783388266308421697"),
    ],
    "log10": [
        ("0x1.3333333333333p-2", "-0.522878745280337578777097"),
        ("0x1.fffffca501acbp-1", "-4.34294503389383907387285e-8"),
        ("0x0.012688b70e62bp-1022", "-310.000000000000001326799"),
        ("0x1.0f0cf064dd592p+73", "22.0"),
        ("0x1.4e7b4f70066e8p+999", "300.845098040014256816612"),
    ],
    "asin": [
        ("0x1.999999999999ap-4", "0.100167421161559801924604"),
        ("-0x1.0000000000000p-1", "-0.523598775598298873077107"),
        ("0x1.ffffde7210be9p-1", "1.56938211311465203413779"),
        ("0x1.12e0be826d695p-30", "1.00000000000000006244826e-9"),
    ],
    "acos": [
        ("0x1.999999999999ap-4", "1.47062890563333681730672"),
        ("-0x1.0000000000000p-1", "2.09439510239319549230843"),
        ("0x1.ffffde7210be9p-1", "0.00141421368024458509353192"),
        ("-0x1.ffffde7210be9p-1", "3.14017843990954865336911"),
    ],
    "atan": [
        ("0x1.999999999999ap-4", "0.0996686524911620328745997"),
        ("0x1.6666666666666p-1", "0.610725964389208586739114"),
        ("-0x1.0000000000000p+1", "-1.10714871779409050301707"),
        ("0x1.2a05f20000000p+33", "1.57079632669489661923132"),
        ("0x1.12e0be826d695p-30", "1.00000000000000006194826e-9"),
    ],
    "sinh": [
        ("0x1.999999999999ap-4", "0.100166750019844031402623"),
        ("-0x1.28f5c28f5c28fp-2", "-0.294081960223453423311523"),
        ("0x1.3d70a3d70a3d7p-2", "0.314989078953944262806166"),
        ("0x1.4800000000000p+4", "399951088.737752702727223"),
        ("0x1.6333333333333p+9", "1.66636428328064958422138e+308"),
    ],
    "cosh": [
        ("0x1.999999999999ap-4", "1.00500416805580359954402"),
        ("-0x1.0000000000000p+1", "3.76219569108363145956221"),
        ("0x1.4800000000000p+4", "399951088.737752703977376"),
        ("0x1.6333333333333p+9", "1.66636428328064958422138e+308"),
    ],
    "asinh": [
        ("0x1.89374bc6a7efap-9", "0.00299999550001822496481643"),
        ("-0x1.47ae147ae147bp-8", "-0.0049999791669010382830849"),
        ("0x1.6666666666666p-1", "0.652666566082355750427481"),
        ("-0x1.e000000000000p+4", "-4.09462222433053056995935"),
        ("0x1.4e718d7d7625ap+664", "461.210165779369082082749"),
    ],
    "acosh": [
        ("0x1.000001ad7f29bp+0", "0.000447213591903734727073765"),
        ("0x1.8000000000000p+0", "0.962423650119206894995518"),
        ("0x1.e000000000000p+4", "4.09406666863208512766772"),
        ("0x1.4e718d7d7625ap+664", "461.210165779369082082749"),
    ],
    "atanh": [
        ("0x1.89374bc6a7efap-9", "0.00300000900004860037488137"),
        ("-0x1.47ae147ae147bp-8", "-0.00500004166729167793168398"),
        ("0x1.6666666666666p-1", "0.867300527694053107350829"),
        ("-0x1.fffffca501acbp-1", "-8.40562139102230986089791"),
    ],
    "erf": [
        ("0x1.999999999999ap-4", "0.112462916018284898404712"),
        ("-0x1.999999999999ap-1", "-0.742100964707660512589787"),
        ("0x1.b333333333333p-1", "0.770668057608352520214931"),
        ("0x1.8000000000000p+1", "0.999977909503001414558627"),
        ("0x1.56e1fc2f8f359p-997", "1.12837916709551260217232e-300"),
    ],
    "erfc": [
        ("0x1.999999999999ap-4", "0.887537083981715101595288"),
        ("-0x1.999999999999ap-1", "1.74210096470766051258979"),
        ("0x1.f5c28f5c28f5cp-2", "0.488331738811476908671115"),
        ("0x1.051eb851eb852p-1", "0.470756380158829563263208"),
        ("0x1.4000000000000p+2", "1.53745979442803485018834e-12"),
        ("0x1.4400000000000p+4", "2.2729564178807836708525e-180"),
        ("0x1.a800000000000p+4", "2.21090766426373427592924e-307"),
    ],
    "lgamma": [
        ("0x1.0000000000000p-2", "1.28802252469807745737061"),
        ("0x1.fff2e48e8a71ep-1", "0.000057729791561193862808303"),
        ("0x1.00068db8bac71p+0", "-0.000057713342220471268005181"),
        ("0x1.8000000000000p+0", "-0.120782237635245222345518"),
        ("0x1.000346dc5d639p+1", "0.0000422816581129199463174323"),
        ("0x1.7333333333333p+1", "0.602869610249311367570511"),
        ("0x1.d333333333333p+2", "7.14789252302224869210373"),
        ("0x1.7cccccccccccdp+3", "17.2584774505955220118785"),
        ("0x1.8333333333333p+3", "17.7470072707987393062435"),
        ("0x1.2a05f20000000p+33", "220258509288.810581470042"),
        ("0x1.4f8b588e368f1p-17", "11.5129196928958256256173"),
    ],
    "pow": [
        ("0x1.3333333333333p-2 0x1.4000000000000p+1", "0.0492950301754649456504208"),
        ("0x1.000001ad7f29bp+0 0x1.312d000000000p+23", "2.71828169413208157060197"),
        ("0x1.bfeadacfe08a1p+1 0x1.0b6ada7f1bd19p+7", "5.44405729265867766829031e+72"),
        ("0x1.87e92154ef7acp-665 0x1.8cccccccccccdp+0", "9.99999999999979521191516e-311"),
        ("0x1.4000000000000p+1 -0x1.8000000000000p+1", "0.064"),
        ("-0x1.4000000000000p+1 0x1.8000000000000p+1", "-15.625"),
        ("0x1.c000000000000p+2 0x1.2c40000000000p+8", "5.50410251699036292172777e+253"),
    ],
    "atan2": [
        ("0x1.8c8b2ebaa5662p-429 0x1.643e3d971b1ccp+558", "8.51018144207882007963624e-298"),
        ("0x1.3333333333333p-2 0x1.4000000000000p+1", "0.11942892601833844742887"),
        ("-0x1.87e92154ef7acp-665 0x1.d64af4cc52935p-667", "-1.27933953231702952058242"),
        ("0x1.ddd4baa009303p+998 -0x1.31cfd3999f7b0p+993", "1.59079366076804715229207"),
        ("-0x1.3333333333333p-2 -0x1.6666666666666p-1", "-2.73670086730470980557968"),
        ("0x0.012688b70e62bp-1022 0x1.0000000000000p+1", "4.99999999999998472466375e-311"),
    ],
    "hypot": [
        ("0x1.3333333333333p-2 0x1.4000000000000p+1", "2.51793566240283430982606"),
        ("0x1.f5aa543c31387p+665 0x1.4e718d7d7625ap+666", "4.99999999999999984866561e+200"),
        ("0x1.56e1fc2f8f359p-997 0x1.9b759505df0d1p-999", "1.0440306508910550417564e-300"),
        ("0x1.0000000000000p+0 0x1.12e0be826d695p-30", "1.0000000000000000005"),
    ],
}  # fmt: skip

#: The largest error, in ulp.
LIMITS = {
    "sin": 0.7, "cos": 0.7, "tan": 0.8, "exp2": 0.52, "log2": 0.54, "log10": 0.54, "asin": 0.7, "acos": 0.7, "atan": 0.6,
    "sinh": 0.6, "cosh": 0.52, "asinh": 0.52, "acosh": 0.52, "atanh": 0.52, "erf": 0.8, "erfc": 0.7, "lgamma": 2.0,
    "pow": 0.52, "atan2": 0.6, "hypot": 0.51,
}  # fmt: skip


def called(name, *arrays):
    return getattr(ops, name)(*(Tensor(np.atleast_1d(np.asarray(a, np.float64))) for a in arrays)).asnumpy()


@pytest.mark.parametrize("name", POINTS)
def test_points(name):
    arguments = np.array([[float.fromhex(word) for word in given.split()] for given, _ in POINTS[name]])
    # Once each alone, and once all together, where those that go far stand beside those that do not.
    together = called(name, *arguments.T)
    for row, (_, text), found in zip(arguments, POINTS[name], together):
        assert called(name, *row)[0] == found
        true = Fraction(text)
        error = abs(Fraction(float(found)) - true) / Fraction(float(np.spacing(abs(float(true)))))
        assert error <= LIMITS[name] + 1e-6, (row, float(error))


def numbers(count=4000):
    rng = np.random.default_rng(11)
    every = rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    near = 1 + rng.uniform(-1, 1, count) * 2.0 ** rng.integers(-52, -1, count)
    angles = np.round(rng.uniform(0, 1e6, count)) * (np.pi / 2)
    parts = [every, near, angles, *(rng.uniform(-limit, limit, count) for limit in (1, 4, 711, 1e7))]
    return np.concatenate([part[np.isfinite(part)] for part in parts])


NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
         "atan2": "arctan2", "pow": "float_power"}  # fmt: skip
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 7.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, 1e307]
)  # fmt: skip


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no longer doubles")
@pytest.mark.parametrize("name", [name for name in LIMITS if name not in ("erf", "erfc", "lgamma")])
def test_against_long_doubles(name):
    count = 2 if name in ("pow", "atan2", "hypot") else 1
    x = numbers()
    rng = np.random.default_rng(3)
    given = [np.abs(x) if name == "pow" else x]
    if name == "pow":  # a power that is not out of range
        with np.errstate(all="ignore"):
            given.append(rng.uniform(-700, 700, x.size) / np.log(given[0]))
        given[1] = np.where(np.isfinite(given[1]), given[1], 2.0)
    elif count == 2:
        given.append(rng.permutation(x))
    with np.errstate(all="ignore"):
        true = getattr(np, NAMES.get(name, name))(*(a.astype(np.longdouble) for a in given))
        rounded = true.astype(np.float64)
        normal = np.isfinite(rounded) & (np.abs(rounded) >= 2.0**-1022)
        found = called(name, *given)
        error = np.abs(found.astype(np.longdouble) - true)[normal] / np.spacing(np.abs(rounded[normal]))
    assert error.max() <= LIMITS[name] + 2e-3
    np.testing.assert_array_equal(np.isnan(found), np.isnan(rounded))
    np.testing.assert_array_equal(found[np.isinf(rounded)], rounded[np.isinf(rounded)])
    np.testing.assert_allclose(found, rounded, rtol=1e-15, atol=5e-324)


@pytest.mark.parametrize("name", [name for name in LIMITS if name not in ("erf", "erfc", "lgamma")])
def test_special_values_are_those_of_c(name):
    given = [SPECIAL]
    if name in ("pow", "atan2", "hypot"):
        given = [a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL)]
    with np.errstate(all="ignore"):
        wanted = getattr(np, NAMES.get(name, name))(*given)
    found = called(name, *given)
    np.testing.assert_allclose(found, wanted, rtol=3e-16, atol=0)
    zero = wanted == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(wanted[zero]))


def test_special_values_of_those_that_numpy_lacks():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 40.0, -40.0])
    np.testing.assert_array_equal(called("erf", x), [0, -0.0, 1, -1, np.nan, 1, -1])
    np.testing.assert_array_equal(called("erfc", x), [1, 1, 0, 2, np.nan, 0, 2])
    x = np.array([0.0, -0.0, -1.0, -7.0, np.inf, -np.inf, np.nan, 1.0, 2.0])
    np.testing.assert_array_equal(called("lgamma", x), [np.inf] * 4 + [np.inf, np.inf, np.nan, 0, 0])
    # log(pi / (|x| sin(pi |x|))) - lgamma(|x|), for a negative one
    assert called("lgamma", -0.5)[0] == pytest.approx(1.2655121234846454, rel=4e-16)


def test_large_angles_of_float32():
    x = np.float32([1e7, 1.5e9, 3e20, -2.5e38, 3.4028235e38, 1e6, np.inf])
    with np.errstate(all="ignore"):
        for name in ("sin", "cos", "tan"):
            wanted = getattr(np, name)(x.astype(np.float64)).astype(np.float32)
            np.testing.assert_array_equal(getattr(ops, name)(Tensor(x)).asnumpy(), wanted)


OWN = "exp expm1 log log1p tanh sin cos erf exp2 log2 log10 pow".split()  # noqa: SIM905
MORE = "acos atan2 cosh erfc erfinv hypot lgamma digamma sinc tan".split()  # noqa: SIM905
BODIES = [
    *(getattr(double, name) for name in double.__all__), *(getattr(bodies, name) for name in OWN),
    *(getattr(special, name) for name in MORE), activations.gelu,
]  # fmt: skip


@pytest.mark.parametrize("elem", ["f32", "f64"])
@pytest.mark.parametrize("body", BODIES, ids=lambda body: f"{body.__module__[14:]}.{body.__name__}")
def test_no_body_asks_the_c_library(body, elem):
    operand = Operand(elem, elem, "v")
    count = 2 if body.__name__ in ("pow", "atan2", "hypot") else 1
    text = elementwise.ir(body, (operand,) * count, (operand,), False)
    assert re.findall(r"^declare (?:double|float) @(?!llvm\.)(\w+)", text, re.MULTILINE) == []


DIGEST = """
    import hashlib, sys
    sys.path[:0] = {tests!r}
    import numpy as np
    from test_double import LIMITS, called, numbers
    x = numbers(600)
    y = np.random.default_rng(5).permutation(x)
    for name in LIMITS:
        given = (x, y) if name in ("pow", "atan2", "hypot") else (x,)
        print(name, hashlib.sha256(np.nan_to_num(called(name, *given), nan=7.0).tobytes()).hexdigest())
"""


def digests(**environment):
    program = textwrap.dedent(DIGEST).format(tests=[os.path.dirname(__file__), os.path.dirname(processors.__file__)])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", reason="what is switched off")
def test_the_same_bits_on_every_machine():
    usual = digests()
    assert len(usual) == len(LIMITS)
    for environment in (WITHOUT, {"ANFORA_CPU": "haswell"}, {"ANFORA_CPU": "x86-64", **WITHOUT}):
        assert [pair for pair in zip(usual, digests(**environment)) if pair[0] != pair[1]] == []
