"""Files of torch: what they hold, and that nothing they hold is run."""

from __future__ import annotations

import io
import os
import pathlib
import pickle
import struct
import sys
import zipfile
from encodings import cp437  # which the names in archives need: imports are watched below

import numpy as np
import pytest

import anfora as ms
from anfora import load_checkpoint
from anfora.interop import torch_files, torch_pickle

HERE = pathlib.Path(__file__).parent / "by_torch"
assert cp437


@pytest.mark.parametrize("file", ["many.pt", "many.pth", "many4.pt"])
def test_every_kind_of_tensor_that_torch_writes(file):
    found = load_checkpoint(HERE / file)
    wanted = {
        "epoch": (ms.int64, 7), "transposed": (ms.float32, [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]),
        "scalar": (ms.float64, 2.5), "part": (ms.int32, [2, 5]), "empty": (ms.float32, []),
        "parameter": (ms.float32, [1, 1]),
        "bfloat16": (ms.bfloat16, [1.5, -2.0]), "half": (ms.float16, [0.5, -4.0]), "bools": (ms.bool_, [True, False]),
        "bytes": (ms.uint8, [0, 255]), "int8": (ms.int8, [-128, 127]), "int16": (ms.int16, [-2, 2]),
        "int64": (ms.int64, [2**40]), "uint16": (ms.uint16, [1, 65535]),
    }  # fmt: skip
    assert {name: (value.dtype, value.tolist()) for name, value in found.items()} == wanted
    assert found["empty"].shape == (0, 3)
    found["part"][0] = 9  # memory of its own
    assert load_checkpoint(HERE / file)["part"].tolist() == [2, 5]


def test_complex_numbers():
    [(_, value)] = load_checkpoint(HERE / "complex.pt").items()
    assert value.dtype is ms.complex64 and value.tolist() == [1, 1]


def test_names_in_nested_containers_are_paths():
    found = load_checkpoint(HERE / "nested.pt")
    assert {name: value.tolist() for name, value in found.items()} == {
        "0": 2.5, "1.a": [-128, 127], "1.b.c": [0.5, -4.0],
    }  # fmt: skip


@pytest.mark.parametrize(
    "file, words",
    [
        ("module.pt", r"'torch.nn.modules.linear.Linear'[^$]*state_dict"),
        ("turned.pt", "conjugated or negative[^$]*resolve_conj"),
        ("script.pt", "TorchScript"),
    ],
)
def test_what_is_no_tensor_is_refused_in_words(file, words):
    with pytest.raises(ValueError, match=words) as error:
        load_checkpoint(HERE / file)
    assert file in str(error.value)


def test_a_file_is_known_by_its_beginning(tmp_path):
    (tmp_path / "model.ckpt").write_bytes((HERE / "nested.pt").read_bytes())
    assert load_checkpoint(tmp_path / "model.ckpt")["0"].item() == 2.5
    (tmp_path / "weights").write_bytes((HERE / "many.pth").read_bytes())
    assert load_checkpoint(tmp_path / "weights", format="torch")["scalar"].item() == 2.5


# -- a writer of archives, by the form of the files -------------------------------------------------------------------


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def whole(n):
    return b"J" + struct.pack("<i", n) if -(2**31) <= n < 2**31 else b"\x8a\x09" + n.to_bytes(9, "little", signed=True)


def tensor(key="0", count=4, offset=0, shape=(4,), strides=(1,), storage="FloatStorage", more=b""):
    """The instructions for a tensor."""
    place = (
        b"(" + text("storage") + f"ctorch\n{storage}\n".encode() + text(key) + text("cpu") + whole(count) + more + b"tQ"
    )
    axes = [b"(" + b"".join(map(whole, values)) + b"t" for values in (shape, strides)]
    rest = whole(offset) + axes[0] + axes[1] + b"\x89ccollections\nOrderedDict\n)Rt"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + place + rest + b"R"


def named(body):
    return b"\x80\x02}" + text("w") + body + b"s."


def archive(program, entries=None, compression=zipfile.ZIP_STORED, folder="archive"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as out:
        out.writestr(f"{folder}/data.pkl", program)
        for name, content in (entries or {"data/0": np.arange(4, dtype="<f4").tobytes()}).items():
            out.writestr(f"{folder}/{name}", content)
    return file.getvalue()


def test_the_writer_writes_what_is_read():
    [(dtype, array)] = torch_files.read(archive(named(tensor()))).values()
    assert dtype is ms.float32 and array.tolist() == [0, 1, 2, 3]
    turned = archive(
        named(tensor(shape=(2, 2), strides=(1, 2))),
        {"data/0": np.arange(4, dtype=">f4").tobytes(), "byteorder": b"big"},
    )
    assert torch_files.read(turned)["w"][1].tolist() == [[0, 2], [1, 3]]


# -- files that would do something ------------------------------------------------------------------------------------


class Call:
    """Pickles as a call."""

    def __init__(self, function, *given):
        self.call = function, given

    def __reduce__(self):
        return self.call


def evil(folder, protocol=2):
    return pickle.dumps({"w": Call(os.mkdir, folder)}, protocol)


def by_opcodes(folder):
    """The same call in every form that pickles have for one."""
    given, name = text(folder), f"{os.mkdir.__module__}\nmkdir\n".encode()
    return {
        "GLOBAL, REDUCE": b"\x80\x02c" + name + b"(" + given + b"tR.",
        "INST": b"\x80\x02(" + given + b"i" + name + b".",
        "OBJ": b"\x80\x02(c" + name + given + b"o.",
        "STACK_GLOBAL": b"\x80\x04" + text(os.mkdir.__module__) + text("mkdir") + b"\x93(" + given + b"tR.",
        "a dotted name": b"\x80\x04" + text("os") + text("path.os.mkdir") + b"\x93(" + given + b"tR.",
        "from the memo": b"\x80\x02c" + name + b"q\x00" + b"0h\x00(" + given + b"tR.",
        "getattr": b"\x80\x02cbuiltins\ngetattr\n(cos\npath\n" + text("os") + b"tR0cos\nmkdir\n(" + given + b"tR.",
        "eval": b"\x80\x02cbuiltins\neval\n(" + text(f"__import__('os').mkdir({folder!r})") + b"tR.",
        "exec": b"\x80\x02cbuiltins\nexec\n(" + text(f"__import__('os').mkdir({folder!r})") + b"tR.",
        "in the state of an object": b"\x80\x02ccollections\nOrderedDict\n)R}" + text("x") + b"c" + name
        + b"(" + given + b"tRsb.",
        "as a key": b"\x80\x02}c" + name + b"(" + given + b"tRNs.",
        "behind what is right": b"\x80\x02}" + text("w") + b"N" + b"s0c" + name + b"(" + given + b"tR.",
        "partial": b"\x80\x02cfunctools\npartial\n(c" + name + given + b"tR)R.",
        "pickle in a pickle": b"\x80\x02c_pickle\nloads\n(" + b"C" + bytes([len(evil(folder))]) + evil(folder) + b"tR.",
        "TUPLE1": b"\x80\x02c" + name + given + b"\x85R.",
    }  # fmt: skip


TRICKS = list(by_opcodes("x"))


@pytest.mark.parametrize("trick", TRICKS)
def test_no_code_of_a_file_is_run(tmp_path, trick):
    folder = tmp_path / "done"
    program = by_opcodes(str(folder))[trick]
    pickle.loads(program)  # Python's reader does it
    assert folder.is_dir()
    folder.rmdir()
    before = set(sys.modules)
    magic, version, machine = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", b"\x80\x02M\xe9\x03.", b"\x80\x02}."
    forms = {
        "archive.pt": archive(program),
        "in_a_dict.pt": archive(b"\x80\x02}" + text("w") + program[2:-1] + b"s."),
        "older.pth": magic + version + machine + program + b"\x80\x02].",
        "machine.pth": magic + version + program + b"\x80\x02}.\x80\x02].",
        "keys.pth": magic + version + machine + b"\x80\x02}." + program,
    }
    for name, data in forms.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match="at byte"):
            load_checkpoint(tmp_path / name)
    assert not folder.exists() and set(sys.modules) == before


#: Functions that files for an attack are known to name, of Python, numpy and torch.
NAMES = """
    os.system posix.system nt.system subprocess.Popen subprocess.check_output builtins.__import__ builtins.open
    builtins.compile builtins.getattr builtins.setattr __builtin__.eval __builtin__.apply builtins.breakpoint
    importlib.import_module runpy._run_code pty.spawn socket.create_connection webbrowser.open types.FunctionType
    types.CodeType marshal.loads ctypes.CDLL operator.attrgetter operator.methodcaller functools.reduce
    functools.partial pickle.loads _pickle.Unpickler dill._dill._create_function cloudpickle.loads
    code.InteractiveInterpreter timeit.timeit pip.main shutil.rmtree logging.config.dictConfig numpy.load
    numpy.core.multiarray._reconstruct numpy.testing._private.utils.runstring torch.load torch.hub.load
    torch.storage._load_from_bytes torch.jit.load torch._utils._import_dotted_name torch.Storage
    torch.serialization.load torch.utils.data.DataLoader torch.fx.graph_module.reduce_graph_module
    torch._dynamo.optimize torch.nn.modules.linear.Linear collections.defaultdict collections.OrderedDict.__init__
    torch.Tensor.__setstate__ torch._utils._rebuild_tensor_v2.__globals__ torch._utils.__builtins__
    anfora.core.tensor.Tensor __main__.Model
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_what_is_not_on_the_list_is_not_even_imported(name):
    module, _, function = name.rpartition(".")
    before = set(sys.modules)
    for program in (
        f"\x80\x02c{module}\n{function}\n(tR.".encode("latin1"),
        b"\x80\x04" + text(module) + text(function) + b"\x93)R.",
    ):
        with pytest.raises(ValueError, match="is none of what tensors and containers are made of"):
            torch_pickle.read(program)
    assert set(sys.modules) == before


def nested(count):
    return b"\x80\x02N" + b"\x85" * count


#: Programs that ask for more than they are, or for what is not there.
WRONG = {
    "a key that is hashed as deep as it goes": b"\x80\x02}" + nested(200_000)[2:] + b"Ns.",
    "a set of such": b"\x80\x04\x8f(" + nested(200_000)[2:] + b"\x90.",
    "the same, by a call": b"\x80\x02c__builtin__\nset\n](" + nested(200_000)[2:] + b"e\x85R.",
    "containers as deep": b"\x80\x02]" + nested(200_000)[2:] + b"a.",
    "laughs": b"\x80\x02]q\x00" + b"".join(b"](h%ch%ceq%c" % (i, i, i + 1) for i in range(40)) + b".",
    "a memo for all of memory": b"\x80\x02Nr\xff\xff\xff\x7fj\xfe\xff\xff\x7f.",
    "a text without an end": b"\x80\x02X\xff\xff\xff\x7fabc.",
    "a long text": b"\x80\x04\x8d" + b"\xff" * 8 + b"abc.",
    "a protocol to come": b"\x80\x09N.",
    "a value from nowhere": b"\x80\x02h\x07.",
    "an empty stack": b"\x80\x02.",
    "a stack that is not": b"\x80\x02\x85.",
    "two values": b"\x80\x02NN.",
    "a mark as a value": b"\x80\x02(.",
    "a mark in a tuple": b"\x80\x02(\x85.",
    "no end": b"\x80\x02N",
    "a call of a number": b"\x80\x02K\x05)R.",
    "a call of a text": b"\x80\x02" + text("os.system") + b")R.",
    "a call of a storage": named(b"ctorch\nFloatStorage\n)R"),
    "a call of a type": named(b"ctorch\nfloat32\n)R"),
    "a dict with what it should hold": b"\x80\x02ccollections\nOrderedDict\n]\x85R.",
    "a rebuilder of a type that is none": named(b"ctorch._tensor\n_rebuild_from_type_v2\n(cbuiltins\neval\nNNNtR"),
    "a rebuilder of itself": named(
        b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._tensor\n_rebuild_from_type_v2\nN)NtR"
    ),
    "a state for a word": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}" + text("__code__") + b"Nsb.",
    "a state for a number": b"\x80\x02K\x01}b.",
    "attributes for a class": b"\x80\x02ccollections\nOrderedDict\nN}" + text("__init__") + b"Ns\x86b.",
    "an extension by its number": b"\x80\x02\x82\x01.",
    "another encoding": named(b"c_codecs\nencode\n" + text("x") + text("rot13") + b"\x86R"),
    "a new object": b"\x80\x02ccollections\nOrderedDict\n)\x81.",
    "persistent by a line": b"\x80\x02Pos.system\n.",
    "persistent, and no storage": named(text("storage") + b"\x85Q"),
    "a module as a storage": named(
        b"(" + text("module") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + b"K\x04tQ"
    ),
    "elements behind the end": named(tensor(offset=1)),
    "elements in front of the beginning": named(tensor(offset=-1)),
    "backwards": named(tensor(offset=3, strides=(-1,))),
    "a stride out of memory": named(tensor(shape=(2,), strides=(2**61,))),
    "a shape out of memory": named(tensor(shape=(2**40, 2**40), strides=(0, 0))),
    "one element again and again": named(tensor(shape=(10**9,), strides=(0,))),
    "more axes than strides": named(tensor(shape=(2, 2))),
    "a length that is no number": named(tensor().replace(b"J\4\0\0\0t(", b"Nt(")),
    "more elements than the storage has": named(tensor(count=2**40, shape=(2**40,))),
    "a storage that is not there": named(tensor(key="7")),
    "a path": named(tensor(key="../../../etc/hostname")),
    "no storage at all": named(tensor(storage="../../x")),
    "bytes without a type": named(tensor(storage="_utils._rebuild_tensor_v2")),
    "a view of a storage": named(tensor(more=b"(" + text("1") + b"K\x00K\x02t")),
    "one name for two": b"\x80\x02}(" + text("a.b") + tensor() + text("a") + b"}" + text("b") + tensor() + b"su.",
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_asks_for_more_than_is_there_is_refused(tmp_path, what):
    file = tmp_path / "wrong.pt"
    file.write_bytes(archive(WRONG[what]))
    with pytest.raises(ValueError) as error:
        load_checkpoint(file)
    assert str(file) in str(error.value) and len(str(error.value)) < 2000


def test_archives_that_are_not_torchs_are_refused(tmp_path):
    right = named(tensor())
    broken = bytearray(archive(right))
    broken[broken.index(np.arange(4, dtype="<f4").tobytes()) + 5] ^= 1
    two = io.BytesIO(archive(right))
    with zipfile.ZipFile(two, "a") as out:
        out.writestr("another/data.pkl", right)
    for data, words in (
        (archive(right, {"data/0": bytes(10**7)}, zipfile.ZIP_DEFLATED), "compress"),
        (two.getvalue(), "one data.pkl"),
        (archive(right)[:-30], "archive"),
        (bytes(broken), "damaged"),
        (archive(right, {"data/0": b"1234"}), "16 bytes"),
        (b"PK\x03\x04" + bytes(50), "archive"),
        (archive(named(b"(" + b"".join(tensor(offset=i % 2, shape=(3,)) for i in range(2)) + b"t")), None),
        (archive(right, {"constants.pkl": b""}), "TorchScript"),
    ):
        if words is None:
            assert len(torch_files.read(data)) == 2
            continue
        with pytest.raises(ValueError, match=words):
            torch_files.read(data)


def test_tensors_that_share_memory_do_not_take_all_of_it():
    count = 1000
    many = b"".join(text(str(i)) + tensor(count=count, offset=0, shape=(count - i,)) for i in range(count))
    with pytest.raises(ValueError, match="times the"):
        torch_files.read(archive(b"\x80\x02}(" + many + b"u.", {"data/0": bytes(4 * count)}))
