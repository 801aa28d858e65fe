"""Damaged files for every reader: right ones, changed by chance. A reader gives a value, or its one kind of error, soon.

`benchmarks/damaged_files.py` runs as many as one wants; the tests run a few.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
import io
import json
import pathlib
import random
import re
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import anfora
from anfora import Parameter, Tensor, load_checkpoint, nn, ops, save_checkpoint
from anfora.commands import manifest
from anfora.core.errors import AnforaError, OpValueError
from anfora.data.idx import DataError, read_idx
from anfora.deepx import DeepxError, check, parse
from anfora.graph.ir import GraphError
from anfora.graph.tell import dumps
from anfora.interop.npy import read_npy
from anfora.tensor_expression import KernelError, from_json, kernel
from anfora.train import state

TESTS = pathlib.Path(__file__).parents[1]
PATIENCE = 5.0  #: seconds; what is damaged takes no longer to read than what is right, which takes milliseconds


@dataclass
class Reader:
    """What reads files, the ending they have, right ones, and the one kind of error.

    Right ones are contents, or files in their places with what reads them there, each of which is damaged in turn.
    """

    read: Callable[[pathlib.Path], object] | None
    ending: str
    samples: Callable[[pathlib.Path], list[bytes] | list[Placed]]
    error: type[Exception]


#: A file, and what reads it with those around it.
Placed = tuple[pathlib.Path, Callable[[], object]]


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


def _lenet(folder: pathlib.Path) -> list[bytes]:
    file = folder / "sample.mindir"
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Dense(2 * 16, 2))
    anfora.export(net, ops.ones((2, 1, 4, 4)), file_name=file, file_format="MINDIR")
    return [file.read_bytes()]


def _indexes(folder: pathlib.Path) -> list[bytes]:
    save_checkpoint({"a": Tensor([1.0]), "b": Tensor([2])}, folder / "part.safetensors")
    return [json.dumps({"metadata": {"total_size": 8}, "weight_map": dict.fromkeys("ab", "part.safetensors")}).encode()]


def _states(folder: pathlib.Path) -> list[bytes]:
    held = {
        "epoch": 3,
        ("a", 1): [1.5, None, "größe"],
        "w": Tensor([[1.0, 2.0]]),
        "n": np.arange(4),
        "s": np.float32(1),
    }
    return [state.to_bytes({"version": state.VERSION, **held})]


def _manifests(folder: pathlib.Path) -> list[bytes]:
    file = folder / "sample.json"
    manifest.write(file, {name: {"100": "abc"} if name == "digests" else {} for name in manifest._NEEDED})
    return [file.read_bytes()]


def _mindrecords(folder: pathlib.Path) -> list[Placed]:
    """A file and its index, of rows with several blobs, with one, and with none."""
    from anfora.mindrecord import FileReader, FileWriter

    kinds: dict[str, dict[str, object]] = {
        "word": {"type": "string"}, "count": {"type": "int32"}, "mean": {"type": "float64"}, "data": {"type": "bytes"},
        "grid": {"type": "int32", "shape": [2, 3]},
    }  # fmt: skip
    row = {"word": "größe", "count": -70_000, "mean": 0.5, "data": b"abc", "grid": np.arange(6, dtype=np.int32) * 99}
    found: list[Placed] = []
    for names in (list(kinds), ["word", "grid"], ["count", "mean"]):
        file = folder / f"sample{len(names)}{names[-1]}.mindrecord"
        writer = FileWriter(str(file), overwrite=True)
        writer.set_header_size(1 << 14)
        writer.set_page_size(1 << 15)
        writer.add_schema({name: kinds[name] for name in names})
        writer.write_raw_data([{name: row[name] for name in names}] * 3)
        writer.commit()
        read = functools.partial(lambda file: list(FileReader(str(file)).get_next()), file)
        found += [(file, read), (pathlib.Path(f"{file}.db"), read)]
    return found


def _examples(folder: pathlib.Path) -> list[Placed]:
    """Records, plain, packed, with a checksum that is right for what is damaged, and with a schema."""
    import anfora.dataset as ds
    from anfora.dataset.tfrecord import masked_crc

    def field(number: int, data: bytes) -> bytes:
        return bytes([number << 3 | 2, len(data)]) + data

    numbers, floats, words = (
        b"\x01\xff\x01",
        struct.pack("<2f", 1.5, -2),
        field(1, b"word") + field(1, "größe".encode()),
    )
    held = (("n", 3, field(1, numbers)), ("f", 2, field(1, floats)), ("b", 1, words))
    example = field(1, b"".join(field(1, field(1, n.encode()) + field(2, field(k, of))) for n, k, of in held))

    def framed(data: bytes) -> bytes:
        length = struct.pack("<Q", len(data))
        return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))

    def rows(file: pathlib.Path, **more: object) -> list[object]:
        return list(ds.TFRecordDataset(str(file), shuffle=False, **more).create_dict_iterator(1, output_numpy=True))

    plain, packed, inner, schema = (folder / f"sample.{end}" for end in ("tfrecord", "gz", "example", "schema"))
    plain.write_bytes(framed(example) * 3)
    packed.write_bytes(gzip.compress(framed(example), mtime=0))
    inner.write_bytes(example)
    columns = {"n": {"type": "int64", "shape": [2]}, "b": {"type": "string"}, "f": {"type": "float32", "rank": 1}}
    schema.write_text(json.dumps({"datasetType": "TF", "numRows": 3, "columns": columns}))

    def of_inner() -> list[object]:
        around = folder / "around.tfrecord"
        around.write_bytes(framed(inner.read_bytes()))
        return rows(around)

    return [
        (plain, lambda: rows(plain)),
        (packed, lambda: rows(packed, compression_type="GZIP")),
        (inner, of_inner),
        (schema, lambda: rows(plain, schema=str(schema))),
    ]


def _tables(folder: pathlib.Path) -> list[Placed]:
    """Files of rows, words and vectors, one each."""
    import anfora.dataset as ds
    from anfora.dataset import text

    def rows(kind: Callable[..., ds.Dataset], **more: object) -> Callable[[pathlib.Path], object]:
        return lambda file: list(kind(str(file), shuffle=False, **more).create_dict_iterator(1, output_numpy=True))

    chinese = json.loads((TESTS / "dataset" / "chinese.json").read_text("utf-8"))
    model, words = folder / "model.utf8", folder / "dictionary.utf8"
    model.write_text(chinese["model"], "utf-8")
    frequencies = list(chinese["dictionary"].items())[:8]
    words.write_text("".join(f"{word} {frequency} n\n" for word, frequency in frequencies), "utf-8")

    def cutter(_: pathlib.Path) -> text.JiebaTokenizer:
        return text.JiebaTokenizer(str(model), str(words))

    clue = {"id": 1, "sentence1": "ab", "sentence2": "größe", "label": "0"}
    held: list[tuple[str, str, Callable[[pathlib.Path], object]]] = [
        ("lines.txt", "one\ngröße\n\nthree", rows(ds.TextFileDataset)),
        ("rows.csv", 'a,b\n1,2.5\n3,"x,y"\n', rows(ds.CSVDataset)),
        ("numbers.csv", "1,2.5\n3,4\n", rows(ds.CSVDataset, column_names=["a", "b"], column_defaults=[0, 0.0])),
        ("clue.json", f"{json.dumps(clue)}\n" * 2, rows(ds.CLUEDataset, task="AFQMC", usage="train")),
        ("words.txt", "one\nzwölf,12\nthree\n", lambda file: text.Vocab.from_file(str(file), ",")),
        ("glove.1.txt", "one 1 2.5 3\nzwölf 4 5e3 6\n", lambda file: text.GloVe.from_file(str(file))),
        ("words.vec", "2 3\none 1 2.5 3\nzwölf 4 5 6\n", lambda file: text.FastText.from_file(str(file))),
        ("more.utf8", "杭研 10\n\n明月\n", lambda file: cutter(file).add_dict(str(file))),
        (
            "config.json",
            '{"seed": 3, "numParallelWorkers": 2, "prefetchSize": 4}',
            lambda file: ds.config.load(str(file)),
        ),
    ]
    found: list[Placed] = []
    for name, content, read in held:
        file = folder / name
        file.write_text(content, "utf-8")
        found.append((file, functools.partial(read, file)))
    return [*found, *((file, functools.partial(cutter, file)) for file in (model, words))]


def _folders(folder: pathlib.Path) -> list[Placed]:
    """Small folders of well-known datasets, of which one file at a time is damaged."""
    import anfora.dataset as ds

    sys.path.insert(0, str(TESTS / "dataset"))
    import known_files

    def read(name: str, given: dict[str, object], place: pathlib.Path) -> object:
        return known_files.told(known_files.opened(ds, name, given, place))

    found: list[Placed] = []
    for number, (name, given) in enumerate(known_files.CASES):
        place = folder / f"folder{number}"
        place.mkdir()
        known_files.FOLDERS[name.removesuffix("Dataset")](place)
        files = sorted(file for file in place.rglob("*") if file.is_file() and file.stat().st_size < 100_000)
        chosen = files[:: max(1, len(files) // 8)]
        found += [(file, functools.partial(read, name, given, place)) for file in chosen]
    return found


def _images(folder: pathlib.Path) -> list[Placed]:
    from anfora.dataset import vision

    sys.path.insert(0, str(TESTS / "dataset"))
    import known_files

    found: list[Placed] = []
    for ending in ("png", "jpg", "bmp"):
        file = folder / f"sample.{ending}"
        known_files.picture(file, 3)
        found += [
            (file, functools.partial(vision.read_image, str(file))),
            (file, functools.partial(lambda file: vision.Decode()(np.fromfile(file, np.uint8)), file)),
            (file, functools.partial(lambda file: vision.Decode(to_pil=True)(np.fromfile(file, np.uint8)), file)),
        ]
    for _, read in found:
        read()  # what takes long is done: libraries are loaded
    return found


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
    "mindir": Reader(anfora.load, ".mindir", _lenet, OpValueError),
    "indexes of weights": Reader(load_checkpoint, ".safetensors.index.json", _indexes, OpValueError),
    "states of trainings": Reader(lambda file: state.from_bytes(file.read_bytes()), ".json", _states, OpValueError),
    "manifests": Reader(manifest.read, ".json", _manifests, manifest.ManifestError),
    "MindRecord": Reader(None, "", _mindrecords, AnforaError),
    "TFRecord": Reader(None, "", _examples, AnforaError),
    "tables": Reader(None, "", _tables, AnforaError),
    "folders of datasets": Reader(None, "", _folders, AnforaError),
}

if importlib.util.find_spec("cv2") and importlib.util.find_spec("PIL"):
    READERS["images"] = Reader(None, "", _images, AnforaError)

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
            start = chance.randrange(len(other) or 1)
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
    numbers = list(re.finditer(rb"[0-9]+", data))
    if numbers:
        at, until = chance.choice(numbers).span()
        data[chance.randrange(at, until) : until] = chance.choice(_NUMBERS)


def wrong(name: str, folder: pathlib.Path, count: int, seed: int = 0) -> Iterator[tuple[int, bytes, str]]:
    """Of so many damaged files those that a reader does not deal with: number, content, what it did."""
    reader = READERS[name]
    samples = reader.samples(folder)
    file = folder / f"damaged{reader.ending}"
    for number in range(seed, seed + count):
        chance = random.Random(number)
        if reader.read is None:
            file, read = chance.choice(samples)
            right = file.read_bytes()
            data = damaged(chance, [right])
        else:
            read, right = functools.partial(reader.read, file), b""
            data = damaged(chance, samples)
        file.write_bytes(data)
        began = time.perf_counter()
        try:
            read()
        except reader.error as error:
            if not str(error):
                yield number, data, "an error without words"
        except Exception as error:
            yield number, data, f"{type(error).__name__}: {error}"[:200]
        took = time.perf_counter() - began
        file.write_bytes(right)
        if took > PATIENCE:
            yield number, data, f"took {took:.1f} s"


assert ops  # operators are known by name to the readers
