"""The same program on other CPUs and without the native glue: right everywhere."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import processors
import pytest
from processors import WITHOUT, present

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


#: Every so many operators of the op table, with their gradients: the values of all, in one file.
TABLE = """
    import sys
    sys.path[:0] = [{tests!r}, {tests!r} + "/ops"]
    import numpy as np, anfora
    from anfora import Tensor
    from test_table import ROWS, _call, _flat_inputs, _results, _tensor
    arrays = {{}}
    for row in ROWS[{first}::{step}]:
        for number, sample in enumerate(row.samples[:2]):
            anfora.set_seed(1)
            name = f"{{row.name}} {{number}} "
            results = _results(_call(row, sample, lambda a: _tensor(a, row.dtypes[0])))
            given, function = _flat_inputs(row, sample)
            if row.grad and given and sample.smooth:
                value, pull = anfora.vjp(function, *[Tensor(a, anfora.float32) for a in given])
                results += pull(*[anfora.ops.ones_like(v) for v in value])
            arrays.update((name + str(i), r.asnumpy()) for i, r in enumerate(results) if isinstance(r, Tensor))
    np.savez({file!r}, **arrays)
"""


def table(tmp_path, first, step, prelude="", **env):
    """The values of a sample of the op table in a process of its own."""
    file = str(tmp_path / f"{len(list(tmp_path.iterdir()))}.npz")
    tests = str(pathlib.Path(__file__).parent.parent)
    program = textwrap.dedent(prelude) + textwrap.dedent(TABLE.format(file=file, tests=tests, first=first, step=step))
    result = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **env}, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stderr
    return dict(np.load(file))


def assert_same_bits(here, there):
    assert here.keys() == there.keys() and here
    different = [name for name, array in here.items() if array.tobytes() != there[name].tobytes()]
    assert not different


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_numpy_and_the_c_library_do_without():
    """Else what is compared below, and in other files, are two equal processes: numpy only warns of unknown names."""
    found = []
    for env in ({}, WITHOUT):
        command = [sys.executable, "-W", "error", processors.__file__]
        done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.split("|"))
    (features, powers), (left, others) = found
    assert features.split() == WITHOUT["NPY_DISABLE_CPU_FEATURES"].split() and not left.split()
    assert "fma" not in processors.present() or powers != others


@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_the_op_table_with_another_c_library(tmp_path):
    assert_same_bits(table(tmp_path, 7, 13), table(tmp_path, 7, 13, **WITHOUT))


#: LeNet, trained for some steps in both modes: digests of all its weights.
LENET = """
    import hashlib
    import numpy as np, anfora as ms
    from anfora import Tensor, models, nn
    rng = np.random.default_rng(0)
    images = Tensor(rng.standard_normal((16, 1, 32, 32)).astype(np.float32))
    labels = Tensor(rng.integers(0, 10, 16).astype(np.int32))
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(3)
        net, loss = models.LeNet5(), nn.CrossEntropyLoss()
        rates = nn.cosine_decay_lr(0.001, 0.05, 6, 6, 1)
        optimizer = nn.Adam(net.trainable_params(), rates)
        step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
        for _ in range(6):
            optimizer(step(images, labels)[1])
        weights = b"".join(p.asnumpy().tobytes() for p in net.get_parameters())
        print(hashlib.sha256(weights).hexdigest())
"""


#: Processors from the first x86-64 to Zen 4, each with what must be here to run what is made for it.
PROCESSORS = {
    "x86-64": "sse2", "x86-64-v2": "sse4_2", "haswell": "avx2", "x86-64-v4": "avx512vl", "znver3": "vaes",
    "znver4": "avx512_bf16",
}  # fmt: skip


#: Functions of `anfora.numpy` in double precision, whose namesakes in numpy ask the C library.
SPACED = """
    import numpy as np, anfora.numpy as mnp, anfora as ms
    wide = dict(dtype=ms.float64)
    x = mnp.asarray(np.arange(1.0, 2000.0) / 7, **wide)
    np.savez(
        {file!r},
        **{{name: getattr(mnp, name)(1.5, 77.7, 3000, **wide).asnumpy() for name in ("linspace", "logspace", "geomspace")}},
        spiral=mnp.geomspace(1 + 1j, 3 - 9j, 3000, dtype=ms.complex128).asnumpy(),
        based=mnp.logspace(0, 3, 3000, base=1.7, **wide).asnumpy(),
        **{{name: getattr(mnp, name)(301).asnumpy() for name in ("bartlett", "blackman", "hamming", "hanning")}},
        around=np.stack([mnp.around(x, n).asnumpy() for n in range(-30, 31)]),
        roots=mnp.cbrt(x).asnumpy(),
    )
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_spaced_numbers_with_another_c_library(tmp_path):
    found = []
    for env in ({}, WITHOUT):
        file = str(tmp_path / f"{len(found)}.npz")
        program = textwrap.dedent(SPACED.format(file=file))
        done = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, **env}, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        found.append(dict(np.load(file)))
    assert_same_bits(*found)


@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_lenet_is_trained_to_the_same_bits():
    found = []
    here = [cpu for cpu, needed in PROCESSORS.items() if needed in present()]
    for env in ({}, WITHOUT, {"ANFORA_CPU": "x86-64", **WITHOUT}, *({"ANFORA_CPU": cpu} for cpu in here)):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(LENET)], env={**os.environ, **env}, capture_output=True, text=True,
            timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found += done.stdout.split()
    assert len(found) == 2 * (3 + len(here)) and len(set(found)) == 1


@pytest.mark.parametrize("cpu, first", [("haswell", 3), ("x86-64", 5)])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_the_op_table_on_lesser_cpus(tmp_path, cpu, first):
    assert_same_bits(table(tmp_path, first, 17), table(tmp_path, first, 17, ANFORA_CPU=cpu))


def test_the_op_table_without_native_glue(tmp_path):
    prelude = """
        import anfora.eager
        from anfora.kernel import glue
        from anfora.kernel.fields import Fields, StructuresDiffer
        Fields.find = classmethod(lambda *a: (_ for _ in ()).throw(StructuresDiffer("forced")))
        assert not glue.available()
    """
    assert_same_bits(table(tmp_path, 1, 4), table(tmp_path, 1, 4, prelude))


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


def test_native_functions_outlive_their_module():
    """At the end of a process they may be dropped after it, and CPython looks at their definitions then."""
    program = """
        import ctypes, gc
        from anfora.kernel import glue
        function = glue.builtin(id(None), len, None)
        definition = ctypes.c_void_p.from_address(id(function) + object.__basicsize__).value
        before = ctypes.string_at(definition, 32)
        vars(glue).clear()
        gc.collect()
        print(ctypes.string_at(definition, 32) == before)
    """
    environment = {**os.environ, "PYTHONMALLOC": "debug"}  # what is freed is written over
    command = [sys.executable, "-c", textwrap.dedent(program)]
    assert subprocess.run(command, env=environment, capture_output=True, text=True).stdout == "True\n"
