"""Work for tests of workers that die; they import it from here."""

import os
import signal
from pathlib import Path

from small_chains import BASES

from pulps.network.basis import embed


class MortalModel:
    """A fitted model that notes every call, and kills its process once, in the middle of one."""

    def __init__(self, model, folder):
        self.model, self.folder = model, folder
        self.probability_of = model.probability_of
        self.form_, self.encoder_ = model.form_, model.encoder_

    def decision_function(self, rows):
        folder = Path(self.folder)
        with (folder / "calls").open("a") as log:
            log.write("call\n")
        try:
            (folder / "dies").unlink()
        except FileNotFoundError:
            return self.model.decision_function(rows)
        os.kill(os.getpid(), signal.SIGKILL)


def mortal_square(n, folder, victim=3):
    """Square a number; the worker that gets the victim dies once if told to, the file ``dies``."""
    folder = Path(folder)
    with (folder / "calls").open("a") as log:
        log.write(f"{n}\n")
    if n == victim and (folder / "dies").exists():
        (folder / "dies").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


def deadly(n):
    """Kill the worker, always."""
    os.kill(os.getpid(), signal.SIGKILL)


class MortalEmbedding:
    """Embeds rows and notes it; kills its process once, if the file ``dies`` is there."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, values):
        folder = Path(self.folder)
        with (folder / "calls").open("a") as log:
            log.write("call\n")
        try:
            (folder / "dies").unlink()
        except FileNotFoundError:
            return embed(BASES, values)
        os.kill(os.getpid(), signal.SIGKILL)
