"""``pulps fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from pulps.cli.tables import ColumnOptions, FileOptions, open_table
from pulps.io.naming import listed
from pulps.io.shares import percent


def fit(
    table: Path,
    /,
    *,
    label: str | None = None,
    out: Path,
    model: Literal["consensus", "lps", "classes"] | None = None,
    positive: str | None = None,
    negative: str | None = None,
    seed: int | None = None,
    members: int | None = None,
    epochs: int | None = None,
    prior: float | None = None,
    generative: bool = False,
    set: Annotated[list[str] | None, Parameter(negative=())] = None,
    config: Path | None = None,
    overwrite: bool = False,
    json: bool = False,
    files: FileOptions | None = None,
    roles: ColumnOptions | None = None,
) -> None:
    """Fit a model on a table of labeled positives and unlabeled rows.

    Several views of the table are weighed by how well they rank labels that were held out, and
    their consensus decides. `--generative` trains a tensor network as well, which learns from
    the consensus and generates rows; `--model lps` trains the network alone.

    Example: `pulps fit customers.csv --label bought --out model.pulps`

    Example: `zcat rows.csv.gz | pulps fit - --label y --out model.pulps --generative`

    Parameters
    ----------
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    label
        The column that marks labeled positives: 1 for a labeled positive, 0 or blank for an
        unlabeled row; beside these, -1 for a row that is known to be negative. With
        `--model classes`: any values, blank for a row without a label.
    out
        File to write the model to.
    model
        A consensus of views, which is the default; the tensor network alone; or `classes`, for a
        label column with several values.
    positive
        The value of a labeled positive, if the column holds words.
    negative
        The value of a row that is known to be negative, if the column holds words.
    seed
        Seed for everything random; the same seed gives the same model.
    members
        Number of networks to train side by side; with `--generative` or `--model lps`.
    epochs
        Number of passes of these networks over the rows.
    prior
        Share of positives among all rows, if it is known.
    generative
        Also train networks that generate rows, for `sample` and `impute`.
    set
        Any parameter of the model or of its network, as key=value. May be repeated.
    config
        TOML file with `label`, `positive`, `negative`, `kind` (consensus, lps or classes) and
        parameters under `[model]`. Options on the command line take precedence.
    overwrite
        Replace the file if it is there already.
    json
        Print a summary as JSON.
    files
        How the file is written.
    roles
        What its columns are.
    """
    from pulps.cli.models import (
        kind_of,
        print_json,
        read_class_labels,
        read_labels,
        save_model,
    )
    from pulps.cli.paths import check_free, check_table, tell_written
    from pulps.cli.settings import read_config, read_pairs
    from pulps.io.files import STANDARD, name_of

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
    check_table(table)
    check_free(out, table, *([config] if config else []), overwrite=overwrite)
    from pulps.cli.class_fitting import class_summary, tell_classes
    from pulps.estimators.settings import make_model

    kind = model or given.get("kind", "consensus")
    fitted: Any = make_model(settings, kind=kind, generative=generative)
    opened = open_table(table, files)
    if kind == "classes":
        y = read_class_labels(opened.frame, label, name_of(table))
    else:
        words = positive or given.get("positive"), negative or given.get("negative")
        y = read_labels(opened.frame, label, name_of(table), *words)
    frame = opened.frame.drop(columns=label)
    found = {name: role for name, role in opened.roles.items() if name != label}
    found |= settings.get("roles") or {}
    found |= (roles or ColumnOptions()).roles(list(frame.columns), name_of(table))
    fitted.set_params(roles=found or None, verbose="auto" if json else 1).fit(frame, y)
    save_model(fitted.set_params(verbose="auto"), out)
    if json:
        print_json((class_summary if kind == "classes" else _summary)(fitted, y, out))
    else:
        (tell_classes if kind == "classes" else _tell)(fitted, y, opened.told)
        tell_written(out, f"a model, {kind_of(fitted)}")


def _summary(model: Any, y: Any, out: Path) -> dict[str, Any]:
    from dataclasses import asdict

    from pulps.cli.models import kind_of
    from pulps.io.plain import plain

    kind = kind_of(model)
    if kind == "consensus":
        own = {
            "views": model.views_.reset_index().to_dict("records"),
            "generates": hasattr(model, "network_"),
        }
    else:
        own = {
            "n_members": len(model.members_),
            "agreement": model.agreement_,
            "kappa": model.kappa_,
        }
    return plain(
        {
            **asdict(model.threshold_report_),
            "model": str(out),
            "kind": kind,
            "n_held_out": model.threshold_report_.n_labeled,
            "n_labeled": int((y == 1).sum()),
            "n_unlabeled": int((y == 0).sum()),
            "n_known_negative": int((y == -1).sum()),
            **own,
            "prior": model.prior_,
            "left_out": [
                *model.encoder_.constant_features_,
                *(column.name for column in model.encoder_.left_out_),
            ],
        }
    )


def _tell(model: Any, y: Any, read: str) -> None:
    from rich.console import Console

    from pulps.cli.models import kind_of
    from pulps.report.warnings import LITTLE_AREA

    report, n_negative = model.threshold_report_, int((y == -1).sum())
    lines = [
        read,
        f"{int((y == 1).sum())} labeled and {int((y == 0).sum())} unlabeled rows, "
        f"{f'{n_negative} known to be negative, ' if n_negative else ''}"
        f"{_columns(model.encoder_)}",
    ]
    if kind_of(model) == "consensus":
        weights = model.views_["weight"].sort_values(ascending=False)
        told = ", ".join(f"{name} {weight:.0%}" for name, weight in weights.items())
        lines.append(f"views and their weights: {told}")
        best = model.views_["area"].max()
        if best < LITTLE_AREA:
            lines.append(
                f"no view ranks held-out labels much better than a coin (area {best:.2f}, a coin "
                "0.50): the columns may not tell positives apart"
            )
    else:
        lines.append(
            f"{len(model.members_)} members agree on {100 * model.agreement_:.1f} % of the rows"
        )
    lines += [str(report), f"called positive: {percent(report.share)} of the unlabeled rows"]
    if model.encoder_.constant_features_:
        names = listed(model.encoder_.constant_features_)
        lines.append(f"left out because they are constant: {names}")
    Console(stderr=True).print("\n".join(lines), soft_wrap=True, markup=False)


def _columns(encoder: Any) -> str:
    n_used, n_columns = len({column.index for column in encoder.columns_}), encoder.n_features_in_
    return f"{n_columns} columns" if n_used == n_columns else f"{n_used} of {n_columns} columns"
