"""`measure.process.alone` for tests: a process of its own, forked from one that has imported what is measured."""

from __future__ import annotations

import importlib
import json
import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

from measure.process import FailedError

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["benchmarks.__main__", "experiments.__main__", "pytest"])


def forked(function: str, *, timeout_s: float | None = None, **arguments: Any) -> Any:
    """Return what a function returns, as `alone` does, without the start of Python and the imports."""
    reading, writing = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_call, args=(function, json.dumps(arguments), writing))
    process.start()
    writing.close()
    try:
        return json.loads(reading.recv())
    except EOFError:
        raise FailedError(function) from None
    finally:
        process.join(timeout_s)


def _call(function: str, arguments: str, writing: Connection) -> None:
    module, _, name = function.partition(":")
    writing.send(json.dumps(getattr(importlib.import_module(module), name)(**json.loads(arguments))))
