"""Readers of files that somebody else has written, or damaged: one kind of error, with the file and the place."""

from __future__ import annotations

import pathlib
import sys
import time

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mutations import READERS, wrong

from anfora import load_checkpoint
from anfora.graph.ir import GraphError
from anfora.graph.ir.reading import read
from anfora.graph.tell import dumps
from anfora.interop.npy import read_npy
from anfora.tensor_expression import KernelError, from_json


@pytest.mark.parametrize("name", READERS)
@pytest.mark.filterwarnings("ignore")  # of what a kernel means, and of what numpy reads
def test_damaged_files(tmp_path, name):
    assert [(number, what) for number, _, what in wrong(name, tmp_path, 120)] == []


@pytest.mark.parametrize("name", READERS)
@pytest.mark.filterwarnings("ignore")
def test_right_files(tmp_path, name):
    reader = READERS[name]
    samples = reader.samples(tmp_path)
    if reader.read is None:
        for _, read in samples:
            read()
        return
    file = tmp_path / f"right{reader.ending}"
    file.write_bytes(samples[0])
    assert reader.read(file) is not None or name == "deepx"  # whose check gives nothing


@pytest.mark.parametrize(
    "data, message",
    [
        (
            b"\x0a\x08" + b"\x08\xff\xff\xff\xff\x0b\x12\x00",
            "at byte 2 expected bytes in field 1 of a value, but got a number",
        ),
        (b"\x0a\x04\x0a\x02\xc3\x28", "at byte 4 expected text in UTF-8, but got the byte 0xc3"),
        (b"\x0a\x03\x0a\x01w", "at byte 2 expected a name and a tensor, but got 'w' without a tensor"),
        (b"\x0a\x05\x0a\x09w", "at byte 0 expected 5 bytes in field 1 of a checkpoint, but got 3"),
        (b"\x0d1234", "at byte 0 expected numbers and bytes in a checkpoint, but got wire type 5"),
        (b"\x1a\x00", "at byte 0 expected a field of a checkpoint, but got field 3"),
        (b"\x80" * 12, "at byte 0 expected a number, but got none that ends"),
    ],
)
def test_a_damaged_ckpt_says_where(tmp_path, data, message):
    """The first of these took 3 GB: a number where bytes should be is how many zeros `bytes` makes."""
    file = tmp_path / "damaged.ckpt"
    file.write_bytes(data)
    with pytest.raises(ValueError) as error:
        load_checkpoint(file)
    assert str(file) in str(error.value) and message in str(error.value)


def _value(name, label, dims, content):
    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    tensor = b"".join(b"\x08" + n for n in dims) + field(2, label) + field(3, content)
    return field(1, field(1, name) + field(2, tensor))


@pytest.mark.parametrize(
    "data, message",
    [
        (_value(b"w", b"Float32", [b"\x02"], bytes(9)), "'w' should have 8 bytes, as Float32[2], but 9 are there"),
        (_value(b"w", b"V999999999", [b"\x01"], b""), "'w' has the element type 'V999999999', which is not known here"),
        (_value(b"w", b"Float32", [b"\xff" * 9 + b"\x01"], b""), "expected a shape, but got [-1]"),
        (_value(b"w", b"Float32", [b"\0", b"\x80" * 8 + b"\x40"], b""), "which no tensor can have"),
        (_value(b"w", b"str", [b"\0"], b"\xff" * 4), "'w' should be text in UTF-32"),
        (
            _value(b"w", b"Int8", [b"\x01"], b"a") + _value(b"w", b"Int8", [b"\x02"], b"b"),
            "another piece of 'w', Int8[1]",
        ),
    ],
)
def test_what_a_ckpt_says_must_fit(tmp_path, data, message):
    file = tmp_path / "damaged.ckpt"
    file.write_bytes(data)
    with pytest.raises(ValueError) as error:
        load_checkpoint(file)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "#" * 60 + "\x01",
        "subgraph @f(" + "# a  \n" * 60 + "\x01",
        "subgraph @f",
        "subgraph @f(%para1_x) { Return(" + "(" * 100_000,
        "subgraph @f(%para1_x) { %0 = f(1) : () -> (<null>, <null>) Return(%0) }",
        'subgraph @f(%para1_x : <Tensor[Float32, Float32], ()>) { Return("") }',
        'subgraph @f(%para1_x : <Tensor[Float32], ([])>) { Return("") }',
        'subgraph @f(%para1_x) span(1, 2, 3, 4, 5, 6) { Return("") }',
        'subgraph @"a\nb"(%para1_x) { Return("") }',
        "subgraph @f(%para1_x) { Return(" + "9" * 5000 + ") }",
        'subgraph @f(%para1_x) { Return(nan_bits("00")) }',
        "subgraph @f(%para1_x) { Return(complex(1" + "0" * 400 + ")) }",
    ],
)
def test_texts_of_graphs_that_took_for_ever_or_let_other_errors_through(text):
    began = time.perf_counter()
    with pytest.raises(GraphError, match="line"):
        read(text)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("reader, ending, error", [(dumps.read, "dat", GraphError), (from_json, "json", KernelError)])
def test_files_that_are_no_text(tmp_path, reader, ending, error):
    file = tmp_path / f"file.{ending}"
    file.write_bytes(b"abc\xff")
    with pytest.raises(error, match=r"not text in UTF-8.* at byte 3") as caught:
        reader(file)
    assert str(file) in str(caught.value)


def test_an_array_that_says_it_is_larger_than_its_file(tmp_path):
    file = tmp_path / "large.npy"
    np.save(file, np.zeros(4, np.float32))
    file.write_bytes(file.read_bytes().replace(b"(4,), }         ", b"(4000000000,), }"))
    assert b"4000000000" in file.read_bytes()
    with pytest.raises(ValueError, match=r"large\.npy"):
        read_npy(file)
