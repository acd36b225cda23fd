"""The machine that doctor's tests have, too."""

from tests.doctor.conftest import machine

__all__ = ["machine"]
