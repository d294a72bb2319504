"""What every test stands on."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from longform import LONG, examples

# A shell starts background jobs with SIGINT ignored, and children inherit that; tests that
# interrupt a process need it as a terminal gives it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long it takes to draw examples says how busy the machine is. Which parts of a failing example
# do not matter takes minutes to find out, and the example shows it.
settings.register_profile(
    "busy",
    max_examples=examples(100),
    deadline=None,
    phases=[phase for phase in Phase if phase is not Phase.explain],
    # A change is told apart from luck; the long form looks for new examples.
    derandomize=not LONG,
    suppress_health_check=list(HealthCheck) if LONG else [HealthCheck.too_slow],
)
settings.load_profile("busy")


def pytest_collection(session: pytest.Session) -> None:
    """Shares out among workers the files to be compiled: each begins with other ones.

    All collect the same files in one order, and would compile each at the same moment.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or not all(Path(name).is_dir() for name in session.config.args):
        return
    names = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))
    share = len(names) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for name in names[share:]:
        # What is wrong with a file is told when it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long form runs the tests of all files that ask whether it is one."""
    for item in items if LONG else ():
        if getattr(getattr(item, "module", None), "LONG", None) is True:
            item.add_marker(pytest.mark.soak)


def pytest_collection_finish() -> None:
    """What is loaded stays to the end: the collector need not look through it again and again."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what the long forms counted, for "Measured" in docs/transaction.md."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.getreports(kind)]
    counted = {(r.nodeid, name): value for r in reports for name, value in r.user_properties}
    if LONG and counted:
        terminalreporter.section("counted")
        for (nodeid, name), value in sorted(counted.items()):
            terminalreporter.line(f"{nodeid}: {name}: {value}")
