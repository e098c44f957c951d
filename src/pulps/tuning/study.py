"""A study on disk: many processes share it, and any of them may be killed.

Trials are kept in optuna's storage, in a journal of sealed lines (:mod:`pulps.tuning.journal`).
For every trial it runs, a process holds a lock on one byte of a file beside the journal. The
system drops the lock when the process ends, however it ends, so a running trial without a lock is
dead and is replaced by a new one. In a database, dead and running trials look the same; there
running trials do not count, and several processes may try a few settings more than they were
asked for.

The sampler is seeded anew for every position in the sequence of trials, so a search that was
stopped and continued draws what it would have drawn anyway.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pulps.io.locks import lock_byte, unlock_byte
from pulps.io.optional import needs
from pulps.tuning.journal import SealedJournal


def import_optuna() -> Any:
    """Import optuna, or say how to get it.

    Returns
    -------
    module
        optuna.
    """
    with needs("tune", "Searching"):
        import optuna
    return optuna


@contextmanager
def quiet() -> Iterator[None]:
    """Keep optuna from logging every trial, and restore its settings afterwards."""
    optuna = import_optuna()
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def make_sampler(sampler: Any, seed: int, position: int) -> Any:
    """Make the sampler for one trial of the sequence.

    Parameters
    ----------
    sampler
        ``"tpe"``, ``"random"`` or an optuna sampler.
    seed
        Seed of the study.
    position
        Position in the sequence of trials.

    Returns
    -------
    optuna.samplers.BaseSampler
        The sampler.
    """
    optuna = import_optuna()
    kinds = {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}
    if isinstance(sampler, optuna.samplers.BaseSampler):
        return sampler
    if sampler not in kinds:
        raise ValueError(
            f"sampler is {sampler!r}; it must be 'tpe', 'random' or an optuna sampler."
        )
    own = np.random.SeedSequence([seed, position]).generate_state(1)[0]
    return kinds[sampler](seed=int(own))


def make_pruner(pruner: Any) -> Any:
    """Make the pruner by name; None never prunes.

    Parameters
    ----------
    pruner
        None, ``"median"`` or an optuna pruner.

    Returns
    -------
    optuna.pruners.BasePruner
        The pruner.
    """
    optuna = import_optuna()
    if isinstance(pruner, optuna.pruners.BasePruner):
        return pruner
    if pruner is None:
        return optuna.pruners.NopPruner()
    if pruner == "median":
        return optuna.pruners.MedianPruner()
    raise ValueError(f"pruner is {pruner!r}; it must be None, 'median' or an optuna pruner.")


def check_study(path: Path) -> None:
    """Refuse a file that holds something else, or a damaged study, before any work.

    Parameters
    ----------
    path
        The journal; it need not be there yet.
    """
    import_optuna()
    SealedJournal(path, locks=None)


class SharedStudy:
    """A study, of which this process runs some trials.

    Parameters
    ----------
    storage
        None for memory, a path for a journal file, a database URL, or an optuna storage.
    name
        Name of the study in the storage.
    sampler, pruner
        See :class:`pulps.tuning.AgreementSearch`.
    seed
        Seed of the sampler; the first process decides for all.
    fingerprint
        What distinguishes this search from any other.
    """

    def __init__(
        self, storage: Any, name: str, sampler: Any, pruner: Any, seed: int, fingerprint: str
    ):
        self.optuna = import_optuna()
        self.sampler = sampler
        self._handle: int | None = None
        self._own: set[int] = set()
        if isinstance(storage, str | Path) and "://" not in str(storage):
            path = Path(storage)
            if not path.parent.is_dir():
                raise FileNotFoundError(f"There is no folder {path.parent}. Create it first.")
            locks = path.with_name(path.name + ".alive")
            self._handle = os.open(locks, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                journal: Any = SealedJournal(path, self._handle)
            except BaseException:
                self.close()
                raise
            storage = self.optuna.storages.JournalStorage(journal)
        with self._alone():
            self.study = self.optuna.create_study(
                storage=storage,
                study_name=name,
                direction="maximize",
                sampler=make_sampler(sampler, seed, 0),
                pruner=make_pruner(pruner),
                load_if_exists=True,
            )
            known = self.study.user_attrs
            if known.get("fingerprint", fingerprint) != fingerprint:
                raise ValueError(
                    f"The study {name!r} belongs to another search: rows, labels, estimator, "
                    "space or objective differ. Use another study_name or storage."
                )
            if "fingerprint" not in known:
                self.study.set_user_attr("fingerprint", fingerprint)
                self.study.set_user_attr("seed", seed)
        self.seed = int(self.study.user_attrs["seed"])

    def ask(self, n_wanted: int, n_trials: int) -> list[Any]:
        """Take trials, as long as the study needs more.

        Parameters
        ----------
        n_wanted
            Number of trials to take at most.
        n_trials
            Number of trials that the study shall have.

        Returns
        -------
        list
            Trials to run, possibly none.
        """
        asked = []
        with self._alone():
            self._end_dead_trials()
            for _ in range(n_wanted):
                n_finished, n_running = len(self.finished()), len(self._running())
                n_alive = len(self._own) if self._handle is None else n_running
                if n_finished + n_alive >= n_trials:
                    break
                position = n_finished + n_running
                self.study.sampler = make_sampler(self.sampler, self.seed, position)
                trial = self.study.ask()
                if self._handle is not None:
                    lock_byte(self._handle, 1 + trial.number, wait=True)
                self._own.add(trial.number)
                asked.append(trial)
        return asked

    def tell(self, trial: Any, value: float | None, state: str = "COMPLETE") -> None:
        """Finish a trial.

        Parameters
        ----------
        trial
            From :meth:`ask`.
        value
            Its score; None if it was pruned or failed.
        state
            How it ended.
        """
        with self._alone():
            self.study.tell(trial, value, state=self.optuna.trial.TrialState[state])
            self._own.discard(trial.number)
            if self._handle is not None:
                unlock_byte(self._handle, 1 + trial.number)

    def finished(self) -> list[Any]:
        """List the trials that have ended, including failures.

        Returns
        -------
        list
            Trials in their order.
        """
        trials = self.study.get_trials(deepcopy=False)
        good = [trial for trial in trials if trial.state.name in ("COMPLETE", "PRUNED")]
        failed = [t for t in trials if t.state.name == "FAIL" and "error" in t.user_attrs]
        return sorted(good + failed, key=lambda trial: trial.number)

    def give_up(self) -> None:
        """Give up trials that were taken and not finished."""
        for number in sorted(self._own):
            self.study.tell(number, state=self.optuna.trial.TrialState.FAIL)
            if self._handle is not None:
                unlock_byte(self._handle, 1 + number)
        self._own.clear()

    def close(self) -> None:
        """Drop all locks."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _running(self) -> list[Any]:
        trials = self.study.get_trials(deepcopy=False)
        return [trial for trial in trials if trial.state.name == "RUNNING"]

    def _end_dead_trials(self) -> None:
        """Mark the trials of processes that have ended as failed."""
        if self._handle is None:
            return
        for trial in self._running():
            if trial.number in self._own:
                continue
            if lock_byte(self._handle, 1 + trial.number, wait=False):
                self.study.tell(trial.number, state=self.optuna.trial.TrialState.FAIL)
                unlock_byte(self._handle, 1 + trial.number)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep the other processes of this study waiting."""
        if self._handle is None:
            yield
            return
        lock_byte(self._handle, 0, wait=True)
        try:
            yield
        finally:
            unlock_byte(self._handle, 0)
