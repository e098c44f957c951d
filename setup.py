"""Build of the native kernel; everything else is in pyproject.toml.

The kernel is optional: where there is no compiler, or it fails, the package installs all
the same and sweeps with PyTorch. ``pulps info`` says which engine is active and why.
"""

import warnings
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

FOLDER = "src/pulps/network/engine/kernel"


class OptionalBuild(build_ext):
    """A build that may fail."""

    def run(self) -> None:
        """Build, or say why not."""
        try:
            super().run()
        except Exception as error:
            warnings.warn(f"no native kernel, PyTorch will be used: {error}", stacklevel=1)


setup(
    cmdclass={"build_ext": OptionalBuild},
    ext_modules=[
        Extension(
            "pulps.network.engine._kernel",
            sources=[f"{FOLDER}/kernel.cpp"],
            depends=sorted(str(path) for path in Path(FOLDER).glob("*.h")),
            language="c++",
            extra_compile_args=[
                *("-std=c++17", "-O3", "-fno-math-errno", "-fvisibility=hidden", "-pthread"),
                "-Wno-psabi",
            ],
            extra_link_args=["-pthread"],
            optional=True,
        )
    ],
)
