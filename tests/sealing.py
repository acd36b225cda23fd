"""The seal of this machine, for tests that run what a model wrote."""

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.replay.seals.machine import system_program
from skillopt_sleep.trainer.envs.programs import usual_seal


def seal_or_skip() -> Seal:
    """Return bubblewrap's seal, or skip the test where it isn't installed or doesn't hold."""
    if system_program() is None:
        pytest.skip("bubblewrap isn't installed")
    try:
        return usual_seal()
    except ConfigError as error:
        pytest.skip(error.message)
