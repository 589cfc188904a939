"""Where a policy comes from: layers of keys, of which a later layer overrules an earlier layer.

    defaults ─► central policy file ─► pyproject.toml ─► .pmbf.toml ─► environment ─► command line
                 --policy, or           [tool.pmbf.guard]   [guard]     PMBF_GUARD_KEY
                 PMBF_GUARD_POLICY      --config, or PMBF_GUARD_CONFIG, names one file instead

A central policy with `locked = true` cannot be loosened: a later layer with a looser value is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pmbf.base.contents import read_bounded, size_of
from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.guard.policy import KEYS, Policy, is_address
from pmbf.store.telling import on_nodes

PROJECT_FILE, OWN_FILE = "pyproject.toml", ".pmbf.toml"
PREFIX = "PMBF_GUARD_"
POLICY_VARIABLE, CONFIG_VARIABLE = PREFIX + "POLICY", PREFIX + "CONFIG"
FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
LOCKED = "locked"
MOST_BYTES = 4 << 20
"""Size of the largest file that is read for a policy."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Some keys of a policy, checked, and the place that they come from."""

    source: str
    values: dict[str, Any]
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The parts of a policy that a user chose on the command line. The environment may name the files instead."""

    policy_file: str | None = None
    """The central policy."""
    config_file: str | None = None
    """Read instead of the project's own files."""
    values: Mapping[str, Any] | None = None
    """Options, not yet checked. `param` has words `KEY=VALUE`; other keys are those of a policy, but that `collection`
    may name a depot or an endpoint filter, too."""


def policy_for(folder: Path | None, chosen: Chosen, environment: Mapping[str, str] = os.environ) -> Policy:
    """Return the policy that holds in a folder.

    Args:
        folder: The folder whose configuration is read: a work tree's top or the current folder. None if the payloads
            come from others, who must not configure their own check: no file of a folder is read, and notes in a
            payload allow nothing unless the policy says so.
        chosen: The parts chosen on the command line.

    Raises:
        ParameterError: A key is unknown, a value has the wrong type, is out of range, or loosens a locked policy.
        NotFoundError: A named file does not exist.
    """
    central = _central(chosen, environment)
    local = [*_project_layers(folder, chosen, environment), _environment_layer(environment)]
    local.append(_command_line(**chosen.values or {}))
    merged: dict[str, Any] = {} if folder else {"allow_inline": False}
    if central:
        merged |= central.values
        reference = _made(merged, central.source)
        for layer in local if central.locked else ():
            _require_no_looser(layer, reference, central.source)
    for layer in local:
        merged |= layer.values
    if not any(merged.get(name) for name in ("collection", "cluster", "endpoint")):
        merged |= protected_at(environment.get("PMBF_COLLECTION", ""))
    if merged.get("cluster") and not (central and central.locked):  # another one could answer what its owner likes
        merged.setdefault("ray", environment.get("PMBF_RAY", ""))
    return _made(merged, ", ".join(layer.source for layer in local if layer.values))


def is_locked(chosen: Chosen, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether there is a central policy that is locked."""
    central = _central(chosen, environment)
    return central is not None and central.locked


def protected_at(place: str) -> dict[str, str]:
    """Return the keys that say where the protected documents are.

    Args:
        place: A collection; a depot, or its address; an endpoint filter, which is a file; or empty.

    >>> protected_at("ray://10.0.0.1:6379/mnt/depot"), protected_at("papers.pmbf"), protected_at("")
    ({'cluster': '/mnt/depot', 'ray': '10.0.0.1:6379'}, {'collection': 'papers.pmbf'}, {})
    """
    if there := on_nodes(place):
        return {"cluster": there.depot} | ({"ray": there.ray} if there.ray else {})
    if os.path.isfile(place):
        return {"endpoint": place}
    return {"collection": place} if place else {}


def project_folder(start: Path) -> Path:
    """Return the folder whose configuration holds for a place: the nearest that has one or is a repository.

    Source:
        git, ruff and pytest search in the same way.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        if _table(folder / PROJECT_FILE, must_exist=False) is not None or (folder / OWN_FILE).is_file():
            return folder
        if (folder / ".git").exists():
            return folder
    return start


# ---------------------------------------------------------------------- layers


def _central(chosen: Chosen, environment: Mapping[str, str]) -> Layer | None:
    named, everywhere = chosen.policy_file, environment.get(POLICY_VARIABLE)
    if named and everywhere and Path(named).absolute() != Path(everywhere).absolute():
        raise ParameterError(f"--policy names {named}, but {POLICY_VARIABLE} names {everywhere}; give one of them")
    path = named or everywhere
    return _file_layer(Path(path), may_lock=True) if path else None


def _project_layers(folder: Path | None, chosen: Chosen, environment: Mapping[str, str]) -> list[Layer]:
    path = chosen.config_file or environment.get(CONFIG_VARIABLE)
    if path:
        return [_file_layer(Path(path))]
    if folder is None:
        return []
    present = [folder / name for name in (PROJECT_FILE, OWN_FILE) if (folder / name).is_file()]
    return [_file_layer(path, must_have=False) for path in present]


def _file_layer(path: Path, *, may_lock: bool = False, must_have: bool = True) -> Layer:
    table = _table(path, must_exist=True)
    if table is None:
        if must_have:
            where = "[tool.pmbf.guard]" if path.name == PROJECT_FILE else "[guard]"
            raise ParameterError(f"{path}: has no table {where}, expected the keys of a policy there")
        return Layer(str(path), {})
    table = dict(table)
    locked = table.pop(LOCKED, False) if may_lock else False
    if not isinstance(locked, bool):
        raise ParameterError(f"{path}: {LOCKED} is {locked!r}, expected true or false")
    if LOCKED in table:
        raise ParameterError(f"{path}: only a central policy can be locked (--policy, {POLICY_VARIABLE})")
    return Layer(
        str(path), {name: _value(name, value, str(path), path.parent) for name, value in table.items()}, locked
    )


def _table(path: Path, *, must_exist: bool) -> Mapping[str, Any] | None:
    """Return the guard's table of a TOML file; None if it has none."""
    if not must_exist and not path.is_file():
        return None
    try:
        # The author of the work tree may have put a device, a pipe or an endless file there.
        raw = read_bounded(path, MOST_BYTES, hint="no policy is as large as that")
    except (NotFoundError, NotADirectoryError):
        if must_exist:
            raise NotFoundError(f"{path}: no such file, expected a policy") from None
        return None
    try:
        content = _parsed(raw)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{path}: is no TOML: {error}") from None
    if path.name == PROJECT_FILE:
        content = _inside(_inside(content, "tool", path), "pmbf", path)
    if unknown := sorted(content.keys() - {"guard"}):
        raise ParameterError(f"{path}: {_unknown(unknown[0], ['guard'])}")
    return _inside(content, "guard", path) if "guard" in content else None


@lru_cache(maxsize=2)
def _parsed(raw: bytes) -> Mapping[str, Any]:
    """Return what a TOML file holds. A `pyproject.toml` is asked for twice, and takes some milliseconds each time."""
    import tomllib  # imported late: a check without a file does not wait for it

    return tomllib.loads(raw.decode("utf-8"))


def _inside(content: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    table = content.get(name, {})
    if not isinstance(table, dict):
        raise ParameterError(f"{path}: {name} is {table!r}, expected a table")
    return table


def _command_line(*, collection: str | None = None, param: Sequence[str] | None = None, **values: Any) -> Layer:
    """Return the keys of a command line; their paths start from the current folder."""
    given = {name: value for name, value in values.items() if value is not None}
    for word in param or ():
        name, equals, text = word.partition("=")
        if not equals:
            raise ParameterError(f"--param {word}: expected KEY=VALUE, a key of a policy and its value")
        value = from_text(name, text, "--param")
        given[name] = [*given.get(name, ()), *value] if isinstance(value, list) else value
    given |= protected_at(collection or "")
    here = Path.cwd()
    return Layer("the command line", {name: _value(name, value, "--param", here) for name, value in given.items()})


def _environment_layer(environment: Mapping[str, str]) -> Layer:
    values = {}
    for variable in sorted(environment):
        if variable.startswith(PREFIX) and variable not in (POLICY_VARIABLE, CONFIG_VARIABLE):
            name = variable.removeprefix(PREFIX).lower()
            source = f"the environment variable {variable}"
            values[name] = _value(name, from_text(name, environment[variable], source), source, Path.cwd())
    return Layer("the environment", values)


# ---------------------------------------------------------------------- values


def from_text(name: str, text: str, source: str) -> Any:
    """Return the value of a key from its text: lists are separated by commas, flags are true or false.

    >>> from_text("exclude", "vendor, *.po", "here"), from_text("block_chars", "off", "here")
    (['vendor', '*.po'], 'off')
    """
    kind = _known(name, source).kind
    try:
        if text == "off":
            return text
        if kind == "count":
            return size_of(text) if name == "max_bytes" else int(text)
        if kind == "number":
            return float(text)
        if kind == "flag":
            return FLAGS[text.lower()]
    except (KeyError, ValueError):
        raise ParameterError(f"{source}: {name} is {text!r}, expected {KEYS[name].expected}") from None
    return [one.strip() for one in text.split(",") if one.strip()] if kind in ("words", "paths") else text


def _value(name: str, value: Any, source: str, folder: Path) -> Any:
    """Return a key's value for a policy: checked, lists as tuples, paths relative to the folder of their file."""
    key = _known(name, source)
    if key.optional and value == "off":
        value = None
    elif isinstance(value, list):
        value = tuple(value)
    try:
        key.require(name, value)
    except ParameterError as error:
        raise ParameterError(f"{source}: {error}") from None
    if key.kind == "path":
        return _from(folder, value)
    return tuple(_from(folder, path) for path in value) if key.kind == "paths" else value


def _from(folder: Path, path: str) -> str:
    return str(folder / os.path.expanduser(path)) if path and not is_address(path) else path


def _known(name: str, source: str) -> Any:
    if name not in KEYS:
        raise ParameterError(f"{source}: {_unknown(name, KEYS)}")
    return KEYS[name]


def _unknown(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name.lower(), list(known), 1, 0.5)
    return f"{name!r} is no key of a policy" + (f"; did you mean {near[0]!r}?" if near else f": {', '.join(known)}")


def _require_no_looser(layer: Layer, reference: Policy, locked_by: str) -> None:
    for name, value in layer.values.items():
        theirs = getattr(reference, name)
        if KEYS[name].loosens(value, theirs):
            raise ParameterError(
                f"{layer.source}: {name} is {_shown(value)}, but the locked policy {locked_by} has {_shown(theirs)}; "
                "a local value may only be stricter"
            )


def _shown(value: Any) -> str:
    return "off" if value is None else repr(value)


def _made(values: Mapping[str, Any], source: str) -> Policy:
    try:
        return Policy(**values)
    except ParameterError as error:
        raise ParameterError(f"{source}: {error}") from None
