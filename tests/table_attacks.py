"""Hostile tables on every way into the house: fitted, or refused in one clear line."""

import contextlib
import io
import json
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hostile_tables import LABEL, hostile_table

from pulps import PUClassifier
from pulps.cli import main
from pulps.io.files import read_bytes
from pulps.labels import read_label_column
from pulps.tables.roles import typed

QUICK = ["--label", LABEL, "--seed", "0", "--set", 'views=["kernel"]', "--overwrite"]
MOST_LETTERS = 2000  # of a clear line


class Outcome(NamedTuple):
    """What came of a table: ``fitted``, ``refused``, or what went wrong."""

    came: str
    seconds: float
    told: str = ""


def by_command(number: int, folder: Path) -> Outcome:
    """Fit by ``pulps fit``, then score the same rows by ``pulps predict``."""
    name, content = hostile_table(number)
    (folder / name).write_bytes(content)
    model, out = folder / "model", folder / "scored.csv"
    model.unlink(missing_ok=True)
    start = time.process_time()
    code, said = _run(["fit", str(folder / name), "--out", str(model), *QUICK])
    if code == 0:
        words = ["predict", str(model), str(folder / name), "--out", str(out), "--overwrite"]
        code, said = _run(words)
        came = "fitted" if code == 0 else f"BROKEN predict exits with {code}: {said[-300:]}"
    else:
        came = _one_clear_line(code, said)
        came = came if not model.exists() else "BROKEN a model is there"
    (folder / name).unlink()
    return Outcome(came, time.process_time() - start, said[-300:])


def _one_clear_line(code: int, said: str) -> str:
    lines = [line for line in said.splitlines() if "warning:" not in line and "view" not in line]
    if code != 2 or len(lines) != 1 or not lines[0].startswith("pulps: "):
        return f"BROKEN exit code {code}, {len(lines)} lines: {said[-300:]}"
    if "run again with --debug" in lines[0] or len(lines[0]) > MOST_LETTERS:
        return f"BROKEN unclear: {lines[0][:300]}"
    return "refused"


def _run(words: list[str]) -> tuple[int, str]:
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        code = main(words)
    return code, errors.getvalue()


def by_python(number: int, folder: Path) -> Outcome:
    """Read the table and fit a consensus, save it, read it again and report."""
    name, content = hostile_table(number)
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            frame, _ = typed(read_bytes(content, name).frame)
            if LABEL not in frame:
                raise ValueError("there is no label")
            y = read_label_column(
                frame[LABEL], "yes" if "yes" in set(map(str, frame[LABEL])) else None
            )
            X = frame.drop(columns=LABEL)
            model = PUClassifier(views=["kernel"], random_state=0).fit(X, y)
            model.save(folder / "model")
            scores = PUClassifier.load(folder / "model").decision_function(X)
            same = np.array_equal(scores, model.decision_function(X)) and np.isfinite(scores).all()
            came = "fitted" if same else "BROKEN scores"
            model.report(X, y, n_rows=3).save(folder / "report.html")
    except ValueError as error:
        came, told = "refused", str(error)
        if not told or len(told) > MOST_LETTERS:
            came = f"BROKEN unclear: {told[:300]!r}"
    except Exception as error:
        came = f"BROKEN {type(error).__name__}: {error}"[:300]
    return Outcome(came, time.process_time() - start)


def by_api(number: int, client, bearer: dict[str, str]) -> Outcome:
    """Upload the table to the studio, and send its first rows to ``/v1/predict``."""
    name, content = hostile_table(number)
    start = time.perf_counter()
    answers = [
        client.post("/studio/tables", params={"name": name}, content=content, headers=bearer)
    ]
    try:
        frame = read_bytes(content, name).frame
        rows = json.loads(frame.iloc[:5].to_json(orient="records", default_handler=str))
        body = json.dumps({"rows": rows or [{}]})
    except (ValueError, OverflowError, TypeError):
        body = content[:2000].decode("latin-1")
    headers = bearer | {"Content-Type": "application/json"}
    answers.append(client.post("/v1/predict", content=body.encode(), headers=headers))
    came = []
    for answer in answers:
        if answer.status_code < 300:
            came.append("fitted")
        elif answer.status_code < 500 and _is_one_line(answer):
            came.append("refused")
        else:
            came.append(f"BROKEN {answer.status_code}: {answer.text[:300]}")
    broken = [one for one in came if "BROKEN" in one]
    return Outcome((broken or came)[0], time.perf_counter() - start)


def _is_one_line(answer) -> bool:
    told = answer.json()
    text = str(told.get("detail") or told.get("error") or told)
    return 0 < len(text) <= 2 * MOST_LETTERS and "Traceback" not in text
