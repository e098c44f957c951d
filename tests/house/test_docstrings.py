"""Public functions say what they take and what they return; files stay short."""

import ast
import re
from pathlib import Path

import pulps

SOURCE = Path(pulps.__file__).parent
DOCUMENTED = (
    "*.py",
    "baselines/bayes/*.py",
    "baselines/gans/*.py",
    "baselines/networks/*.py",
    "baselines/others/*.py",
    "baselines/trees/*.py",
    "benchmark/**/*.py",
    "cli/*.py",
    "comparison/*.py",
    "datasets/*.py",
    "decision/*.py",
    "displays/*.py",
    "estimators/**/*.py",
    "images/*.py",
    "io/*.py",
    "kernel/*.py",
    "labels/*.py",
    "metrics/*.py",
    "network/*.py",
    "priors/*.py",
    "report/*.py",
    "scale/*.py",
    "score/*.py",
    "studio/*.py",
    "tables/*.py",
    "training/*.py",
    "tuning/*.py",
    "views/**/*.py",
)
SECTION = re.compile(r"^(Parameters|Returns|Yields)\n-+\n((?:.+\n?)*)", re.MULTILINE)


def public_functions(body, prefix=""):
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
            told_elsewhere = decorators & {"property", "cached_property", "overload"}
            if not told_elsewhere and (node.name == "__call__" or not node.name.startswith("_")):
                yield f"{prefix}{node.name}", node


def returned_values(node):
    """What a function returns; what functions inside of it return is their affair."""
    for below in ast.iter_child_nodes(node):
        if isinstance(below, ast.Return):
            yield below.value is not None
        elif not isinstance(below, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from returned_values(below)


def gaps(node):
    """Return what the docstring of a function does not tell."""
    sections = dict(SECTION.findall((ast.get_docstring(node) or "") + "\n"))
    heads = [line for line in sections.get("Parameters", "").splitlines() if line[:1] != " "]
    told = {name.strip(" *") for head in heads for name in head.split(" : ")[0].split(",")}
    a = node.args
    wanted = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    missing = [arg.arg for arg in wanted if arg.arg not in {"self", "cls", *told}]
    if any(returned_values(node)) and not {"Returns", "Yields"} & sections.keys():
        missing.append("what it returns")
    return missing


def test_public_functions_document_what_they_take_and_return():
    found = {}
    for pattern in DOCUMENTED:
        for path in SOURCE.glob(pattern):
            for name, node in public_functions(ast.parse(path.read_text("utf-8")).body):
                if gaps(node):
                    found[f"{path.relative_to(SOURCE)}: {name}"] = gaps(node)
    assert found == {}


def test_no_file_is_longer_than_450_lines():
    lengths = {path: path.read_text("utf-8").count("\n") for path in SOURCE.rglob("*.py")}
    assert [path for path, length in lengths.items() if length > 450] == []
