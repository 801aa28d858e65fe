"""What programs tell MindSpore of an operator of theirs: on which types it works, and how tensors lie in memory for it.

    info = CustomRegOp().input(0, "x").output(0, "y").dtype_format(DataType.F32_Default, DataType.F32_Default)
    ops.Custom(function, …, reg_info=info.target("CPU").get_op_info())

It is data. `Custom` compiles a function for the types it meets, and all tensors lie as their shapes say, so here nothing
depends on it.
"""

from __future__ import annotations

from typing import Any

from anfora.core.errors import OpTypeError, OpValueError

__all__ = ["CustomRegOp", "DataType"]

_WIDTHS = {("I", "int"): (8, 16, 32, 64), ("U", "uint"): (8, 16, 32, 64), ("F", "float"): (16, 32, 64)}
_TYPES = {
    "None": "", "BOOL": "bool", "BF16": "bfloat16", "C64": "complex64", "C128": "complex128",
    **{f"{letter}{bits}": f"{kind}{bits}" for (letter, kind), widths in _WIDTHS.items() for bits in widths},
}  # fmt: skip
#: Formats that are called as they are.
_PLAIN = """
    C1HWNCoC0 ChannelLast DHWCN FRACTAL_Z_3D HWCN NC1HWC0 NCDHW NCHW NDC1HWC0 NDHWC NHWC
"""
_FORMATS: dict[str, tuple[str, ...]] = {
    "None": ("",), "Default": ("DefaultFormat",), "Default_List": ("DefaultFormat", "list"),
    "Default_Tuple": ("DefaultFormat", "tuple"), "5HD": ("NC1HWC0",), "FracZ": ("FRACTAL_Z",), "FracNZ": ("FRACTAL_NZ",),
    "FracZNLSTM": ("FRACTAL_ZN_LSTM",), "FracZNRNN": ("FRACTAL_ZN_RNN",), "ND_RNNBIAS": ("ND_RNN_BIAS",),
    **{name: (name,) for name in _PLAIN.split()},
}  # fmt: skip


class _DataTypes(type):
    def __getattr__(cls, name: str) -> tuple[str, ...]:
        dtype, _, form = name.partition("_")
        if dtype not in _TYPES or form not in _FORMATS:
            raise AttributeError(f"DataType has no {name}: it takes TYPE_FORMAT, as F32_Default")
        return (_TYPES[dtype], *_FORMATS[form])

    def __dir__(cls) -> list[str]:
        return [f"{dtype}_{form}" for dtype in _TYPES for form in _FORMATS]


class DataType(metaclass=_DataTypes):
    """Pairs of an element type and a format by their short names.

    Example:
        >>> DataType.F32_NHWC
        ('float32', 'NHWC')
    """


class CustomRegOp:
    """What a program tells of one operator, word by word. Each method but the last gives the object.

    Args:
        op_name: how the operator is called.
    Raises:
        OpTypeError, OpValueError: a word of a wrong type; more or fewer types than there are tensors.
    Example:
        >>> CustomRegOp("double").input(0, "x").output(0, "y").target("CPU").get_op_info()["inputs"]
        [{'index': 0, 'name': 'x', 'paramType': 'required'}]
    """

    def __init__(self, op_name: str = "Custom") -> None:
        _checked("op_name", op_name, str)
        self._info: dict[str, Any] = {
            "op_name": op_name, "inputs": [], "outputs": [], "attr": [], "fusion_type": "", "dtype_format": [],
            "target": "UnKnown",
        }  # fmt: skip

    def input(
        self, index: int | None = None, name: str | None = None, param_type: str | None = "required", **kwargs: Any
    ) -> CustomRegOp:
        """A tensor that it takes."""
        return self._tensor("inputs", index, name, param_type, kwargs)

    def output(
        self, index: int | None = None, name: str | None = None, param_type: str | None = "required", **kwargs: Any
    ) -> CustomRegOp:
        """A tensor that it gives."""
        return self._tensor("outputs", index, name, param_type, kwargs)

    def _tensor(self, place: str, index: Any, name: Any, param_type: Any, others: dict[str, Any]) -> CustomRegOp:
        _checked("index", index, int)
        _checked("name", name, str)
        _checked("param_type", param_type, str)
        self._info[place].append(_given(index=index, name=name, paramType=param_type) | others)
        return self

    def attr(
        self, name: str | None = None, param_type: str | None = None, value_type: str | None = None,
        default_value: str | None = None, **kwargs: Any,
    ) -> CustomRegOp:  # fmt: skip
        """Something else that it takes."""
        given = {"name": name, "param_type": param_type, "value_type": value_type, "default_value": default_value}
        for word, value in given.items():
            _checked(word, value, str)
        told = _given(name=name, paramType=param_type, type=value_type, defaultValue=default_value)
        self._info["attr"].append(told | kwargs)
        return self

    def dtype_format(self, *args: tuple[str, ...]) -> CustomRegOp:
        """The types and formats of all its tensors, in one of the ways in which it works."""
        count = len(self._info["inputs"]) + len(self._info["outputs"])
        if len(args) != count:
            raise OpValueError(f"dtype_format needs as many types as tensors, {count}, but got {len(args)}")
        for pair in args:
            if not isinstance(pair, tuple) or len(pair) not in (2, 3):
                raise OpValueError(f"dtype_format needs pairs of a type and a format, but got {pair!r}")
        self._info["dtype_format"].append(args)
        return self

    def target(self, target: str | None = None) -> CustomRegOp:
        """The kind of device that it is for."""
        _checked("target", target, str)
        self._info["target"] = target
        return self

    def get_op_info(self) -> dict[str, Any]:
        """What was told."""
        return dict(self._info)


def _given(**words: Any) -> dict[str, Any]:
    return {name: value for name, value in words.items() if value is not None}


def _checked(word: str, value: Any, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise OpTypeError(f"CustomRegOp: `{word}` must be {kind.__name__} or None, but is {value!r}", arg=word)
