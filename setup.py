"""Builds the native kernels. Where no compiler is at hand the package installs without them and runs on NumPy."""

from glob import glob

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "pmbf.kernels._native",
            sources=sorted(glob("pmbf/kernels/native/*.c")),
            depends=sorted(glob("pmbf/kernels/native/*.h")),
            extra_compile_args=["-std=c11", "-O3", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-psabi"],
            optional=True,
            py_limited_api=True,
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
