"""Random calls of public functions with odd arguments: each twice in PyNative mode, then compiled, all three alike.

    .venv/bin/python benchmarks/random_calls.py --seed 1 --count 100000

Arguments are tensors of odd shapes, types, strides and values (some on the last bytes before a page that may not be
touched), numbers of all sizes, texts, lists and None. A call may give a result or be refused by an error of this package;
it must end, say the same each time, and not let an inner function's error through. What does not is printed with the number
of the call, which `--start N --count 1` repeats.
"""

from __future__ import annotations

import argparse
import inspect
import pathlib
import random
import resource
import signal
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))

import guarded

import anfora as ms
import anfora.numpy as numbers
from anfora import Tensor, mint, ops
from anfora.core.errors import AnforaError
from anfora.core.op import Op
from anfora.ops.methods import METHODS

#: What reads files, changes the process, is asked of compilers only, or gives what no two calls share.
LEFT_OUT = {
    "depend", "empty", "empty_like", "is_sequence_shape_unknown", "is_sequence_value_unknown", "isconstant", "partial",
    "print_", "Primitive",
}  # fmt: skip
TELL_VAGUE = False  #: print calls, too, whose error does not say which argument is wrong
MEMORY = 2 << 30  #: what is larger is refused, and not waited for
SECONDS = 10  #: a call that takes longer hangs
SHAPES = ((), (0,), (1,), (3,), (2, 3), (3, 3), (2, 0), (2, 3, 4), (1, 1, 5, 5), (2, 2, 4, 3), (1, 2, 3, 3, 3))
DTYPES = ("bool_", "int8", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64", "complex64")
NUMBERS = (
    0, 1, 2, 3, -1, -2, 7, 2**31, -(2**63), 2**70, 0.0, -0.0, 0.5, 1.5, -1.0, 1e-300, 1e300, float("nan"), float("inf"),
    True, False, np.float32(1.5), np.int64(2), np.uint8(1), 1 + 2j, None,
)  # fmt: skip
OTHERS = (
    "mean",
    "sum",
    "none",
    "constant",
    "nearest",
    "",
    "float32",
    (),
    (1,),
    (2, 2),
    [1, 1],
    (0, -1),
    [0.5],
    {},
    object,
)
WORDS = ("bilinear", "reflect", "same", "valid", "tanh", "fro", "ij", "reduced")


def functions() -> dict[str, Callable]:
    """The public functions and methods, by name."""
    found = {}
    for module in (ops, mint, mint.nn.functional, mint.linalg, mint.special, numbers):
        for name in module.__all__:
            function = getattr(module, name, None)
            if isinstance(function, (Op, types.FunctionType, types.BuiltinFunctionType)) and _is_drawn(name, function):
                found[f"{module.__name__.removeprefix('anfora.')}.{name}"] = function
    for name in METHODS:
        if _is_drawn(name, METHODS[name]):
            found[f"Tensor.{name}"] = getattr(Tensor, name)
    return found


def _is_drawn(name: str, function: Any) -> bool:
    """Whether it is called: what writes its arguments gives another result when it is called again."""
    writes = (
        name.startswith(("assign", "scatter_", "index_add", "copy_to")) or name.endswith("_") or name[:5] == "__set"
    )
    return name not in LEFT_OUT and not writes and not getattr(function, "writes", None)


def a_tensor(draw: random.Random) -> Tensor:
    shape, dtype = draw.choice(SHAPES), draw.choice(DTYPES)
    values = np.random.default_rng(draw.getrandbits(32))
    array = values.standard_normal(shape) * draw.choice((1, 1, 1, 3, 100, 1e30))
    if draw.random() < 0.1 and array.size:
        array.flat[0] = draw.choice((np.nan, np.inf, -np.inf))
    kind = getattr(ms, dtype)
    with np.errstate(all="ignore"):
        if not kind.is_inexact:
            array = np.nan_to_num(array)
            array = np.abs(array) if draw.random() < 0.7 else array
        tensor = Tensor(array * (1 - 0.5j) if kind.is_complex else array.astype(np.float64)).astype(kind)
    way = draw.random()
    if way < 0.15 and len(shape) >= 2:
        return tensor.swapaxes(0, -1)
    if way < 0.3 and shape and shape[0] > 1:
        return tensor[::2]
    if way < 0.4 and dtype != "bfloat16":
        return ms.from_numpy(guarded.guarded(tensor.asnumpy(), draw.random() < 0.5))
    return tensor


def an_argument(draw: random.Random, name: str, default: Any) -> Any:
    if name == "inplace":  # which would change what the next call is given
        return False
    way = draw.random()
    if name in ("tensors", "inputs", "x_list") and way < 0.6:
        return tuple(a_tensor(draw) for _ in range(draw.randint(0, 3)))
    if default is inspect.Parameter.empty:
        return a_tensor(draw) if way < 0.75 else draw.choice(NUMBERS) if way < 0.93 else draw.choice(OTHERS + WORDS)
    if way < 0.6:
        return default
    return draw.choice(NUMBERS) if way < 0.85 else a_tensor(draw) if way < 0.9 else draw.choice(OTHERS + WORDS)


def arguments(draw: random.Random, name: str, function: Callable) -> list:
    if name.startswith("Tensor."):
        function = METHODS[name.removeprefix("Tensor.")]
    signature = function.signature if isinstance(function, Op) else inspect.signature(function)
    given: list[Any] = []
    if name.startswith("Tensor."):
        given.append(a_tensor(draw))
    for name, parameter in [*signature.parameters.items()][len(given) :]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            given += [a_tensor(draw) for _ in range(draw.randint(1, 3))]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            given.append(an_argument(draw, name, parameter.default))
    return given


class Late(BaseException):
    """A call that does not end."""


def _late(*_: Any) -> None:
    raise Late


def seen(value: Any) -> Any:
    if isinstance(value, Tensor):
        array = value.asnumpy()
        if array.dtype.kind == "f" and np.isnan(array).any():  # which of two is handed on is left open
            array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
        return str(value.dtype), value.shape, array.tobytes()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(map(seen, value))
    return type(value).__name__, repr(value)


def outcome(function: Callable, given: list) -> tuple[Any, Exception | None]:
    ms.set_seed(1)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)  # again, where a callback has swallowed it
    try:
        return seen(function(*given)), None
    except MemoryError:
        return "too much memory", None
    except Exception as error:
        return (type(error).__name__, str(error).split("\n")[0]), error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def try_call(number: int, seed: int, known: dict[str, Callable]) -> str | None:
    """What is wrong with a call, by its number; None if nothing is."""
    draw = random.Random(f"{seed}/{number}")
    name = draw.choice(sorted(known))
    function = known[name]
    words = f"{number} {name}"
    try:
        given = arguments(draw, name, function)
        words = f"{number} {name}({', '.join(shown(v) for v in given)})"
        first, error = outcome(function, given)
        of_signature = isinstance(error, TypeError) and "argument" in str(error)  # Python's own
        if error is not None and not isinstance(error, (AnforaError, NotImplementedError)) and not of_signature:
            return f"inner   {words}: {first}"
        if TELL_VAGUE and "cannot take these arguments" in str(first):
            return f"vague   {words}: {first}"
        again, _ = outcome(function, given)
        if again != first:
            return f"again   {words}: {str(first)[:200]} then {str(again)[:200]}"
        compiled = ms.jit(lambda *args: function(*args))
        for _ in range(2):
            third, _ = outcome(compiled, given)
            if third != first:
                return f"graph   {words}: {str(first)[:200]} compiled {str(third)[:200]}"
    except Late:
        return f"hangs   {words}"
    return None


def shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype}{list(value.shape)}"
    return f"({', '.join(map(shown, value))})" if type(value) is tuple else repr(value)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--only", default="", help="functions whose name holds this")
    parser.add_argument("--vague", action="store_true", help="tell of errors that do not say which argument is wrong")
    given = parser.parse_args()
    global TELL_VAGUE
    TELL_VAGUE = given.vague
    signal.signal(signal.SIGALRM, _late)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    known = {name: f for name, f in functions().items() if given.only in name}
    wrong = 0
    for number in range(given.start, given.start + given.count):
        found = try_call(number, given.seed, known)
        if found is not None:
            wrong += 1
            print(found[:500], flush=True)
    print(f"{given.count} calls of {len(known)} functions, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
