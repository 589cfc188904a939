"""Run the native text kernels under AddressSanitizer and UndefinedBehaviorSanitizer.

    python tools/sanitize_text.py [SECONDS]

Builds tests/kernels/sanitize_text.c with the kernels in a temporary folder, and runs it on made-up texts, 20 seconds by
default. The exit code is 0 if nothing was found: no byte read or written out of place, nothing undefined, no memory
leaked, also when memory runs out; and all instruction sets give the same results.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pmbf.kernels.fold_table import fold_table  # noqa: E402
from pmbf.kernels.lookalikes import shapes  # noqa: E402

FLAGS = "-std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -Wall -Wextra"


def main() -> int:
    """Build, run, and return the exit code."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else "20"
    with tempfile.TemporaryDirectory() as folder:
        program = _built(Path(folder))
        return subprocess.run([program, seconds, *_tables(Path(folder))], check=False).returncode


def _built(folder: Path) -> Path:
    compiler = os.environ.get("CC", "cc")
    objects = []
    for source in sorted(ROOT.glob("pmbf/kernels/native/text/*.c")):
        objects.append(folder / f"{source.stem}.o")
        declared = ["-include", str(_declarations(folder))]
        subprocess.run([compiler, *FLAGS.split(), *declared, "-c", source, "-o", objects[-1]], check=True)
    driver, program = ROOT / "tests/kernels/sanitize_text.c", folder / "sanitize_text"
    subprocess.run([compiler, *FLAGS.split(), driver, *objects, "-o", program], check=True)
    return program


def _declarations(folder: Path) -> Path:
    """Return a header that replaces the library's allocation by the driver's. It is included before all others."""
    path = folder / "stand_ins.h"
    path.write_text(
        "#include <stdlib.h>\n"
        "void *test_malloc(size_t); void *test_calloc(size_t, size_t); void *test_realloc(void *, size_t);\n"
        "#define malloc test_malloc\n#define calloc test_calloc\n#define realloc test_realloc\n"
    )
    return path


def _tables(folder: Path) -> list[Path]:
    table, looks = fold_table(), shapes()
    paths = []
    for number, array in enumerate((table.entries, table.expansions, looks.number, looks.letter, looks.scripts)):
        paths.append(folder / str(number))
        array.tofile(paths[-1])
    return paths


if __name__ == "__main__":
    sys.exit(main())
