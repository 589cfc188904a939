"""Builds the native kernels. Where no compiler is at hand the package installs without them and runs on NumPy."""

from concurrent.futures import ThreadPoolExecutor
from glob import glob
from os import cpu_count
from sysconfig import get_config_var

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildOnAllCores(build_ext):
    """Compiles the files of an extension side by side: setuptools runs one compiler after another."""

    def build_extension(self, extension):
        """Give the compiler one file at a time, on as many threads as there are cores."""
        compile_all = self.compiler.compile

        def side_by_side(sources, **options):
            with ThreadPoolExecutor(cpu_count()) as threads:
                objects = threads.map(lambda source: compile_all([source], **options), sources)
                return [path for paths in objects for path in paths]

        self.compiler.compile = side_by_side
        try:
            super().build_extension(extension)
        finally:
            self.compiler.compile = compile_all


# A free-threaded Python has no stable interface before 3.15: its kernels are built for its one version.
is_stable = not get_config_var("Py_GIL_DISABLED")

setup(
    cmdclass={"build_ext": BuildOnAllCores},
    ext_modules=[
        Extension(
            "pmbf.kernels._native",
            sources=sorted(glob("pmbf/kernels/native/**/*.c", recursive=True)),
            depends=sorted(glob("pmbf/kernels/**/*.h", recursive=True)),
            extra_compile_args=["-std=c11", "-O3", "-g0", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-psabi"],
            optional=True,
            py_limited_api=is_stable,
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if is_stable else [],
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if is_stable else {},
)
