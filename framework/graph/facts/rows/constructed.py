"""Values of Python's library that never change, and follow from what they are made of: dates, fractions, paths.

`datetime.now` and `date.today` ask the clock, `Path.cwd` asks the system, and what computes with Decimals the context of
the thread: none of that has a row.
"""

from __future__ import annotations

import operator
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path, PosixPath, PurePath, PurePosixPath, PureWindowsPath, WindowsPath
from typing import Any
from uuid import UUID, uuid3, uuid5

from anfora.graph.facts.table import NEW, WHOLE, add
from anfora.graph.machine.operations import FORMATS, OPERATIONS

__all__ = ["ASKED", "CONSTRUCTORS", "FUNCTIONS", "NAMES", "OF_CONTEXT"]

_DAYS = """
    day fromisocalendar fromisoformat fromordinal isoformat isoweekday month replace toordinal weekday year
"""
_TIMES = "dst fold hour microsecond minute second tzinfo tzname utcoffset"
_PATHS = """
    anchor as_posix drive is_absolute joinpath match name parent parts relative_to root stem suffix suffixes with_name
    with_stem with_suffix
"""
_NETWORKS = "broadcast_address compressed netmask network_address num_addresses prefixlen version with_prefixlen"
_ADDRESSES = "compressed exploded is_link_local is_loopback is_multicast is_private max_prefixlen packed version"
#: By class: the attributes, methods and class methods that give what follows from the value and their arguments.
_TEXTS: dict[type, str] = {
    date: _DAYS,
    datetime: f"{_DAYS} {_TIMES} combine date time timetz",
    time: f"{_TIMES} fromisoformat isoformat replace",
    timedelta: "days microseconds seconds total_seconds",
    timezone: "dst fromutc tzname utcoffset",
    Decimal: "as_integer_ratio as_tuple from_float imag is_finite is_infinite is_nan is_signed real",
    Fraction: "as_integer_ratio denominator from_float imag limit_denominator numerator real",
    **dict.fromkeys((PurePath, PurePosixPath, PureWindowsPath, Path, PosixPath, WindowsPath), _PATHS),
    UUID: "bytes bytes_le clock_seq fields hex int node time time_hi_version time_low time_mid urn variant version",
    IPv4Address: _ADDRESSES,
    IPv6Address: _ADDRESSES,
    IPv4Network: _NETWORKS,
    IPv6Network: _NETWORKS,
}
NAMES = {kind: frozenset(names.split()) for kind, names in _TEXTS.items()}
_NUMBERS = (bool, float, int, operator.not_)
_OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip
#: The classes whose objects are written, compared and computed with as a context says.
OF_CONTEXT = (Decimal,)
#: The functions and operators that may be asked of such a value.
ASKED: dict[type, frozenset[Any]] = dict.fromkeys(
    NAMES,
    frozenset({
        *_NUMBERS, hash, abs, round, divmod, str, repr, format, *FORMATS.values(),
        *(OPERATIONS[name] for name in _OPERATORS),
    }),
) | dict.fromkeys(OF_CONTEXT, frozenset(_NUMBERS))  # fmt: skip

#: Functions that make such values.
FUNCTIONS = (ip_address, ip_network, uuid3, uuid5)
#: The classes and functions, and class methods: a function where they are written in Python.
CONSTRUCTORS: frozenset[Any] = frozenset([*NAMES, *FUNCTIONS]) | {
    getattr(found, "__func__", found)
    for kind, names in NAMES.items()
    for found in (getattr(kind, name, None) for name in names)
    if getattr(found, "__self__", None) is kind
}

for _function in (*NAMES, *FUNCTIONS):
    add(_function, rest=WHOLE, gives=NEW, is_of_own=True)
