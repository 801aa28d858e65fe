"""The library `onnx`, which only those who want such files need."""

from __future__ import annotations

from typing import Any

from anfora.core.errors import OpRuntimeError

__all__ = ["library"]


def library() -> Any:
    """The module `onnx`.

    Raises:
        OpRuntimeError: it is not installed.
    """
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.inliner
    except ImportError as error:
        raise OpRuntimeError(
            f"files of ONNX need the library onnx, which is not installed ({error})", help="pip install anfora[onnx]"
        ) from None
    return onnx
