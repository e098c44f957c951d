"""An invented export of customers, as an office program writes it."""

import numpy as np

NOTES = "asked for an offer|wants to be called back|moved to another city|complained about a bill"
TOWNS = ["Köln", "Bonn", "Essen", "Münster", "Hagen", "Unna", "Herne"]


def crm_export(n_rows=600, seed=0):
    """Text of the file and the truth: 5 % are labeled, three times as many would buy."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < 0.2
    income = np.exp(rng.normal(7.5 + 0.7 * truth, 0.4))
    visits = rng.poisson(2 + 5 * truth)
    since = np.datetime64("2015-01-01") + rng.integers(0, 3000, n_rows)
    last = np.datetime64("2024-01-01T00:00") + rng.integers(0, 500_000, n_rows)
    lines = ["Kundennr;Name;E-Mail;Kunde seit;Letzter Besuch;Umsatz;Besuche;Newsletter;Ort;PLZ;"
             "Region;Notiz;Gekauft"]  # fmt: skip
    labeled = truth & (rng.random(n_rows) < 0.27)
    for row in range(n_rows):
        euros = f"{income[row]:,.2f}".translate(str.maketrans(",.", ".,"))
        year, month, day = str(since[row]).split("-")
        town = TOWNS[rng.integers(7)] if rng.random() < 0.8 else f"Dorf {rng.integers(200)}"
        note = "; ".join(rng.choice(NOTES.split("|"), 2)) + f" on day {rng.integers(9999)}"
        cells = [
            f"K-{row:05}", f"Person {row}", f"p{row}@example.org", f"{day}.{month}.{year}",
            str(last[row]).replace("T", " "), f"{euros} €", str(visits[row]),
            str(bool(rng.random() < 0.3 + 0.5 * truth[row])), town, f"0{rng.integers(1000, 1040)}",
            rng.choice(["NA", "EU", "None"]), f'"{note}"', "ja" if labeled[row] else "",
        ]  # fmt: skip
        for hole in rng.choice(range(3, 11), rng.integers(0, 2), replace=False):
            cells[hole] = ""
        lines.append(";".join(cells))
    return "\n".join(lines) + "\n", truth, labeled
