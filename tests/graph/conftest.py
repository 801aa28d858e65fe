"""Automata in tests: made at the first opportunity, and counted. And programs that are too small to pay: compiled all the
same."""

from __future__ import annotations

import pytest

from anfora.graph.run import control, engines, ledger


class Counts:
    """What the engines have done: runs, and steps in them."""

    runs = steps = 0


@pytest.fixture
def counts(monkeypatch):
    """Engines are made at the first opportunity, and kept."""
    counts = Counts()
    run = engines.Engine.run

    def counted(engine, values, room):
        before = engine.steps
        moment = run(engine, values, room)
        counts.runs += moment is not None
        counts.steps += engine.steps - before
        return moment

    monkeypatch.setattr(engines.Engine, "run", counted)
    monkeypatch.setattr(control, "NATIVE_AFTER", 2)
    monkeypatch.setattr(engines, "_SHORT", 0)
    return counts


@pytest.fixture(autouse=True)
def small_programs(monkeypatch):
    """What is compiled of the small programs of tests need not pay for its hops: see test_ledger.py."""
    monkeypatch.setattr(ledger, "_CALLS", 1 << 60)
    monkeypatch.setattr(ledger, "_MOST_HOPS", 1 << 60)
    monkeypatch.setattr(ledger, "_LEAST", -(1 << 60))
