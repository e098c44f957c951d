"""Build of the native kernel; everything else is in pyproject.toml.

The kernel is optional: where there is no compiler, or it fails, the package installs all
the same and sweeps with PyTorch. ``pulps info`` says which engine is active and why.

It is a shared library without headers of Python, so a wheel that has it is for every Python of
a platform, ``py3-none-<platform>``, and one without it is for any platform.

It is written for the vectors that GCC and clang know and MSVC does not. On Windows clang is
called: the command in ``CXX``, or that of the package ``ziglang``, or ``clang++``.
"""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

FOLDER = "src/pulps/network/engine/kernel"
FLAGS = ["-std=c++17", "-O3", "-g0", "-fno-math-errno", "-fvisibility=hidden", "-Wno-psabi"]
THREADS = ["-pthread"]


def clang_on_windows() -> list[str]:
    """Find the command of a compiler that knows vectors."""
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "c++"]
    if found := shutil.which("clang++"):
        return [found]
    raise RuntimeError("MSVC cannot compile it; install ziglang or clang, or set CXX")


class OptionalBuild(build_ext):
    """A build that may fail, of a library whose name is the same for every Python."""

    def run(self) -> None:
        """Build, or say why not."""
        try:
            super().run()
        except Exception as error:
            warnings.warn(f"no native kernel, PyTorch will be used: {error}", stacklevel=1)

    def build_extension(self, ext: Extension) -> None:
        """Compile and link, on Windows in one command."""
        if self.compiler.compiler_type != "msvc":
            super().build_extension(ext)
            return
        made = Path(self.get_ext_fullpath(ext.name))
        made.parent.mkdir(parents=True, exist_ok=True)
        flags = [*ext.extra_compile_args, "-shared", *ext.sources, "-o", str(made)]
        subprocess.run([*clang_on_windows(), *flags], check=True)

    def get_ext_filename(self, fullname: str) -> str:
        """Name the file without the version of Python."""
        ending = ".pyd" if os.name == "nt" else ".so"
        return str(Path(*fullname.split("."))) + ending

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

    def get_tag(self) -> tuple[str, str, str]:
        """Say that no version of Python is meant."""
        _, _, platform = super().get_tag()
        return "py3", "none", platform


setup(
    cmdclass={"bdist_wheel": HonestWheel, "build_ext": OptionalBuild},
    ext_modules=[
        Extension(
            "pulps.network.engine._kernel",
            sources=[f"{FOLDER}/kernel.cpp"],
            depends=sorted(str(path) for path in Path(FOLDER).glob("*.h")),
            language="c++",
            extra_compile_args=[*FLAGS, *THREADS],
            extra_link_args=THREADS,
            optional=True,
        )
    ],
)
