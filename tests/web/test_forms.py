from skillopt_sleep.web.forms import Messages, Sent


def test_a_field_has_one_value_or_several() -> None:
    form = Sent({"rule": ["a", "b"], "empty": [""]})
    assert form.one("rule") == "b"
    assert form.all("rule") == ["a", "b"]
    assert form.one("empty") == form.one("missing") == ""
    assert form.all("missing") == ()


def test_a_message_is_shown_once_and_only_a_few_are_kept() -> None:
    messages = Messages()
    first = messages.keep("adopted P-0001")
    assert messages.take(first) == "adopted P-0001"
    assert messages.take(first) == ""
    names = [messages.keep(str(number)) for number in range(50)]
    assert messages.take(names[0]) == ""
    assert messages.take(names[-1]) == "49"
