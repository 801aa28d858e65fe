"""Networks as libraries of C: the same bits in a process without anfora, for any threads and CPU; and what is refused."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from row import Row
from test_op_table import _function
from test_table import ROWS, _results

import anfora as ms
from anfora import Parameter, Tensor, c_files, nn, ops
from anfora.core.errors import AnforaError, OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import current
from anfora.examples import without_python
from anfora.kernel.standalone import LIBC, LIBM, undefined
from anfora.kernel.target import CPUS, target, target_named
from anfora.models import GPT, MLP, LeNet5

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="object files are of ELF")
linked = pytest.mark.skipif(not (shutil.which("cc") or shutil.which("ld")), reason="nothing links here")
ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(0)


def floats(*shape):
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def arrays_of(value):
    """The memory of all tensors that a network gives, side by side."""
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in arrays_of(item)]
    return [np.ascontiguousarray(current(value)._array)]


def written(folder, name, net, *inputs, **options):
    ms.export(net, *inputs, file_name=folder / name, file_format="C", **options)
    return folder / f"{name}.so"


class ConvNet(nn.Cell):
    """Convolutions, one of them depthwise, with batch norm and dropout as they are when a network is run."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, group=8, pad_mode="pad", padding=1)
        self.pool, self.last, self.drop = nn.AvgPool2d(2, 2), nn.Dense(8, 5), nn.Dropout(p=0.3)

    def construct(self, x):
        x = self.pool(ops.relu(self.second(self.norm(self.first(x)))))
        return self.drop(self.last(x.mean((2, 3))))


class Views(nn.Cell):
    """Results that are views, inputs, weights, constants, twice the same, empty; writes in place to what it has made."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(floats(4, 3), name="w")
        self.table = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3)).T

    def construct(self, x, register):
        z = x * 2
        z[1] = 5
        z[:, 0] += register
        best, at = ops.topk(x, 2)
        y = ops.exp(x)
        return (x.T, z, [self.w, self.w.T @ x, self.table, best, at], y, y.reshape(-1), ops.sort(x, 0), x[::2], x[:0]), (
            x > 0, x.astype(ms.float16), x.astype(ms.bfloat16), x.astype(ms.float64).sum(), x.argmax(1), register,
            self.w[2:] * 3, self.table[1:, ::2] + x[0, 0],
        )  # fmt: skip


@ms.custom_op
def own(x, y):
    return x * 2.0 + y * y


NETWORKS = {
    "lenet": lambda: (LeNet5(), floats(2, 1, 32, 32)),
    "mlp": lambda: (MLP([8, 32, 4]), floats(5, 8)),
    "convnet": lambda: (ConvNet(), floats(2, 3, 40, 40)),
    "encoder": lambda: (nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), floats(2, 7, 16)),
    "gpt": lambda: (GPT(20, 8, width=16, layers=2, heads=2), Tensor(RNG.integers(0, 20, (2, 8)).astype(np.int32))),
    "lstm": lambda: (nn.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True), floats(3, 5, 6)),
    "views": lambda: (Views(), floats(4, 6), floats(4)),
    "own": lambda: (lambda x, y: ops.sin(own(x, y)) + 1, floats(70_000), floats(70_000)),
    "wide": lambda: (lambda x: ops.softmax(x @ x.T), floats(300, 40)),
    "float64": lambda: (lambda x: (ops.pow(ops.abs(x), 1.3), x @ x.T), floats(9, 5).astype(ms.float64)),
    "bfloat16": lambda: (lambda x: ops.softmax(x @ x.T), floats(9, 5).astype(ms.bfloat16)),
    "identity": lambda: (lambda x: x, floats(3)),
    "complex": lambda: (
        lambda z, x: (ops.exp(z) * x, z @ z.T, ops.abs(z)),
        ops.complex(floats(5, 7), floats(5, 7)),
        floats(7),
    ),
}

#: Runs libraries, each with several numbers of threads, with and without a workspace, and writes what comes of it.
ELSEWHERE = """
import ctypes, json, sys
assert not {"anfora", "numpy"} & set(sys.modules)
for job in json.load(open(sys.argv[1])):
    library = ctypes.CDLL(job["file"])
    name = job["name"]
    run, threads = getattr(library, name + "_run"), getattr(library, name + "_set_threads")
    inputs = [bytes.fromhex(each) for each in job["inputs"]]
    given = [ctypes.create_string_buffer(each, len(each) or 1) for each in inputs]
    first = [ctypes.c_int64(job["length"])] if job["length"] else []
    found = []
    for count in (1, 2, 3, 1):
        assert threads(count) == count
        for size in (0, job["workspace"]):
            results = [ctypes.create_string_buffer(b"w" * (n + 64), n + 64) for n in job["results"]]
            # one byte off, so that it is aligned to nothing
            room = ctypes.create_string_buffer(b"w" * (size + 65), size + 65)
            code = run(*first, *given, *results, ctypes.byref(room, 1) if size else None)
            assert room.raw[:1] + room.raw[1 + size :] == b"w" * 65
            assert all(each.raw[n:] == b"w" * 64 for each, n in zip(results, job["results"]))
            assert all(each.raw[: len(was)] == was for each, was in zip(given, inputs))
            found.append([code] + [each.raw[:n].hex() for each, n in zip(results, job["results"])])
    threads(1)
    print(json.dumps(found))
"""


def workspace_of(header):
    [line] = [line for line in header.read_text().splitlines() if "_WORKSPACE " in line and line.startswith("#define")]
    return int(line.split()[-1])


def job(file, inputs, expected, length=None):
    return {
        "file": str(file), "name": file.stem, "length": length, "workspace": workspace_of(file.with_suffix(".h")),
        "inputs": [array.tobytes().hex() for x in inputs for array in arrays_of(x)],
        "results": [array.nbytes for array in expected],
    }  # fmt: skip


def run_elsewhere(folder, jobs, expected):
    """Run the libraries in a process without anfora; each run must give the bytes of the arrays that are expected."""
    (folder / "jobs.json").write_text(json.dumps(jobs))
    command = [sys.executable, "-I", "-S", "-c", ELSEWHERE, str(folder / "jobs.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for each, line, wanted in zip(jobs, done.stdout.splitlines(), expected, strict=True):
        told = [0, *(array.tobytes().hex() for array in wanted)]
        for found in json.loads(line):
            assert found == told, (each["name"], [a == b for a, b in zip(found, told)])


@linked
@pytest.mark.parametrize("name", NETWORKS)
def test_the_same_bits_without_anfora_for_any_threads(tmp_path, name):
    net, *inputs = NETWORKS[name]()
    file = written(tmp_path, name, net, *inputs)
    expected = arrays_of(net(*inputs))
    run_elsewhere(tmp_path, [job(file, inputs, expected)], [expected])


def test_lenet_is_small(tmp_path):
    net, x = NETWORKS["lenet"]()
    written(tmp_path, "lenet", net, x, batch_sizes=[1, 32])
    weights = sum(4 * weight.size for weight in net.get_parameters())
    assert weights < (tmp_path / "lenet.o").stat().st_size < min(2 * weights, 1_000_000)


@linked
def test_a_list_of_batch_sizes(tmp_path):
    net, scale = LeNet5(), floats(10)
    sizes = [1, 4, 33]

    def scored(images, scale):
        return ops.log_softmax(net(images)), scale * 2

    file = written(tmp_path, "sizes", scored, floats(2, 1, 32, 32), scale, batch_sizes=sizes)
    jobs, expected = [], []
    for size in sizes:
        inputs = (floats(size, 1, 32, 32), scale)  # the second is as long as it is
        expected.append(arrays_of(scored(*inputs)))
        jobs.append(job(file, inputs, expected[-1], size))
    run_elsewhere(tmp_path, jobs, expected)
    library = ctypes.CDLL(str(file))
    library.sizes_error.restype = ctypes.c_char_p
    code = library.sizes_run(ctypes.c_int64(2), None, None, None, None, None)
    assert code == -2 and b"length" in library.sizes_error(code)
    header = file.with_suffix(".h").read_text()
    assert (
        "int sizes_run(int64_t n, const float *images, const float *scale, float *output0, float *output1, void"
        in header
    )
    assert "n = 33:\n *   images       float32 [33, 1, 32, 32], 135168 bytes\n" in header


@linked
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v2", "haswell"] if "haswell" in CPUS else list(CPUS)[:1])
def test_other_cpus(tmp_path, cpu):
    flags = Path("/proc/cpuinfo").read_text()
    jobs, expected = [], []
    for name in ("encoder", "views", "float64", "bfloat16"):
        net, *inputs = NETWORKS[name]()
        before = arrays_of(net(*inputs))
        file = written(tmp_path, name, net, *inputs, cpu=cpu)
        assert f"for the CPU {cpu}." in file.with_suffix(".h").read_text()
        expected.append(arrays_of(net(*inputs)))  # nothing of that CPU is left behind here
        assert [a.tobytes() for a in before] == [b.tobytes() for b in expected[-1]]
        jobs.append(job(file, inputs, expected[-1]))
        assert ("fmaf" in undefined(file.with_suffix(".o").read_bytes())) <= (cpu != "haswell")
    if cpu != "haswell" or {" avx2 ", " fma "} <= {f" {word} " for word in flags.split()}:
        run_elsewhere(tmp_path, jobs, expected)


def test_a_cpu_that_is_not_here(tmp_path):
    """What cannot run here is compiled nevertheless."""
    wide, narrow = ("graniterapids", "x86-64") if "x86-64" in CPUS else ("neoverse-v1", "generic")
    net, x = NETWORKS["lenet"]()
    images = []
    for cpu in (wide, narrow, wide):
        written(tmp_path, "it", net, x, cpu=cpu)
        images.append((tmp_path / "it.o").read_bytes())
    assert images[0] == images[2] != images[1]


def test_llvm_knows_the_names_of_cpus(capfd):
    import llvmlite.binding as llvm

    assert target().cpu
    module = llvm.parse_assembly("define i32 @f(i32 %x) { ret i32 %x }")
    for cpu in CPUS:
        with target_named(cpu).machine() as machine:
            machine.emit_object(module)
    assert capfd.readouterr().err == ""  # else: 'x' is not a recognized processor


def test_only_the_c_library_is_needed(tmp_path):
    for name in ("lenet", "gpt"):
        net, *inputs = NETWORKS[name]()
        written(tmp_path, name, net, *inputs)
        needed = undefined((tmp_path / f"{name}.o").read_bytes())
        assert {"malloc", "pthread_create"} <= needed <= LIBC
        if shutil.which("nm"):
            told = subprocess.run(["nm", "-g", f"{name}.o"], cwd=tmp_path, capture_output=True, text=True, check=True)
            lines = [line.split() for line in told.stdout.splitlines()]
            assert {line[-1] for line in lines if line[-2] == "U"} - {"_GLOBAL_OFFSET_TABLE_"} == needed
            functions = {f"{name}_run", f"{name}_set_threads", f"{name}_error"}
            assert {line[-1] for line in lines if line[-2] != "U"} == functions
    assert not LIBC & LIBM


@linked
def test_the_mathematical_library_is_told_of(tmp_path):
    file = written(tmp_path, "modulo", lambda x: ops.fmod(x, 0.3), floats(9))
    assert undefined(file.with_suffix(".o").read_bytes()) - LIBC == {"fmod"}
    assert "Link with -lm." in file.with_suffix(".h").read_text()
    x = floats(9)
    run_elsewhere(tmp_path, [job(file, [x], arrays_of(ops.fmod(x, 0.3)))], [arrays_of(ops.fmod(x, 0.3))])


@linked
def test_data_that_are_refused(tmp_path):
    net = nn.Embedding(11, 3)

    def looked_up(i):
        return net(i) * 2

    library = ctypes.CDLL(str(written(tmp_path, "table", looked_up, Tensor([1, 2], ms.int32))))
    library.table_error.restype = ctypes.c_char_p
    given, found = (ctypes.c_int32 * 2)(1, 99), (ctypes.c_float * 6)()
    code = library.table_run(given, found, None)
    assert code > 0
    told = library.table_error(code).decode()
    assert "refuses its data (test_c_files.py:" in told
    given[1] = 10
    assert library.table_run(given, found, None) == 0
    np.testing.assert_array_equal(list(found), net(Tensor([1, 10], ms.int32)).asnumpy().ravel() * 2)
    assert [library.table_error(code) for code in (0, -1, 999)] == [
        b"the run has gone well", b"there is no memory for the workspace", b"there is no such code",
    ]  # fmt: skip


@linked
def test_data_that_are_refused_for_each_length(tmp_path):
    net = nn.Embedding(11, 3)

    def looked_up(i):
        rows = net(i)
        return rows if len(i) == 1 else rows.sum() + net(i + 3)  # other rows may fail

    library = ctypes.CDLL(str(written(tmp_path, "table", looked_up, Tensor([1], ms.int32), batch_sizes=[1, 2])))
    library.table_error.restype = ctypes.c_char_p
    found = (ctypes.c_float * 6)()
    codes = [
        library.table_run(ctypes.c_int64(len(given)), (ctypes.c_int32 * len(given))(*given), found, None)
        for given in ([99], [99, 1], [1, 9], [5, 6])
    ]
    assert codes[3] == 0 and len(set(codes)) == 4
    lines = [library.table_error(code).decode().rpartition(":")[2] for code in codes[:3]]
    assert int(lines[0].strip(")")) == int(lines[1].strip(")")) == int(lines[2].strip(")")) - 1


@linked
def test_many_callers_at_once(tmp_path):
    """One library, called by several threads while its own number of threads changes."""
    net, x = NETWORKS["wide"]()
    library = ctypes.CDLL(str(written(tmp_path, "wide", net, x)))
    [array], [wanted] = arrays_of(x), arrays_of(net(x))
    wrong = []

    def call():
        found = np.empty_like(wanted)
        for _ in range(20):
            code = library.wide_run(ctypes.c_void_p(array.ctypes.data), ctypes.c_void_p(found.ctypes.data), None)
            if code or found.tobytes() != wanted.tobytes():
                wrong.append(code)

    callers = [threading.Thread(target=call) for _ in range(3)]
    for caller in callers:
        caller.start()
    for threads in (3, 1, 2, 4, 1):
        assert library.wide_set_threads(threads) == threads
    for caller in callers:
        caller.join()
    assert not wrong
    assert [library.wide_set_threads(n) for n in (-5, 1 << 20, 1)] == [1, 256, 1]


FORKING = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
given, found = ctypes.create_string_buffer(48000), ctypes.create_string_buffer(360000)
assert library.wide_set_threads(3) == 3 and library.wide_run(given, found, None) == 0
child = os.fork()
if not child:
    ok = library.wide_set_threads(2) == 2 and library.wide_run(given, found, None) == 0 and library.wide_set_threads(1) == 1
    os._exit(0 if ok else 1)
assert os.waitpid(child, 0)[1] == 0
assert library.wide_run(given, found, None) == 0 and library.wide_set_threads(1) == 1
"""


@linked
def test_a_process_that_forks(tmp_path):
    net, x = NETWORKS["wide"]()
    file = written(tmp_path, "wide", net, x)
    command = [sys.executable, "-I", "-S", "-c", FORKING, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@linked
def test_two_of_one_name(tmp_path):
    found = []
    for factor in (2, 3):
        folder = tmp_path / str(factor)
        folder.mkdir()
        library = ctypes.CDLL(str(written(folder, "it", lambda x, factor=factor: x * factor, floats(1))))
        result = (ctypes.c_float * 1)()
        assert library.it_run((ctypes.c_float * 1)(5), result, None) == 0
        found.append(result[0])
    assert found == [10, 15]


@linked
def test_a_network_that_was_a_file(tmp_path):
    net, x = NETWORKS["convnet"]()
    net.set_train(False)
    ms.export(net, x, file_name=tmp_path / "net", file_format="MINDIR")
    file = written(tmp_path, "net", nn.GraphCell(ms.load(tmp_path / "net.mindir")), x)
    run_elsewhere(tmp_path, [job(file, [x], arrays_of(net(x)))], [arrays_of(net(x))])


# -- what is written --------------------------------------------------------------------------------------------------


def test_names(tmp_path):
    def function(register, n, workspace):
        return register + n * workspace

    written(tmp_path, "my-net.2", function, *(floats(2) for _ in range(3)))
    header = (tmp_path / "my-net.2.h").read_text()
    given = ", ".join(f"const float *{name}_" for name in ("register", "n", "workspace"))
    assert f"int my_net_2_run({given}, float *output, void *workspace);" in header
    assert "#define MY_NET_2_WORKSPACE " in header and "#ifndef MY_NET_2_H" in header


def test_endings(tmp_path):
    for name in ("a.o", "b.h", "c.so", "d"):
        written(tmp_path, name, ops.relu, floats(2))
    made = {file.name for file in tmp_path.iterdir()}
    assert {f"{name}.{ending}" for name in "abcd" for ending in ("o", "h")} <= made


@pytest.mark.parametrize("linker", ["ld", None])
def test_without_a_compiler(tmp_path, monkeypatch, linker):
    tools = tmp_path / "tools"
    tools.mkdir()
    if linker is not None:
        found = shutil.which(linker)
        if found is None:
            pytest.skip("no ld")
        (tools / linker).symlink_to(found)
    monkeypatch.setenv("PATH", str(tools))
    x = floats(5)
    file = written(tmp_path, "it", ops.exp, x)
    assert (tmp_path / "it.o").exists() and (tmp_path / "it.h").exists() and file.exists() == (linker is not None)
    if linker is not None:
        run_elsewhere(tmp_path, [job(file, [x], arrays_of(ops.exp(x)))], [arrays_of(ops.exp(x))])


def test_a_linker_that_fails(tmp_path, monkeypatch):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "cc").write_text("#!/bin/sh\necho no room >&2\nexit 1\n")
    (tools / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/bin")
    with pytest.raises(OpRuntimeError, match="no room"):
        written(tmp_path, "it", ops.exp, floats(5))
    assert [file.name for file in tmp_path.iterdir()] == ["tools"]


@linked
def test_the_guide(tmp_path, monkeypatch):
    """The programs of docs/exchange.md, of Python and of C."""
    monkeypatch.chdir(tmp_path)
    [section] = re.findall(r"^## Without Python\n(.*?)^## ", (ROOT / "docs/exchange.md").read_text(), re.S | re.M)
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", section, re.S | re.M)
    assert [kind for kind, _ in blocks] == ["python", "c", "sh", "text", "py"]
    (exported, program, build, told, calling) = (text for _, text in blocks)
    scope = {"__name__": "guide"}
    exec(exported, scope)
    wanted = scope["net"](ops.ones((1, 1, 32, 32))).asnumpy()
    if shutil.which("cc"):
        (tmp_path / "main.c").write_text(program)
        done = subprocess.run(["sh", "-e", "-c", build], capture_output=True, text=True, check=True)
        assert len(done.stdout.split()) == len(told.split()) == 10
        np.testing.assert_allclose(np.array(done.stdout.split(), np.float32), wanted[0], atol=6e-5)
    exec(calling, scope)
    np.testing.assert_array_equal(np.array(scope["logits"][:], np.float32).reshape(1, 10), wanted)


@linked
def test_the_example(tmp_path, capsys):
    assert without_python.main(["--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.count("the same bits for 70 images") == 1 + bool(shutil.which("cc"))


# -- what is refused --------------------------------------------------------------------------------------------------


class Training(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(3), nn.Dropout(p=0.5)

    def construct(self, x):
        return self.drop(self.norm(x))


def _branch(x):
    return x * 2 if x.sum() > 0 else x


REFUSED = [
    (OpValueError, r"Training cannot be written as C\n  .*test_c_files.py:\d+, in .*construct: drop draws random numbers, "
     r"which go on from call to call\n(?s:.*)set_train\(False\)", Training().set_train(), (floats(4, 3),), {}),
    (OpValueError, "move_average: a write into an input or a weight", nn.BatchNorm1d(3).set_train(), (floats(4, 3),),
     {}),
    (OpValueError, "it goes on by what lies in a tensor\n  .*test_c_files.py", _branch, (floats(2),), {}),
    (OpValueError, "(?s)svd is computed by a library of Python", lambda x: ops.svd(x), (floats(2, 2),), {}),
    (OpValueError, "2 is a result, and no tensor", lambda x: (x, x.ndim), (floats(2, 2),), {}),
    (AnforaError, "nonzero", lambda x: ops.nonzero(x) * 2, (floats(3),), {}),
    (OpValueError, "`cpu` names no CPU that is known here: 'hasvell'(?s:.*)did you mean 'haswell'", ops.relu, (floats(2),),
     {"cpu": "hasvell"}),
    (OpValueError, "(?s)known here: 3.*there are x86-64-v4, ", ops.relu, (floats(2),), {"cpu": 3}),
    (OpValueError, "`batch_sizes` must be different positive numbers, but got", ops.relu, (floats(2),),
     {"batch_sizes": []}),
    (OpValueError, "`batch_sizes` must be", ops.relu, (floats(2),), {"batch_sizes": [1, 1]}),
    (OpValueError, "`batch_sizes` must be", ops.relu, (floats(2),), {"batch_sizes": 4}),
    (OpValueError, "the first input must be a tensor with axes", ops.relu, (Tensor(1.0),), {"batch_sizes": [1]}),
    (OpTypeError, "export has no option `opset_version` for C", ops.relu, (floats(2),), {"opset_version": 21}),
    (OpTypeError, "not containers of them", lambda pair: pair[0] + pair[1], ((floats(2), floats(2)),), {}),
]  # fmt: skip


@pytest.mark.skipif("haswell" not in CPUS, reason="names of x86-64")
@pytest.mark.parametrize(("kind", "told", "net", "inputs", "options"), REFUSED)
def test_refusals(tmp_path, kind, told, net, inputs, options):
    with pytest.raises(kind, match=told):
        written(tmp_path, "it", net, *inputs, **options)
    assert not list(tmp_path.iterdir())


def test_what_the_c_library_has_not(tmp_path, monkeypatch):
    monkeypatch.setattr(c_files, "LIBC", LIBC - {"malloc", "free"})
    with pytest.raises(OpValueError, match="its kernels need free, malloc, not in the C library"):
        written(tmp_path, "it", ops.relu, floats(2))
    monkeypatch.undo()
    monkeypatch.setattr(c_files, "_MOST_BYTES", 1000)
    with pytest.raises(OpValueError, match="weights cannot be written"):
        written(tmp_path, "it", *NETWORKS["lenet"]())
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(OpValueError, match="cannot be written: No such file"):
        written(tmp_path / "nowhere", "it", ops.relu, floats(2))


# -- operators --------------------------------------------------------------------------------------------------------


def sample_of(row: Row):
    """The first sample of a row that computes tensors from tensors: the call, and its tensors."""
    for sample in row.samples:
        arrays, call = _function(row.op, sample)
        if arrays:
            return call, [Tensor(a, ms.float32) if a.dtype == np.float64 else Tensor(a) for a in arrays]
    return None


@linked
@pytest.mark.filterwarnings(
    "ignore:a loss of outputs:anfora.AnforaWarning", "ignore:.* imaginary parts:anfora.AnforaWarning"
)
def test_operators(tmp_path):
    """Some rows of the op table, all families among them: what is written has the operator's bits."""
    jobs, expected = [], []
    for row in ROWS[::31]:
        found = sample_of(row)
        if found is None:
            continue
        call, tensors = found
        wanted = _results(call(*tensors))
        if not all(isinstance(each, Tensor) for each in wanted):
            continue
        try:
            file = written(tmp_path, f"of_{row.name}", call, *tensors)
        except AnforaError as error:
            assert "cannot be written" in str(error)
            continue
        expected.append(arrays_of(wanted))
        jobs.append(job(file, tensors, expected[-1]))
    assert len(jobs) > 10
    run_elsewhere(tmp_path, jobs, expected)


def test_an_error_on_the_way_leaves_nothing_that_crashes():
    """LLVM's modules must go before their context, also where both are garbage in a cycle: in a process of its own."""
    program = """
import gc, tempfile
import llvmlite.binding as llvm
import anfora as ms
from anfora import Tensor, nn

def fails(self, module):
    raise RuntimeError("no object")

llvm.TargetMachine.emit_object = fails
gc.disable()
net = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU())
for _ in range(6):
    try:
        ms.export(net, Tensor([[1.0, 2.0, 3.0, 4.0]]), file_name=tempfile.mkdtemp() + "/net", file_format="C")
    except RuntimeError as error:
        print(error)
    gc.collect()
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.count("no object") == 6, run.stderr
