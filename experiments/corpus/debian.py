"""Packages of Debian: how a package is fetched, and which files it holds.

`apt-get download` fetches a package from the sources that this machine is set up with. It needs no root, and installs
nothing. On a new machine, `apt-get update` comes first.
"""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pmbf.base.errors import NotFoundError


@contextmanager
def fetched(package: str, debs: Path | None = None) -> Iterator[Path]:
    """Yield the path of a package's .deb file; a downloaded file is deleted afterwards.

    Args:
        package: Its name, as apt has it.
        debs: Folder with the file, `NAME_VERSION_ARCHITECTURE.deb`; None downloads it.

    Raises:
        NotFoundError: There is no such package, or no apt-get.
    """
    if debs:
        yield _deb_in(debs, package)
        return
    with TemporaryDirectory() as folder:
        # Without the sandbox apt warns that its own user cannot write into the folder.
        _output("apt-get", "-o", "APT::Sandbox::User=root", "download", "-qq", package, cwd=folder)
        yield _deb_in(Path(folder), package)


def version(deb: Path) -> str:
    """Return the version that a .deb file holds."""
    return _output("dpkg-deb", "--field", str(deb), "Version")


def files(deb: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each regular file of a .deb file. Nothing is written to the disk.

    Raises:
        NotFoundError: There is no dpkg-deb, or it cannot read the file.
    """
    with TemporaryDirectory() as folder:
        archive = Path(folder) / "files.tar"
        with archive.open("wb") as out:
            _output("dpkg-deb", "--fsys-tarfile", str(deb), stdout=out)
        with tarfile.open(archive) as members:
            for member in members:
                path = PurePosixPath(member.name)
                if member.isfile() and ".." not in path.parts:
                    content = members.extractfile(member)
                    assert content is not None, "a regular file has content"
                    yield str(path), content.read()


def _deb_in(folder: Path, package: str) -> Path:
    found = sorted(folder.glob(f"{package}_*.deb"))
    if not found:
        raise NotFoundError(f"{folder}: has no {package}_*.deb")
    return found[-1]


def _output(*command: str, **how: object) -> str:
    """Return the output of a command.

    Raises:
        NotFoundError: There is no such command, or it fails. The error has the last line of its output.
    """
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
    try:
        done = subprocess.run(command, check=True, **streams)  # type: ignore[call-overload]
    except FileNotFoundError:
        raise NotFoundError(
            f"{command[0]}: is not on this machine; the corpus is made on Debian, or on a system made of it"
        ) from None
    except subprocess.CalledProcessError as error:
        words = error.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {error.returncode}"]
        raise NotFoundError(f"{' '.join(command)}: {words[-1]}") from None
    return (done.stdout or b"").decode().strip()
