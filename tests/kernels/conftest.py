"""The instruction sets that both twins of the kernels are tested on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pmbf.base.errors import UnsupportedError
from tests.kernels.oracle import SANITIZED

LEVELS = {"plain C": 0, "AVX2": 1, "AVX-512": 2}
BEST = 99
STEPS = {"test_align_kernels.py"}
"""Tests of steps that the reference alone has."""
HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out Hypothesis on instruction sets below the best one, unless `--all` asks for them.

    Examples chosen by hand run on all of them: these have the lengths at which the loops of each one end. Under the
    sanitizers, what no C runs in is left out.
    """
    left_out = set()
    if not config.getoption("--all"):
        left_out |= {item for item in items if item.path.parent == HERE and _is_below_the_best(item)}
    if SANITIZED:
        left_out |= {item for item in items if item.path.parent == HERE and _is_without_c(item)}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def _is_without_c(item: pytest.Item) -> bool:
    params = getattr(getattr(item, "callspec", None), "params", {})
    return any(param == "reference" for param in params.values() if isinstance(param, str)) or item.path.name in STEPS


def _is_below_the_best(item: pytest.Item) -> bool:
    params = getattr(getattr(item, "callspec", None), "params", {})
    level = params.get("level", params.get("native_level"))
    return level in LEVELS and hasattr(item.function, "hypothesis") and LEVELS[level] < _best()


@cache
def _best() -> int:
    try:
        from pmbf.kernels import native_bits
    except UnsupportedError:  # without native kernels all are skipped, and say so
        return 0
    return native_bits.use_level(BEST)


def _on(level: str) -> Iterator[str]:
    try:
        from pmbf.kernels import native_bits
    except UnsupportedError as error:
        pytest.skip(str(error))
    if native_bits.use_level(LEVELS[level]) != LEVELS[level]:
        pytest.skip(f"this processor has no {level}")
    yield level
    native_bits.use_level(BEST)


@pytest.fixture(scope="module", params=list(LEVELS))
def native_level(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each instruction set that this processor has; the native kernels of bits and records use it meanwhile."""
    yield from _on(request.param)


@pytest.fixture(scope="module", params=["reference", *LEVELS])
def level(request: pytest.FixtureRequest) -> Iterator[str]:
    """The reference, then the same."""
    yield from [request.param] if request.param == "reference" else _on(request.param)


@pytest.fixture(scope="session")
def natives() -> dict[str, Any]:
    """The native kernels of texts on each instruction set that this processor has."""
    try:
        from pmbf.kernels import native_text
    except UnsupportedError as error:
        pytest.skip(str(error))
    return {level: OnLevel(number) for level, number in LEVELS.items() if native_text.use_level(number) == number}


class OnLevel:
    """The native kernels of texts on one instruction set, which stays in use until another is asked for."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __getattr__(self, name: str) -> Any:
        from pmbf.kernels import native_text

        def called(*args: Any, **options: Any) -> Any:
            native_text.use_level(self._number)
            return getattr(native_text, name)(*args, **options)

        return called
