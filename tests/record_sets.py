"""Records of methods with known scores, for tests of what is made of them."""

from pulps.benchmark.protocol import Task

LEVELS = {"lps-default": 0.9, "lps-paper": 0.8, "all-positive": 0.7, "all-negative": 0.0}


def make_record(name, method, frequency, fold, **fields):
    task = Task(name, label_frequency=frequency, fold=fold)
    score = LEVELS[method] + 0.01 * (fold % 3) + 0.01 * frequency
    return {
        "task": task.id,
        "dataset": name,
        "label_frequency": frequency,
        "n_labeled": 5,
        "fold": fold,
        "seed": 0,
        "repeat": 0,
        "n_folds": 10,
        "method": method,
        "version": "1",
        "commit": "0123456789abcdef0123+changes",
        "machine": "a machine",
        "date": "2026-01-02T03:04:05+00:00",
        **dict.fromkeys(["f1_pos", "f1_neg", "macro_f1", "accuracy", "auc"], score),
        "balanced_accuracy": score,
        "agreement": score**2 if method.startswith("lps") else None,
        "fit_seconds": 1.5,
        "peak_memory_mb": 100.0,
        "error": None,
        **fields,
    }
