"""Reading variables and attributes: what comes from outside is registered, with the guards that it takes."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable
from typing import Any

from anfora.core.cell import Cell
from anfora.core.dtype import DType
from anfora.core.own_builtins import BUILTINS
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts import arrays, known
from anfora.graph.facts.classes import DESCRIBING, class_attribute, comes_first, defines, has_tag
from anfora.graph.facts.constructed import adopt_constructed
from anfora.graph.facts.kinds import dict_of_module, is_a, name_of_module
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.operator_classes import is_operator
from anfora.graph.facts.rows.constructed import NAMES
from anfora.graph.machine import operations
from anfora.graph.machine.frames import builtins_of
from anfora.graph.machine.generators import Generator, is_method
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.operations import holds, is_filled, is_of_python, mro_of, table_of
from anfora.graph.machine.requests import ENTERED
from anfora.graph.machine.walks import Walk, raise_missing
from anfora.graph.polyfill.polyfills import getattr_, hasattr_, property_
from anfora.graph.polyfill.special import behind, method_of
from anfora.graph.record.notebook import UNKNOWN
from anfora.graph.record.reasons import Reasons

__all__ = ["Attributes"]


class Attributes(Reasons):
    """Reads what the program names."""

    def load_global(self, machine: Machine, name: str) -> Any:
        function = machine.frames[-1].function
        scope = function.__globals__
        try:
            value = super().load_global(machine, name)
        except NameError:  # the program may go on, which later calls do for the same reason only
            for absent_from in (scope, builtins_of(function)):
                self.guard("no key", self.origin("known", absent_from), name)
            raise
        written = self.overlay.item(scope, self.make_origin("known", scope), name)
        if written is not UNKNOWN:
            return written
        if name in scope:
            if scope.get("__name__") in _OWN and known.is_constant(value):
                return value
            return self.register(value, self.origin("item", name, self.origin("known", scope)))
        if builtins_of(function) is BUILTINS:  # which nobody changes
            return value
        self.guard("no key", self.origin("known", scope), name)
        return self.register(value, self.origin("item", name, self.origin("known", builtins_of(function))))

    def load_builtin(self, machine: Machine, name: str) -> Any:
        value, held = super().load_builtin(machine, name), builtins_of(machine.frames[-1].function)
        if held is not BUILTINS:
            self.guard("is", self.origin("item", name, self.origin("known", held)), value)
        return value

    def has_global(self, machine: Machine, name: str) -> bool:
        scope = machine.frames[-1].function.__globals__
        is_there = super().has_global(machine, name)
        if self.overlay.item(scope, self.make_origin("known", scope), name) is UNKNOWN:
            self.guard("is", self.derive(holds, self.origin("known", scope), name), is_there)
        return is_there

    def load_cell(self, machine: Machine, cell: types.CellType, name: str) -> Any:
        try:
            value = super().load_cell(machine, cell, name)
        except NameError:
            if id(cell) not in self.local_cells:
                self.guard("is", self.derive(is_filled, self.origin_of_value(cell)), False)
            raise
        if id(cell) in self.local_cells:
            return value
        written = self.overlay.attribute(cell, "cell_contents")
        if written is not UNKNOWN:
            return written
        return self.register(value, self.origin("attr", "cell_contents", self.origin_of_value(cell)))

    def getattr(self, machine: Machine, value: Any, name: str) -> Any:
        if self.given is not None:  # the attribute may lie in the object by now
            return self.redo()
        if type(value) is list and id(value) not in self.origins and hasattr(list, name):
            return getattr(value, name)
        value = self.force(value)
        if self.opaque_to(getattr, (value,), value):
            return self._ask_python(machine, value, name, f"an attribute of a {type(value).__name__}")
        return self._way_to_read(value, name)(machine, value, name)

    def _way_to_read(self, value: Any, name: str) -> Callable[[Machine, Any, str], Any]:
        """How an attribute of what is of a kind is read."""
        if is_a(value, Tensor):
            return self._tensor_attribute
        if self.owns_array(value):
            return self._array_attribute
        if self.owns_constructed(value) and name in NAMES[type(value)]:
            return self._constructed_attribute
        if is_a(value, types.ModuleType):
            return self._module_attribute
        if is_a(value, type):
            return self._class_attribute
        if type(value) is DType and type(class_attribute(DType, name)) in (property, types.MemberDescriptorType):
            return self._read_natively  # there is one for each type, and it never changes
        if known.is_object(value) and not known.is_compiled(value):
            return self._attribute
        if type(value) in (Generator, Walk):
            return self._iterator_attribute
        if is_method(value) and name != "__self__":
            return self._attribute_of_method
        if type(value) is super:
            return self._attribute_above
        is_function = is_a(value, types.FunctionType) or known.is_compiled(value)
        if is_function and id(value) not in self.local_functions:
            return self._function_attribute
        if is_a(value, BaseException):
            return self._exception_attribute
        if is_a(value, (tuple, enum.Enum)) and type(value) is not tuple:
            return self._member_attribute
        return self._other_attribute

    def _ask_python(self, machine: Machine, value: Any, name: str, reason: str) -> Any:
        """Let the interpreter read an attribute, in each call."""
        return self.interpret(machine, getattr, (value, name), {}, reason)

    def _read_natively(self, machine: Machine, value: Any, name: str) -> Any:
        """Read an attribute that is the same in later calls, or the same error."""
        return machine.natively(getattr, (value, name), {})

    def _from_outside(self, value: Any, name: str, found: Any) -> Any:
        """What an attribute of something from outside holds; what the piece has written there, if it has."""
        written = self.overlay.attribute(value, name)
        return self._registered(value, name, found) if written is UNKNOWN else written

    def _registered(self, value: Any, name: str, found: Any) -> Any:
        return self.register(found, self.origin("attr", name, self.origin_of_value(value)))

    def _array_attribute(self, machine: Machine, value: Any, name: str) -> Any:
        if not arrays.is_read_plainly(name):
            return self._ask_python(machine, value, name, f"an attribute of a {type(value).__name__}")
        found = self._read_natively(machine, value, name)
        arrays.adopt(self, found)
        return found

    def _constructed_attribute(self, machine: Machine, value: Any, name: str) -> Any:
        found = self._read_natively(machine, value, name)
        adopt_constructed(self, found)
        return found

    def _module_attribute(self, machine: Machine, value: types.ModuleType, name: str) -> Any:
        if not self._is_plain_module(value):
            return self._ask_python(machine, value, name, f"an attribute of a {type(value).__name__}")
        found = value.__dict__.get(name, self)
        if found is self:
            if "__getattr__" not in value.__dict__:
                self._guard_absence(value, name)
            elif not _is_of_package(value.__dict__["__getattr__"]):
                return self._ask_python(machine, value, name, f"{name_of_module(value)}.__getattr__")
            found = self._read_natively(machine, value, name)  # made when it is asked for, or an error
        return self._from_outside(value, name, found)

    def _class_attribute(self, machine: Machine, value: type, name: str) -> Any:
        static = class_attribute(value, name)
        of_class: Any = class_attribute(type(value), name) if static is None else None
        is_property = type(of_class) is property and is_a(of_class.fget, types.FunctionType)
        is_made_up = static is None and of_class is None and _answers_for_classes(type(value))
        if (
            is_made_up
            or self._is_computed(of_class if static is None else static)
            or (is_property and self.enters(of_class.fget))
        ):
            return self._ask_python(machine, value, name, f"the descriptor {value.__name__}.{name}")
        found = self._found(machine, value, name)
        written = self.overlay.attribute(value, name)
        if written is not UNKNOWN:
            return written
        if is_a(found, types.MethodType):
            self.guard_method(self.origin("method", name, self.origin("known", value)), found)
        if is_a(found, (types.MethodType, *known.BOUND)):
            return found
        return self.register(found, self.origin("attr", name, self.origin("known", value)))

    def _attribute_above(self, machine: Machine, value: Any, name: str) -> Any:
        """An attribute of `super()`: what the classes behind have under the name."""
        kind, above = value.__self_class__, value.__thisclass__
        if kind is not None:
            found = self.derive(behind, self.origin("known", kind), above, name)
            self.guard("is", found, behind(kind, above, name))
        return self._other_attribute(machine, value, name)

    def _function_attribute(self, machine: Machine, value: Any, name: str) -> Any:
        return self._from_outside(value, name, self._found(machine, value, name))

    def _exception_attribute(self, machine: Machine, value: BaseException, name: str) -> Any:
        if self.is_outside(value):
            return self._ask_python(machine, value, name, f"an attribute of a {type(value).__name__}")
        return self._read_natively(machine, value, name)

    def _other_attribute(self, machine: Machine, value: Any, name: str) -> Any:
        """An attribute that follows from what a value is and holds."""
        found = self._read_natively(machine, value, name)
        if self.is_outside(value) and not is_a(found, (types.MethodType, *known.BOUND)):
            return self._registered(value, name, found)
        return found

    def _iterator_attribute(self, machine: Machine, value: Generator | Walk, name: str) -> Any:
        """An attribute of an iterator of the machine's: what Python's own has, and no more."""
        kind = value.kind
        if name == "__doc__":
            return kind.__doc__
        if class_attribute(kind, name) is None:
            return machine.natively(raise_missing, (value, name), {})
        is_ours = kind is types.GeneratorType or name in ("__next__", "__iter__")
        if is_ours or (name in vars(object) and not name.startswith("__reduce")):
            return self._read_natively(machine, value, name)
        return self._ask_python(machine, value, name, f"an attribute of a {kind.__name__}")

    def _attribute_of_method(self, machine: Machine, value: types.MethodType, name: str) -> Any:
        """An attribute of a method of an iterator of the machine's, which Python's own has written in C."""
        return self._ask_python(machine, value, name, f"an attribute of a method of {type(value.__self__).__name__}")

    def _is_plain_module(self, module: types.ModuleType) -> bool:
        """Whether the attributes of a module are what lies in its dict, now and in later calls."""
        if not dict_of_module(module):  # nothing lies there, if it has one
            return False
        if not name_of_module(module).startswith("anfora"):
            self.guard("type", self.origin_of_value(module), type(module))
        kind = type(module)
        return kind is types.ModuleType or (
            has_tag(kind) and not any(table_of(base).keys() - _OF_MODULES for base in mro_of(kind)[:-2])
        )

    def _member_attribute(self, machine: Machine, value: Any, name: str) -> Any:
        """An attribute of a named tuple, or of a member of an enumeration."""
        kind = type(value)
        static = class_attribute(kind, name)
        is_own = name in (operations.dict_of(value) or ())
        getter = getattr(static, "fget", None) if is_a(static, (property, types.DynamicClassAttribute)) else None
        is_of_program = is_a(getter, types.FunctionType) and self.enters(getter)
        has_fallback = class_attribute(kind, "__getattr__") is not None
        if is_of_program and type(static) is property and not has_fallback:
            self.guard_class(kind, name)
            self.enter(machine, getter, (value,), {})
            return ENTERED
        is_made = static is None and has_fallback
        is_made = is_made or is_a(static, functools.cached_property) or (getter is None and self._is_computed(static))
        is_made = (is_made and not is_own) or is_a(kind.__getattribute__, types.FunctionType)
        if is_made or is_of_program or is_a(static, property):
            return self._ask_python(machine, value, name, f"the property {kind.__name__}.{name}")
        if is_own and is_a(value, enum.Enum):
            return self._registered(value, name, value.__dict__[name])
        if is_a(static, types.FunctionType):
            self.guard_class(kind, name)
        elif static is not None and not is_own and not defines(type(static), "__get__"):
            return self.register(static, self.origin("attr", name, self.origin("known", kind)))
        return self._other_attribute(machine, value, name)

    @staticmethod
    def _is_computed(static: Any) -> bool:
        """Whether to ask a class for an attribute calls a descriptor of the program."""
        kind = type(static)
        is_of_program = known.is_object(static) and not known.is_ours(kind)
        return is_of_program and not is_a(static, type) and defines(kind, "__get__")

    def descriptor(self, kind: type, name: str) -> Any:
        """The descriptor that a class has under a name, an object of the program's."""
        static = class_attribute(kind, name)
        return self.register(static, self.derive(class_attribute, self.origin("known", kind), name))

    def _found(self, machine: Machine, value: Any, name: str) -> Any:
        """An attribute of a class or function from outside; where it has none, that is the same in later calls."""
        try:
            return machine.natively(getattr, (value, name), {})
        except AttributeError:
            if not defines(type(value), "__getattr__"):
                self.guard("is", self.derive(hasattr, self.origin_of_value(value), name), False)
            raise

    def named_attribute(self, machine: Machine, function: Any, args: tuple) -> bool:
        """`getattr`, `hasattr` with a name that is known."""
        args = tuple(map(self.force, args))
        if type(args[1]) is not str or self.opaque(args[0]):
            return False
        if type(args[0]) in SIMPLE:
            machine.push(machine.natively(function, args, {}))
            return True
        if function is getattr and len(args) == 2:
            frame = machine.frames[-1]
            value = self.getattr(machine, *args)
            if value is not ENTERED:
                machine.push(value)
            else:
                machine.note_attribute(frame, *args)
            return True
        self.enter(machine, getattr_ if function is getattr else hasattr_, args, {})
        return True

    def _guard_in_class(self, kind: type, name: str) -> None:
        """A class has the same under a name in later calls, or nothing."""
        self.guard("is", self.derive(class_attribute, self.origin("known", kind), name), class_attribute(kind, name))

    def _attribute(self, machine: Machine, value: Any, name: str) -> Any:
        kind = type(value)
        if name == "__class__" and class_attribute(kind, name) is object.__dict__[name]:
            return kind
        if name in ("attrs", "__dict__") and is_operator(value) and id(value) not in self.own:
            return self._ask_python(machine, value, name, "what is noted on an operator")
        if name == "__dict__":
            return self._dict_of_object(machine, value)
        static = class_attribute(kind, name)
        self.guard_describing(static)
        own = operations.dict_of(value)
        self._guard_in_class(kind, "__getattribute__")
        if static is None and not self.is_outside(value):
            self._guard_in_class(kind, name)
        if own is not None and name in own and not comes_first(static):
            self._guard_in_class(kind, name)
            if (
                self.is_outside(value)
                and self.overlay.attribute(value, name) is UNKNOWN
                and _is_made_else(kind, static)
            ):
                self.guard("is", self.derive(operations.has_own, self.origin_of_value(value), name), True)
            return self.getattr_plain(value, name)
        if static is None:
            return self._missing_attribute(machine, value, name)
        for kinds, way in _BY_STATIC:
            if is_a(static, kinds):
                return way(self, machine, value, name, static)
        if defines(type(static), "__get__") and not is_a(static, type):
            return self._described_attribute(machine, value, name, static)
        origin = self.origin_of_value(value) if self.is_outside(value) else self.origin("known", kind)
        return self.register(static, self.origin("attr", name, origin))

    def _dict_of_object(self, machine: Machine, value: Any) -> Any:
        if any(low.cell is value for low in self.lowered):
            return self._ask_python(machine, value, "__dict__", "the attributes of a Cell in another type")
        if self.is_outside(value):
            return self._registered(value, "__dict__", value.__dict__)
        if type(value) is types.SimpleNamespace:
            return self._ask_python(machine, value, "__dict__", "the dict of a SimpleNamespace")
        return self._read_natively(machine, value, "__dict__")

    def _missing_attribute(self, machine: Machine, value: Any, name: str) -> Any:
        """An attribute that neither an object has nor its class."""
        kind, outside = type(value), self.is_outside(value)
        if is_a(value, Cell):
            self._guard_in_class(kind, "__getattr__")
        if class_attribute(kind, "__getattr__") is vars(Cell)["__getattr__"]:
            if name in kind._made_when_asked:
                getattr(value, name)
                return self.getattr_plain(value, name)
        elif defines(kind, "__getattr__"):
            fallback = method_of(self, value, "__getattr__")
            if fallback is None:
                return self._ask_python(machine, value, name, f"{kind.__name__}.__getattr__")
            if outside:
                self._guard_absence(value, name)
            self.enter(machine, fallback, (value, name), {})
            return ENTERED
        elif not outside:
            self._guard_in_class(kind, "__getattr__")
        if outside:
            self._guard_absence(value, name)
        return self._read_natively(machine, value, name)  # the error

    def _property_attribute(self, machine: Machine, value: Any, name: str, static: Any) -> Any:
        kind, getter = type(value), getattr(static, "fget", None)
        if is_a(getter, types.FunctionType) and self.enters(getter):
            self.guard_class(kind, name)
            if not defines(kind, "__getattr__"):
                self.enter(machine, getter, (value,), {})
                return ENTERED
            fallback = method_of(self, value, "__getattr__")
            if fallback is not None:
                self.enter(machine, property_, (getter, fallback, value, name), {})
                return ENTERED
        return self._ask_python(machine, value, name, f"the property {kind.__name__}.{name}")

    def _method_attribute(self, machine: Machine, value: Any, name: str, static: Any) -> Any:
        found = self._read_natively(machine, value, name)
        if self.is_outside(value):
            self.guard_method(self.origin("method", name, self.origin_of_value(value)), found)
        elif is_a(static, classmethod):
            self.guard_method(self.origin("method", name, self.origin("known", type(value))), found)
        else:
            self.guard_class(type(value), name)
        return found

    def _slot_attribute(self, machine: Machine, value: Any, name: str, static: Any) -> Any:
        """An attribute that has a place in the objects of its class."""
        outside = self.is_outside(value)
        if outside and not hasattr(value, name):
            self._guard_absence(value, name)
        found = self._read_natively(machine, value, name)
        return self._from_outside(value, name, found) if outside else found

    def _described_attribute(self, machine: Machine, value: Any, name: str, static: Any) -> Any:
        """An attribute that an object in the class decides about."""
        kind = type(value)
        is_compiled = known.is_compiled(static)
        if is_compiled or is_a(
            static, (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
        ):
            return self._read_natively(machine, value, name)
        getter = None if defines(kind, "__getattr__") else method_of(self, static, "__get__")
        if getter is None:
            return self._ask_python(machine, value, name, f"the descriptor {kind.__name__}.{name}")
        is_covered = operations.dict_of(value) is not None and not comes_first(static)
        if self.is_outside(value) and is_covered:  # what lies in the object would come first
            self.guard("no key", self.origin("attr", "__dict__", self.origin_of_value(value)), name)
        self.enter(machine, getter, (self.descriptor(kind, name), value, kind), {})
        return ENTERED

    def _tensor_attribute(self, machine: Machine, value: Tensor, name: str) -> Any:
        kind = type(value)
        static = class_attribute(kind, name)
        if kind.__getattribute__ is not object.__getattribute__:
            return self._ask_python(machine, value, name, f"{kind.__name__}.__getattribute__")
        if not known.is_attribute_of_ours(kind, name):
            return self._attribute_of_program(machine, value, name, static)
        own = value.__dict__
        # This library puts methods written in C in the place of others, which do the same.
        self.guard("is", self.derive(known.is_attribute_of_ours, self.origin("known", kind), name), True)
        has_data = comes_first(static)
        if static is not None and not has_data and name not in own and self.is_outside(value):
            origin = self.origin_of_value(value)
            if origin.kind in ("slot", "attr", "item"):  # what lies in the tensor would come first
                self.guard("not own", origin, name)
        if name in known.METADATA and (has_data or name not in own):
            return self._metadata(machine, value, name)
        if name == "grad" or name in own:
            found = self._read_natively(machine, value, name)
            return self._registered(value, name, found) if self.is_outside(value) else found
        if is_a(static, property) and static.fget.__module__.startswith("anfora.core.") and name != "data":
            return self._ask_python(machine, value, name, f"Tensor.{name}")
        if is_a(static, property):
            return self.compute(machine, getattr, (value, name), {})
        if static is None:
            if defines(kind, "__getattr__"):
                return self._ask_python(machine, value, name, f"{kind.__name__}.__getattr__")
            if self.is_outside(value):
                self._guard_absence(value, name)
        return self._read_natively(machine, value, name)

    def _metadata(self, machine: Machine, value: Tensor, name: str) -> Any:
        """What a tensor says of itself without its data."""
        is_named = self.given is None and value.__dict__.get("_name") is not None
        if name == "name" and is_a(value, Parameter) and not is_named:
            return self._ask_python(machine, value, name, "Parameter.name, which is made up now")
        if self.is_outside(value):
            if name in ("name", "is_named"):
                return self._registered(value, name, getattr(value, name))
            if name in ("requires_grad", "is_leaf"):
                self.guard("history", self.origin_of_value(value), value._node is not None)
        if name in ("requires_grad", "is_leaf"):
            self.note_asked(value)
        found = self._read_natively(machine, value, name)
        if type(found) is tuple:  # that of the layout, which all tensors of its form have
            self.keeper.constants[id(found)] = found
        return found

    def _attribute_of_program(self, machine: Machine, value: Tensor, name: str, static: Any) -> Any:
        """An attribute that the program has put into a class of tensors."""
        kind = type(value)
        self.guard("is", self.derive(class_attribute, self.origin("known", kind), name), static)
        has_data = comes_first(static)
        self.guard_describing(static)
        own = value.__dict__
        if name in own and not has_data:
            found = self._read_natively(machine, value, name)
            return self._registered(value, name, found) if self.is_outside(value) else found
        if self.is_outside(value) and not has_data:
            self.guard("no key", self.origin("attr", "__dict__", self.origin_of_value(value)), name)
        if defines(kind, "__getattr__"):
            return self._ask_python(machine, value, name, f"{kind.__name__}.__getattr__")
        if is_a(static, property) and is_a(static.fget, types.FunctionType) and self.enters(static.fget):
            self.enter(machine, static.fget, (value,), {})
            return ENTERED
        if is_a(static, (types.FunctionType, classmethod, staticmethod)):
            return self._read_natively(machine, value, name)
        if defines(type(static), "__get__") and not is_a(static, type):
            return self._ask_python(machine, value, name, f"the descriptor {kind.__name__}.{name}")
        return self.register(static, self.origin("attr", name, self.origin("known", kind)))

    def _guard_absence(self, value: Any, name: str) -> None:
        """An object from outside has no such attribute: nothing of the program is called to find out."""
        origin = self.origin_of_value(value)
        kind = type(value)
        if class_attribute(kind, name) is not None:  # a slot that holds nothing
            self.guard("is", self.derive(hasattr, origin, name), False)
            return
        if known.is_object(value):
            asked = self.derive(class_attribute, self.origin("known", kind), "__getattribute__")
            self.guard("is", asked, object.__getattribute__)
        for missing in (name, "__getattr__") if not defines(kind, "__getattr__") else (name,):
            self.guard("is", self.derive(defines, self.origin("known", kind), missing), False)
        if operations.dict_of(value) is not None:
            table = self.origin("attr", "__dict__", origin)
            self.guard("no key", table, name)
            if is_a(value, types.ModuleType):
                self.guard("no key", table, "__getattr__")

    def guard_describing(self, static: Any) -> None:
        """What a class has under a name says as much, or as little, about that attribute of its objects as now."""
        kind = type(static)
        if not is_of_python(kind):
            return
        for name in DESCRIBING:
            self._guard_in_class(kind, name)


#: How what a class has under a name is read, by what that is.
_BY_STATIC: tuple[tuple[Any, Callable[[Attributes, Machine, Any, str, Any], Any]], ...] = (
    ((property, functools.cached_property), Attributes._property_attribute),
    ((types.FunctionType, classmethod, staticmethod), Attributes._method_attribute),
    (types.MemberDescriptorType, Attributes._slot_attribute),
)


def _is_of_package(fallback: Any) -> bool:
    """Whether the `__getattr__` of a module is one of this package's, which make names and have no effects."""
    return (getattr(fallback, "__module__", None) or "").partition(".")[0] == "anfora"


def _is_made_else(kind: type, static: Any) -> bool:
    """Whether a function of the program's is called for an attribute that does not lie in an object: guards must not do
    that, so they ask first whether it does."""
    if static is None:
        fallback = class_attribute(kind, "__getattr__")
        return fallback is not None and fallback is not vars(Cell)["__getattr__"]
    return is_a(static, functools.cached_property) or is_a(class_attribute(type(static), "__get__"), types.FunctionType)


def _answers_for_classes(kind: type) -> bool:
    """Whether a class of classes has code of the program's that makes up their attributes."""
    found = class_attribute(kind, "__getattr__"), class_attribute(kind, "__getattribute__")
    return kind is not enum.EnumMeta and any(is_a(each, types.FunctionType) for each in found)


#: What a class of modules may have that changes nothing.
_OF_MODULES = frozenset(
    ["__module__", "__qualname__", "__doc__", "__firstlineno__", "__static_attributes__", "__repr__", "__dir__"]
)
#: Modules whose functions the machine runs, and nobody changes.
_OWN = ("anfora.graph.polyfill.polyfills", "anfora.graph.polyfill.gradients", "anfora.graph.polyfill.taking")
