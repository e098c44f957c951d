"""The script that type checkers read is not run: some of its lines are wrong on purpose."""

collect_ignore = ["typed_script.py"]
