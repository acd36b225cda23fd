"""Seal programs that a model steers: the first seal that denies all it must is used."""

import sys

from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.replay.seals.bubblewrap import Bubblewrap, codex_program, system_program
from skillopt_sleep.replay.seals.choose import WHOLE, Choice, chosen

# Each bubblewrap once more with whole copies, as layers can't be mounted everywhere (in a container, on some disks).
_LINUX: tuple[Seal, ...] = (
    Bubblewrap("bubblewrap", system_program),
    Bubblewrap("Codex's bubblewrap", codex_program),
    Bubblewrap(f"bubblewrap{WHOLE}", system_program, layers=False),
    Bubblewrap(f"Codex's bubblewrap{WHOLE}", codex_program, layers=False),
)
# In order of preference.
SEALS: tuple[Seal, ...] = _LINUX if sys.platform == "linux" else ()

__all__ = ["SEALS", "Choice", "chosen"]
