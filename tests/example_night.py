"""Builds the example night and the schemas of .skillopt-sleep.example: python -m tests.example_night writes them anew."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from skillopt_sleep.kit.codec import schema, to_json
from skillopt_sleep.records import NightReport, Record
from skillopt_sleep.reporters.data import Paused, RunAnswer
from skillopt_sleep.reporters.diagnostics import Diagnostics

EXAMPLE = Path(__file__).parent.parent / ".skillopt-sleep.example"
NIGHTS = EXAMPLE / "nights"
SCHEMAS = EXAMPLE / "schemas"
DOCUMENTS: dict[str, tuple[type[Record], ...]] = {
    "report": (NightReport,),
    "diagnostics": (Diagnostics,),
    "run": (RunAnswer, Paused),
}
SYSTEM = "Linux-6.8.0-x86_64-with-glibc2.39"
SHOWN = "/.local/share/skillopt-sleep"


def build(target: Path) -> Path:
    """Run the example in a folder of its own and copy its night, as it would look in a person's home."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(sys.executable).parent / "skillopt-sleep"
        environment = {"HOME": folder, "SKILLOPT_SLEEP_HOME": folder, "PATH": os.environ["PATH"]}
        subprocess.run([program, "run", "--example", "--json"], env=environment, check=True, capture_output=True)
        (night,) = (Path(folder) / "data" / "example" / "data" / "nights").iterdir()
        copy = target / "example"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(night, copy)
        for path in (path for path in copy.rglob("*") if path.is_file()):
            text = path.read_text(encoding="utf-8")
            text = text.replace(f"{folder}/data", f"/home/you{SHOWN}").replace("~/data/", f"~{SHOWN}/")
            text = text.replace(platform.platform(), SYSTEM)
            path.write_text(text, encoding="utf-8")
    return copy


def build_schemas(target: Path) -> None:
    """Write the JSON schema of each of the three documents."""
    target.mkdir(exist_ok=True, parents=True)
    for name, kinds in DOCUMENTS.items():
        (target / f"{name}.schema.json").write_bytes(to_json(schema(*kinds), pretty=True))


if __name__ == "__main__":
    build(NIGHTS)
    build_schemas(SCHEMAS)
