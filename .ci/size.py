#!/usr/bin/env python3
"""How large the house is: statements, files, file names and rooms, counted from the tracked sources."""

import ast
import subprocess
from collections import Counter
from pathlib import Path

FLOORS = ("annotator", "db", "scoring", "ui")
ESTABLISHED = {"binning", "embedding", "matching", "pricing", "sampling", "scoring", "setting", "string"}
"""Words that end in "ing" and are nouns of the field."""
ROOM_LIMIT = 20


def product_files() -> list[Path]:
    """Tracked Python files of the four floors."""
    listed = subprocess.run(["git", "ls-files", *FLOORS], capture_output=True, text=True, check=True)
    return [Path(line) for line in listed.stdout.splitlines() if line.endswith(".py")]


def statement_count(path: Path) -> int:
    """Statements of a file; imports and docstrings are not counted, so packing lines changes nothing."""
    return sum(
        isinstance(node, ast.stmt) and not _is_free(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def _is_free(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_gerund(path: Path) -> bool:
    """Whether a file is named for an activity instead of a thing."""
    last = path.stem.rpartition("_")[2]
    return last.endswith("ing") and last not in ESTABLISHED


def repeated_names(files: list[Path]) -> dict[str, list[Path]]:
    """Public classes of more than one file: one word that means several things."""
    places: dict[str, list[Path]] = {}
    for path in files:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path)
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def main() -> None:
    """Print the table."""
    files = product_files()
    statements: Counter[str] = Counter()
    for path in files:
        statements[path.parts[0]] += statement_count(path)
    rooms = Counter(path.parent for path in files)
    gerunds = sorted(path for path in files if is_gerund(path))
    crowded = [f"{room} ({count})" for room, count in rooms.most_common() if count > ROOM_LIMIT]
    print(f"statements             {statements.total():>7,}  ", dict(statements))
    print(f"files                  {len(files):>7,}  ", dict(Counter(path.parts[0] for path in files)))
    print(f"gerund file names      {len(gerunds):>7,}  ", ", ".join(path.stem for path in gerunds[:20]))
    print(f"rooms of more than {ROOM_LIMIT}  {len(crowded):>7,}  ", ", ".join(crowded))
    repeated = repeated_names(files)
    print(f"names defined twice    {len(repeated):>7,}  ", ", ".join(repeated))


if __name__ == "__main__":
    main()
