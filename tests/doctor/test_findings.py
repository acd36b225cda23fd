from skillopt_sleep.doctor.findings import Topic, exit_code, fine, of_error, problem, problems, unknown
from skillopt_sleep.errors import BackendUnavailable, ConfigError, Exit

LOGIN = problem(Topic.LOGINS, "no login", "log in")
PATHS = problem(Topic.PATHS, "loose", "chmod")


def test_problems_come_in_the_order_of_the_topics() -> None:
    found = (PATHS, fine(Topic.SETTINGS, "there"), unknown(Topic.MODELS, "who knows"), LOGIN)
    assert problems(found) == (LOGIN, PATHS)


def test_it_ends_well_without_problems_and_says_login_where_only_logins_are_missing() -> None:
    assert exit_code((fine(Topic.PATHS, "there", "a hint"), unknown(Topic.MODELS, "who knows"))) is Exit.DONE
    assert exit_code((LOGIN, fine(Topic.PATHS, "there"))) is Exit.LOGIN
    assert exit_code((LOGIN, PATHS)) is Exit.FAILED


def test_an_error_is_a_problem_of_its_topic_and_one_of_a_login_is_one_of_the_logins() -> None:
    assert of_error(Topic.SETTINGS, ConfigError("bad", remedy="mend it")) == problem(Topic.SETTINGS, "bad", "mend it")
    error = BackendUnavailable("no key", remedy="export it", login=True)
    assert of_error(Topic.MODELS, error).topic is Topic.LOGINS
    assert of_error(Topic.STORE, PermissionError(13, "Permission denied", "/x")).says == "/x: Permission denied"


def test_every_problem_has_a_remedy() -> None:
    assert of_error(Topic.STORE, ConfigError("bad")).remedy
    assert of_error(Topic.STORE, OSError("odd")).remedy
