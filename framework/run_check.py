"""Whether an installation works: `python -c "import anfora; anfora.run_check()"`."""

from __future__ import annotations

import anfora
from anfora import ops
from anfora.core.errors import OpRuntimeError
from anfora.modes import jit

__all__ = ["run_check"]


def run_check() -> None:
    """Multiply matrices in both modes, and say whether the results are right. Versions, threads and the place of the cache
    are told by `python -m anfora info`.

    Raises:
        OpRuntimeError: a result is wrong.
    Example:
        >>> run_check()
        anfora 0.1.0.dev0: the result of multiplication calculation is correct in both modes, on the CPU
    """
    left, right = ops.arange(6).reshape(2, 3).astype("float32"), ops.ones((3, 2))
    for multiply in (ops.matmul, jit(lambda x, y: ops.matmul(x, y))):
        product = multiply(left, right)
        if product.tolist() != [[3.0, 3.0], [12.0, 12.0]]:
            raise OpRuntimeError(f"a product of matrices is wrong on this machine: {product}")
    print(f"anfora {anfora.__version__}: the result of multiplication calculation is correct in both modes, on the CPU")
