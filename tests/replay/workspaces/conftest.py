import subprocess
from pathlib import Path

import pytest

_MOUNT = "cd $0 && mkdir a b c d && mount -t overlay overlay -o lowerdir=a,upperdir=b,workdir=c,userxattr d"


@pytest.fixture(scope="session")
def can_layer(tmp_path_factory: pytest.TempPathFactory) -> bool:
    """Whether this machine lets anybody mount an overlay in a namespace of their own."""
    folder: Path = tmp_path_factory.mktemp("layers")
    try:
        tried = subprocess.run(
            ["unshare", "-U", "-r", "-m", "sh", "-c", _MOUNT, str(folder)], check=False, capture_output=True
        )
    except OSError:
        return False
    return tried.returncode == 0


@pytest.fixture(params=[False, True], ids=["whole", "layers"])
def layers(request: pytest.FixtureRequest, can_layer: bool) -> bool:
    """Both kinds of copies."""
    if request.param and not can_layer:
        pytest.skip("no overlay can be mounted here")
    return request.param
