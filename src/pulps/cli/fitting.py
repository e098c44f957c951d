"""``pulps fit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def fit(
    table: Path,
    /,
    *,
    label: str | None = None,
    out: Path,
    positive: str | None = None,
    seed: int | None = None,
    members: int | None = None,
    epochs: int | None = None,
    prior: float | None = None,
    generative: bool = False,
    set: Annotated[list[str] | None, Parameter(negative=())] = None,
    config: Path | None = None,
    json: bool = False,
):
    """Fit a model on a table of labeled positives and unlabeled rows.

    Example: `pulps fit customers.csv --label bought --out model.pulps`

    Example: `zcat rows.csv.gz | pulps fit - --label y --out model.pulps --set bond_dim=4`

    Parameters
    ----------
    table
        CSV, TSV, Parquet or Arrow file, optionally compressed; `-` is standard input.
    label
        The column that marks labeled positives: 1 for a labeled positive, 0 or blank for an
        unlabeled row.
    out
        File to write the model to.
    positive
        The value of a labeled positive, if the column holds words.
    seed
        Seed for everything random; the same seed gives the same model.
    members
        Number of models to train side by side.
    epochs
        Number of passes over the rows.
    prior
        Share of positives among all rows, if it is known.
    generative
        Also train networks that generate rows, for `sample` and `impute`.
    set
        Any parameter of the model, as key=value. May be repeated.
    config
        TOML file with `label`, `positive` and parameters under `[model]`. Options on the
        command line take precedence.
    json
        Print a summary as JSON.
    """
    from pulps.cli.models import print_json, read_labels
    from pulps.cli.settings import make_model, read_config, read_pairs
    from pulps.io.files import STANDARD, check_writable, name_of, read_table

    given = read_config(config) if config else {}
    label = label or given.get("label")
    if label is None:
        raise ValueError(
            "No label column was given. Name the column that marks labeled positives with --label."
        )
    chosen = {"random_state": seed, "n_members": members, "max_epochs": epochs, "prior": prior}
    settings = given.get("model", {}) | read_pairs(set or [])
    settings |= {name: value for name, value in chosen.items() if value is not None}
    if out == STANDARD:
        raise ValueError("A model cannot go to standard output. Name a file with --out.")
    model = make_model(settings, generative=generative)
    frame = read_table(table)
    y = read_labels(frame, label, name_of(table), positive or given.get("positive"))
    check_writable(out)
    _watch(model, quiet=json)
    model.fit(frame.drop(columns=label), y)
    model.set_callbacks()
    model.set_params(verbose=False).save(out)
    if json:
        print_json(_summary(model, y, out))
    else:
        _tell(model, y, out)


def _watch(model, *, quiet: bool) -> None:
    """Show a progress bar on a terminal, or four lines in a log."""
    from pulps.estimators.progress import EpochTeller

    if sys.stderr.isatty() and sys.stdout.isatty():
        model.set_params(verbose=True)
        return
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        if 4 * done // total > told and total >= 20:
            told = 4 * done // total
            print(f"epoch {done} of {total}", file=sys.stderr)

    if not quiet:
        model.set_callbacks(EpochTeller(tell))


def _summary(model, y, out) -> dict:
    from dataclasses import asdict

    from pulps.io.plain import plain

    return plain(
        {
            **asdict(model.threshold_report_),
            "model": str(out),
            "n_held_out": model.threshold_report_.n_labeled,
            "n_labeled": int(y.sum()),
            "n_unlabeled": int((~y).sum()),
            "n_members": len(model.members_),
            "agreement": model.agreement_,
            "kappa": model.kappa_,
            "prior": model.prior_,
            "left_out": model.encoder_.constant_features_,
        }
    )


def _tell(model, y, out) -> None:
    from rich.console import Console

    console = Console(stderr=True)
    console.print(
        f"{int(y.sum())} labeled and {int((~y).sum())} unlabeled rows, "
        f"{model.encoder_.n_features_in_} columns. {len(model.members_)} members agree on "
        f"{100 * model.agreement_:.1f} % of the rows. Model: {out}",
        soft_wrap=True,
        markup=False,
    )
    console.print(str(model.threshold_report_), soft_wrap=True, markup=False)
    if model.encoder_.constant_features_:
        names = ", ".join(map(str, model.encoder_.constant_features_))
        console.print(f"Left out because they are constant: {names}", soft_wrap=True, markup=False)
