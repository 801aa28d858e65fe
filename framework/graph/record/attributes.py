"""Reading variables and attributes: what comes from outside is registered, with the guards that it takes."""

from __future__ import annotations

import enum
import functools
import types
from typing import Any

from anfora.core.cell import Cell
from anfora.core.dtype import DType
from anfora.core.own_builtins import BUILTINS
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts import arrays, known
from anfora.graph.facts.classes import class_attribute, comes_first, has_tag
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.operator_classes import is_operator
from anfora.graph.machine import operations
from anfora.graph.machine.machine import ENTERED, Machine, builtins_of
from anfora.graph.machine.operations import holds, is_filled
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
        written = self.overlaid_item(scope, name)
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

    def has_global(self, machine: Machine, name: str) -> bool:
        scope = machine.frames[-1].function.__globals__
        is_there = super().has_global(machine, name)
        if self.overlaid_item(scope, name) is UNKNOWN:
            self.guard("is", self.derive(holds, self.origin("known", scope), name), is_there)
        return is_there

    def load_cell(self, machine: Machine, cell: types.CellType, name: str) -> Any:
        try:
            value = super().load_cell(machine, cell, name)
        except NameError:
            if id(cell) not in self.local_cells:
                self.guard("is", self.derive(is_filled, self._origin_of(cell)), False)
            raise
        if id(cell) in self.local_cells:
            return value
        written = self.overlay(cell, "cell_contents")
        if written is not UNKNOWN:
            return written
        return self.register(value, self.origin("attr", "cell_contents", self._origin_of(cell)))

    def getattr(self, machine: Machine, value: Any, name: str) -> Any:
        if self.given is not None:  # the attribute may lie in the object by now
            return self._redo()
        if type(value) is list and id(value) not in self.origins and hasattr(list, name):
            return getattr(value, name)
        value = self.force(value)
        if self.opaque_to(getattr, value):
            return self.interpret(machine, getattr, (value, name), {}, f"an attribute of a {type(value).__name__}")
        if is_a(value, Tensor):
            return self._tensor_attribute(machine, value, name)
        if type(value) is DType and type(class_attribute(DType, name)) in (property, types.MemberDescriptorType):
            # There is one for each type, and it never changes.
            return machine.natively(getattr, (value, name), {})
        if self.owns_array(value):
            if not arrays.is_read_plainly(name):
                return self.interpret(machine, getattr, (value, name), {}, f"an attribute of a {type(value).__name__}")
            found = machine.natively(getattr, (value, name), {})
            arrays.adopt(self, found)
            return found
        if is_a(value, types.ModuleType):
            if not self._is_plain_module(value):
                return self.interpret(machine, getattr, (value, name), {}, f"an attribute of a {type(value).__name__}")
            found = value.__dict__.get(name, self)
            if found is self:
                if "__getattr__" not in value.__dict__:
                    self._guard_absence(value, name)
                elif not _is_of_package(value.__dict__["__getattr__"]):
                    return self.interpret(machine, getattr, (value, name), {}, f"{value.__name__}.__getattr__")
                found = machine.natively(getattr, (value, name), {})  # made when it is asked for, or an error
            written = self.overlay(value, name)
            if written is not UNKNOWN:
                return written
            return self.register(found, self.origin("attr", name, self._origin_of(value)))
        if is_a(value, type):
            static = class_attribute(value, name)
            of_class: Any = class_attribute(type(value), name) if static is None else None
            is_property = type(of_class) is property and is_a(of_class.fget, types.FunctionType)
            is_made_up = static is None and of_class is None and _answers_for_classes(type(value))
            if (
                is_made_up
                or self._is_computed(of_class if static is None else static)
                or (is_property and self.enters(of_class.fget))
            ):
                return self.interpret(machine, getattr, (value, name), {}, f"the descriptor {value.__name__}.{name}")
            found = self._found(machine, value, name)
            written = self.overlay(value, name)
            if written is not UNKNOWN:
                return written
            if is_a(found, types.MethodType):
                self.guard("method", self.origin("method", name, self.origin("known", value)), found)
            if is_a(found, (types.MethodType, *known.BOUND)):
                return found
            return self.register(found, self.origin("attr", name, self.origin("known", value)))
        if known.is_object(value) and not known.is_compiled(value):
            return self._attribute(machine, value, name)
        kind = getattr(value, "__self_class__", None) if type(value) is super else None
        if kind is not None:
            above = value.__thisclass__
            found = self.derive(behind, self.origin("known", kind), above, name)
            self.guard("is", found, behind(kind, above, name))
        is_function = is_a(value, types.FunctionType) or known.is_compiled(value)
        if is_function and id(value) not in self.local_functions:
            found = self._found(machine, value, name)
            written = self.overlay(value, name)
            if written is not UNKNOWN:
                return written
            return self.register(found, self.origin("attr", name, self._origin_of(value)))
        if is_a(value, BaseException) and not self.is_outside(value):
            return machine.natively(getattr, (value, name), {})
        if is_a(value, BaseException):
            return self.interpret(machine, getattr, (value, name), {}, f"an attribute of a {type(value).__name__}")
        if is_a(value, (tuple, enum.Enum)) and type(value) is not tuple:
            found = self._attribute_of_class(machine, value, name)
            if found is not UNKNOWN:
                return found
        found = machine.natively(getattr, (value, name), {})
        if self.is_outside(value) and not is_a(found, (types.MethodType, *known.BOUND)):
            return self.register(found, self.origin("attr", name, self.origins[id(value)][1]))
        return found

    def _is_plain_module(self, module: types.ModuleType) -> bool:
        """Whether the attributes of a module are what lies in its dict, now and in later calls."""
        if module.__dict__ is None:  # in Python 3.10 one that has not been given a name has none
            return False
        if not str(module.__dict__.get("__name__")).startswith("anfora"):
            self.guard("type", self._origin_of(module), type(module))
        kind = type(module)
        return kind is types.ModuleType or (
            has_tag(kind) and not any(vars(base).keys() - _OF_MODULES for base in kind.__mro__[:-2])
        )

    def _attribute_of_class(self, machine: Machine, value: Any, name: str) -> Any:
        """An attribute of a named tuple, or of a member of an enumeration, that does not follow from what the tuple holds;
        UNKNOWN if it does."""
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
            return self.interpret(machine, getattr, (value, name), {}, f"the property {kind.__name__}.{name}")
        if is_own and is_a(value, enum.Enum):
            return self.register(value.__dict__[name], self.origin("attr", name, self._origin_of(value)))
        if is_a(static, types.FunctionType):
            self.guard_class(kind, name)
        elif static is not None and not is_own and not hasattr(type(static), "__get__"):
            return self.register(static, self.origin("attr", name, self.origin("known", kind)))
        return UNKNOWN

    @staticmethod
    def _is_computed(static: Any) -> bool:
        """Whether to ask a class for an attribute calls a descriptor of the program."""
        kind = type(static)
        is_of_program = known.is_object(static) and not known.is_ours(kind)
        return is_of_program and not is_a(static, type) and hasattr(kind, "__get__")

    def descriptor(self, kind: type, name: str) -> Any:
        """The descriptor that a class has under a name, an object of the program's."""
        static = class_attribute(kind, name)
        return self.register(static, self.derive(class_attribute, self.origin("known", kind), name))

    def _found(self, machine: Machine, value: Any, name: str) -> Any:
        """An attribute of a class or function from outside; where it has none, that is the same in later calls."""
        try:
            return machine.natively(getattr, (value, name), {})
        except AttributeError:
            if not hasattr(type(value), "__getattr__"):
                self.guard("is", self.derive(hasattr, self._origin_of(value), name), False)
            raise

    def _named_attribute(self, machine: Machine, function: Any, args: tuple) -> bool:
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
            return self.interpret(machine, getattr, (value, name), {}, "what is noted on an operator")
        if name == "__dict__" and any(low.cell is value for low in self.lowered):
            return self.interpret(machine, getattr, (value, name), {}, "the attributes of a Cell in another type")
        if name == "__dict__" and self.is_outside(value):
            return self.register(value.__dict__, self.origin("attr", name, self.origins[id(value)][1]))
        if name == "__dict__" and type(value) is types.SimpleNamespace:
            return self.interpret(machine, getattr, (value, name), {}, "the dict of a SimpleNamespace")
        if name == "__dict__":
            return machine.natively(getattr, (value, name), {})
        static = class_attribute(kind, name)
        has_data = comes_first(static)
        self.guard_describing(static)
        own = operations.dict_of(value)
        outside = self.is_outside(value)
        self._guard_in_class(kind, "__getattribute__")
        if static is None and not outside:
            self._guard_in_class(kind, name)
        if own is not None and name in own and not has_data:
            self._guard_in_class(kind, name)
            return self.getattr_plain(value, name)
        if static is None and is_a(value, Cell) and name in kind._made_when_asked:
            getattr(value, name)
            return self.getattr_plain(value, name)
        if static is None:
            if hasattr(kind, "__getattr__") and not is_a(value, Cell):
                fallback = method_of(self, value, "__getattr__")
                if fallback is not None:
                    if outside:
                        self._guard_absence(value, name)
                    self.enter(machine, fallback, (value, name), {})
                    return ENTERED
                return self.interpret(machine, getattr, (value, name), {}, f"{kind.__name__}.__getattr__")
            if outside:
                self._guard_absence(value, name)
            elif not is_a(value, Cell):
                self._guard_in_class(kind, "__getattr__")
            return machine.natively(getattr, (value, name), {})  # the error
        if is_a(static, property):
            getter = static.fget
            if is_a(getter, types.FunctionType) and self.enters(getter):
                self.guard_class(kind, name)
                if not hasattr(kind, "__getattr__"):
                    self.enter(machine, getter, (value,), {})
                    return ENTERED
                fallback = method_of(self, value, "__getattr__")
                if fallback is not None:
                    self.enter(machine, property_, (getter, fallback, value, name), {})
                    return ENTERED
            return self.interpret(machine, getattr, (value, name), {}, f"the property {kind.__name__}.{name}")
        if is_a(static, functools.cached_property):
            return self.interpret(machine, getattr, (value, name), {}, f"the property {kind.__name__}.{name}")
        if is_a(static, (types.FunctionType, classmethod, staticmethod)):
            found = machine.natively(getattr, (value, name), {})
            if outside:
                self.guard("method", self.origin("method", name, self.origins[id(value)][1]), found)
            elif is_a(static, classmethod):
                self.guard("method", self.origin("method", name, self.origin("known", kind)), found)
            else:
                self.guard_class(kind, name)
            return found
        if is_a(static, types.MemberDescriptorType):
            if outside and not hasattr(value, name):
                self._guard_absence(value, name)
            found = machine.natively(getattr, (value, name), {})
            written = self.overlay(value, name) if outside else found
            if written is not UNKNOWN:
                return written
            return self.register(found, self.origin("attr", name, self.origins[id(value)][1]))
        if hasattr(type(static), "__get__") and not is_a(static, type):
            if getattr(type(static), "_is_compiled", False):
                return machine.natively(getattr, (value, name), {})
            if is_a(static, (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)):
                return machine.natively(getattr, (value, name), {})
            getter = None if hasattr(kind, "__getattr__") else method_of(self, static, "__get__")
            if getter is not None:
                if outside and own is not None and not has_data:  # what lies in the object would come first
                    self.guard("no key", self.origin("attr", "__dict__", self.origins[id(value)][1]), name)
                self.enter(machine, getter, (self.descriptor(kind, name), value, kind), {})
                return ENTERED
            return self.interpret(machine, getattr, (value, name), {}, f"the descriptor {kind.__name__}.{name}")
        origin = self.origins[id(value)][1] if outside else self.origin("known", kind)
        return self.register(static, self.origin("attr", name, origin))

    def _tensor_attribute(self, machine: Machine, value: Tensor, name: str) -> Any:
        kind = type(value)
        static = class_attribute(kind, name)
        if kind.__getattribute__ is not object.__getattribute__:
            return self.interpret(machine, getattr, (value, name), {}, f"{kind.__name__}.__getattribute__")
        if not known.is_attribute_of_ours(kind, name):
            return self._attribute_of_program(machine, value, name, static)
        own = value.__dict__
        # This library puts methods written in C in the place of others, which do the same.
        self.guard("is", self.derive(known.is_attribute_of_ours, self.origin("known", kind), name), True)
        has_data = comes_first(static)
        if static is not None and not has_data and name not in own and self.is_outside(value):
            origin = self.origins[id(value)][1]
            if origin.kind in ("slot", "attr", "item"):  # what lies in the tensor would come first
                self.guard("not own", origin, name)
        if name in known.METADATA and (has_data or name not in own):
            is_named = self.given is None and value.__dict__.get("_name") is not None
            if name == "name" and is_a(value, Parameter) and not is_named:
                return self.interpret(machine, getattr, (value, name), {}, "Parameter.name, which is made up now")
            if name in ("name", "is_named") and self.is_outside(value):
                return self.register(getattr(value, name), self.origin("attr", name, self.origins[id(value)][1]))
            if name in ("requires_grad", "is_leaf") and self.is_outside(value):
                self.guard("history", self.origins[id(value)][1], value._node is not None)
            return machine.natively(getattr, (value, name), {})
        if name == "grad" or name in own:
            found = machine.natively(getattr, (value, name), {})
            if self.is_outside(value):
                return self.register(found, self.origin("attr", name, self.origins[id(value)][1]))
            return found
        if is_a(static, property) and static.fget.__module__.startswith("anfora.core.") and name != "data":
            return self.interpret(machine, getattr, (value, name), {}, f"Tensor.{name}")
        if is_a(static, property):
            return self.compute(machine, getattr, (value, name), {})
        if static is None:
            if hasattr(kind, "__getattr__"):
                return self.interpret(machine, getattr, (value, name), {}, f"{kind.__name__}.__getattr__")
            if self.is_outside(value):
                self._guard_absence(value, name)
        return machine.natively(getattr, (value, name), {})

    def _attribute_of_program(self, machine: Machine, value: Tensor, name: str, static: Any) -> Any:
        """An attribute that the program has put into a class of tensors."""
        kind = type(value)
        self.guard("is", self.derive(class_attribute, self.origin("known", kind), name), static)
        has_data = comes_first(static)
        self.guard_describing(static)
        own = value.__dict__
        if name in own and not has_data:
            found = machine.natively(getattr, (value, name), {})
            is_outside = self.is_outside(value)
            return self.register(found, self.origin("attr", name, self._origin_of(value))) if is_outside else found
        if self.is_outside(value) and not has_data:
            self.guard("no key", self.origin("attr", "__dict__", self.origins[id(value)][1]), name)
        if hasattr(kind, "__getattr__"):
            return self.interpret(machine, getattr, (value, name), {}, f"{kind.__name__}.__getattr__")
        if is_a(static, property) and is_a(static.fget, types.FunctionType) and self.enters(static.fget):
            self.enter(machine, static.fget, (value,), {})
            return ENTERED
        if is_a(static, (types.FunctionType, classmethod, staticmethod)):
            return machine.natively(getattr, (value, name), {})
        if hasattr(type(static), "__get__") and not is_a(static, type):
            return self.interpret(machine, getattr, (value, name), {}, f"the descriptor {kind.__name__}.{name}")
        return self.register(static, self.origin("attr", name, self.origin("known", kind)))


def _is_of_package(fallback: Any) -> bool:
    """Whether the `__getattr__` of a module is one of this package's, which make names and have no effects."""
    return (getattr(fallback, "__module__", None) or "").partition(".")[0] == "anfora"


def _answers_for_classes(kind: type) -> bool:
    """Whether a class of classes has code of the program's that makes up their attributes."""
    found = class_attribute(kind, "__getattr__"), class_attribute(kind, "__getattribute__")
    return kind is not enum.EnumMeta and any(is_a(each, types.FunctionType) for each in found)


#: What a class of modules may have that changes nothing.
_OF_MODULES = frozenset(
    ["__module__", "__qualname__", "__doc__", "__firstlineno__", "__static_attributes__", "__repr__", "__dir__"]
)
#: Modules whose functions the machine runs, and nobody changes.
_OWN = ("anfora.graph.polyfill.polyfills", "anfora.graph.polyfill.gradients")
