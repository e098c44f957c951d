"""Commands as a user types them, for tests of the command line."""

from pulps.cli import main

QUICK = {
    "consensus": ["--set", 'views=["kernel", "bagging"]'],
    "lps": ["--model", "lps", "--members", "2", "--epochs", "3"],
}


def fit(path, *extra, out="model", kind="consensus"):
    """Fit a small model on a table with the label ``bought``, for a moment."""
    return main([
        "fit", str(path), "--label", "bought", "--out", str(path.parent / out),
        "--seed", "0", *QUICK[kind], *extra,
    ])  # fmt: skip


def run(folder, *words):
    """Run a command on the model and the table of a folder."""
    return main([str(folder / word) if word in ("model", "table.csv") else word for word in words])


def failure(capsys):
    """The one line on standard error."""
    (line,) = capsys.readouterr().err.splitlines()
    return line


def write(path, text):
    """Write text or bytes to a file."""
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return path
