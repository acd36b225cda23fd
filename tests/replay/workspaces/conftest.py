import pytest

from skillopt_sleep.replay.workspaces.layers import layers_work


@pytest.fixture(scope="session")
def can_layer(tmp_path_factory: pytest.TempPathFactory) -> bool:
    """Whether this machine lets anybody mount an overlay in a namespace of their own."""
    return layers_work(tmp_path_factory.mktemp("layers"))


@pytest.fixture(params=[False, True], ids=["whole", "layers"])
def layers(request: pytest.FixtureRequest, can_layer: bool) -> bool:
    """Both kinds of copies."""
    if request.param and not can_layer:
        pytest.skip("no overlay can be mounted here")
    return request.param
