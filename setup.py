"""Build of the native kernel; everything else is in pyproject.toml.

The kernel is optional: where there is no compiler, or it fails, the package installs all
the same and sweeps with PyTorch. ``pulps info`` says which engine is active and why. A wheel
without the kernel says so by its tag: it is for any platform.
"""

import warnings
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
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

    def has_built(self) -> bool:
        """Tell whether the kernel is there."""
        return all(Path(self.get_ext_fullpath(one.name)).is_file() for one in self.extensions)


class HonestWheel(bdist_wheel):
    """A wheel for this platform if it has the kernel, and for any platform if not."""

    def run(self) -> None:
        """Build the kernel first: what the wheel is called depends on it."""
        self.run_command("build_ext")
        if not self.get_finalized_command("build_ext").has_built():
            self.distribution.ext_modules = None
            self.root_is_pure = True
        super().run()


setup(
    cmdclass={"bdist_wheel": HonestWheel, "build_ext": OptionalBuild},
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
