"""Attack everything that reads and writes files, and write what came of it to docs/trust.md.

Usage: python scripts/trust.py [--again] [part ...]

Parts: models, tables, faults, signals, seeds, page; without one, all of them. Results are kept in
benchmarks/results/trust.json after every few cases, and what is there is not done again: stop it
at any time. Each keeps the commit of the source it was begun with; with `--again` those of other
source are begun anew. The page is written from the results alone, and says what they are of.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]
RESULTS = ROOT / "benchmarks" / "results" / "trust.json"
PAGE = ROOT / "docs" / "trust.md"
N_FILES = {"forged": 1_000, "spoiled": 2_000, "mutated": 10_000}
N_TABLES = 500
N_SIGNALS = 60
AWAKE = 0.2  # seconds after which Python has begun with pulps
BATCH = 100


def read() -> dict:
    """Read what is known."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def source() -> str:
    """Name the last commit that changed the source."""
    words = ["git", "log", "-1", "--format=%h", "--", "src/pulps"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return told.stdout.strip()


def begin_again() -> None:
    """Forget what is known of other source than today's."""
    from pulps.io.outputs import write_whole

    known, now = read(), source()
    kept = {part: of for part, of in known.items() if of.get("source") == now}
    write_whole(RESULTS, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def keep(part: str, value: dict) -> None:
    """Write what is known of a part."""
    from pulps.io.outputs import write_whole

    value = {"source": source()} | value
    write_whole(RESULTS, json.dumps(read() | {part: value}, indent=1, ensure_ascii=False) + "\n")


def in_batches(part: str, n_all: int, case, batch: int = BATCH) -> None:
    """Do cases by their number, some at a time in a child, and add up what came of them."""
    from faults import in_a_child

    known = read().get(part, {"n": 0, "came": {}, "worst": {}, "broken": []})
    while known["n"] < n_all:
        numbers = range(known["n"], min(known["n"] + batch, n_all))
        with tempfile.TemporaryDirectory() as folder:
            found = Path(folder) / "found.jsonl"

            def work(numbers=numbers, found=found, folder=folder):
                with found.open("w") as file:
                    for number in numbers:
                        signal.alarm(120)
                        print(json.dumps([number, *case(number, Path(folder))]), file=file)
                        file.flush()

            code = in_a_child(work)
            lines = [json.loads(line) for line in found.read_text().splitlines()]
        if code:
            number = numbers[len(lines)]
            lines.append([number, f"BROKEN the process ended with {code}", {}])
        came = Counter(known["came"])
        for number, outcome, figures in lines:
            came[outcome.split(":")[0]] += 1
            if "BROKEN" in outcome:
                known["broken"].append([number, outcome])
            for name, value in figures.items():
                if value > known["worst"].get(name, [0])[0]:
                    known["worst"][name] = [round(value, 3), number]
        known = {"source": source()} | known | {"n": known["n"] + len(lines), "came": dict(came)}
        keep(part, known)
        print(part, known["n"], known["came"], known["worst"], flush=True)


def models() -> None:
    """Read mutated, spoiled and forged model files."""
    from model_attacks import KINDS, attack

    def case(way):
        def one(number, folder):
            came, seconds, megabytes = attack(way, number, folder / "model")
            return came, {"seconds": seconds, "megabytes": megabytes}

        return one

    for number in range(len(KINDS)):  # what is made once is not counted
        with tempfile.TemporaryDirectory() as folder:
            attack("mutated", number, Path(folder) / "model")
    for way, n_files in N_FILES.items():
        in_batches(f"{way} model files", n_files, case(way), 250)


def tables() -> None:
    """Send hostile tables through command line, Python and API."""
    from serving import BEARER, open_client, small_model
    from table_attacks import by_api, by_command, by_python

    ways = {"the command line": by_command, "Python": by_python}
    for name, way in ways.items():

        def one(number, folder, way=way):
            outcome = way(number, folder)
            return outcome.came, {"seconds": outcome.seconds}

        in_batches(f"hostile tables by {name}", N_TABLES, one, 25)
    model = small_model()

    def batch(numbers, folder):
        with open_client(model) as client:
            return [by_api(number, client, BEARER) for number in numbers]

    def ten(number, folder):
        found = batch(range(10 * number, 10 * number + 10), folder)
        broken = [one.came for one in found if "BROKEN" in one.came]
        return (broken or ["answered"])[0], {"seconds": max(one.seconds for one in found)}

    in_batches("hostile tables by the API, ten at a time", N_TABLES // 10, ten, 5)


def faults() -> None:
    """Let every call, byte and allocation of every writer fail, or end the process there."""
    from fault_cases import grower_cases, writer_cases

    for name, cases in {**writer_cases(10, 1.5), **grower_cases(40, 1.15)}.items():
        part = f"faults of {name}"
        if part not in read():
            counts = Counter()
            for kind in cases():
                counts[kind] += 1
            keep(part, dict(counts))
            print(part, dict(counts), flush=True)


def signals() -> None:
    """Send SIGINT and SIGTERM to ``pulps fit`` after a random share of the time that it takes."""
    known = read().get("signals", {"n": 0, "came": {}, "broken": []})
    rng = random.Random(0)
    _, _, whole = fit_and_send(None, 0.0)
    for number in range(N_SIGNALS):
        which, share = rng.choice([signal.SIGINT, signal.SIGTERM]), rng.random()
        if number < known["n"]:
            continue
        came, told, _ = fit_and_send(which, AWAKE + share * (whole - AWAKE))
        if came == "BROKEN":
            known["broken"].append([number, *told])
        known["came"][came] = known["came"].get(came, 0) + 1
        known["n"] = number + 1
        known.setdefault("source", source())
        keep("signals", known)
    print("signals", known, flush=True)


def fit_and_send(which: signal.Signals | None, seconds: float) -> tuple[str, list, float]:
    """Run ``pulps fit``, send a signal after a time; tell what came of it and how long it took."""
    rows = "".join(f"{k / 60},{'uvw'[k % 3]},{int(k > 40)}\n" for k in range(60))
    words = ["fit", "table.csv", "--label", "y", "--out", "model", "--overwrite"]
    words += ["--set", 'views=["kernel", "bagging"]']
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "table.csv").write_text("a,b,y\n" + rows)
        (Path(folder) / "model").write_bytes(b"old")
        start = time.monotonic()
        with subprocess.Popen(
            [sys.executable, "-m", "pulps", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            if which is not None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(seconds)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, which)
            said = process.communicate()[1].decode()
        took = time.monotonic() - start
        lines = [line for line in said.splitlines() if "stopped" in line or "Trace" in line]
        old = (Path(folder) / "model").read_bytes() == b"old"
        left = {path.name for path in Path(folder).iterdir()} == {"model", "table.csv"}
    if process.returncode == 0:
        came = "ended before" if left and not old and not lines else "BROKEN"
    else:
        one = lines == ["pulps: stopped; no file was left half written"]
        fine = which and one and left and old and process.returncode == 128 + which
        came = "stopped with one line" if fine else "BROKEN"
    return came, [process.returncode, said[-300:], left, old], took


def seeds() -> None:
    """Compare fits of one seed."""
    from seed_cases import MODELS, compare

    known = read().get("seeds", {})
    for kind in MODELS:
        if kind not in known:
            known[kind] = compare(kind)
            known.setdefault("source", source())
            keep("seeds", known)
            print("seeds", kind, known[kind], flush=True)


def page() -> None:
    """Write the page."""
    from trust_page import written

    from pulps.io.outputs import write_whole

    server = RESULTS.with_name("trust_server.json")
    known = json.loads(server.read_text()) if server.exists() else {}
    write_whole(PAGE, written(read(), known))


PARTS = {one.__name__: one for one in (models, tables, faults, signals, seeds, page)}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    words = sys.argv[1:]
    if "--again" in words:
        begin_again()
    for chosen in [word for word in words if word != "--again"] or PARTS:
        PARTS[chosen]()
