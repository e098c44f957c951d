"""The command line: every command is a documented function; failures are one clear line."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclopts import App, CycloptsError

app = App(
    name="pulps",
    help="Learn from labeled positives and unlabeled rows.",
    help_format="markdown",
    result_action="return_value",
)

app.command("pulps.benchmark.cli:app", name="bench")
app.command("pulps.tuning.cli:tune", name="tune")


@app.command
def demo(*, out: Path = Path("pulps-demo"), seed: int = 0):
    """Train on a table whose truth is known, score the model and draw it.

    Parameters
    ----------
    out
        Folder for the picture and the page.
    seed
        Seed of everything random.
    """
    from rich.console import Console
    from rich.table import Table

    from pulps.demo import run_demo

    console = Console()
    console.print("Breast cancer table of scikit-learn, 30 % of the benign rows labeled.")
    result = run_demo(out, random_state=seed, verbose=console.is_terminal)
    table = Table(title="The truth is known here")
    table.add_column("")
    for name in ("accuracy", "F1", "AUC"):
        table.add_column(name, justify="right")
    for row, scores in result.scores.items():
        table.add_row(row, *(f"{value:.3f}" for value in scores.values()))
    console.print(table)
    console.print(f"Members agree on {100 * result.agreement:.1f} % of the training rows.")
    console.print(f"Picture: {result.picture}", soft_wrap=True)
    console.print(f"Page:    {result.page}", soft_wrap=True)


@app.command
def fit(
    table: Path,
    /,
    *,
    label: str,
    out: Path,
    positive: str | None = None,
    seed: int | None = None,
    members: int | None = None,
    epochs: int | None = None,
    prior: float | None = None,
):
    """Fit a model on a table of labeled positives and unlabeled rows.

    Example: `pulps fit customers.csv --label bought --out model.pulps`

    Parameters
    ----------
    table
        CSV, TSV or Parquet file.
    label
        Column that marks labeled positives: 1 for a labeled positive, 0 or blank for an
        unlabeled row.
    out
        File for the model.
    positive
        Value of a labeled positive, if the column holds words.
    seed
        Seed of everything random; give one to get the same model again.
    members
        Models trained at once.
    epochs
        Passes over the rows.
    prior
        Share of positives among all rows, if you know it.
    """
    from rich.console import Console

    from pulps.classifier import LPSClassifier
    from pulps.files import check_writable, read_table
    from pulps.labels import read_label_column

    frame = read_table(table)
    y = read_label_column(_column(frame, label, table), positive)
    check_writable(out)
    console = Console(stderr=True)
    chosen = {"n_members": members, "max_epochs": epochs}
    model = LPSClassifier(
        random_state=seed,
        prior=prior,
        verbose=console.is_terminal,
        **{name: value for name, value in chosen.items() if value is not None},
    )
    model.fit(frame.drop(columns=label), y)
    model.save(out)
    console.print(
        f"{int(y.sum())} labeled and {int((~y).sum())} unlabeled rows, "
        f"{model.encoder_.n_features_in_} columns. {len(model.members_)} members agree on "
        f"{100 * model.agreement_:.1f} % of the rows. Model: {out}",
        soft_wrap=True,
    )
    console.print(str(model.threshold_report_), soft_wrap=True, markup=False)
    if model.encoder_.constant_features_:
        console.print(f"Left out, constant: {', '.join(model.encoder_.constant_features_)}")


@app.command
def predict(model: Path, table: Path, /, *, out: Path):
    """Score the rows of a table with a fitted model.

    Writes the table with three more columns: `positive` (1 or 0), `probability` and
    `log_ratio`. Rows are read and written in chunks, so the table may be larger than memory.

    Example: `pulps predict model.pulps customers.csv --out scored.csv`

    Parameters
    ----------
    model
        File written by `pulps fit`.
    table
        CSV, TSV or Parquet file with the columns of the fit; others are kept as they are.
    out
        File for the scored table; its ending gives the format.
    """
    from pulps.classifier import LPSClassifier
    from pulps.scale import score_file

    if not model.is_file():
        raise FileNotFoundError(f"There is no model file {model}. Make one with 'pulps fit'.")
    score_file(LPSClassifier.load(model), table, out)


@app.command
def info():
    """Say which versions, device and engine are in use."""
    import platform

    import numpy
    import sklearn
    import torch

    import pulps
    from pulps.engine import active_engine

    engine, why = active_engine()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    rows = {
        "pulps": pulps.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": numpy.__version__,
        "device": f"{device}, {torch.get_num_threads()} threads",
        "engine": f"{engine} ({why})",
    }
    for name, value in rows.items():
        print(f"{name:13} {value}")


def _column(frame, name: str, path: Path):
    if name not in frame.columns:
        import difflib

        near = difflib.get_close_matches(name, map(str, frame.columns), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"{path.name} has no column {name!r}.{hint} Its columns are "
            f"{', '.join(map(str, frame.columns[:20]))}."
        )
    return frame[name]


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return 0, or 2 with one line that says what went wrong."""
    try:
        code = app(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        return _fail(str(error))
    except (ValueError, OSError) as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return _fail("stopped; nothing was written")
    return code or 0


def _fail(message: str) -> int:
    print("pulps:", " ".join(message.split()), file=sys.stderr)
    return 2
