"""Cell: a piece of a network. A Cell is attributes, and `construct`, which is the program.

Children and parameters are whatever Cells, Parameters and ParameterTuples stand among the attributes, in the order in
which they were set.
Names are dotted paths (`conv1.weight`), as checkpoints have them: a parameter gets the name of its attribute when it has
none, and when a child is attached the parameters below it are named by their paths, whatever names they were given.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from anfora.core import slots
from anfora.core.arguments import answers
from anfora.core.cell_state import Buffer, CellNameError, StatefulCell, checked_buffer
from anfora.core.dtype import DType, as_dtype, float16, float32
from anfora.core.errors import AnforaError, MissingAttribute, OpAttributeError, OpTypeError, OpValueError
from anfora.core.habits import word_for
from anfora.core.hooks import HookHandle
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor
from anfora.core.tree import tree_map

if TYPE_CHECKING:
    from typing import ParamSpec, Protocol, TypeVar

    from typing_extensions import Self

    P = ParamSpec("P")
    R = TypeVar("R", covariant=True)

    class Constructs(Protocol[P, R]):
        """A Cell, for type checkers: a call of it takes and gives what its `construct` does."""

        def construct(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


__all__ = ["Cell", "Hooks", "hooks_of"]


_RECOMPUTED = "recompute_"


class Hooks:
    """The hooks of a Cell, by kind. A hook is kept with its options. A Cell with a `bprop` of its own has one too: where
    there is none, and no other computing type, a call of the Cell is one of `construct`."""

    __slots__ = ("backward", "backward_pre", "forward", "forward_pre")

    def __init__(self) -> None:
        self.forward_pre: dict[int, tuple[Callable, bool]] = {}
        self.forward: dict[int, tuple[Callable, bool, bool]] = {}
        self.backward_pre: dict[int, Callable] = {}
        self.backward: dict[int, Callable] = {}


def hooks_of(cell: Cell, kind: str) -> tuple:
    """The hooks of a Cell that there are now, of a kind, in the order in which they are called."""
    hooks: Hooks | None = cell.__dict__["_hooks"]
    return () if hooks is None else tuple(getattr(hooks, kind).values())


class Cell(StatefulCell):
    """Base of networks and layers. Subclasses set attributes in `__init__` and write `construct`.

    Args:
        auto_prefix: whether the names of a child's parameters get the name of the attribute in front.
        flags: attributes to set, as a dict.

    Example:
        >>> class Line(Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.slope = Parameter(2.0)
        ...     def construct(self, x):
        ...         return x * self.slope
        >>> Line()(Tensor(3.0)).item(), [p.name for p in Line().trainable_params()]
        (6.0, ['slope'])
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls)

    def __init__(self, auto_prefix: bool = True, flags: dict | None = None) -> None:
        attributes = self.__dict__
        attributes["_auto_prefix"] = auto_prefix
        attributes["_hooks"] = Hooks() if "bprop" in attributes else None
        attributes["_compute_type"] = None
        attributes["_program"] = None  # what it was compiled to in graph mode
        attributes["training"] = False
        attributes["_training_is_said"] = False  # it is what it is without anybody's word
        attributes["requires_grad"] = False
        if flags:
            self.add_flags(**flags)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """The program of the Cell; to be written by subclasses."""
        for other in ("forward", "call"):
            if hasattr(type(self), other):
                hint = f": it has {other}(), which is called construct() here"
                raise NotImplementedError(f"{type(self).__name__} has no construct(){hint}")
        raise NotImplementedError(f"{type(self).__name__} has no construct()")

    if TYPE_CHECKING:

        def __call__(self: Constructs[P, R], *args: P.args, **kwargs: P.kwargs) -> R: ...

    else:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            attributes = self.__dict__
            try:
                plain = attributes["_hooks"] is None and attributes["_compute_type"] is None
            except KeyError:
                raise _not_initialised(self) from None
            try:
                if slots.calls_are_special:
                    return slots.call_compiled(self, args, kwargs)
                if plain and not hasattr(type(self), "bprop"):
                    return self.construct(*args, **kwargs)
                return slots.call_cell(self, args, kwargs)
            except AnforaError as error:
                if error.place is None:  # no operator has: a line of the program below, or a layer
                    from anfora.core.span import locate

                    order = tuple(inspect.signature(self.construct).parameters)
                    error.place = locate(error.arg, order, error.__traceback__)
                raise

    # -- attributes ---------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if isinstance(value, (Parameter, Cell)):
            if "_auto_prefix" not in attributes:
                raise _not_initialised(self)
            if not isinstance(attributes.get(name, value), (Parameter, Cell)):
                # Its place among parameters and Cells is where it becomes one: `self.net = None` takes none.
                del attributes[name]
            if isinstance(value, Parameter):
                if not value.is_named:
                    value.name = name
            elif attributes["_auto_prefix"]:
                value.update_parameters_name(name + ".")
        elif isinstance(value, Tensor):
            held = attributes.get(name)
            if isinstance(held, Parameter):
                slots.assign(held, value)
                return
            if value.__dict__ and isinstance(value, Buffer):
                if "_auto_prefix" not in attributes:
                    raise _not_initialised(self)
                attributes.pop(name, None)
                self.register_buffer(name, value, value.persistent)  # type: ignore[attr-defined]  # which Buffer sets
                return
        elif name == "bprop" and attributes.get("_hooks") is None:
            attributes["_hooks"] = Hooks()  # no plain call any more
        elif name == "training":
            attributes["_training_is_said"] = True
        state = attributes.get("_state")
        if state is not None and name in state.buffers:
            checked_buffer(name, value)
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if "_auto_prefix" not in self.__dict__ and not name.startswith("__"):
            raise _not_initialised(self)
        make = type(self)._made_when_asked.get(name)
        if make is not None:
            found = self.__dict__[name] = make(self)
            return found
        text = f"'{type(self).__name__}' object has no attribute '{name}'"
        raise MissingAttribute(text, help=word_for(name, *self._habits), owner=self, missing=name)

    #: Where `core/habits.py` has our words for what is missing.
    _habits: tuple[str, ...] = ("Cell",)

    #: Attributes that lie in a Cell from when they are asked for, and what makes them, given the Cell.
    _made_when_asked: dict[str, Callable[[Any], Any]] = {}  # noqa: RUF012

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    @property
    def param_prefix(self) -> str:
        """What stands before the names of this Cell's parameters."""
        for name, parameter in self.parameters_and_names():
            full = parameter.name
            return full[: -len(name) - 1] if full != name and full.endswith("." + name) else ""
        return ""

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name the parameters by their dotted paths below this Cell, each behind a prefix."""
        if not isinstance(prefix, str):
            raise OpTypeError(f"the prefix of parameter names must be a string, but got {type(prefix).__name__}")
        for path, parameter in list(self.parameters_and_names(expand=recurse)):
            parameter.name = prefix + path

    # -- children -----------------------------------------------------------------------------------------------------

    @property
    def _cells(self) -> dict[str, Cell]:
        return {name: value for name, value in self.__dict__.items() if isinstance(value, Cell)}

    @property
    def _params(self) -> dict[str, Parameter]:
        found: dict[str, Parameter] = {}
        for name, value in self.__dict__.items():
            if isinstance(value, Parameter):
                found[name] = value
            elif isinstance(value, ParameterTuple):
                for parameter in value:
                    if found.setdefault(parameter.name, parameter) is not parameter:
                        raise OpValueError(
                            f"two parameters have the name {parameter.name!r}: one of {type(self).__name__}.{name}, and "
                            f"another attribute",
                            help="give each a name of its own.",
                        )
        return found

    def cells(self) -> Any:
        """The children."""
        return self.name_cells().values()

    def name_cells(self) -> OrderedDict[str, Cell]:
        """The children by name; a child that is there twice is listed once."""
        seen: set[int] = set()
        found = OrderedDict()
        for name, cell in self._cells.items():
            if id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def cells_and_names(self, cells: set | None = None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This Cell and all below it, each once, with dotted names (this one's is `name_prefix`)."""
        seen = set() if cells is None else cells
        if id(self) in seen:
            return
        seen.add(id(self))
        yield name_prefix, self
        for name, cell in self._cells.items():
            yield from cell.cells_and_names(seen, f"{name_prefix}.{name}" if name_prefix else name)

    def generate_scope(self, above: str = "Default") -> None:
        """Give every Cell below this one its scope, the path to it: `Default/conv1-Conv2d`."""
        for name, cell in self._cells.items():
            scope = f"{above}/{name}-{type(cell).__name__}"
            noted = cell.get_scope() or ""
            cell.__dict__["_scope"] = _RECOMPUTED * noted.startswith(_RECOMPUTED) + scope
            cell.generate_scope(scope)

    def get_scope(self) -> str | None:
        """The scope that `generate_scope` of the whole network has given, behind `recompute_` where `recompute` was called;
        None where neither was."""
        return self.__dict__.get("_scope")

    #: Whether what is inside is computed again for its gradient; see `recompute`.
    _is_recomputed = False
    _contexts: Callable | None = None

    def recompute(
        self,
        *,
        use_reentrant: bool = True,
        output_recompute: bool = False,
        early_stop: bool = True,
        context_fn: Callable | None = None,
        mode: Any = True,
        **kwargs: Any,
    ) -> Self:
        """Keep nothing of what is inside for the gradient, but compute it again on the way back; gives the Cell.

        It takes less memory and more time. Gradients are the same bits, of whatever the Cell uses: it is run again from the
        arguments, parameters, attributes and random numbers that there were, and what there is now is put back. Other
        effects of `construct`, a `print` or an item of a list say, come twice. If weights have changed in between, other
        threads see the old ones meanwhile. Where a tape follows it, the interpreter calls it in graph mode, which
        `fullgraph=True` refuses.

        Args:
            use_reentrant, output_recompute, early_stop: accepted for MindSpore programs, as further keywords are.
            context_fn: gives two context managers, one for each call and one for the second call on the way back.
            mode: False turns it off again.
        Raises:
            OpRuntimeError: by the gradient, if the Cell does not compute again what it has computed.
        Example:
            >>> net = nn.SequentialCell(nn.Dense(2, 2), nn.Tanh()).recompute()
            >>> grad(lambda x: net(x).sum())(Tensor([[1., 2.]])).shape
            (1, 2)
        """
        self.__dict__["_scope"] = _RECOMPUTED
        self.__dict__["_is_recomputed"] = bool(mode)
        self.__dict__["_contexts"] = context_fn
        if self.__dict__["_hooks"] is None:
            self.__dict__["_hooks"] = Hooks()  # no plain call any more
        return self

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Attach a child under a name that is not taken; None leaves the place empty.

        Unlike an assignment it does not put the name in front of those of the child's parameters, as in MindSpore."""
        if not isinstance(child_name, str):
            raise OpTypeError(f"the name of a child must be a string, but got {type(child_name).__name__}")
        if child_cell is not None and not isinstance(child_cell, Cell):
            raise OpTypeError(f"a child must be a Cell, but got {type(child_cell).__name__}")
        if not child_name or "." in child_name:
            raise CellNameError(f"the name of a child must not be empty or hold a dot, but got {child_name!r}")
        if hasattr(self, child_name) and child_name not in self._cells:
            raise CellNameError(f"{type(self).__name__} has an attribute '{child_name}' already")
        if "_auto_prefix" not in self.__dict__:
            raise _not_initialised(self)
        object.__setattr__(self, child_name, child_cell)

    def insert_param_to_cell(self, param_name: str, param: Parameter, check_name_contain_dot: bool = True) -> None:
        """Attach a parameter under a name that is not taken."""
        if not isinstance(param_name, str):
            raise OpTypeError(f"the name of a parameter must be a string, but got {param_name!r}")
        if not param_name or (check_name_contain_dot and "." in param_name):
            raise CellNameError(f"the name of a parameter must not be empty or hold a dot, but got {param_name!r}")
        if not isinstance(param, Parameter):
            raise OpTypeError(f"a parameter must be a Parameter, but got {type(param).__name__}")
        if hasattr(self, param_name) and param_name not in self._params:
            raise CellNameError(f"{type(self).__name__} has an attribute '{param_name}' already")
        setattr(self, param_name, param)

    def apply(self, fn: Callable[[Cell], Any]) -> Self:
        """Call `fn` with every Cell below this one, and then with this one; gives the Cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # -- parameters ---------------------------------------------------------------------------------------------------

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted names, each once; those of children with `expand`."""
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for path, cell in cells:
            for name, parameter in cell._params.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{path}.{name}" if path else name, parameter

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """The parameters, each once."""
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """The parameters by their own names."""
        return OrderedDict((parameter.name, parameter) for parameter in self.get_parameters(recurse))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that require a gradient."""
        return [parameter for parameter in self.get_parameters(recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters that require no gradient."""
        return [parameter for parameter in self.get_parameters(recurse) if not parameter.requires_grad]

    def check_names(self) -> None:
        """Raise OpValueError if two parameters have one name."""
        seen: dict[str, str] = {}
        for path, parameter in self.parameters_and_names():
            if parameter.name in seen:
                raise OpValueError(
                    f"two parameters have the name '{parameter.name}': {seen[parameter.name]} and {path}",
                    help="give them names of their own: Parameter(..., name=...).",
                )
            seen[parameter.name] = path

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict:
        """Parameters are initialised when they are made; gives the replaced ones, which are none."""
        return {}

    # -- modes --------------------------------------------------------------------------------------------------------

    def set_train(self, mode: bool = True) -> Self:
        """Set `training` here and below: dropout and batch norm behave by it."""
        for _, cell in self.cells_and_names():
            cell.__dict__["training"] = bool(mode)
            cell.__dict__["_training_is_said"] = True
        return self

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Accepted for MindSpore programs: gradients are available without it."""
        self.__dict__["requires_grad"] = requires_grad
        return self

    def freeze(self) -> Self:
        """Exclude all parameters here and below from training."""
        for parameter in self.get_parameters():
            parameter.requires_grad = False
        return self

    def to_float(self, dst_type: Any) -> Self:
        """Compute in another floating type, here and below: tensors that come in and trainable parameters are converted.

        The parameters themselves keep their type, and their gradients have it. What is not trained is not converted.

        Example:
            >>> net = nn.Dense(2, 2).to_float(float16)
            >>> net(Tensor([[1., 2.]])).dtype, net.weight.dtype
            (anfora.float16, anfora.float32)
        """
        dtype: DType = as_dtype(dst_type)
        if not dtype.is_float:
            raise OpValueError(f"to_float needs a floating type, but got {dtype}")
        for _, cell in self.cells_and_names():
            cell.__dict__["_compute_type"] = dtype
            for flag, kind in (("fp16", float16), ("fp32", float32)):
                cell.__dict__[flag] = dtype is kind
        return self

    def add_flags(self, **flags: Any) -> Self:
        """Set attributes."""
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self, **flags: Any) -> Self:
        """Set attributes here and below."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    @property
    def phase(self) -> str:
        """ "train" or "predict", by `training`."""
        return "train" if self.training else "predict"

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Say which shapes the inputs of a compiled Cell have; every shape is taken without it."""

    def set_jit_config(self, jit_config: Any) -> Self:
        """Choose how the Cell is compiled: a `JitConfig`. `fullgraph=True` and `jit_syntax_level="STRICT"` refuse programs,
        see `jit`; the other options change nothing here."""
        self.__dict__["_jit_options"] = dict(getattr(jit_config, "jit_config_dict", {}))
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Refuse inputs that the Cell refuses, and have its kernels compiled, without running or changing anything: another
        process follows what `construct` would do. `anfora.ir.lower` tells what that finds. Of tensors the shapes and types
        count: `net.compile(Tensor(shape=(32, 10), dtype=float32))`."""
        from anfora.executors import _cell_graph_executor  # it stands above core

        for name in kwargs:
            if word_for(name, "arguments of compile") and name not in inspect.signature(self.construct).parameters:
                raise OpTypeError(
                    f"compile takes what construct takes, which has no `{name}`",
                    help=word_for(name, "arguments of compile"),
                )
        _cell_graph_executor.compile(self, *args, **kwargs)

    def _no_effect(self, *args: Any, **kwargs: Any) -> Self:
        """Accepted for MindSpore programs: it says where and how to compute, never what; gives the Cell."""
        return self

    #: What MindSpore programs say about memory, compilation and several devices.
    shard = set_comm_fusion = set_data_parallel = set_broadcast_flag = _no_effect
    set_boost = offload = flatten_weights = _no_effect
    pipeline_stage: int | None = None

    # -- hooks --------------------------------------------------------------------------------------------------------

    def _hook(self, kind: str, hook: Callable, entry: Any, prepend: bool = False) -> HookHandle:
        if not callable(hook):
            raise OpTypeError(f"a hook must be a function, but got {type(hook).__name__}")
        if self.__dict__["_hooks"] is None:
            self.__dict__["_hooks"] = Hooks()
        table = getattr(self.__dict__["_hooks"], kind)
        handle = HookHandle(table)
        if prepend:
            old = dict(table)
            table.clear()
            table[handle.handle_id] = entry
            table.update(old)
        else:
            table[handle.handle_id] = entry
        return handle

    def register_forward_pre_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Call `hook_fn(cell, args)` before `construct`; what it returns replaces the arguments.

        With `with_kwargs` it is called as `hook_fn(cell, args, kwargs)` and returns both or None.
        """
        return self._hook("forward_pre", hook_fn, (hook_fn, with_kwargs), prepend)

    def register_forward_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> HookHandle:
        """Call `hook_fn(cell, args, output)` after `construct`; what it returns replaces the output.

        With `with_kwargs` it is called as `hook_fn(cell, args, kwargs, output)`; with `always_call` also when `construct`
        raised an error (then with output None).
        """
        return self._hook("forward", hook_fn, (hook_fn, with_kwargs, always_call), prepend)

    def register_backward_pre_hook(self, hook_fn: Callable) -> HookHandle:
        """Call `hook_fn(cell, grad_output)` when the gradient of the output is known; what it returns replaces it."""
        return self._hook("backward_pre", hook_fn, hook_fn)

    def register_backward_hook(self, hook_fn: Callable) -> HookHandle:
        """Call `hook_fn(cell, grad_input, grad_output)` when the gradients of the inputs are known; what it returns
        replaces those of the inputs."""
        return self._hook("backward", hook_fn, hook_fn)

    # -- showing, copying ---------------------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """What stands between the parentheses of the Cell's own line."""
        return ""

    def _tree(self) -> str:
        own = self.extend_repr()
        children = self._cells
        if not children:
            return f"{type(self).__name__}({own})"
        lines = [f"({name}): " + cell._tree().replace("\n", "\n  ") for name, cell in children.items()]
        start = f"{type(self).__name__}(" + (own + ", " if own else "")
        return start.rstrip(" ") + "\n  " + "\n  ".join(lines) + "\n)"

    def __repr__(self) -> str:
        if not self._cells:
            return self._tree()
        count = sum(parameter.size for parameter in self.get_parameters())
        trained = sum(parameter.size for parameter in self.trainable_params())
        rest = "" if trained == count else f", {trained:,} of them trained"
        return f"{self._tree()}  # {count:,} parameters{rest}"

    def _repr_html_(self) -> str:
        """What notebooks show: a tree that opens."""
        from anfora.core.cell_html import as_html  # which few programs need

        return as_html(self)

    def __getstate__(self) -> dict:
        return dict(self.__dict__)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)


def converted(values: Any, dtype: DType) -> Any:
    """A nesting in which floating tensors have the given type."""

    def convert(tensor: Tensor) -> Tensor:
        return tensor.astype(dtype) if tensor.dtype.is_float and tensor.dtype is not dtype else tensor

    return tree_map(convert, values)


def _not_initialised(cell: Cell) -> OpAttributeError:
    return OpAttributeError(
        f"{type(cell).__name__} was not initialised",
        help=f"let {type(cell).__name__}.__init__ begin with super().__init__().",
    )
