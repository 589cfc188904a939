#!/bin/sh
# Compiles the native kernels with the address and undefined-behaviour sanitizers, and runs their tests on the result.
#
#     tools/sanitize.sh [pytest arguments]      PYTHON=… and CC=… choose the interpreter and the compiler
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
compiler=${CC:-gcc}
jobs=${PMBF_TEST_JOBS:-2}

runtime=$("$compiler" -print-file-name=libasan.so 2>/dev/null) || runtime=
case $runtime in
    /*) ;;
    *) echo "sanitize: skipped, $compiler has no address sanitizer (on Debian: apt install gcc)" >&2; exit 0 ;;
esac

folder=$(mktemp -d)
process=
trap 'kill $process 2>/dev/null || :; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=undefined"

compile() { # compile SOURCES... -o OBJECT: one object file of several sources
    "$compiler" -std=c11 -O1 -g -fno-omit-frame-pointer $sanitizers -Wall -Wextra -Wno-psabi -fvisibility=hidden -fPIC \
        -DPy_LIMITED_API=0x030B0000 -I"$headers" -r "$@"
}

compilers=
for sources in pmbf/kernels/native/*/; do # side by side
    compile "$sources"*.c -o "$folder/$(basename "$sources").o" &
    compilers="$compilers $!"
done
for process in $compilers; do
    wait "$process"
done
"$compiler" $sanitizers -shared "$folder"/*.o -o "$folder/_native.so"

# Python itself leaves memory to the system at its end, so leaks are not looked for.
LD_PRELOAD="$runtime $("$compiler" -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:malloc_context_size=5 \
    UBSAN_OPTIONS=print_stacktrace=1 PMBF_KERNELS=native PMBF_NATIVE_LIBRARY="$folder/_native.so" \
    "$python" -m pytest -p no:cacheprovider -n "$jobs" -x "${@:-tests/kernels}" &
process=$!
wait "$process"
