"""``pulps demo``, ``pulps info`` and ``pulps completion``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal


def demo(*, out: Path = Path("pulps-demo"), seed: int = 0):
    """Train on a table whose true classes are known, score the model and draw it.

    Parameters
    ----------
    out
        Folder to write the picture and the page to.
    seed
        Seed for everything random.
    """
    from rich.console import Console
    from rich.table import Table

    from pulps.cli.demo import run_demo

    console = Console()
    console.print("The breast cancer table of scikit-learn, with 30 % of the benign rows labeled.")
    result = run_demo(out, random_state=seed, verbose=console.is_terminal)
    table = Table(title="The truth is known here")
    table.add_column("")
    for name in ("accuracy", "F1", "AUC"):
        table.add_column(name, justify="right")
    for row, scores in result.scores.items():
        table.add_row(row, *(f"{value:.3f}" for value in scores.values()))
    console.print(table)
    told = ", ".join(f"{name} {value:.3f}" for name, value in result.expected.items())
    console.print(f"Expected of the hidden rows without knowing the truth: {told}.")
    console.print(f"Picture: {result.picture}", soft_wrap=True)
    console.print(f"Page:    {result.page}", soft_wrap=True)


def info(model: Path | None = None, /, *, json: bool = False):
    """Show which versions, device and engine are in use, or what a model file holds.

    Parameters
    ----------
    model
        File written by `pulps fit`.
    json
        Print it as JSON.
    """
    from pulps.cli.models import open_model, print_json

    rows = _about_us() if model is None else _about_model(open_model(model))
    if json:
        print_json(rows)
        return
    width = 1 + max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:{width}} {value}")


def _about_model(model) -> dict[str, str]:
    from pulps.cli.models import kind_of
    from pulps.scale.columns import column_names

    report = model.threshold_report_
    told = {
        "classes": ", ".join(map(str, model.classes_)),
        "columns": ", ".join(map(str, column_names(model))),
        "threshold": f"{report.threshold:+.3f} ({report.rule}): {report.reason}",
        "positives among unlabeled rows": report.told_prior,
        "called positive": f"{report.share:.0%} of the unlabeled rows",
    }
    if kind_of(model) == "lps":
        return {"model": "lps, the tensor network alone"} | told | _about_network(model)
    views = ", ".join(
        f"{view.Index} (weight {view.weight:.2f}, area {view.area:.2f})"
        for view in model.views_.itertuples()
    )
    told = {"model": f"consensus of {len(model.views_)} views"} | told | {"views": views}
    if hasattr(model, "network_"):
        return told | _about_network(model.network_)
    return told | {"generates": "no; fit with --generative"}


def _about_network(network) -> dict[str, str]:
    widest = max(core.shape[4] for core in network.positive_cores_)
    return {
        "members": f"{len(network.members_)}, agreeing on {network.agreement_:.1%} of the rows",
        "chains": f"{len(network.positive_cores_)} sites, bond dimension {widest}",
        "generates": "yes" if network.density is not None else "no; fit with --generative",
    }


def _about_us() -> dict[str, str]:
    import platform

    import numpy
    import sklearn
    import torch

    import pulps
    from pulps.network.engine import active_engine

    engine, why = active_engine()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    return {
        "pulps": pulps.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": numpy.__version__,
        "device": f"{device}, {torch.get_num_threads()} threads",
        "engine": f"{engine} ({why})",
    }


def completion(shell: Literal["bash", "zsh", "fish"], /):
    """Print a script that completes commands and options in your shell.

    Example: `pulps completion bash > ~/.local/share/bash-completion/completions/pulps`

    Parameters
    ----------
    shell
        Your shell.
    """
    from pulps.cli import app

    print(app.generate_completion(prog_name="pulps", shell=shell))
