from skillopt_sleep.trainer.envs.fields import MOST_NAMES, Fields


def test_what_no_row_is_asked_for_is_said_in_one_sentence() -> None:
    fields = Fields()
    first, second = fields.noting({"a": 1, "b": 2, "c": 3}), fields.noting({"a": 1, "d": 4})
    assert fields.remarks() == ("columns that are not used: a, b, c, d",)
    assert (first["a"], second.get("d"), second.get("gone"), "b" in first) == (1, 4, None, True)
    assert fields.remarks() == ("columns that are not used: b, c",)


def test_nothing_is_said_if_all_is_read() -> None:
    fields = Fields()
    assert dict(fields.noting({"a": 1})) == {"a": 1}
    assert fields.remarks() == ()


def test_many_names_are_counted() -> None:
    fields = Fields()
    fields.noting({f"column {number}": 0 for number in range(MOST_NAMES + 3)})
    [said] = fields.remarks()
    assert said.endswith(f"column {MOST_NAMES - 1} and 3 more")
