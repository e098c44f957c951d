"""`pulps tune`: search on a table and write the best model."""

from __future__ import annotations

from pathlib import Path
from typing import Literal


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
):
    """Search for good settings without negatives and write the best model.

    Stop it at any time and call it again with the same study to go on; several processes may
    work on one study.

    Example: `pulps tune customers.csv --label bought --out model.pulps --study bought.journal`

    Parameters
    ----------
    table
        CSV, TSV or Parquet file.
    label
        Column that marks labeled positives.
    out
        File for the model.
    study
        File the study lives in; without it the search cannot be gone on with.
    trials
        Settings to try, those already in the study included.
    minutes
        Time after which no further setting is tried.
    space
        What is searched; `paper` is the paper's.
    objective
        `agreement`, `kappa`, `guarded`, or a metric such as `lee_liu`, `aul`, `f1`.
    prior
        Share of positives among all rows, for metrics that need it.
    positive
        Value of a labeled positive, if the column holds words.
    folds
        Folds of the cross-validation.
    jobs
        Settings tried at once.
    seed
        Seed of everything random.
    """
    from rich.console import Console

    from pulps.io.files import check_writable, read_table
    from pulps.labels import read_label_column
    from pulps.tuning.search import AgreementSearch

    frame = read_table(table)
    if label not in frame.columns:
        raise ValueError(
            f"{table.name} has no column {label!r}. Its columns are "
            f"{', '.join(map(str, frame.columns[:20]))}."
        )
    y = read_label_column(frame[label], positive)
    check_writable(out)
    search = AgreementSearch(
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
    )
    search.fit(frame.drop(columns=label), y)
    search.best_estimator_.save(out)
    best = search.cv_results_.iloc[search.best_index_]
    console = Console(stderr=True)
    console.print(
        f"{len(search.cv_results_)} settings tried. Best {objective} {search.best_score_:.3f}, "
        f"agreement {best['agreement']:.3f}, held-out area of labeled rows {best['roc_auc']:.3f}: "
        f"{search.best_params_}. Model: {out}",
        soft_wrap=True,
        markup=False,
    )
