"""Builds the example night of .skillopt-sleep.example: python -m tests.example_night writes it anew."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NIGHTS = Path(__file__).parent.parent / ".skillopt-sleep.example" / "nights"
SHOWN_HOME = "/home/you/.local/share/skillopt-sleep"


def build(target: Path) -> Path:
    """Run the example in a folder of its own and copy its night, as it would look in a person's home."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(sys.executable).parent / "skillopt-sleep"
        environment = {"HOME": folder, "SKILLOPT_SLEEP_HOME": folder, "PATH": os.environ["PATH"]}
        subprocess.run(
            [program, "run", "--now", "--example", "--json"], env=environment, check=True, capture_output=True
        )
        (night,) = (Path(folder) / "data" / "example" / "data" / "nights").iterdir()
        copy = target / "example"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(night, copy)
        for path in (path for path in copy.rglob("*") if path.is_file()):
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(re.escape(f"{folder}/data"), SHOWN_HOME, text), encoding="utf-8")
    return copy


if __name__ == "__main__":
    build(NIGHTS)
