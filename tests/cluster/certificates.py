"""Certificates for hosts, made with the program openssl."""

from __future__ import annotations

import subprocess
from pathlib import Path

_NEW = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]


def encrypted(folder: Path, *addresses: str, name: str = "host") -> dict[str, str]:
    """Return an environment with which Ray encrypts: a certificate for these addresses, of an authority in a folder.

    Args:
        folder: Where the files are; the authority is made there first.
        addresses: At which other hosts reach this one.
        name: Of the host.
    """
    if not (folder / "ca.crt").exists():
        _make(folder / "ca", "-subj", "/CN=authority of the tests")
    signed: list[str | Path] = ["-CA", folder / "ca.crt", "-CAkey", folder / "ca.key"]
    own = ["-addext", "subjectAltName=" + ",".join(f"IP:{one}" for one in addresses)]
    _make(folder / name, "-subj", f"/CN={name}", *signed, *own, "-addext", "basicConstraints=critical,CA:FALSE")
    files = {"CA_CERT": folder / "ca.crt", "SERVER_CERT": folder / f"{name}.crt", "SERVER_KEY": folder / f"{name}.key"}
    return {"RAY_USE_TLS": "1"} | {f"RAY_TLS_{one}": str(file) for one, file in files.items()}


def _make(path: Path, *words: str | Path) -> None:
    files: list[str | Path] = ["-keyout", path.with_suffix(".key"), "-out", path.with_suffix(".crt")]
    subprocess.run([*_NEW, *files, *words], check=True, capture_output=True)
