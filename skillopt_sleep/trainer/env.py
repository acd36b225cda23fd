"""What a dataset is to the trainer: items by split, and one attempt at one of them. A new one is one file."""

import difflib
import inspect
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError, SleepError, blame
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Record, Split

GROUP = "skillopt_sleep.envs"
_PLAIN: Mapping[Any, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


class Item(Record, frozen=True, kw_only=True):
    """One thing to attempt: `text` is what the optimizer is shown of it, `kind` its task type, `data` the env's own.

    `data` holds plain values only: it is a part of the dataset's digest, and travels to workers.
    """

    id: str
    text: str
    kind: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class Result(Record, frozen=True, kw_only=True):
    """How one attempt went: `hard` and `soft` in [0, 1], and `why` it fell short, in words for the optimizer.

    `turns` is what happened on the way, one text each. A `failure` says why there is no grade: it is never a score.
    """

    hard: float = 0.0
    soft: float = 0.0
    response: str = ""
    why: str = ""
    turns: tuple[str, ...] = ()
    failure: str = ""


class Env(Protocol):
    """A dataset with its scorer; safe to be used by several threads at once, and picklable for workers elsewhere.

    A class that inherits from it has no initial skill and no task types, unless it says so. One that is registered
    may name its options that are paths in `path_options`, a ClassVar: they begin at the configuration's folder.
    """

    @property
    def name(self) -> str:
        """As it is shown."""
        ...

    def items(self, split: Split) -> Sequence[Item]:
        """The items of a split, always in the same order; ids are unique over all splits."""
        ...

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One attempt at the item by the target under the skill; the same for the same item, skill and sample.

        Another item in the same words, or another sample, asks anew by itself; where one attempt asks the same twice,
        its prompts' samples tell them apart. What goes wrong with a call or with the item is raised (ItemError) or
        told as a failure; a NightError ends the training.
        """
        ...

    def initial_skill(self) -> str:
        """The text that training starts from where the user names none; may be empty."""
        return ""

    def task_types(self) -> Sequence[str]:
        """The kinds of its items, as results are broken down by."""
        return ()


def find_env(name: str, options: Mapping[str, Any], *, folder: Path = Path()) -> Env:
    """The environment that is registered under this name, made with these options; its paths are from `folder` on.

    Raises ConfigError naming the nearest where the name or an option isn't known, or what can't be made and why.
    """
    known = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in known:
        hint = _nearest(name, known) or "install the package that registers it, or pass the object to Trainer"
        raise ConfigError(f"no environment is called {name!r}", remedy=hint)
    factory, takes = _loaded(known[name])
    _check_options(name, options, takes)
    placed: frozenset[str] = getattr(factory, "path_options", frozenset())
    given = {key: _placed(value, folder) if key in placed else value for key, value in options.items()}
    with blaming(factory, f"environment {name}, as it was made"):
        try:
            env = factory(**given)
        except (TypeError, ValueError) as error:
            said = f"environment {name} can't be made with these options: {error}"
            raise ConfigError(said, remedy="mend [env], or the environment") from error
    lacking = [what for what in ("name", "items", "rollout_one", "initial_skill") if not hasattr(env, what)]
    if lacking:
        remedy = "let its class inherit from skillopt_sleep.trainer.Env, and say what that leaves open"
        raise ConfigError(f"environment {name} has no {' and no '.join(lacking)}", remedy=remedy)
    return env


def checked_result(result: object, *, env: Env, item: Item) -> Result:
    """What an attempt gave, as it has to be; ConfigError names the environment and the item where it isn't so."""
    where = f"environment {env.name}, item {item.id!r}: rollout_one"
    if not isinstance(result, Result):
        raise ConfigError(f"{where} gave {kind_of(result)}, not a Result", remedy="mend the environment")
    grades: tuple[object, object] = (result.hard, result.soft)
    if not all(isinstance(grade, Real) for grade in grades):
        said = f"{where} graded it hard {result.hard!r}, soft {result.soft!r}"
        raise ConfigError(said, remedy="mend the environment: a grade is a number between 0 and 1")
    plain = replace(result, hard=float(result.hard), soft=float(result.soft))
    try:
        return msgspec.convert(msgspec.to_builtins(plain), Result)
    except (msgspec.ValidationError, TypeError) as error:
        raise ConfigError(f"{where} gave a Result that is none: {error}", remedy="mend the environment") from error


@contextmanager
def blaming(whose: object, where: str) -> Generator[None]:
    """Whatever is raised inside by what isn't ours says where it came from; what is told in words stays as it is."""
    try:
        yield
    except SleepError:
        raise
    except Exception as error:
        if _theirs(error, str(getattr(whose, "__module__", ""))):
            blame(error, where)
        raise


def _theirs(error: BaseException, module: str) -> bool:
    """Whether what isn't ours failed, and not what it asked of us, such as a call that could not be kept."""
    ours, theirs = __name__.partition(".")[0], module.partition(".")[0]
    frames = traceback.walk_tb(error.__traceback__)
    passed = [str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame, _ in frames]
    if theirs == ours or theirs not in passed:
        return theirs != ours
    return next(one for one in reversed(passed) if one in {ours, theirs}) == theirs


def kind_of(value: object) -> str:
    """What something is, in words for who wrote it."""
    return "nothing (None)" if value is None else f"a {type(value).__name__}"


def _loaded(entry: EntryPoint) -> tuple[Callable[..., Any], Mapping[str, inspect.Parameter]]:
    """What makes the environment, and the options it takes."""
    try:
        with blaming(None, f"the package of environment {entry.name} ({entry.value}), as it was imported"):
            factory: Any = entry.load()
        return factory, inspect.signature(factory).parameters
    except (ImportError, AttributeError, SyntaxError, TypeError, ValueError) as error:
        raise ConfigError(
            f"environment {entry.name} can't be loaded from {entry.value}: {error}",
            remedy="mend the entry point of its package (package.module:Class), or install what it imports",
        ) from error


def _check_options(name: str, options: Mapping[str, Any], takes: Mapping[str, inspect.Parameter]) -> None:
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in takes.values())
    for option, value in options.items():
        if option not in takes and not open_ended:
            raise ConfigError(f"environment {name} has no option {option!r}", remedy=_nearest(option, takes))
        wanted = takes[option].annotation if option in takes else None
        if wanted in _PLAIN and type(value) is not wanted and (wanted is not float or type(value) is not int):
            said = f"env.{option}: environment {name} takes {_PLAIN[wanted]} for it, not {value!r}"
            raise ConfigError(said, remedy="mend it in [env]")
    missing = [p.name for p in takes.values() if p.default is p.empty and p.name not in options and not open_ended]
    if missing:
        raise ConfigError(f"environment {name} needs: {', '.join(missing)}", remedy="say it in [env]")


def _placed(value: Any, folder: Path) -> Any:
    return str(folder / Path(value).expanduser()) if isinstance(value, str) and value else value


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(sorted(known))}" if known else ""
