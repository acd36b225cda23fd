"""Load what a configuration only names: an environment of the user's own, the pool, the skill to start from."""

import difflib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pools.ray import OWN_FILES
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.trainer.config import TrainerConfig

_FAULTS = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)
ENVIRONMENT = "a class with items, rollout_one and initial_skill"
Progress = Callable[[str, int, int], None]


def is_path(name: str) -> bool:
    """Return whether this names a file, and not an installed environment."""
    return name.partition(":")[0].endswith(".py")


def load_class(name: str, folder: Path, *, kind: str = ENVIRONMENT) -> Any:
    """Return the class (or function) of `file.py:Class`, the file relative to the folder; `kind` says what it is.

    Raises ConfigError if there is no such file or class, or if the file fails.
    """
    file, _, wanted = name.partition(":")
    path = (folder / Path(file).expanduser()).resolve()
    if not path.is_file():
        raise ConfigError(f"there is no file {path}", remedy="name it relative to the configuration's folder")
    module = _imported(path)
    own = [
        member
        for member, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
        and (inspect.isclass(value) and hasattr(value, "rollout_one") if kind == ENVIRONMENT else callable(value))
    ]
    if not wanted:
        example = own[0] if own else "MyEnv"
        raise ConfigError(f"{name} names a file, but not its class", remedy=f'write name = "{file}:{example}"')
    if not hasattr(module, wanted):
        near = difflib.get_close_matches(wanted, own, n=1) or own
        remedy = f"did you mean {near[0]!r}?" if near else f"define {kind}"
        raise ConfigError(f"{path} has no {wanted}", remedy=remedy)
    found = getattr(module, wanted)
    if not callable(found):
        raise ConfigError(f"{wanted} in {path} is {type(found).__name__}, not a class", remedy="name the class")
    return found


def own_sources(*values: object) -> dict[str, str]:
    """Return the sources of those classes and functions that the user wrote: of a file all of it, by its name."""
    found: dict[str, str] = {}
    for value in values:
        module = str(getattr(value, "__module__", ""))
        if module.startswith(OWN_FILES):
            file = Path(str(sys.modules[module].__file__))
            found[file.name] = file.read_text(encoding="utf-8", errors="replace")
        elif value is not None and module.partition(".")[0] != __name__.partition(".")[0]:
            with suppress(AttributeError, OSError, TypeError, ValueError):
                found[str(getattr(value, "__name__", value))] = code_of(value)
    return found


def code_of(function: Any, seen: tuple[object, ...] = ()) -> str:
    """Return the source of a class, or of a function with the texts and functions of its own module that it uses.

    Raises AttributeError, OSError, TypeError or ValueError if that can't be told.
    """
    if inspect.isclass(function):
        return inspect.getsource(function)
    code, used = function.__code__, inspect.getclosurevars(function)
    plain = [const for const in code.co_consts if isinstance(const, str | float | int)]
    parts = [inspect.getsource(function), str(plain), str(code.co_names)]  # one line may hold several lambdas
    for name, value in sorted({**used.globals, **used.nonlocals}.items()):
        if isinstance(value, str | float):
            parts.append(f"{name} = {value!r}")
        elif inspect.isfunction(value) and value.__module__ == function.__module__ and value not in seen:
            parts.append(code_of(value, (*seen, function)))
    return "\n".join(parts)


def _imported(path: Path) -> ModuleType:
    """Run the file as a module of its own; its neighbours can be imported, as if it were run by python."""
    name = f"{OWN_FILES}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path} can't be imported", remedy="name a Python file")
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except _FAULTS as error:
        del sys.modules[name]
        raise ConfigError(
            f"{path} can't be loaded: {type(error).__name__}: {error}{_line(error, path)}", remedy="fix the file"
        ) from error
    return module


def _line(error: BaseException, path: Path) -> str:
    """Return the line of the file in which an error came up."""
    if isinstance(error, SyntaxError):
        return ""  # it says so itself
    lines = [
        number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)
    ]
    return f" (line {lines[-1]})" if lines else ""


def make_pool(config: TrainerConfig, progress: Progress) -> Pool:
    """Create the pool that the configuration names; Ray is imported only if it is chosen."""
    if config.train.pool == "ray":
        from skillopt_sleep.pools.ray import RayPool

        return RayPool(config.train.workers, progress, **config.train.ray)
    return ThreadPool(config.train.workers, progress)


def read_skill(path: Path) -> str:
    """Read the text of a skill's file; raise ConfigError if it can't be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"can't read the skill {path}: {error.strerror or error}", remedy="name a file that can be read"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"can't read the skill {path}: {error}", remedy="save it as UTF-8 text") from error


def no_progress(_label: str, _done: int, _total: int) -> None:
    """Ignore progress, as nobody is watching."""
