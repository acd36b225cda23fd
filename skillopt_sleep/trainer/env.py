"""Define what the trainer needs from a dataset: its items by split, and a way to attempt one."""

import difflib
import inspect
import pkgutil
import re
import traceback
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec

from skillopt_sleep.errors import ConfigError, SleepError, blame
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Record, Split
from skillopt_sleep.trainer.loading import is_path, load_class

_ENVS = "skillopt_sleep.trainer.envs"
BUILT_IN: Mapping[str, str] = {
    "dataset": f"{_ENVS}.dataset:Dataset",
    "code_tasks": f"{_ENVS}.code_tasks:CodeTasks",
    "spreadsheets": f"{_ENVS}.spreadsheets:Spreadsheets",
    "text_worlds": f"{_ENVS}.text_worlds:TextWorlds",
    "document_qa": f"{_ENVS}.documents:DocumentQA",
    "office_documents": f"{_ENVS}.documents:OfficeDocuments",
}
_FORMER = frozenset({"question_answering", "multiple_choice", "word_problems", "tasks"})
HUB = "hub:"  # before the name of a dataset of the Hugging Face Hub, where a path may stand
_FUNCTION = re.compile(r"[^:]+\.py:\w+")  # a function of a file, as in my.py:score


class Item(Record, frozen=True, kw_only=True):
    """One thing to attempt: `text` is shown to the optimizer, `kind` is its task type, `data` is for the environment.

    `data` holds plain values only: it is part of the dataset's digest and is sent to workers.
    """

    id: str
    text: str
    kind: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class Result(Record, frozen=True, kw_only=True):
    """The result of one attempt: grades `hard` and `soft` in [0, 1], and `why` it fell short, for the optimizer.

    `turns` are the steps of the attempt, one text each. A `failure` says why there is no grade; it is never a score.
    """

    hard: float = 0.0
    soft: float = 0.0
    response: str = ""
    why: str = ""
    turns: tuple[str, ...] = ()
    failure: str = ""


class Env(Protocol):
    """A dataset with its scorer; must be safe for several threads at once, and picklable to be sent to workers.

    A subclass starts from an empty skill by default. Its class may list its options that are paths in the
    ClassVar `path_options`: they are relative to the configuration's folder. If it has `remarks`, these texts on the
    items read so far are shown before anything is spent, and kept in the summary. If an attempt makes more than one
    call, `calls_each` says how many at most, so that a plan counts them.
    """

    @property
    def name(self) -> str:
        """Return the name to show."""
        ...

    def items(self, split: Split) -> Sequence[Item]:
        """Return the items of a split, always in the same order; ids must be unique over all splits."""
        ...

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Attempt the item once with the target and the skill; the same item, skill and sample give the same result.

        Equal prompts of different items or samples are separate questions. If one attempt asks the same prompt twice,
        give the two prompts different samples. If a call or the item fails, raise ItemError or return a Result with a
        `failure`; a NightError ends the training.
        """
        ...

    def initial_skill(self) -> str:
        """Return the text that training starts from if the user names no skill; may be empty."""
        return ""


def find_env(name: str, options: Mapping[str, Any], *, folder: Path = Path()) -> Env:
    """Create the built-in environment of this name, or one of yours: `my_env.py:Dates` or `package.module:Dates`.

    The file, and options that are paths, are relative to `folder`.

    Raises ConfigError if the name or an option is unknown, naming the nearest one, or if it can't be created.
    """
    factory = _factory(name, folder)
    parameters = inspect.signature(factory).parameters
    _check_options(name, options, parameters)
    path_options: frozenset[str] = getattr(factory, "path_options", frozenset())
    arguments = dict(options)
    for option, value in options.items():
        if option in path_options or (isinstance(value, str) and _FUNCTION.fullmatch(value)):
            arguments[option] = _resolved(value, folder)
    with blaming(factory, f"environment {name}, as it was created"):
        try:
            env = factory(**arguments)
        except (TypeError, ValueError) as error:
            raise ConfigError(
                f"environment {name} can't be created with these options: {error}",
                remedy="fix [env], or the environment",
            ) from error
    check_env(env, name=name)
    return env


def _factory(name: str, folder: Path) -> Any:
    """Return the class (or function) that makes the environment; raise ConfigError if nothing is called so."""
    if is_path(name):
        return load_class(name, folder)
    if name in _FORMER:
        raise ConfigError(f"no environment is called {name!r}", remedy='name = "dataset" reads its files')
    if ":" not in name and name not in BUILT_IN:
        raise ConfigError(
            f"no environment is called {name!r}",
            remedy=f'{_nearest(name, BUILT_IN)} One of your own: name = "my_env.py:MyEnv", or "package.module:MyEnv"',
        )
    place = BUILT_IN.get(name, name)
    try:
        with blaming(None, f"the package of environment {name}, as it was imported"):
            factory: Any = pkgutil.resolve_name(place)
        inspect.signature(factory)
    except (ImportError, AttributeError, SyntaxError, TypeError, ValueError) as error:
        raise ConfigError(
            f"environment {name} can't be loaded: {error}",
            remedy="name its package and class as in package.module:MyEnv, and install what it imports",
        ) from error
    return factory


def check_env(env: Any, *, name: str = "") -> None:
    """Raise ConfigError if an environment lacks something that a training calls."""
    if isinstance(env, type):
        raise ConfigError(f"{env.__name__} is a class, not an environment", remedy=f"make one: {env.__name__}(…)")
    missing = [member for member in ("name", "items", "rollout_one", "initial_skill") if not hasattr(env, member)]
    if missing:
        name = name or str(getattr(env, "name", type(env).__name__))
        raise ConfigError(
            f"environment {name} has no {' and no '.join(missing)}",
            remedy="let its class inherit from skillopt_sleep.trainer.Env and define what is missing",
        )


def checked_result(result: object, *, env: Env, item: Item) -> Result:
    """Return an attempt's result if it is valid; raise ConfigError naming the environment and the item if not."""
    where = f"environment {env.name}, item {item.id!r}: rollout_one"
    if not isinstance(result, Result):
        raise ConfigError(f"{where} returned {kind_of(result)}, not a Result", remedy="fix the environment")
    fields: dict[str, Any] = {name: getattr(result, name) for name in Result.__struct_fields__}
    for name, value in fields.items():
        if isinstance(value, Real):
            fields[name] = float(value)
        elif isinstance(value, str):
            fields[name] = _writable(value)
        elif name == "turns" and isinstance(value, list | tuple):
            turns = cast("Sequence[object]", value)
            fields[name] = [_writable(turn) if isinstance(turn, str) else turn for turn in turns]
    try:
        return msgspec.convert(fields, Result)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{where} returned an invalid Result: {error}",
            remedy="fix the environment: grades are numbers, all else is text",
        ) from error


def _writable(text: str) -> str:
    """Return the text with half a surrogate pair replaced, which can be neither stored nor sent."""
    return text.encode(errors="replace").decode()


@contextmanager
def blaming(whose: object, where: str) -> Generator[None]:
    """Note on an error of foreign code where it came from; our own errors (SleepError) stay as they are."""
    try:
        yield
    except SleepError:
        raise
    except Exception as error:
        module = str(getattr(whose, "__module__", ""))
        if _is_theirs(error, module):
            blame(error, where + _line(error, module))
        raise


def _line(error: BaseException, module: str) -> str:
    """Return the last line of this module that an error came through, with its file's name, or ""."""
    tracked = traceback.walk_tb(error.__traceback__)
    lines = [(frame, line) for frame, line in tracked if frame.f_globals.get("__name__") == module]
    return f" ({Path(lines[-1][0].f_code.co_filename).name}, line {lines[-1][1]})" if lines else ""


def _is_theirs(error: BaseException, module: str) -> bool:
    """Return whether the foreign module failed itself, and not something of ours that it called."""
    ours = __name__.partition(".")[0]
    theirs = module.partition(".")[0]
    if theirs == ours:
        return False
    packages: list[str] = []
    for frame, _ in traceback.walk_tb(error.__traceback__):
        packages.append(str(frame.f_globals.get("__name__", "")).partition(".")[0])
    if theirs not in packages:
        return True
    innermost = [package for package in packages if package in {ours, theirs}][-1]
    return innermost == theirs


def kind_of(value: object) -> str:
    """Return the type of a value in words, for an error message."""
    if value is None:
        return "nothing (None)"
    name = type(value).__name__
    article = "an" if name[0] in "aeiou" else "a"
    return f"{article} {name}"


def _check_options(name: str, options: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]) -> None:
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for option, value in options.items():
        if option in parameters:
            _check_type(name, option, value, parameters[option].annotation)
        elif not open_ended:
            raise ConfigError(f"environment {name} has no option {option!r}", remedy=_nearest(option, parameters))
    if open_ended:
        return
    missing = [p.name for p in parameters.values() if p.default is p.empty and p.name not in options]
    if missing:
        raise ConfigError(f"environment {name} needs: {', '.join(missing)}", remedy="add it to [env]")


def _check_type(name: str, option: str, value: Any, expected: Any) -> None:
    """Raise ConfigError if the option is annotated with a plain type and the value has another one."""
    if expected not in {str, int, float, bool}:
        return
    try:
        msgspec.convert(value, expected)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"env.{option} of environment {name} can't be {value!r}: {error}", remedy="fix it in [env]"
        ) from error


def _resolved(path: Any, folder: Path) -> Any:
    if not isinstance(path, str) or not path or path.startswith(HUB):
        return path
    return str(folder / Path(path).expanduser())


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    if known:
        return f"known here: {', '.join(sorted(known))}"
    return ""
