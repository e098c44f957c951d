"""The page docs/trust.md, from stored results."""

# ruff: noqa: E501 (text of a page)

HEAD = """# What you can rely on

This page says what pulps promises about your files, your numbers and your server, and how each
promise is tested. `python scripts/trust.py` makes the attacks again and writes this page; the
test suite runs a sample of each. `SECURITY.md`, at the top of the repository, has the threat model
and how to report a problem. Figures tell with which source they were found: the commit that changed
it last. What an attack broke was mended afterwards, and has a test.

## Nothing is lost

Everything that replaces a file (models, checkpoints, tables, predictions, reports, figures, pages)
is written in one way: beside the old file, synced, read back and checked, put in its place, and
the folder synced. A file keeps its mode and a link its target. What a killed process left beside a
file is deleted by the next one that writes there. Files that grow (records of the benchmark, studies of
`pulps tune`) get whole lines under a checksum: a torn last line is cut off by the next writer, a
damaged one is named by its number. An output that cannot be written, or equals an input, is
refused before any work. A checkpoint is deleted when its fit has returned; a fitted model that cannot be
written where it should be is kept elsewhere, and you are told where.

Tested by making every writer fail: its n-th call to the system fails, or the process is killed
there, for all n; the disk is full, or the process is killed, at a byte; an allocation fails.
Afterwards the file is the old or the new one, whole, and the next write succeeds.
"""
KINDS = ("a call fails", "killed at a call", "no room at a byte", "killed at a byte", "no memory")


def written(known: dict, server: dict) -> str:
    """Write the page.

    Parameters
    ----------
    known
        What the attacks of ``scripts/trust.py`` came to.
    server
        What those on the server came to; it may be empty.

    Returns
    -------
    str
    """
    parts = [HEAD, _faults(known), _signals(known), _models(known), _tables(known), _seeds(known)]
    return "\n".join([*parts, _server(server)]).rstrip() + "\n"


def _table(head: list[str], rows: list[list]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def _faults(known: dict) -> str:
    found = {name.removeprefix("faults of "): of for name, of in known.items() if "faults" in name}
    if not found:
        return ""
    rows = [[name, *[f"{of.get(kind, 0):,}" for kind in KINDS]] for name, of in found.items()]
    sums = [sum(of.get(kind, 0) for of in found.values()) for kind in KINDS]
    rows.append(["**all**", *[f"{n:,}" for n in sums]])
    sources = sorted({of["source"] for of in found.values()})
    told = f"{sum(sums):,} cases (with the source of {', '.join(sources)}), none of which broke a file"
    return told + ":\n\n" + _table(["writer", *KINDS], rows)


def _signals(known: dict) -> str:
    text = (
        "Ctrl-C and SIGTERM end a command at any moment, imports included, with one line, exit "
        "code 130 or 143, and no partial file. One that comes after the work changes nothing. (In the "
        "first hundredths of a second, before Python has begun with pulps, the system ends the "
        "process by itself.)"
    )
    of = known.get("signals")
    if of is None:
        return text + "\n"
    return (
        f"{text} Sent to `pulps fit` {of['n']} times after a random time, with the source of "
        f"{of['source']}: {of['came'].get('stopped with one line', 0)} stopped so, "
        f"{of['came'].get('ended before', 0)} had ended before, {len(of['broken'])} did anything "
        "else.\n"
    )


def _models(known: dict) -> str:
    rows = []
    for way in ("mutated", "spoiled", "forged"):
        of = known.get(f"{way} model files")
        if of is not None:
            came = of["came"]
            counts = [came.get(name, 0) for name in ("refused", "equal", "sound")]
            worst = [of["worst"].get(name, [0])[0] for name in ("seconds", "megabytes")]
            rows.append([way, f"{of['n']:,}", *[f"{n:,}" for n in counts], len(of["broken"])])
            rows[-1] += [f"{worst[0]:.2f} s", f"{worst[1]:.0f} MB", of["source"]]
    text = """## Nothing is silently wrong

### Model files

A model file has a magic number, versions of format and pulps, sizes that add up to the file, a use
for every part and every byte, and a digest. Reading one builds the types that pulps lists and runs
nothing from the file. Sizes are checked against the file before anything is made; unknown
attributes, numbers that are none, indices and shapes that are impossible, chains without a norm and
views that cannot score are refused. A file of a newer version says so. Files of every version so far are read in the test suite.

*Mutated* files have bytes, parts or values changed at random, half of them with a new digest;
*spoiled* ones have numbers in one array that make no sense there, such as a child of a tree that is
not there, and all else fits;
*forged* ones were made by someone who knows the format: other arrays, types, loaders, heads, loops,
bombs, archives. Each is refused, or gives the scores of the file it was made from, or (*sound*) is
a model of its own: a digest protects from accidents, not from someone who writes another model.
Times are those of the processor, memory is what reading adds.
"""
    head = ["files", "read", "refused", "equal scores", "sound", "anything else"]
    return text + (
        "\n" + _table([*head, "slowest", "most memory", "source"], rows) if rows else ""
    )


def _tables(known: dict) -> str:
    text = """### Tables

Any file that is called a table is fitted, or refused in one clear line. The attack: odd headers,
nothing, mixed types, numbers of 400 digits, ends of the range, emoji, markup, formulas, duplicated
or thousands of columns, one row, no rows, ragged rows, byte order marks, other encodings, damaged
bytes, as CSV, TSV, JSON lines, Parquet, Arrow, Excel and compressed.
"""
    rows = []
    for name, of in known.items():
        if name.startswith("hostile tables by "):
            api = "API" in name
            n = 10 * of["n"] if api else of["n"]
            fitted = "" if api else f"{of['came'].get('fitted', 0):,}"
            refused = "" if api else f"{of['came'].get('refused', 0):,}"
            way = name.removeprefix("hostile tables by ").removesuffix(", ten at a time")
            slowest = of["worst"].get("seconds", [0])[0]
            rows.append([way, f"{n:,}", fitted, refused, len(of["broken"]), f"{slowest:.1f} s"])
            rows[-1].append(of["source"])
    head = ["by", "tables", "fitted", "refused", "anything else", "slowest", "source"]
    return text + ("\n" + _table(head, rows) if rows else "")


def _seeds(known: dict) -> str:
    text = """## What a seed promises

With `random_state=` a number, the same version of pulps and its libraries, the same machine and the
same number of threads, a fit gives the same model to the bit: in another process, forked or
spawned, from a clone or a pickled copy, in whatever order fits are made, and after a checkpoint was
resumed. The same model is the same bytes in a file. A fitted model gives the same scores to the bit
whatever the number of threads.

The number of threads does not matter for small tables either, which one thread fits whatever the
number: up to 131,072 cells (rows times columns) where only views are fitted, up to 8,192 where a
network is trained. Beyond that sums are made in another order, and so they are with PyTorch instead of
the native kernel (`PULPS_ENGINE`), on another processor and with other versions of libraries. Sums
then differ by rounding, and training carries that on: the table below tells by how much scores differ.
Nothing bounds it. Where a choice hangs by a hair, such as which of two columns a tree splits, it may be
made the other way, and then two fits are two good models, and not the same one. To repeat a fit to
the bit, fix the number of threads, as `OMP_NUM_THREADS=1` does.
"""
    found = known.get("seeds", {})
    kinds = [kind for kind in found if kind != "source"]
    ways = list(dict.fromkeys(way for kind in kinds for way in found[kind]))
    rows = [[way, *[_difference(found[kind].get(way)) for kind in kinds]] for way in ways]
    if not rows:
        return text
    return (
        text
        + f"\nLargest difference of scores from those of a plain fit, with the source of {found['source']}:\n\n"
        + _table(["fitted", *kinds], rows)
    )


def _difference(value: float | None) -> str:
    if value is None:
        return ""
    return "0" if value == 0 else f"{value:.1e}"


def _server(server: dict) -> str:
    """Tell of the siege of the server, as its own benchmark has stored it."""
    if not server:
        return ""
    rows = [
        ["honest clients, for seconds", f"{server['clients']}, {server['seconds']}"],
        ["hostile connections at once", f"{server['hostile_at_once']:,}"],
        ["requests of honest clients", f"{server['requests']:,}"],
        ["errors of honest clients", server["errors"]],
        [
            "memory at the start, at the end",
            f"{server['memory_mb_start']}, {server['memory_mb_end']} MB",
        ],
        ["log", f"{server['log_bytes']:,} bytes"],
    ]
    text = """## Nobody gets in, and it stays up

Token, host and origin are checked, bodies, rows, columns, time and connections are bounded, tables
are read in a process that can be ended. The siege: honest clients beside others that send headers
or bodies slowly, never read, send too much, or garbage.

"""
    return text + _table(["server", "measured"], rows)
