#!/usr/bin/env -S uv run --script

# /// script
# dependencies = ["nox>=2025.5"]
# ///

"""What CI does, by name: ``nox -s tests``, ``nox -s lint types docs``; ``nox -l`` lists them.

``.ci/run`` is the whole suite in one environment; these sessions are its parts, and two things
more: every supported Python, and the lowest versions that ``pyproject.toml`` allows.
"""

import nox

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv|virtualenv"

PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
CONSTRAINED = ("-c", "constraints.txt")
FAST = ("-m", "not slow")
LEAST_COVERED = 90  # percent of lines and branches, by the fast tests; 93 on 19 November 2026


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Fast tests with the newest versions; arguments go to pytest (``-- -m slow``)."""
    session.install(*CONSTRAINED, "-e", ".[test]", "pytest-cov")
    chosen = session.posargs or (*FAST, f"--cov-fail-under={LEAST_COVERED}")
    session.run("pytest", "-n", "2", "--cov", "--cov-report=term", "--cov-report=xml", *chosen)


@nox.session(python=PYTHONS[0], venv_backend="uv", default=False)
def lowest(session: nox.Session) -> None:
    """Fast tests with the lowest versions that are declared."""
    session.install("--resolution", "lowest-direct", "-e", ".[test]")
    # The house is checked with the newest tools, see `lint` and `types`.
    session.run("pytest", "-n", "2", "--ignore=tests/house", *(session.posargs or FAST))


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site with warnings as errors and look for dead links."""
    session.install(*CONSTRAINED, "-e", ".[docs]")
    session.run("python", "-m", "sphinx", "-W", "--keep-going", "docs", "build/site")
    session.run("python", "scripts/check_links.py", "build/site")


@nox.session(default=False)
def clients(session: nox.Session) -> None:
    """Run tests with tools that take long to install: DuckDB, MLflow, SHAP."""
    session.install(*CONSTRAINED, "-e", ".[test,clients]")
    session.run("pytest", "-k", "mlflow or shap or duckdb or skops", "tests", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """Type checks, with every library installed."""
    session.install(*CONSTRAINED, "-e", ".[test]")
    session.run("mypy", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Format, lint, layers, spelling, workflows."""
    session.install("pre-commit")
    session.run("pre-commit", "run", "--all-files", "--show-diff-on-failure", *session.posargs)
    session.install(*CONSTRAINED, "-e", ".", "import-linter")
    session.run("lint-imports")


@nox.session(default=False)
def review(session: nox.Session) -> None:
    """Check the habits of the repository against those of scientific Python."""
    session.install("sp-repo-review[cli]")
    session.run("sp-repo-review", ".", *session.posargs)


@nox.session(default=False)
def benchmarks(session: nox.Session) -> None:
    """Measure the engine, or run another script: ``nox -s benchmarks -- bench_serve.py``."""
    session.install(*CONSTRAINED, "-e", ".[test]")
    script, *arguments = session.posargs or ["bench_engine.py", "--help"]
    session.run("python", f"benchmarks/{script}", *arguments)


@nox.session(default=False)
def wheel(session: nox.Session) -> None:
    """Build source archive and wheel of this machine."""
    session.install("build", "twine")
    session.run("python", "-m", "build", "--outdir", "dist")
    session.run("twine", "check", "--strict", "dist/*")


if __name__ == "__main__":
    nox.main()
