"""The command group ``pulps bench``: run, page, status, tables, figures, export."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from cyclopts import App

from pulps.cli.benchmark_runs import open_store, run_part

RESULTS = Path("benchmarks/results")

app = App(name="bench", help="Run the benchmarks and look at the results.")


@app.command
def run(
    suite: str = "categorical",
    *,
    methods: str | None = None,
    datasets: str | None = None,
    data: Path | None = None,
    label_frequencies: str | None = None,
    labels: str = "100,10,1",
    folds: str | None = None,
    seeds: str = "0",
    jobs: int = 1,
    retry_failed: bool = False,
    results: Path = RESULTS,
) -> int:
    """Run what is not yet in the store. Stop at any time; run it again to continue.

    Parameters
    ----------
    suite
        "categorical" (the 15 tables of the paper), "missing" (the same with 0, 10, 30 and
        50 % of the cells removed), "ablations" (some of them), "develop" (the tables of a folder,
        with common and with rare positives, and rule tables), "semi" (16 tables with all their
        classes), "semi-images" (ten classes of images), "open-set" (some of the classes have no
        labels), "images" or "toy".
    methods
        Names with commas between them; `pulps bench methods` lists them. By default the network
        and both constant answers, for several classes everything there is. "ablations" stands for
        the default and its variants. A method of your own is named module:attribute.
    datasets
        Names with commas between them; by default all of the suite. Of "images" a core by default;
        "every", "pairs" (all pairs of digits) and "natural" (one digit in ten) are groups.
    data
        Folder of tables with a datasets.json, for the suite "develop": your own, or by default
        the folder develop in that of PULPS_DATA.
    label_frequencies
        Shares of the positives that are labeled; by default 0.3,0.4,0.5 and for "develop"
        0.1,0.3. For "semi" shares of all training rows, by default 0.1,0.2,0.3,0.4; for
        "semi-images" labeled images per class, 100,10,1; for "open-set" classes with labels,
        3,5,7.
    labels
        Numbers of labeled images, for the suite "images".
    folds
        Test folds, such as "0-9" or "0,3"; by default all ten, for "develop" the first and for
        "semi" and "open-set" the first three.
    seeds
        Seeds of folds and labels, such as "0" or "0-4".
    jobs
        Tasks to run at the same time; -1 for one per core.
    retry_failed
        Try tasks again whose record is of a failure.
    results
        Folder of the store, which has one file per suite.

    Returns
    -------
    int
        The exit code: 0, 1 if data are missing or damaged, 130 if it was interrupted.
    """
    from pulps.benchmark.plans import Part

    shares = [float(text) for text in names(label_frequencies)] if label_frequencies else None
    chosen: dict[str, Any] = {
        "datasets": names(datasets) if datasets else None,
        "label_frequencies": shares,
        "folds": numbers(folds) if folds else None,
        "seeds": numbers(seeds),
        "n_labeled": numbers(labels),
    }
    part = Part(tuple(names(methods)) if methods else None, chosen)
    return run_part(suite, part, results, jobs=jobs, data=data, retry_failed=retry_failed)


@app.command
def page(
    suite: str,
    *,
    docs: Path = Path("docs"),
    data: Path | None = None,
    jobs: int = 1,
    results: Path = RESULTS,
) -> int:
    """Run everything that the page of a suite shows and is not in the store, then write the page.

    This takes hours, of all suites days. Stop at any time; the same command goes on. Each part is
    a run that "pulps bench run" can do too.

    Parameters
    ----------
    suite
        "categorical", "missing", "ablations", "develop", "images", or "semi", whose page has
        "semi-images" and "open-set" too.
    docs
        Documentation folder to write the page and its figures into.
    data
        Folder of tables with a datasets.json, for the suite "develop".
    jobs
        Tasks to run at the same time; -1 for one per core.
    results
        Folder of the store, which has one file per suite.

    Returns
    -------
    int
        The exit code: 0, 1 if data are missing or damaged, 130 if it was interrupted.
    """
    from pulps.benchmark.plans import plan_of

    for of, part in plan_of(suite):
        code = run_part(of, part, results, jobs=jobs, data=data)
        if code:
            return code
    tables(suite, results=results, docs=docs)
    return 0


@app.command
def methods() -> None:
    """List the methods that can be run by name."""
    from pulps.benchmark.ablations import ABLATIONS
    from pulps.benchmark.methods import METHODS
    from pulps.benchmark.semi.suites import SUITES

    for name, method in {**METHODS, **ABLATIONS}.items():
        print(f"{name:24} {method.title}")
    for suite, of_classes in SUITES.items():
        print(f"\nfor the suite {suite}:")
        for name, one in of_classes.items():
            print(f"{name:24} {one.title}")


@app.command
def status(suite: str = "categorical", *, results: Path = RESULTS) -> None:
    """Show how many folds of every problem are in the store.

    Parameters
    ----------
    suite
        Name of the suite.
    results
        Folder of the store.
    """
    from rich.console import Console

    from pulps.benchmark.averages import latest
    from pulps.benchmark.reproduction import describe_origin
    from pulps.cli.record_counts import show_counts

    records = latest(_records(results, suite))
    if records.empty:
        print(
            f"There are no records of {suite} in {results}. "
            f"Make some with 'pulps bench run {suite}'."
        )
        return
    show_counts(records)
    Console().print(describe_origin(records), markup=False)


@app.command
def tables(
    suite: str = "categorical",
    *,
    results: Path = RESULTS,
    out: Path | None = None,
    formats: str = "markdown,latex,html",
    docs: Path | None = None,
) -> None:
    """Print the tables, or write them as Markdown, LaTeX and HTML.

    Parameters
    ----------
    suite
        Name of the suite.
    results
        Folder of the store.
    out
        Folder to write into, one file per table and format.
    formats
        Which of markdown, latex and html, with commas between them.
    docs
        Documentation folder to write the page of the suite and its figures into:
        "reproduction" for "categorical", "ablations", "missing_results" for "missing", "develop",
        "semi_results" for several classes and "image_results" for "images".
    """
    from pulps.benchmark.render import RENDERERS, to_markdown
    from pulps.benchmark.reproduction import (
        require_records,
        write_ablations,
        write_missing,
        write_reproduction,
    )
    from pulps.benchmark.tables import all_tables, write_tables

    unknown = sorted(set(names(formats)) - set(RENDERERS))
    if unknown:
        raise ValueError(
            f"There is no format {', '.join(unknown)}. Known: {', '.join(RENDERERS)}."
        )
    records = _records(results, suite)
    if suite == "missing":
        from pulps.benchmark.missing import average_table, missing_table

        if docs is not None:
            print(write_missing(records, docs))
        else:
            for table in (average_table(records), missing_table(records)):
                print(to_markdown(table))
        return
    if suite == "develop":
        from pulps.benchmark.develop_page import develop_tables, write_develop

        paper = _records(results, "categorical")
        if docs is not None:
            print(write_develop(records, paper, docs))
        else:
            require_records(records, suite)
            made = develop_tables(records, paper)
            print("\n".join(to_markdown(table) for table in made.values()))
        return
    if suite in ("semi", "semi-images", "open-set"):
        from pulps.benchmark.semi.few_tables import TABLES_OF
        from pulps.benchmark.semi.page import semi_tables, write_semi

        if docs is not None:
            others = {name: _records(results, name) for name in TABLES_OF}
            print(write_semi(_records(results, "semi"), docs, others))
            return
        require_records(records, suite)
        make = TABLES_OF.get(suite, semi_tables)
        print("\n".join(to_markdown(table) for table in make(records)))
        return
    if suite == "images":
        from pulps.benchmark.image_tables import image_tables, write_image_page

        if docs is not None:
            print(write_image_page(records, docs))
        else:
            print("\n".join(to_markdown(table) for table in image_tables(records).values()))
        return
    if docs is not None:
        write = write_ablations if suite == "ablations" else write_reproduction
        print(write(records, docs))
    if out is not None:
        print(f"{len(write_tables(records, out, names(formats)))} files in {out}")
    if docs is None and out is None:
        print("\n".join(to_markdown(table) for table in all_tables(records).values()))


@app.command
def figures(
    suite: str = "categorical",
    *,
    results: Path = RESULTS,
    out: Path = Path("benchmarks/figures"),
    suffix: Literal["svg", "png", "pdf"] = "svg",
) -> None:
    """Draw ranks with critical differences, and agreement against test score.

    Parameters
    ----------
    suite
        Name of the suite; "samples" draws generated rows of the point sets, for which models
        are trained if their rows are not stored yet.
    results
        Folder of the store.
    out
        Folder to write into.
    suffix
        Kind of file.
    """
    if suite == "samples":
        from pulps.benchmark.samples import write_samples

        for path in write_samples(results, out, (suffix,)):
            print(path)
        return
    from pulps.benchmark.figures import write_figures

    for path in write_figures(_records(results, suite), out, suffix=suffix):
        print(path)


@app.command
def export(
    suite: str = "categorical",
    *,
    results: Path = RESULTS,
    out: Path = Path("records.csv"),
    overwrite: bool = False,
) -> None:
    """Write all records as CSV, one row each.

    Parameters
    ----------
    suite
        Name of the suite.
    results
        Folder of the store.
    out
        File to write.
    overwrite
        Replace the file if it is there already.
    """
    from pulps.cli.paths import check_free

    check_free(out, overwrite=overwrite)
    from pulps.benchmark.tables import export as write_csv

    records = _records(results, suite)
    write_csv(records, out)
    print(f"Wrote {out}: {len(records)} records.")


def names(text: str) -> list[str]:
    """Split a list at its commas.

    Parameters
    ----------
    text
        Names with commas between them.

    Returns
    -------
    list of str
        Without blanks.

    Examples
    --------
    >>> names("iris, vote,")
    ['iris', 'vote']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def numbers(text: str) -> list[int]:
    """Read a list of whole numbers and ranges.

    Parameters
    ----------
    text
        Numbers and ranges with commas between them.

    Returns
    -------
    list of int
        In the order given.

    Examples
    --------
    >>> numbers("0-2,7")
    [0, 1, 2, 7]
    """
    found: list[int] = []
    for part in names(text):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _records(results: Path, suite: str) -> Any:
    return open_store(results, suite).frame()
