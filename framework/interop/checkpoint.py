"""Checkpoints: parameters and numbers in a file, and back.

The format follows the name: `.safetensors` is written and read by the safetensors library, everything else is MindSpore's
`.ckpt`; a file of torch's is known by how it begins. Files appear by rename, so a reader, or a crash, never meets half of
one. Weights may be in several files (`sharded.py`), and their names those of another library (`renaming.py`).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core import advice, files
from anfora.core import dtype as dt
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current, from_buffer
from anfora.interop import ckpt, renaming, sharded, torch_files

__all__ = ["load_checkpoint", "load_param_into_net", "read_state", "save_checkpoint", "write_with_state"]

_SAFE = {
    "BOOL": dt.bool_, "I8": dt.int8, "I16": dt.int16, "I32": dt.int32, "I64": dt.int64, "U8": dt.uint8,
    "U16": dt.uint16, "U32": dt.uint32, "U64": dt.uint64, "F16": dt.float16, "BF16": dt.bfloat16, "F32": dt.float32,
    "F64": dt.float64, "C64": dt.complex64, "F8_E4M3": dt.float8_e4m3fn, "F8_E5M2": dt.float8_e5m2,
}  # fmt: skip


class CheckpointMismatch(OpValueError, RuntimeError):
    """A parameter has another shape than in the checkpoint; MindSpore raises a RuntimeError for it."""


_LABELS = {label: dtype for dtype in (*dt.ALL, *dt.EIGHT_BITS) for label in (dtype.label, dtype.name)}


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str | os.PathLike,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: Mapping[str, Any] | None = None,
    enc_key: Any = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str | None = None,
) -> None:
    """Write parameters to a file.

    Args:
        save_obj: a Cell (a network or an optimizer); a dict of names to tensors; or a list of dicts {"name", "data"}.
        ckpt_file_name: the file; `.ckpt` (or, with format "safetensors", `.safetensors`) is added if it has no such
            ending.
        append_dict: numbers, bools and strings to keep beside the parameters. `load_checkpoint` gives numbers back as
            0-d Parameters (`int(…)` and `float(…)` read them), strings as they are.
        choice_func: says for each name whether it is written.
        format: "ckpt" or "safetensors"; by the ending of the name when not given.
        crc_check: add a checksum, which `load_checkpoint(crc_check=True)` verifies.
        integrated_save, async_save, enc_mode: accepted for MindSpore programs; files are written whole, at once.

    Raises:
        OpTypeError: something to be saved is no tensor.
        NotImplementedError: `enc_key` is given: files are not encrypted.
        OSError: the file cannot be written; an older file of the name is untouched then.

    Example:
        >>> import tempfile, os
        >>> file = os.path.join(tempfile.mkdtemp(), "w.safetensors")
        >>> save_checkpoint({"w": Tensor([1.0, 2.0])}, file, append_dict={"epoch": 3})
        >>> found = load_checkpoint(file)
        >>> found["w"].tolist(), int(found["epoch"])
        ([1.0, 2.0], 3)
    """
    if enc_key is not None:
        raise NotImplementedError("encrypted checkpoints (enc_key)")
    file, kind = _named(ckpt_file_name, format)
    tensors = {
        name: tensor for name, tensor in _tensors_of(save_obj).items() if choice_func is None or choice_func(name)
    }
    _write(file, kind, tensors, append_dict or {}, crc_check)


def write_with_state(
    network: Cell | Mapping[str, Tensor],
    file: Path,
    append_dict: Mapping[str, Any],
    kind: str,
    crc_check: bool,
    state: bytes | None,
) -> None:
    """Write a network, and beside it what is needed to resume its training; the errors are those of `save_checkpoint`."""
    _write(file, kind, _tensors_of(network), append_dict, crc_check, state)


def _write(
    file: Path,
    kind: str,
    tensors: dict[str, Tensor],
    append_dict: Mapping[str, Any],
    crc_check: bool,
    state: bytes | None = None,
) -> None:
    extra = _checked_extra(append_dict)
    if kind == "safetensors":
        data = _safe_bytes(tensors, extra, state)
    else:
        data = [_ckpt_bytes(tensors, extra, crc_check, state)]
    file.parent.mkdir(parents=True, exist_ok=True)
    files.clear(file.parent)
    files.write_whole(file, *data)


def read_state(file: Path, format: str | None = None) -> bytes | None:
    """What a checkpoint holds beside its tensors, to resume a training, say; None where it holds nothing of the kind.

    Args:
        file: its path.
        format: "ckpt" or "safetensors"; by the name if it is not given.
    Raises:
        OpValueError: the file cannot be read, or is damaged.
    """
    data = _read(file)
    try:
        if _named(file, format, existing=True)[1] == "ckpt":
            return ckpt.state_of(data)
        header, _ = _safe_header(memoryview(data))
        state = (header.get("__metadata__") or {}).get("state")
    except OpValueError as error:
        raise OpValueError(f"{str(file)!r}: {error.message}") from error
    except (ValueError, AttributeError, RecursionError) as error:
        raise OpValueError(f"{str(file)!r}: the file is no safetensors file, or a damaged one ({error})") from error
    return state.encode() if isinstance(state, str) else None


def _read(file: Path) -> bytes:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise OpValueError(f"the checkpoint {str(file)!r} cannot be read: {error.strerror}") from error
    if not data:
        raise OpValueError(f"the checkpoint {str(file)!r} is empty")
    return data


def load_checkpoint(
    ckpt_file_name: str | os.PathLike,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | Sequence[str] | None = None,
    dec_key: Any = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | Sequence[str] | None = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str | None = None,
) -> dict[str, Any]:
    """Read a file of parameters: MindSpore's `.ckpt`, safetensors, or torch's `.pt`, `.pth`, `.bin`. Nothing in it is run.

    Args:
        ckpt_file_name: the file; that of weights in several files (`model.safetensors.index.json`); or the folder of a
            model as Hugging Face has it, with either.
        net: a Cell to load them into.
        strict_load: with `net`: whether element types must fit.
        filter_prefix: names that start so are left out.
        specify_prefix: only names that start so are taken.
        choice_func: says for each name whether it is taken.
        crc_check: verify the checksum, if the file has one.
        format: "ckpt", "safetensors" or "torch"; by the file when not given.

    Returns:
        dict from names to Parameters, and to the strings of `append_dict`. Of torch's file the names of the dict that holds
        the tensors; where there are several such dicts, paths with dots.
    Raises:
        OpValueError: there is no such file, or it is no checkpoint, or a damaged one, or a file of torch's that holds
            something else than tensors in containers.
    Example:
        >>> save_checkpoint(nn.Dense(2, 3), "dense.ckpt")
        >>> {name: value.shape for name, value in load_checkpoint("dense.ckpt").items()}
        {'weight': (3, 2), 'bias': (3,)}
    """
    if dec_key is not None:
        raise NotImplementedError("encrypted checkpoints (dec_key)")
    file, kind = _named(ckpt_file_name, format, existing=True)
    found: dict[str, Any] = {}
    for part, names in sharded.parts(file):
        held = _loaded(part, kind if part is file else _named(part, format, existing=True)[1], crc_check)
        lacking = [name for name in names or () if name not in held]
        if lacking:
            raise OpValueError(f"{str(part)!r} should hold {lacking[0]!r}, by {file.name}, but does not")
        found.update(held if names is None else {name: held[name] for name in names})
    drop, take = _prefixes(filter_prefix), _prefixes(specify_prefix)
    kept = {
        name: value
        for name, value in found.items()
        if not (drop and name.startswith(drop))
        and (not take or name.startswith(take))
        and (choice_func is None or choice_func(name))
    }
    if not kept:
        raise OpValueError(f"the checkpoint {str(file)!r} holds nothing of what was asked for")
    if net is not None:
        load_param_into_net(net, kept, strict_load)
    return kept


def _loaded(file: Path, kind: str, crc_check: bool) -> dict[str, Any]:
    """What one file holds."""
    data = _read(file)
    try:
        if kind == "torch" or torch_files.is_torchs(data[:16]):
            return _from_torch(data)
        return _from_safe(data) if kind == "safetensors" else _from_ckpt(data, crc_check)
    except OpValueError as error:
        raise OpValueError(f"{str(file)!r}: {error.message}", help=error.help) from error


def _from_torch(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in torch_files.read(data).items():
        if isinstance(value, tuple):
            dtype, array = value
            found[name] = Parameter(from_buffer(array, dtype), name=name)
        else:
            found[name] = value if isinstance(value, str) else Parameter(Tensor(value), name=name)
    return found


def load_param_into_net(
    net: Cell,
    parameter_dict: Mapping[str, Any],
    strict_load: bool = False,
    remove_redundancy: bool = False,
    rename: Any = None,
) -> tuple[list[str], list[str]]:
    """Give the parameters of a Cell the values of those with their names.

    Args:
        parameter_dict: tensors, or what makes them, by name.
        strict_load: whether element types must be equal, and names too. Without it a parameter whose name the dict lacks
            gets what the dict has under that name behind a prefix (`weight` gets `generator.weight`), with a warning.
        rename: how the names of the dict are those of the Cell's parameters. "torch": layers name theirs as torch does (a
            BatchNorm's `gamma` is `weight`, its `moving_mean` is `running_mean`; an Embedding's table is `weight`; …), and
            a one-dimensional convolution's weight has torch's shape. A dict from regular expressions to what stands in
            their place, in order, or a function of a name; or a list of these. A name that becomes None or empty is left
            out.

    Returns:
        (names of the Cell that the dict lacks, names of the dict that the Cell lacks).
    Raises:
        OpValueError: a shape differs, or two names become one.   OpTypeError: a type differs (with `strict_load`), or does
            not hold the values.
    Nothing has changed when an error is raised.
    Example:
        >>> net = nn.Dense(1, 1)
        >>> load_param_into_net(net, {"weight": Parameter(Tensor([[5.0]]), name="weight")})
        (['bias'], [])
        >>> net.weight.tolist()
        [[5.0]]
    """
    if not isinstance(net, Cell):
        raise OpTypeError(f"load_param_into_net needs a Cell, but got {type(net).__name__}")
    if not isinstance(parameter_dict, Mapping):
        raise OpTypeError(f"load_param_into_net needs a dict, but got {type(parameter_dict).__name__}")
    for name in parameter_dict:
        if not isinstance(name, str):
            raise OpTypeError(f"load_param_into_net needs a dict with names, but among its keys is {name!r:.60}")
    wanted = {parameter.name: parameter for parameter in net.get_parameters()}
    sources, unused = renaming.sources(net, parameter_dict, rename, prefixes=rename is None and not strict_load)
    pairs = []
    for name, parameter in wanted.items():
        if name not in sources:
            continue
        value = parameter_dict[sources[name].name]
        if not isinstance(value, Tensor):
            value = Tensor(value, parameter.dtype)
        widen = sources[name].shape
        if widen is not None and value.size == parameter.size:
            value = value.reshape(widen(value.shape))
        if value.shape != parameter.shape and not (value.size == parameter.size == 1):
            raise CheckpointMismatch(
                f"the parameter {name} has shape {parameter.shape}, but the checkpoint's {sources[name].name} has "
                f"{value.shape}"
            )
        if strict_load and value.dtype is not parameter.dtype:
            raise OpTypeError(f"the parameter {name} is {parameter.dtype}, but the checkpoint has {value.dtype}")
        pairs.append((parameter, value))
    if not pairs and wanted and parameter_dict:
        advice.warn(
            f"the checkpoint fits no parameter, and nothing is loaded: it has {_some(parameter_dict)}, but "
            f"{type(net).__name__} has {_some(wanted)}"
        )
    if rename is None:
        _tell_prefixes({name: source.name for name, source in sources.items()})
    for parameter, value in pairs:
        parameter.set_data(from_buffer(np.asarray(current(value)._array).reshape(parameter.shape), value.dtype))
    return [name for name in wanted if name not in sources], unused


def _tell_prefixes(names: Mapping[str, str]) -> None:
    """Warn of parameters that get what stands behind a prefix."""
    behind: dict[str, list[str]] = {}
    for name, full in names.items():
        if name != full:
            behind.setdefault(full.removesuffix(name), []).append(name)
    for prefix, found in behind.items():
        advice.warn(
            f"the checkpoint lacks {_some(found)}: what it has behind the prefix {prefix!r} is loaded in place of that; "
            "with strict_load=True nothing is"
        )


def _some(names: Collection[str]) -> str:
    """The first of some names."""
    return ", ".join([*list(names)[:3], *(["…"] if len(names) > 3 else [])])


# -- what is written --------------------------------------------------------------------------------------------------


def _named(name: str | os.PathLike, format: str | None, existing: bool = False) -> tuple[Path, str]:
    """The file, and its kind."""
    if not isinstance(name, (str, os.PathLike)):
        raise OpTypeError(f"the name of a checkpoint must be a string, but got {type(name).__name__}")
    known = ("ckpt", "safetensors", "torch") if existing else ("ckpt", "safetensors")
    if format not in (None, *known):
        raise OpValueError(f"a checkpoint's format must be {' or '.join(map(repr, known))}, but got {format!r}")
    file = Path(os.fsdecode(name))
    if not file.name or "\0" in str(file):
        raise OpValueError(f"the name of a checkpoint must be that of a file, but got {name!r}")
    kind = format or ("safetensors" if file.suffix == ".safetensors" else "ckpt")
    if file.suffix != f".{kind}" and not (existing and os.path.exists(file)):
        file = file.with_name(f"{file.name}.{kind}")
    return file, kind


def _tensors_of(given: Any) -> dict[str, Tensor]:
    if isinstance(given, Cell):
        given.check_names()
        return {parameter.name: parameter for parameter in given.get_parameters()}
    if isinstance(given, (list, tuple)):
        for item in given:
            if not isinstance(item, Mapping) or "name" not in item or "data" not in item:
                raise OpTypeError("a list to be saved must hold dicts with the keys 'name' and 'data'")
        given = {item["name"]: item["data"] for item in given}
    if not isinstance(given, Mapping):
        raise OpTypeError(f"save_checkpoint needs a Cell, a dict or a list, but got {type(given).__name__}")
    for name, tensor in given.items():
        if not isinstance(name, str):
            raise OpTypeError(f"the names of a checkpoint must be strings, but got {name!r}")
        if not isinstance(tensor, Tensor):
            raise OpTypeError(f"{name} is a {type(tensor).__name__}, not a tensor", help="use append_dict for numbers.")
    return dict(given)


def _checked_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in extra.items():
        if not isinstance(name, str) or not isinstance(value, (bool, int, float, str, Tensor)):
            raise OpTypeError(
                f"append_dict holds names with numbers, bools, strings or tensors, but got {name!r}: {value!r}"
            )
        if not _fits(value):
            raise OpValueError(f"append_dict holds integers of 64 bits, but got {name!r}: {value}")
    return dict(extra)


def _buffer(tensor: Tensor) -> np.ndarray:
    return np.ascontiguousarray(current(tensor)._array)


def _ckpt_bytes(
    tensors: dict[str, Tensor], extra: dict[str, Any], crc_check: bool, state: bytes | None = None
) -> bytes:
    entries: list[ckpt.Entry] = []
    for name, tensor in tensors.items():
        entries.append((name, tensor.dtype.label, tensor.shape, _buffer(tensor).tobytes()))
    for name, value in extra.items():
        if isinstance(value, Tensor):
            entries.append((name, value.dtype.label, value.shape, _buffer(value).tobytes()))
        elif isinstance(value, str):
            entries.append((name, "str", (0,), value.encode("utf-32-le")))
        else:
            label = {bool: "Bool", int: "Int64", float: "Float32"}[type(value)]
            kind = {"Bool": "?", "Int64": "<i8", "Float32": "<f4"}[label]
            entries.append((name, label, (), np.array(value, kind).tobytes()))
    return ckpt.write(entries, crc_check, state)


def _from_ckpt(data: bytes, crc_check: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, label, shape, content in ckpt.read(data, crc_check):
        if label == "str":
            try:
                found[name] = content.decode("utf-32-le")
            except UnicodeDecodeError as error:
                raise OpValueError(f"{name!r} should be text in UTF-32, but is damaged ({error.reason})") from None
        elif label in _LABELS:
            found[name] = _parameter(name, _LABELS[label], shape, content)
        else:
            raise OpValueError(f"{name!r} has the element type {label!r}, which is not known here")
    return found


def _parameter(name: str, dtype: dt.DType, shape: Sequence[int], content: bytes) -> Parameter:
    """A Parameter with the elements that stand in a file."""
    wanted = math.prod(shape) * dtype.storage.itemsize
    if wanted != len(content):
        raise OpValueError(
            f"{name!r} should have {wanted} bytes, as {dtype}{list(shape)}, but {len(content)} are there"
        )
    array = np.frombuffer(content, dtype.storage.newbyteorder("<")).astype(dtype.storage)
    try:
        array = array.reshape(shape)
    except ValueError as error:  # more axes than there may be, or lengths beside a zero that no machine has
        raise OpValueError(f"{name!r} has the shape {list(shape)}, which no tensor can have") from error
    return Parameter(from_buffer(array, dtype), name=name)


def _safe_bytes(tensors: dict[str, Tensor], extra: dict[str, Any], state: bytes | None = None) -> list[Any]:
    from safetensors import TensorSpec, serialize

    own = {name: value for name, value in extra.items() if isinstance(value, Tensor)}
    for name, value in {**tensors, **own}.items():
        if value.dtype not in _SAFE.values():
            raise OpTypeError(
                f"{name!r} is {value.dtype.name}, which safetensors files do not hold",
                help='write a file of MindSpore\'s format, with the ending ".ckpt".',
            )
    buffers = {name: _buffer(tensor) for name, tensor in {**tensors, **own}.items()}  # alive until they are written
    entries = {
        name: TensorSpec(
            dtype={**tensors, **own}[name].dtype.name.rstrip("_"),
            shape=list({**tensors, **own}[name].shape),
            data_ptr=buffer.ctypes.data,
            data_len=buffer.nbytes,
        )
        for name, buffer in buffers.items()
    }
    plain = {name: value for name, value in extra.items() if name not in own}
    metadata = {"format": "ms", **({"append_dict": json.dumps(plain)} if plain else {})}
    if state is not None:
        metadata["state"] = state.decode()
    data = memoryview(serialize(entries, metadata))
    # The library writes metadata in an order of chance. The header is written again, so that equal checkpoints are equal
    # files; what follows it counts from its end.
    header, rest = _safe_header(data)
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return [len(text).to_bytes(8, "little"), text, rest]


def _safe_header(data: memoryview) -> tuple[dict[str, Any], memoryview]:
    """What a safetensors file says of itself, and the bytes behind."""
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(bytes(data[8:end])), data[end:]


def _from_safe(data: bytes) -> dict[str, Any]:
    from safetensors import SafetensorError, deserialize

    try:
        entries = dict(deserialize(data))
        header, _ = _safe_header(memoryview(data))
    except (SafetensorError, ValueError, RecursionError) as error:
        raise OpValueError(f"the file is no safetensors file, or a damaged one ({error})") from error
    metadata = header.pop("__metadata__", None) or {}
    found: dict[str, Any] = {}
    for name in header:  # the library forgets the order
        entry = entries[name]
        if entry["dtype"] not in _SAFE:
            raise OpValueError(f"{name!r} has the element type {entry['dtype']}, which is not known here")
        found[name] = _parameter(name, _SAFE[entry["dtype"]], entry["shape"], bytes(entry["data"]))
    return {**found, **_safe_extra(metadata.get("append_dict", "{}"))}


def _safe_extra(text: str) -> dict[str, Any]:
    """What `append_dict` has left in the metadata of a file."""
    try:
        extra = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OpValueError(f"the metadata `append_dict` should be JSON, but is not ({error})") from error
    if not isinstance(extra, dict):
        raise OpValueError(f"the metadata `append_dict` should be an object of JSON, but is {text[:60]!r}")
    for name, value in extra.items():
        if not isinstance(value, (bool, int, float, str)) or not _fits(value):
            raise OpValueError(f"the metadata `append_dict` should hold numbers, bools and strings, but has {name!r}")
    return {
        name: value if isinstance(value, str) else Parameter(Tensor(value), name=name) for name, value in extra.items()
    }


def _fits(value: Any) -> bool:
    """Whether an int has 64 bits."""
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _prefixes(given: str | Sequence[str] | None) -> tuple[str, ...]:
    if given is None:
        return ()
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise OpTypeError("a prefix of names must be a string")
    return names
