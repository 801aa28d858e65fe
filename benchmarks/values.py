"""Our operators beside PyTorch's, on PyTorch's own sample inputs: values, element types and gradients.

    python benchmarks/values.py torch CASES.pkl                  first, in an environment with torch: writes the samples
    .venv/bin/python benchmarks/values.py ours CASES.pkl         then, in this package's

The two packages need not be installed together: torch's half writes the samples with its answers, ours reads them. What
differs by MindSpore's rule is listed with its reason in docs/conformance.md, and here by name (`RULES`).
"""

from __future__ import annotations

import argparse
import itertools
import pickle
import sys
import warnings
from collections import Counter
from typing import Any

import numpy as np

SAMPLES = 5  #: of each operator and element type, at most
DTYPES = ("float32", "float64", "int64", "uint8", "complex64", "complex128")

#: Torch's samples have the tensor in front; where its function has not, the places of their arguments in the call.
ORDERS = {"where": (1, 0, 2), "polygamma": (1, 0), "einsum": (1, 0), "nn.functional.embedding": (1, 0)}
#: Arguments that say where a tensor lies, and change no number.
PLACES = ("device", "pin_memory", "layout", "requires_grad")

#: Differences that stay, by operator and kind; docs/conformance.md tells why. Numbers drawn at random are not compared.
RULES = {
    *((name, "value") for name in (
        "addr", "argsort", "bernoulli", "empty", "empty_like", "kthvalue", "linalg.eig", "linalg.pinv", "linalg.vander",
        "multinomial", "normal", "rand_like", "randint", "randint_like", "randn", "randn_like", "sort", "topk", "trapz",
        "nn.functional.cosine_embedding_loss", "nn.functional.dropout", "nn.functional.fractional_max_pool3d",
        "nn.functional.hardtanh", "nn.functional.margin_ranking_loss", "nn.functional.rrelu",
        "nn.functional.scaled_dot_product_attention", "nn.functional.triplet_margin_loss",
    )),
    *((name, "dtype") for name in ("all", "any", "einsum", "nn.functional.hardtanh", "nn.functional.relu6")),
    *((name, "count") for name in ("nanmedian", "nonzero", "nn.functional.ctc_loss")),
    *((name, "shape") for name in ("aminmax", "linalg.svd", "unfold")),
    *((name, "gradient") for name in (
        "cholesky", "linalg.cholesky", "linalg.qr", "nextafter", "qr",
        *(f"nn.functional.max_unpool{n}d" for n in (1, 2, 3)),
    )),
}  # fmt: skip


# -- torch's half -----------------------------------------------------------------------------------------------------


def torch_half(path: str, only: str) -> None:
    import torch

    torch.set_num_threads(1)
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    cases = []

    def plain(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if value.is_sparse or value.dtype is torch.bfloat16:
                raise TypeError
            return ("tensor", value.detach().resolve_conj().resolve_neg().numpy().copy(), value.requires_grad)
        if isinstance(value, (list, tuple)):
            return [plain(v) for v in value]
        if isinstance(value, torch.dtype):
            return ("dtype", str(value).removeprefix("torch."))
        if value is None or isinstance(value, (int, float, complex, bool, str)):
            return value
        raise TypeError

    def leaves(value: Any) -> list:
        if isinstance(value, torch.Tensor):
            return [value]
        return [x for v in value for x in leaves(v)] if isinstance(value, (list, tuple)) else []

    for op in op_db:
        if only and only not in op.name:
            continue
        for dtype in DTYPES:
            kind = getattr(torch, dtype)
            if kind not in op.dtypes:
                continue
            torch.manual_seed(0)
            moves = dtype in ("float64", "complex128") and op.supports_autograd
            try:
                samples = list(itertools.islice(op.sample_inputs("cpu", kind, requires_grad=moves), SAMPLES))
            except Exception:
                continue
            for sample in samples:
                try:
                    args, kwargs = plain([sample.input, *sample.args]), {k: plain(v) for k, v in sample.kwargs.items()}
                    result = op(sample.input, *sample.args, **sample.kwargs)
                    found = leaves(result)
                    if not found:
                        continue
                    answer = [plain(r.detach()) for r in found]
                    moving = [t for t in leaves([sample.input, *sample.args]) if t.requires_grad]
                    slopes = [r for r in found if r.requires_grad]
                    gradients = None
                    if moving and slopes:
                        total = sum(torch.real(r.sum()) for r in slopes)
                        got = torch.autograd.grad(total, moving, allow_unused=True)
                        gradients = [None if g is None else plain(g)[1] for g in got]
                except Exception:
                    continue
                cases.append((op.name, op.variant_test_name, dtype, args, kwargs, answer, gradients))
    with open(path, "wb") as file:
        pickle.dump(cases, file)
    print(f"{len(cases)} samples of {len({c[0] for c in cases})} operators")


# -- our half ---------------------------------------------------------------------------------------------------------


def counterpart(name: str) -> Any:
    """The function of mint that has the name of torch's operator, else the one of ops."""
    from anfora import mint, ops

    *path, last = name.split(".")
    found: Any = mint
    for part in (*path, last):
        found = getattr(found, part, None)
    return (
        getattr(ops, last, None)
        if found is None and path[:1] in ([], ["fft"], ["linalg"], ["special"], ["nn"])
        else found
    )


def our_half(path: str, only: str, verbose: bool) -> int:
    import anfora as ms
    from anfora import Tensor

    with open(path, "rb") as file:
        cases = pickle.load(file)
    counts: Counter = Counter()
    seen: dict[tuple, list] = {}
    missing = set()

    for name, variant, dtype, args, kwargs, answer, gradients in cases:
        function = counterpart(name)
        if only and only not in name:
            continue
        if function is None:
            missing.add(name)
            continue
        moving: list = []

        def made(value: Any, moving: list = moving) -> Any:
            if isinstance(value, tuple) and value and value[0] == "tensor":
                tensor = Tensor(value[1])
                if value[2]:
                    moving.append(tensor)
                return tensor
            if isinstance(value, tuple) and value and value[0] == "dtype":
                return getattr(ms, {"bool": "bool_"}.get(value[1], value[1]), value[1])
            return [made(v) for v in value] if isinstance(value, list) else value

        ours, ours_named = made(args), {k: made(v) for k, v in kwargs.items() if k not in PLACES}
        ours = [ours[i] for i in (*ORDERS.get(name, ()), *range(len(ORDERS.get(name, ())), len(ours)))]

        def call(*given: Tensor, function: Any = function, ours: list = ours, ours_named: dict = ours_named) -> Any:
            return leaves_of(function(*put(ours, given), **ours_named))

        def put(tree: Any, given: tuple, moving: list = moving) -> Any:
            if isinstance(tree, Tensor):
                places = [i for i, t in enumerate(moving) if t is tree]
                return given[places[0]] if places and given else tree
            return [put(v, given) for v in tree] if isinstance(tree, list) else tree

        verdict, words = compare(call, moving, answer, gradients)
        counts[verdict] += 1
        if verdict != "same":
            seen.setdefault((verdict, name), []).append((variant, dtype, words, args, kwargs))
    for (verdict, name), found in sorted(seen.items()):
        if (name, verdict) in RULES or (verdict == "refused" and not verbose):
            continue
        variant, dtype, words, args, kwargs = found[0]
        print(f"{verdict:9} {name} {variant} ×{len(found)}: {dtype} {shown(args)} {shown(kwargs)}\n{'':10}{words}")
    print(dict(counts), f"{len(missing)} operators without a counterpart")
    return bool(set(seen) and any(v not in ("refused",) and (n, v) not in RULES for v, n in seen))


def leaves_of(value: Any) -> list:
    from anfora import Tensor

    if isinstance(value, Tensor):
        return [value]
    return [x for v in value for x in leaves_of(v)] if isinstance(value, (list, tuple)) else []


def compare(call: Any, moving: list, answer: list, gradients: list | None) -> tuple[str, str]:
    """`same`, or what differs first: refused, count, shape, dtype, value, gradient."""
    import anfora as ms

    try:
        found = call()
    except Exception as error:
        return "refused", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if len(found) != len(answer):
        return "count", f"{len(found)} results, torch {len(answer)}"
    for ours, (_, theirs, _) in zip(found, answer):
        if ours.shape != theirs.shape:
            return "shape", f"{ours.shape}, torch {theirs.shape}"
    for ours, (_, theirs, _) in zip(found, answer):
        tol = 1e-3 if theirs.dtype in (np.float32, np.complex64) else 1e-6
        with np.errstate(all="ignore"):
            if not np.allclose(as_wide(ours.asnumpy()), as_wide(theirs), tol, tol, equal_nan=True):
                return "value", f"{ours.asnumpy().ravel()[:4]}, torch {theirs.ravel()[:4]}"
    if gradients is not None and moving:

        def total(*given: Any) -> Any:
            return sum(r.sum() for r in call(*given) if r.dtype.is_float or r.dtype.is_complex)

        try:
            got = ms.grad(total, tuple(range(len(moving))))(*moving)
        except Exception as error:
            return "gradient", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        for ours, theirs in zip(got if isinstance(got, tuple) else (got,), gradients):
            theirs = np.zeros(ours.shape) if theirs is None else theirs
            if not np.allclose(ours.asnumpy(), theirs, 1e-5, 1e-6, equal_nan=True):
                return "gradient", f"{ours.asnumpy().ravel()[:4]}, torch {theirs.ravel()[:4]}"
    for ours, (_, theirs, _) in zip(found, answer):
        if ours.asnumpy().dtype != theirs.dtype:
            return "dtype", f"{ours.asnumpy().dtype}, torch {theirs.dtype}"
    return "same", ""


def as_wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def shown(tree: Any) -> str:
    if isinstance(tree, tuple) and tree and tree[0] == "tensor":
        return f"{tree[1].dtype}{list(tree[1].shape)}"
    if isinstance(tree, list):
        return f"({', '.join(map(shown, tree))})"
    if isinstance(tree, dict):
        return ", ".join(f"{k}={shown(v)}" for k, v in tree.items())
    return repr(tree)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", choices=("torch", "ours"))
    parser.add_argument("cases", help="file of samples with torch's answers")
    parser.add_argument("--only", default="", help="operators whose name holds this")
    parser.add_argument("--refused", action="store_true", help="show also what is refused here")
    given = parser.parse_args()
    if given.half == "torch":
        torch_half(given.cases, given.only)
        return 0
    return our_half(given.cases, given.only, given.refused)


if __name__ == "__main__":
    sys.exit(main())
