"""Damaged files for every reader: right ones, changed by chance. A reader gives a value, or its one kind of error, soon.

`benchmarks/damaged_files.py` runs as many as one wants; the tests run a few.
"""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import pathlib
import random
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import anfora
from anfora import Parameter, Tensor, load_checkpoint, nn, ops, save_checkpoint
from anfora.core.errors import OpValueError
from anfora.data.idx import DataError, read_idx
from anfora.deepx import DeepxError, check, parse
from anfora.graph.ir import GraphError
from anfora.graph.tell import dumps
from anfora.interop.npy import read_npy
from anfora.tensor_expression import KernelError, from_json, kernel

TESTS = pathlib.Path(__file__).parents[1]
PATIENCE = 5.0  #: seconds; what is damaged takes no longer to read than what is right, which takes milliseconds


@dataclass
class Reader:
    """What reads files, the ending they have, right ones, and the one kind of error."""

    read: Callable[[pathlib.Path], object]
    ending: str
    samples: Callable[[pathlib.Path], list[bytes]]
    error: type[Exception]


def _checkpoints(ending: str) -> Callable[[pathlib.Path], list[bytes]]:
    def make(folder: pathlib.Path) -> list[bytes]:
        tensors = {
            "weight": Parameter(np.arange(6, dtype=np.float32).reshape(2, 3), name="weight"),
            "half": Tensor([1, 2, 3], anfora.bfloat16),
            "größe": Tensor(7),
            "empty": Tensor(np.zeros((0, 4), np.int64)),
        }
        found = []
        for names in (("weight",), ("half", "empty"), tuple(tensors)):
            file = folder / f"sample{ending}"
            extra = {"epoch": 3, "rate": 0.5, "done": True, "name": "größe"}
            save_checkpoint({name: tensors[name] for name in names}, file, append_dict=extra, crc_check=len(names) == 1)
            found.append(file.read_bytes())
        return found

    return make


def _arrays(folder: pathlib.Path) -> list[bytes]:
    found = []
    for array in (np.arange(6.0).reshape(2, 3), np.array(True), np.asfortranarray(np.ones((3, 2), np.int8))):
        file = io.BytesIO()
        np.save(file, array)
        found.append(file.getvalue())
    file = io.BytesIO()
    np.savez(file, a=np.ones(3), b=np.zeros(2))
    return [*found, file.getvalue()]


def _idx(folder: pathlib.Path) -> list[bytes]:
    labels = b"\0\0\x08\x01" + struct.pack(">I", 5) + bytes(range(5))
    images = b"\0\0\x08\x03" + struct.pack(">3I", 2, 3, 3) + bytes(18)
    return [labels, images, gzip.compress(labels, mtime=0), gzip.compress(images, mtime=0)]


def _deepx(folder: pathlib.Path) -> list[bytes]:
    lenet = (TESTS / "deepx" / "lenet.deepx").read_bytes()
    short = b"""argset@int32 2 3->v1 // id=7 a shape
newtensor@float32 v1->t1
newtensor@float32 v1->t2
add@float32 t1 t2->t3
mul@float32 t1(t1g) t3(t3g)<-t4(t4g)
argset@int32 1 -0x2 +5->v2
concat@float32 [1 2 3.5e3] t1 a1->t5
"""
    right = b"\n".join(short.splitlines()[:3])
    return [right, short, lenet, b"\n".join(lenet.splitlines()[:20])]


def _kernels(folder: pathlib.Path) -> list[bytes]:
    sys.path.insert(0, str(TESTS / "tensor_expression"))
    from cases import EXAMPLES

    return [json.dumps(example.case, indent=1).encode() for example in EXAMPLES]


def _kernel_texts(folder: pathlib.Path) -> list[bytes]:
    return [json.loads(case)["kernel"].encode() for case in _kernels(folder)]


def _graphs(folder: pathlib.Path) -> list[bytes]:
    sys.path.insert(0, str(TESTS / "graph"))
    import graph_programs

    from anfora.graph.ir.text import complete, readable

    found = [complete(make(), []).encode() for make in graph_programs.ALL]
    found.append(readable(graph_programs.ALL[0]()).encode())
    found.append(
        b'subgraph @"f g"~2 parent: [subgraph @h] (%para1_x : <Tensor[Float32], (2, 3)>, %para2) span("a", 1, 2, None, 3,'
        b' "g") { %0("y z") = call ops.add(%para1_x, Tensor(shape=(2), dtype=Float32, data="AAAAAAAAAAA=")) : '
        b"(<null>, <Tuple[<Int, NoShape>]>) -> (<Bool, NoShape>)\n # words\n"
        b' %1 = make_tuple(range(1, 2), slice(1, None), bytes("00ff"), nan_bits("7ff8000000000001"), complex("1j"), inf,'
        b' -0x1f, 1.5e-3, "te\\"xt", [1, 2], GradOperation(True, False, True)) Return(%1) }'
    )
    return found


def _onnx(folder: pathlib.Path) -> list[bytes]:
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Dense(2 * 16, 2))
    file = folder / "sample.onnx"
    found = []
    for program, inputs in (
        (net, [ops.ones((2, 1, 4, 4))]),
        (lambda x, i: (ops.gather(x, i, 0).sum(1), x.reshape(-1)), [ops.ones((3, 4)), Tensor([0, 2])]),
        (nn.LSTM(3, 2), [ops.ones((2, 1, 3))]),
    ):
        anfora.export(program, *inputs, file_name=file, file_format="ONNX", dynamic_axes={})
        found.append(file.read_bytes())
    return found


def _read_onnx(file: pathlib.Path) -> object:
    from anfora.onnx import load

    return load(file)


def _read_deepx(file: pathlib.Path) -> object:
    text = file.read_bytes().decode("utf-8", "replace")  # the command line refuses what is no text
    parse(text, "free")
    return check(text)


def _read_kernel(file: pathlib.Path) -> object:
    kernel = from_json(file)
    return kernel.ir(), kernel.c_source()


def _read_kernel_text(file: pathlib.Path) -> object:
    made = kernel(file.read_bytes().decode("utf-8", "replace"))
    return made.ir(), made.grad_ir()


def _by_torch(*names: str) -> Callable[[pathlib.Path], list[bytes]]:
    return lambda _: [(TESTS / "interop" / "by_torch" / name).read_bytes() for name in names]


READERS = {
    "ckpt": Reader(lambda file: load_checkpoint(file, crc_check=True), ".ckpt", _checkpoints(".ckpt"), OpValueError),
    "safetensors": Reader(load_checkpoint, ".safetensors", _checkpoints(".safetensors"), OpValueError),
    "torch's archives": Reader(load_checkpoint, ".pt", _by_torch("many.pt", "many4.pt", "nested.pt"), OpValueError),
    "torch's older files": Reader(load_checkpoint, ".pth", _by_torch("many.pth"), OpValueError),
    "npy": Reader(read_npy, ".npy", _arrays, OpValueError),
    "idx": Reader(read_idx, ".idx", _idx, DataError),
    "deepx": Reader(_read_deepx, ".deepx", _deepx, DeepxError),
    "tensor expressions": Reader(_read_kernel, ".json", _kernels, KernelError),
    "kernel texts": Reader(_read_kernel_text, ".txt", _kernel_texts, KernelError),
    "MindIR": Reader(dumps.read, ".dat", _graphs, GraphError),
}

if importlib.util.find_spec("onnx"):
    READERS["ONNX"] = Reader(_read_onnx, ".onnx", _onnx, OpValueError)

_SPECIAL = (b"\0", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff" * 9, b"\x00" * 8, b"\n", b"\\", b"\xc3", b"\xed\xa0\x80")
_REPEATED = (b"(", b"[", b"{", b'"', b"#", b"-", b"9", b" ", b"\n", b"\\", b"[[", b'{"a":', b"<", b"\xff", b"\0", b"# ")
_NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"4294967296",
    b"9223372036854775808",
    b"1e999",
    b"nan",
    b"1" + b"0" * 40,
    b"0.5",
    b"true",
)
_WORDS = (
    b"null",
    b"{}",
    b"[]",
    b'""',
    b"None",
    b"Tensor",
    b"shape",
    b"dtype",
    b"float32",
    b"@f",
    b"%0",
    b"Return",
    b"'",
)


def damaged(chance: random.Random, samples: list[bytes]) -> bytes:
    """A sample with one to four changes."""
    data = bytearray(chance.choice(samples))
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        at = chance.randrange(len(data) + 1)
        until = min(len(data), at + chance.choice((1, 1, 2, 4, 8, 30)))
        kind = chance.randrange(12)
        if kind == 0:
            data[at:until] = chance.randbytes(until - at)
        elif kind == 1:
            del data[at:until]
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            data[at:at] = data[at:until]
        elif kind == 4:
            data[at:until] = chance.choice(_SPECIAL)
        elif kind == 5:
            data[at:at] = chance.choice(_REPEATED) * chance.choice((2, 30, 300, 5_000))
        elif kind == 6:
            data[at:until] = chance.choice(_NUMBERS)
        elif kind == 7:
            data[at:at] = chance.choice(_WORDS)
        elif kind == 8:
            other = chance.choice(samples)
            start = chance.randrange(len(other))
            data[at:until] = other[start : start + chance.choice((1, 4, 20, 100))]
        elif kind == 9 and data:
            data[min(at, len(data) - 1)] ^= 1 << chance.randrange(8)
        elif kind == 10:
            _change_number(chance, data)
        else:
            start = chance.randrange(len(data) + 1)
            data[at:at] = data[start : start + chance.choice((1, 4, 20, 100))]
    return bytes(data)


def _change_number(chance: random.Random, data: bytearray) -> None:
    """Put another number where one stands in a text."""
    places = [i for i, byte in enumerate(data) if chr(byte).isdigit()]
    if places:
        at = until = chance.choice(places)
        while until < len(data) and chr(data[until]).isdigit():
            until += 1
        data[at:until] = chance.choice(_NUMBERS)


def wrong(name: str, folder: pathlib.Path, count: int, seed: int = 0) -> Iterator[tuple[int, bytes, str]]:
    """Of so many damaged files those that a reader does not deal with: number, content, what it did."""
    reader = READERS[name]
    samples = reader.samples(folder)
    file = folder / f"damaged{reader.ending}"
    for number in range(seed, seed + count):
        data = damaged(random.Random(number), samples)
        file.write_bytes(data)
        began = time.perf_counter()
        try:
            reader.read(file)
        except reader.error as error:
            if not str(error):
                yield number, data, "an error without words"
        except Exception as error:
            yield number, data, f"{type(error).__name__}: {error}"[:200]
        took = time.perf_counter() - began
        if took > PATIENCE:
            yield number, data, f"took {took:.1f} s"


assert ops  # operators are known by name to the readers
