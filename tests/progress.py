"""Says how far a run of the tests is: a line every ten seconds, on a terminal or not. `./run` loads it into pytest."""

from __future__ import annotations

import time
from collections.abc import Generator

import pytest

EVERY_S = 10.0

Status = tuple[str, str, str]


def pytest_configure(config: pytest.Config) -> None:
    """Report where the results come together, not in the processes of pytest-xdist."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(config))


class Progress:
    """Prints lines in the place of pytest's dots."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = self._told = time.monotonic()
        self._n_done = 0

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session: it knows how many tests there are once they are collected."""
        self._session = session

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Status, Status]:
        """Keep each result's category, so that the summary counts it, and take its dot away."""
        category, _, _ = yield
        return category, "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a failure at once; after ten seconds without a line, and at the end, how far the run is."""
        if report.failed:
            self._print(f"FAILED {report.nodeid} ({report.when})")
        if report.when != "teardown":
            return
        self._n_done += 1
        n_tests = self._session.testscollected
        if time.monotonic() - self._told >= EVERY_S or self._n_done == n_tests:
            self._told = time.monotonic()
            seconds = self._told - self._began
            self._print(f"{self._n_done / n_tests:4.0%}  {self._n_done:,} of {n_tests:,} tests, {seconds:.0f} s")

    def _print(self, line: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        reporter.write_line(f"   {line}", flush=True)
