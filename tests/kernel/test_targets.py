"""The same program on other CPUs and without the native glue: right everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

PROGRAM = """
    import numpy as np, anfora
    from anfora import Tensor, ops
    rng = np.random.default_rng(0)
    x = Tensor(rng.standard_normal((7, 33)).astype(np.float32))
    x.requires_grad = True
    y = (x * 1.5 + x.sum(1, True)) / (x * x + 2.0)
    y.sum().backward()
    small = Tensor(rng.standard_normal(20), anfora.float16) + Tensor(rng.standard_normal(20), anfora.bfloat16)
    np.savez({file!r}, y=y.asnumpy(), g=x.grad.asnumpy(), s=small.asnumpy(), z=(y - 1).asnumpy())
"""


def outcome(tmp_path, prelude="", **env):
    file = str(tmp_path / f"{len(list(tmp_path.iterdir()))}.npz")
    program = textwrap.dedent(prelude) + textwrap.dedent(PROGRAM.format(file=file))
    environment = {**os.environ, **env}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return dict(np.load(file))


@pytest.mark.parametrize("cpu", ["haswell", "x86-64"])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_lesser_cpus_give_the_same_bits(tmp_path, cpu):
    here, there = outcome(tmp_path), outcome(tmp_path, ANFORA_CPU=cpu)
    for name, array in here.items():
        np.testing.assert_array_equal(array, there[name])


@pytest.mark.parametrize(
    "difference",
    [
        "Fields.find = classmethod(lambda *a: (_ for _ in ()).throw(StructuresDiffer('forced')))",
        "glue._numpy_functions = lambda: (_ for _ in ()).throw(StructuresDiffer('forced'))",
        "fields._offset_of = lambda *a: (_ for _ in ()).throw(StructuresDiffer('forced'))",
    ],
)
def test_unknown_structures_take_the_plain_way(tmp_path, difference):
    prelude = f"""
        import anfora.eager
        from anfora.kernel import fields, glue
        from anfora.kernel.fields import Fields, StructuresDiffer
        {difference}
        assert not glue.available()
    """
    here = outcome(tmp_path)
    plain = outcome(tmp_path, prelude)
    for name, array in here.items():
        np.testing.assert_array_equal(array, plain[name])
