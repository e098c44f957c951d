"""The answer in plain words: how many, how sure, which rows, what to do next."""

from __future__ import annotations

from typing import Any

FIRST = 3
MANY = 50
SURE, ROUGH = 0.25, 0.6  # widths of an interval
ENOUGH_LABELS = 40


def answer(data: dict[str, Any]) -> dict[str, Any]:
    """Say what the numbers of a report mean.

    Parameters
    ----------
    data
        The report so far.

    Returns
    -------
    dict
        ``how_many``, ``how_sure`` and ``which_rows``, a sentence or two each; ``next``, a list of
        things to do; ``compared``, a sentence or None.
    """
    return {
        "how_many": how_many(data["learned"]),
        "how_sure": _how_sure(data["learned"]),
        "which_rows": _which_rows(data),
        "compared": _compared(data["compared"]),
        "next": _next(data),
    }


def count(number: float, noun: str = "row") -> str:
    """Write a number of things.

    Parameters
    ----------
    number
        How many; it is rounded.
    noun
        What they are, one of them.

    Returns
    -------
    str

    Examples
    --------
    >>> count(1), count(1200.4), count(0)
    ('1 row', '1,200 rows', '0 rows')
    """
    whole = round(number)
    return f"{whole:,} {noun}{'' if whole == 1 else 's'}"


def percent(share: float) -> str:
    """Write a share; one close to 0 or 1 with a digit more.

    Parameters
    ----------
    share
        From 0 to 1.

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0.5), percent(0.0123), percent(0.0004), percent(0.9994), percent(0.9996)
    ('50 %', '1.2 %', '0.04 %', '99.9 %', '> 99.9 %')
    """
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    if 0 < share < 0.0001:
        return "< 0.01 %"
    digits = 0 if share == 0 or 0.1 <= share <= 0.99 or share == 1 else 1
    digits += 0 < share < 0.001
    return f"{100 * share:.{digits}f} %"


def how_many(learned: dict[str, Any], noun: str = "row") -> str:
    """Say how many unlabeled rows should be positive.

    Parameters
    ----------
    learned
        What the report says of the model.
    noun
        What the rows are, one of them.

    Returns
    -------
    str
    """
    n = learned["n_unlabeled"]
    if not n:
        return f"Every {noun} is labeled, so there is nothing to find."
    of = f"of the {count(n, f'unlabeled {noun}')}"
    low, high = (share * n for share in learned["prior_interval"])
    about = learned["prior_of_unlabeled"] * n
    if learned["upper_bound_only"]:
        return (
            f"At most {round(high):,} {of} are positive, perhaps {round(about):,}; the data do "
            "not tell more."
        )
    if learned["prior_given"]:
        return f"By the share you gave, about {round(about):,} {of} are positive."
    if low == high:
        return f"About {round(about):,} {of} should be positive."
    return f"About {round(about):,} {of} should be positive (between {low:,.0f} and {high:,.0f})."


def _how_sure(learned: dict[str, Any]) -> str:
    called = learned["n_called_positive"]
    if learned["precision"] is None:
        return f"{count(called)} are called positive. How many of them are right is not known."
    if not called:
        return "No unlabeled row is called positive; the order of the rows may still help."
    precision, recall = learned["precision"], learned["recall"]
    found = (
        "nearly all positives" if recall > 0.99 else f"about {percent(recall)} of all positives"
    )
    low, high = learned["precision_interval"]
    width = 1.0 if low is None else high - low
    known = "well" if width < SURE else "only roughly" if width < ROUGH else "hardly"
    between = "" if low is None else f" (between {percent(low)} and {percent(high)})"
    return (
        f"{count(called)} are called positive. About {percent(precision)} of them should be "
        f"right{between}, and {found} should be among them. "
        f"How many are right is {known} known, from {_held_out(learned)} that the model was not "
        "shown."
    )


def _held_out(learned: dict[str, Any]) -> str:
    """Name the labels on which scores rest."""
    if not learned["n_negative"]:
        return count(learned["n_held_out"], "label")
    return (
        f"{count(learned['n_held_out'], 'known positive')} and "
        f"{count(learned['n_negative'], 'known negative')}"
    )


def _which_rows(data: dict[str, Any]) -> str:
    rows = data["candidates"]["rows"]
    if not rows:
        return ""
    named = data["candidates"]["id"] is not None
    names = ", ".join(str(item["id"] if named else item["row"]) for item in rows[:FIRST])
    what = data["candidates"]["id"] if named else "rows"
    return f"The most likely: {what} {names}. The table below has the first {len(rows):,}."


def _compared(compared: dict[str, Any] | None) -> str | None:
    if compared is None:
        return None
    ours, plain = compared["recall"], compared["plain_recall"]
    noise = 0.5 / compared["n_labels"] ** 0.5
    verdict = "the model finds more" if ours > plain else "the simpler method finds more"
    if abs(ours - plain) <= noise:
        verdict = "no clear difference"
    return (
        f"Compared with a plain logistic regression: among the {percent(compared['share'])} of "
        f"rows that each puts first, this model has {percent(ours)} of the labels it was not "
        f"shown, the regression {percent(plain)}; {verdict}."
    )


def _next(data: dict[str, Any]) -> list[str]:
    """Give advice, most useful first."""
    learned, topics = data["learned"], {item["topic"] for item in data["warnings"]}
    called, found = learned["n_called_positive"], []
    if data["candidates"]["rows"]:
        first = min(called, MANY) or min(MANY, learned["n_unlabeled"])
        found.append(
            f"Look at the first {count(first)} of the table below, from the top. Note which are "
            "positive and which are not."
        )
    unsure = learned["upper_bound_only"] or _is_wide(learned["precision_interval"])
    if unsure and learned["n_unlabeled"] > 2 * MANY:
        found.append(
            "Look at fifty unlabeled rows picked at random as well. The share of positives among "
            "them is the number this page knows least; fit again with it as prior."
        )
    if data["views"] and data["views"]["n_split"]:
        found.append(
            f"Then look at rows on which the methods disagree (under Details, "
            f"{data['views']['n_split']:,} of them): their labels teach most."
        )
    if learned["n_held_out"] < ENOUGH_LABELS:
        found.append(
            f"Label more rows: {learned['n_held_out']} are few, and {ENOUGH_LABELS} or more make "
            "every number on this page firmer."
        )
    if "biased labels" in topics:
        found.append(
            "Ask how the known positives became known. If some kinds are found more easily, trust "
            "the order of the rows more than the counts."
        )
    found.append(
        "Set the number of rows below to what you can check: few if a wrong one is costly, many "
        "if a missed one is."
    )
    return found


def _is_wide(interval: list[Any]) -> bool:
    low, high = interval
    return low is not None and high - low > ROUGH
