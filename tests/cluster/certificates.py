"""Certificates for hosts, made with the program openssl."""

import shutil
import subprocess

import pytest

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="the program openssl makes the certificates")

_NEW = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]


def encrypted(folder, *addresses, name="host"):
    """Return an environment with which Ray encrypts: a certificate for these addresses, of an authority in a folder."""
    if not (folder / "ca.crt").exists():
        _made(folder / "ca", "-subj", "/CN=authority of the tests")
    signed = ["-CA", folder / "ca.crt", "-CAkey", folder / "ca.key"]
    own = ["-addext", "subjectAltName=" + ",".join(f"IP:{one}" for one in addresses)]
    _made(folder / name, "-subj", f"/CN={name}", *signed, *own, "-addext", "basicConstraints=critical,CA:FALSE")
    files = {"CA_CERT": folder / "ca.crt", "SERVER_CERT": folder / f"{name}.crt", "SERVER_KEY": folder / f"{name}.key"}
    return {"RAY_USE_TLS": "1"} | {f"RAY_TLS_{one}": str(file) for one, file in files.items()}


def _made(path, *words):
    files = ["-keyout", path.with_suffix(".key"), "-out", path.with_suffix(".crt")]
    subprocess.run([*_NEW, *files, *words], check=True, capture_output=True)
