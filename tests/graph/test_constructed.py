"""Values of Python's library that a program makes of known ones: known before a run, and another object in each call."""

import decimal
import itertools
import time as clock
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, ip_address, ip_network
from pathlib import Path, PosixPath, PurePath, WindowsPath
from uuid import UUID, uuid5

import numpy as np
import pytest

from anfora import Tensor, ir, jit
from anfora.graph.facts.rows.constructed import NAMES


def of_decimal(x):
    value = Decimal("1.50")
    return x * float(value) + int(value), value, 1 if Decimal(0) else 2, value.as_tuple()


def of_date(x):
    value = date(2020, 1, 2)
    return (
        x + value.day,
        value,
        value < date(2020, 1, 3),
        (value + timedelta(3)).isoformat(),
        f"{value:%Y-%m}",
        date.isoformat(value),
    )


def of_class_method(x):
    return x, date.fromisoformat("2020-01-05"), Fraction.from_float(0.5), Decimal.from_float(0.5)


def of_datetime(x):
    value = datetime(2020, 1, 2, 3, tzinfo=timezone(timedelta(hours=1)))
    return x * value.hour, value, value.utcoffset(), datetime(2020, 1, 2, tzinfo=timezone.utc), time(1, 2).minute


def of_zone(x):
    return x, datetime.fromisoformat("2020-01-02T03:04:05+01:00").tzinfo


def of_fraction(x):
    value = Fraction(1, 3) + Fraction(1, 6)
    return x * float(value), value, value.denominator, str(value), value == Fraction(1, 2), value.limit_denominator(1)


def of_timedelta(x):
    return x * timedelta(hours=2).total_seconds(), timedelta(days=3) * 2, abs(-timedelta(1)).days


def of_uuid(x):
    return x, UUID("12345678123456781234567812345678"), UUID(int=5).hex, uuid5(UUID(int=5), "a").version


def of_path(x):
    value = PurePath("a") / "b.txt"
    return x, value, value.suffix, value.joinpath("c").parts, str(value), Path("/a/b").parent, Path("a").name


def of_address(x):
    return x, IPv4Address("10.0.0.1"), ip_address("10.0.0.1").is_private, ip_network("10.0.0.0/8").prefixlen


def in_containers(x):
    value = date(2020, 1, 2)
    return x, [value, value], {"a": (value, Fraction(1, 2))}, max(value, date(2020, 1, 3))


def by_identity(x):
    one, other = date(2020, 1, 2), date(2020, 1, 2)
    again = one
    return x, one is other, one is again, one == other, isinstance(one, date), type(one) is date


def that_fails(x):
    try:
        date(2020, 13, 1)
    except ValueError as error:
        return x + 1, str(error)


PROGRAMS = (
    of_decimal, of_date, of_class_method, of_datetime, of_zone, of_fraction, of_timedelta, of_uuid, of_path, of_address,
    in_containers, by_identity, that_fails,
)  # fmt: skip


def in_a_graph(x):
    return x * 2, date(2020, 1, 2), Fraction(1, 3), (Decimal("1.5"), PurePath("a"), timedelta(3))


def test_are_calls_of_a_graph():
    graph = ir.lower(in_a_graph, Tensor([1.0, 2.0])).graph
    results = [graph(Tensor([1.0, 2.0])) for _ in range(2)]
    assert {shown(result) for result in results} == {shown(in_a_graph(Tensor([1.0, 2.0])))}
    assert results[0][1] is not results[1][1]


def shown(result):
    return repr([each.tolist() if isinstance(each, Tensor) else each for each in result])


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_is_known_before_a_run_and_means_what_python_says(function):
    x = Tensor([1.0, 2.0])
    lowered = ir.lower(function, x)
    assert (lowered.unsupported, lowered.unknown) == ([], [])
    compiled = jit(function, fullgraph=True)
    results = [compiled(x) for _ in range(20)]
    assert {shown(result) for result in results} == {shown(function(x))}


KINDS = [kind for kind in NAMES if kind not in (PosixPath, WindowsPath) or isinstance(Path(), kind)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_call_has_an_object_of_its_own(kind):
    makers = {
        timezone: lambda: timezone(timedelta(hours=1)), UUID: lambda: UUID(int=5), time: lambda: time(1),
        date: lambda: date(2020, 1, 2), datetime: lambda: datetime(2020, 1, 2), timedelta: lambda: timedelta(3),
        Fraction: lambda: Fraction(1, 3),
    }  # fmt: skip
    make = makers.get(kind, lambda: kind("1"))
    if kind.__name__.startswith("IPv"):
        make = lambda: kind("10.0.0.0" if "4" in kind.__name__ else "::1")  # noqa: E731
    kept = []

    @jit
    def function(x):
        kept.append(make())
        return x + 1, kept[-1]

    results = [function(Tensor(1.0))[1] for _ in range(12)]
    assert len({id(each) for each in results}) == 12
    assert all(one is other for one, other in zip(kept, results))
    assert all(type(each) is type(make()) and each == make() for each in results)


def test_a_hop_is_given_what_the_program_has():
    seen = []
    look = np.frompyfunc(lambda value: seen.append(value) or 0, 1, 1)

    @jit
    def function(x):
        value = Fraction(1, 3)
        look(value)
        return x * float(value), value

    results = [function(Tensor(3.0))[1] for _ in range(8)]
    assert all(one is other for one, other in zip(seen, results))
    assert len({id(each) for each in results}) == 8


def test_the_context_of_decimals_counts():
    @jit
    def third(x):
        return x, Decimal(1) / 3, str(Decimal("1E5"))

    @jit
    def odd(x):
        return x, Decimal("odd")

    for precision in (3, 5, 3):
        with decimal.localcontext() as context:
            context.prec, context.capitals = precision, precision % 5 and 1
            for _ in range(6):
                assert third(Tensor(1.0))[1:] == third.__wrapped__(Tensor(1.0))[1:]
    for _ in range(6):
        with pytest.raises(decimal.InvalidOperation):
            odd(Tensor(1.0))
    with decimal.localcontext() as context:
        context.traps[decimal.InvalidOperation] = False
        assert odd(Tensor(1.0))[1].is_nan()
        assert context.flags[decimal.InvalidOperation]


def test_what_follows_from_a_number_that_varies():
    @jit
    def function(x, n):
        return x + date(2020, 1, n).day

    assert [function(Tensor(0.0), n).item() for n in (1, 2, 3, 4, 5, 2)] == [1, 2, 3, 4, 5, 2]


def days_that_share_a_slot():
    """Three numbers of days of which a set is another one when they are put in as they come out of it."""
    for days in itertools.combinations(range(40), 3):
        found = {timedelta(each) for each in days}
        again = set()
        again.update([*found])
        if [*again] != [*found]:
            return days
    raise AssertionError("none of them share one")


def test_sets_are_walked_over_in_their_order():
    one, two, three = days_that_share_a_slot()

    @jit
    def function(x):
        return x, {timedelta(one), timedelta(two), timedelta(three)}

    for _ in range(5):
        assert [*function(Tensor(1.0))[1]] == [*{timedelta(one), timedelta(two), timedelta(three)}]


WRITTEN = {
    "an f-string": lambda value: f"{value:%s}",
    "format": lambda value: format(value, "%H %s"),
    "a method of a text": "{:%s}".format,
    "one of its class": lambda value: str.format("{0[0]:%s}", [value]),
    "a field by name": lambda value: "{at:{how}}".format(at=value, how="%s"),
}


@pytest.mark.skipif(not hasattr(clock, "tzset"), reason="there are no time zones to change")
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_the_time_zone_counts_where_a_date_is_written_by_it(write, monkeypatch):
    def f(x):
        return x, write(datetime(2020, 1, 1))

    compiled = jit(f)
    try:
        for zone in ("UTC", "Asia/Tokyo", "America/New_York", "UTC"):
            monkeypatch.setenv("TZ", zone)
            clock.tzset()
            assert compiled(Tensor(1.0))[1] == f(Tensor(1.0))[1]
    finally:
        monkeypatch.undo()
        clock.tzset()
