import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pip") is None, reason="pip isn't here: uv made this environment")
def test_the_wheel_holds_everything_that_a_training_reads(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        names = set(held.namelist())
    package = ROOT / "skillopt_sleep"
    wanted = {
        str(path.relative_to(ROOT))
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in wanted if name.endswith(".md") and "prompts" in name}
    assert wanted - names == set()
    assert {name.partition("/")[0] for name in names} <= {
        "skillopt_sleep",
        wheel.name.rpartition("-py3")[0] + ".dist-info",
    }
