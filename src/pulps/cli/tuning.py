"""``pulps tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pulps.cli.tables import ColumnOptions, FileOptions, open_table


def tune(
    table: Path,
    /,
    *,
    label: str,
    out: Path,
    study: Path | None = None,
    trials: int = 50,
    minutes: float | None = None,
    space: Literal["default", "paper"] = "default",
    objective: str = "guarded",
    prior: float | None = None,
    positive: str | None = None,
    folds: int = 3,
    jobs: int = 1,
    seed: int | None = None,
    overwrite: bool = False,
    files: FileOptions | None = None,
    roles: ColumnOptions | None = None,
) -> None:
    """Search for good settings, without negatives, and write the best model.

    Shows how many fits are made and how long the rest will take. Stop the search at any time,
    and run the command again with the same study to continue.
    Several processes may work on one study.

    Example: `pulps tune customers.csv --label bought --out model.pulps --study bought.journal`

    Parameters
    ----------
    table
        CSV, TSV, JSON lines, Parquet, Arrow or Excel file; `-` is standard input.
    label
        The column that marks labeled positives.
    out
        File to write the model to.
    study
        File that holds the study; without one the search cannot be continued later.
    trials
        Number of settings to try, including those already in the study.
    minutes
        Time that the search should take: no setting is tried that would not end in time.
    space
        What to search; `paper` is the search space of the paper.
    objective
        What to maximize: `agreement`, `kappa`, `guarded`, or a metric such as `lee_liu`,
        `aul` or `f1`.
    prior
        Share of positives among all rows, for metrics that need it.
    positive
        The value of a labeled positive, if the column holds words.
    folds
        Number of folds in the cross-validation.
    jobs
        Number of settings to try at the same time.
    seed
        Seed for everything random.
    overwrite
        Replace the model if it is there already.
    files
        How the file is written.
    roles
        What its columns are.
    """
    from rich.console import Console

    from pulps.cli.models import read_labels, save_model
    from pulps.cli.paths import check_apart, check_free, check_table, tell_written
    from pulps.io.files import name_of
    from pulps.io.outputs import check_writable

    check_table(table)
    check_free(out, table, *([study] if study else []), overwrite=overwrite)
    if study is not None:
        check_apart(study, table)
        check_writable(study)
        from pulps.tuning.study import check_study

        check_study(study)
    opened = open_table(table, files)
    frame = opened.frame
    found = {name: role for name, role in opened.roles.items() if name != label}
    found |= (roles or ColumnOptions()).roles(list(frame.columns), name_of(table))
    y = read_labels(frame, label, name_of(table), positive) == 1
    from pulps import LPSClassifier
    from pulps.tuning.search import AgreementSearch

    search = AgreementSearch(
        LPSClassifier(roles=found or None),
        space=space,
        objective=objective,
        prior=prior,
        n_trials=trials,
        timeout=None if minutes is None else 60 * minutes,
        cv=folds,
        trials_at_once=jobs,
        n_jobs=jobs,
        storage=study,
        random_state=seed,
        verbose=1,
    )
    search.fit(frame.drop(columns=label), y)
    save_model(search.best_estimator_, out)
    best = search.cv_results_.iloc[search.best_index_]
    console = Console(stderr=True)
    console.print(
        f"{len(search.cv_results_)} settings tried. Best {objective} {search.best_score_:.3f}, "
        f"agreement {best['agreement']:.3f}, held-out area of labeled rows {best['roc_auc']:.3f}: "
        f"{search.best_params_}.",
        soft_wrap=True,
        markup=False,
    )
    tell_written(out, "a model, lps, fitted with these settings on all rows")
