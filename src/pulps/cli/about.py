"""``pulps demo``, ``pulps info`` and ``pulps completion``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pulps.io.shares import percent


def demo(*, out: Path = Path("pulps-demo"), seed: int = 0, overwrite: bool = False) -> None:
    """Train on a table whose true classes are known, score the model and draw it.

    Parameters
    ----------
    out
        Folder to write the picture and the page to.
    seed
        Seed for everything random.
    overwrite
        Replace the picture and the page if they are there already.
    """
    from rich.console import Console
    from rich.table import Table

    from pulps.cli.paths import check_free

    if out.is_file():
        raise NotADirectoryError(f"{out} is a file. Name a folder with --out.")
    out.mkdir(parents=True, exist_ok=True)
    for name in ("demo.png", "demo.html"):
        check_free(out / name, overwrite=overwrite)
    from pulps.cli.demo import run_demo

    console = Console()
    console.print("The breast cancer table of scikit-learn, with 30 % of the benign rows labeled.")
    result = run_demo(out, random_state=seed)
    table = Table(title="The truth is known here")
    table.add_column("")
    for name in ("accuracy", "F1", "AUC"):
        table.add_column(name, justify="right")
    for row, scores in result.scores.items():
        table.add_row(row, *(f"{value:.3f}" for value in scores.values()))
    console.print(table)
    told = ", ".join(f"{name} {value:.3f}" for name, value in result.expected.items())
    console.print(f"Expected of the hidden rows without knowing the truth: {told}.")
    console.print(f"Wrote {result.picture} and {result.page}.", soft_wrap=True, markup=False)


def info(model: Path | None = None, /, *, json: bool = False) -> None:
    """Show which versions, device and engine are in use, or what a model file holds.

    Parameters
    ----------
    model
        File written by `pulps fit`.
    json
        Print it as JSON.
    """
    from pulps.cli.models import kind_of, open_model, print_json

    fitted = None if model is None else open_model(model, any_classes=True)
    about = _about_us() if fitted is None else _about_model(fitted)
    if json:
        from pulps.io.plain import plain

        print_json(plain(about))
        return
    if fitted is None:
        told = about
    elif kind_of(fitted) == "classes":
        told = _classes_in_words(about)
    else:
        told = _in_words(about, fitted.threshold_report_.told_prior)
    width = 1 + max(map(len, told))
    for name, value in told.items():
        print(f"{name:{width}} {value}")


def _about_model(model: Any) -> dict[str, Any]:
    from dataclasses import asdict

    from pulps.cli.models import kind_of
    from pulps.scale.columns import column_names

    about = {
        "kind": kind_of(model),
        "classes": model.classes_.tolist(),
        "columns": list(column_names(model)),
    }
    if about["kind"] == "classes":
        return about | {
            "class_shares": model.class_shares_.reset_index().to_dict("records"),
            "held_out": model.held_out_table_,
            "views": model.views_.reset_index().to_dict("records"),
            **_about_network(model, model.cores_[0]),
        }
    about |= asdict(model.threshold_report_)
    if about["kind"] == "lps":
        return about | _about_network(model, model.positive_cores_)
    about["views"] = model.views_.reset_index().to_dict("records")
    if hasattr(model, "network_"):
        return about | _about_network(model.network_, model.network_.positive_cores_)
    return about | {"generates": False}


def _about_network(network: Any, cores: Any) -> dict[str, Any]:
    return {
        "n_members": len(network.members_),
        "agreement": network.agreement_,
        "n_sites": len(cores),
        "bond_dim": max(core.shape[4] for core in cores),
        "generates": network.density is not None,
    }


def _in_words(about: dict[str, Any], told_prior: str) -> dict[str, str]:
    """Say what a model file holds as a person would read it."""
    views = about.get("views")
    told = {
        "model": f"consensus of {len(views)} views" if views else "lps, the tensor network alone",
        "classes": ", ".join(map(str, about["classes"])),
        "columns": ", ".join(map(str, about["columns"])),
        "threshold": f"{about['threshold']:+.3f} ({about['rule']}): {about['reason']}",
        "positives among unlabeled rows": told_prior,
        "called positive": f"{percent(about['share'])} of the unlabeled rows",
    }
    if views:
        told["views"] = ", ".join(
            f"{view['view']} (weight {view['weight']:.2f}, area {view['area']:.2f})"
            for view in views
        )
    return told | _network_in_words(about)


def _network_in_words(about: dict[str, Any]) -> dict[str, str]:
    told = {}
    if "n_members" in about:
        agree = f", agreeing on {about['agreement']:.1%} of the rows"
        told = {
            "members": f"{about['n_members']}{agree if about['n_members'] > 1 else ''}",
            "chains": f"{about['n_sites']} sites, bond dimension {about['bond_dim']}",
        }
    return told | {
        "generates": "yes" if about["generates"] else "no; fit with --generative",
    }


def _classes_in_words(about: dict[str, Any]) -> dict[str, str]:
    """Say what a model of several classes holds as a person would read it."""
    shares = ", ".join(
        f"{one['class']} {percent(one['share'])} ({percent(one['low'])} to {percent(one['high'])})"
        for one in about["class_shares"]
    )
    asked, right = about["held_out"].sum(), about["held_out"].trace()
    views = ", ".join(f"{view['view']} (weight {view['weight']:.2f})" for view in about["views"])
    return {
        "model": f"{len(about['classes'])} classes",
        "columns": ", ".join(map(str, about["columns"])),
        "shares of the classes": shares,
        "held-out labels": f"{right:.0f} of {asked:.0f} found" if asked else "none",
        "views": views or "none",
        **_network_in_words(about),
    }


def _about_us() -> dict[str, Any]:
    import platform

    import numpy
    import sklearn
    import torch

    import pulps
    from pulps.network.engine import active_engine

    engine, why = active_engine()
    return {
        "pulps": pulps.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "scikit-learn": sklearn.__version__,
        "numpy": numpy.__version__,
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU",
        "threads": torch.get_num_threads(),
        "engine": f"{engine} ({why})",
    }


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that completes commands and options in your shell.

    Example: `pulps completion bash > ~/.local/share/bash-completion/completions/pulps`

    Parameters
    ----------
    shell
        Your shell.
    """
    from pulps.cli import app

    print(app.generate_completion(prog_name="pulps", shell=shell))
