"""Packages of Debian: how one is fetched, and which files are in it.

`apt-get download` fetches a package from the sources that this machine is set up with; `apt-get update` comes first on
a new machine. Neither needs to be root, and nothing is installed.
"""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pmbf.errors import NotFoundError


@contextmanager
def fetched(package: str, debs: Path | None = None) -> Iterator[Path]:
    """Give a package's .deb file, which is gone afterwards if it was downloaded.

    Args:
        package: Its name, as apt knows it.
        debs: Folder with the file, `NAME_VERSION_ARCHITECTURE.deb`; None downloads it.

    Raises:
        NotFoundError: The package is not there, or apt-get is not.
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
    """Yield path and content of each regular file of a .deb file; nothing is written to the disk.

    Raises:
        NotFoundError: dpkg-deb is not there, or cannot read the file.
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
    """Return what a command prints.

    Raises:
        NotFoundError: The command is not there, or fails; its last line is in the message.
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
