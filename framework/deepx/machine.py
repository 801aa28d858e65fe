"""A memory with data, and instructions that run on it with this package's operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anfora import ops
from anfora.core.errors import AnforaError, OpIndexError, OpValueError, OpZeroDivisionError
from anfora.core.tensor import Tensor, from_numpy
from anfora.deepx.cells import Cells, Resolved, TensorCell, TensorSpec, as_program, check
from anfora.deepx.errors import DeepxError, Fault
from anfora.deepx.forms import call
from anfora.deepx.parser import read
from anfora.deepx.program import Instruction, Program
from anfora.deepx.rules import fail
from anfora.eager.dispatch import check_writable
from anfora.eager.tape import no_grad
from anfora.interop.npy import read_npy

__all__ = ["Machine", "run"]


class Machine(Mapping):
    """One memory of named cells; programs run on it one after the other.

    Reading a cell gives a Tensor for a tensor, a number for an argument, a tuple for a vector.

    Args:
        inputs: tensors to bind, by name: Tensors, arrays or what `Tensor` takes.
        copy: whether they are copied; else the program writes into the caller's memory.
        naming: see `parse`.
        check_stale: refuse a backward line whose operands were overwritten since its forward line.
        files: the folder for `save` and `load`; None forbids both.
        echo: whether `print` may write to standard output.

    Example:
        >>> machine = Machine({"tx": np.array([1.0, 2.0])})
        >>> machine.execute("mul@float64 tx tx->tx")
        >>> machine.execute("argset@float64 3->a1")
        >>> machine["tx"].tolist(), machine["a1"]
        ([1.0, 4.0], 3.0)
        >>> machine
        <Machine: tx float64[2], a1 float64 3.0>
    """

    def __init__(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        copy: bool = True,
        naming: str = "strict",
        check_stale: bool = False,
        files: str | Path | None = None,
        echo: bool = False,
    ) -> None:
        given = dict(inputs or {})
        self.cells = Cells(
            {name: _described(value) for name, value in given.items()}, naming=naming, check_stale=check_stale
        )
        self.files, self.echo = None if files is None else Path(files), echo
        for name, value in given.items():
            self._tensor_cell(name).tensor = _bound(name, value, copy)

    # -- reading cells ----------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        cell = self.cells.table[name]
        if isinstance(cell, TensorCell):
            return cell.tensor
        return cell.values[0] if name[0] == "a" else cell.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells.table)

    def __len__(self) -> int:
        return len(self.cells.table)

    def __repr__(self) -> str:
        """Name, type, and shape or numbers of each cell, in the order in which they came."""
        shown = [
            f"{name} {cell.spec if isinstance(cell, TensorCell) else cell.dtype.name.rstrip('_') + f' {self[name]}'}"
            for name, cell in self.cells.table.items()
        ]
        return f"<Machine: {', '.join(shown) or 'no cells'}>"

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The tensors that exist."""
        return {name: self[name] for name in self.cells.specs}

    # -- running ----------------------------------------------------------------------------------------------------

    def execute(self, program: Program | str) -> None:
        """Run a program on the memory as it is.

        Raises:
            DeepxError: a line cannot run. The cells are as before that line; what earlier lines did stands.
        """
        for instruction in as_program(program, self.cells.naming):
            self.step(instruction)

    def step(self, instruction: Instruction) -> None:
        """Run one instruction."""
        resolved = self.cells.resolve(instruction)
        for place, _, cell in resolved.tensors:
            resolved.known[place.name] = cell.tensor
            if place.many:
                resolved.known[place.name] = [c.tensor for p, _, c in resolved.tensors if p is place]
        if resolved.out is not None:
            resolved.known["out"] = resolved.out[1].tensor
        try:
            with no_grad():
                if instruction.backward:
                    stores = self._backward(resolved)
                elif resolved.form.forward is not None and resolved.out is not None:
                    stores = [(resolved.out[0], self._forward(resolved))]
                else:
                    stores = self._transfer(resolved)
                # Everything has been computed; from here on nothing fails.
                self.cells.commit(resolved, _zeros)
                for name, value in stores:
                    _write(self._tensor_cell(name), value)
        except DeepxError:
            raise
        except Fault as fault:
            raise self.cells._located(resolved, fault) from None
        except OpZeroDivisionError as error:
            raise fail(instruction, "E-ZERODIV", error.message) from error
        except OpIndexError as error:
            raise fail(instruction, "E-SHAPE", error.message) from error
        except MemoryError:
            raise fail(instruction, "E-SHAPE", "there is not enough memory for the result") from None
        except AnforaError as error:
            if instruction.op == "pow":  # the one condition on data that only the operator sees
                raise fail(instruction, "E-DTYPE", error.message) from error
            raise

    def _tensor_cell(self, name: str) -> TensorCell:
        cell = self.cells.table[name]
        assert isinstance(cell, TensorCell)
        return cell

    def _forward(self, resolved: Resolved) -> Tensor:
        assert resolved.form.forward is not None and resolved.out is not None
        return call(resolved.form.forward, resolved.known)

    def _backward(self, resolved: Resolved) -> list[tuple[str, Tensor]]:
        """The new contents of gradients; all are computed from the old ones before any is written."""
        g = self._tensor_cell(resolved.g).tensor
        assert g is not None and resolved.out is not None
        known = resolved.known | {"g": g}
        found: dict[str, Any] = {}
        new: dict[str, Tensor] = {}
        for place, position, _, grad in resolved.gradients:
            if place not in found:
                found[place] = call(resolved.form.gradients[place], known)
            contribution = found[place][position] if isinstance(found[place], list) else found[place]
            if grad in new:
                new[grad] = ops.add(new[grad], contribution)
            elif grad == resolved.g:  # in place: what the forward line overwrote had no gradient yet
                new[grad] = ops.copy(contribution)
            else:
                old = self._tensor_cell(grad).tensor
                assert old is not None
                new[grad] = ops.add(old, contribution)
        return list(new.items())

    def _transfer(self, resolved: Resolved) -> list[tuple[str, Tensor]]:
        """Instructions on cells as wholes, and those that talk to the outside."""
        op = resolved.instruction.op
        if op not in ("print", "save", "load"):
            return []
        [(_, name, cell)] = resolved.tensors
        assert cell.tensor is not None
        if op == "print":
            if not self.echo:
                raise fail(resolved.instruction, "E-OP", "printing is off", help="allow it with echo=True")
            print(f"{name}: {cell.spec} {cell.tensor.tolist()}")
            return []
        if self.files is None:
            raise fail(resolved.instruction, "E-OP", f"{op} is off", help="allow it with files=FOLDER")
        file = self.files / f"{name}.npy"
        try:
            if op == "save":
                np.save(file, cell.tensor.asnumpy(), allow_pickle=False)
                return []
            array = read_npy(file)
        except (OSError, OpValueError) as error:
            reason = error.message if isinstance(error, OpValueError) else f"{file} cannot be written: {error}"
            raise fail(resolved.instruction, "E-UNDEF", reason) from error
        if (array.dtype, array.shape) != (cell.spec.dtype.numpy, cell.spec.shape):
            code = "E-SHAPE" if array.dtype == cell.spec.dtype.numpy else "E-DTYPE"
            message = f"{file} holds {array.dtype}{list(array.shape)}, but {name} is {cell.spec}"
            raise fail(resolved.instruction, code, message)
        return [(name, Tensor(array))]


def _zeros(spec: TensorSpec) -> Tensor:
    return ops.zeros(spec.shape, spec.dtype)


def _write(cell: TensorCell, value: Tensor) -> None:
    """Put a result into a cell's own memory, of which it may be a view: `copy_to` reads what overlaps before it writes."""
    assert cell.tensor is not None
    if value is not cell.tensor:
        if value.shape != cell.spec.shape:  # a reduction whose axes are kept, or a rank of 0 kept as [1]
            value = ops.reshape(value, cell.spec.shape)
        ops.copy_to(cell.tensor, value)


def _described(value: Any) -> Any:
    """What is bound, as an array or tensor whose type and shape can be asked for."""
    return value if isinstance(value, (Tensor, np.ndarray)) else np.asarray(value)


def _bound(name: str, value: Any, copy: bool) -> Tensor:
    if isinstance(value, Tensor):
        return Tensor(value.asnumpy(), value.dtype) if copy else _writable(name, value)
    array = np.asarray(value)
    if copy or not isinstance(value, np.ndarray):
        return Tensor(array)
    if not array.flags.writeable:
        raise DeepxError("E-OPERAND", f"{name} cannot be bound without a copy: the array is read-only")
    return _writable(name, from_numpy(array))


def _writable(name: str, tensor: Tensor) -> Tensor:
    """The tensor, if a program may write into its memory."""
    try:
        check_writable(tensor, ops.copy_to, False)
    except AnforaError as error:
        raise DeepxError(
            "E-OPERAND", f"{name} cannot be bound without a copy: {error.message}", help=error.help
        ) from None
    return tensor


def run(
    program: Program | str,
    inputs: Mapping[str, Any] | None = None,
    *,
    copy: bool = True,
    naming: str = "strict",
    check_stale: bool = False,
    files: str | Path | None = None,
    echo: bool = False,
) -> Machine:
    """Check a program, then run it on a new memory.

    Args:
        program: a program or its text.
        inputs, copy, naming, check_stale, files, echo: see `Machine`.
    Returns:
        the memory at the end.
    Raises:
        DeepxError: what `check` finds, before anything runs; or what only the data shows, such as an integer divided by 0.

    Example:
        >>> memory = run('''
        ... argset@int32 3->v1
        ... argset@float32 1->a1
        ... newtensor@float32 v1->t1
        ... constant@float32 a1->t1
        ... ''')
        >>> memory["t1"].tolist()
        [1.0, 1.0, 1.0]
    """
    lines = read(program, naming) if isinstance(program, str) else program
    check(
        lines,
        inputs and {name: _described(value) for name, value in inputs.items()},
        naming=naming,
        check_stale=check_stale,
    )
    machine = Machine(inputs, copy=copy, naming=lines.naming, check_stale=check_stale, files=files, echo=echo)
    machine.execute(lines)
    return machine
