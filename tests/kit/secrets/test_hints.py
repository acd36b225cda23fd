"""Where a name of a secret may be, and what is assigned to it."""

from skillopt_sleep.kit.secrets.hints import HINT, MAYBE, as_loose
from skillopt_sleep.kit.secrets.password_words import ascii_labels
from tests.kit.password_samples import LABELS
from tests.kit.test_redact import SPOKEN


def _may_have_a_name(text: str) -> bool:
    return MAYBE.search(as_loose(text.encode("ascii", "replace")) + b" ") is not None


def test_where_there_is_a_name_the_quick_look_sees_that_there_may_be_one() -> None:
    texts = [text for text, _ in SPOKEN.values()]
    texts += [f"{label}: x" for label in LABELS if label.isascii()]
    texts += [
        "auth=1",
        "authorization: x",
        "sig=1",
        "the signature",
        "mdp x",
        "pw x",
        "rabbitmqctl x",
        "tokenizer",
        "auth",
    ]
    hinted = [text for text in texts if HINT.search(text.encode("ascii", "replace").lower())]
    assert len(hinted) > 50
    assert [text for text in hinted if not _may_have_a_name(text)] == []


def test_ordinary_words_are_no_hint() -> None:
    for text in ("they passed the keyword on", "an interpreter reads code", "because the author said so"):
        assert not HINT.search(text.encode())


def test_a_label_is_found_with_its_ending() -> None:
    match = ascii_labels().match(b"adgangskoden: x")
    assert match is not None
    assert match[0] == b"adgangskoden"
