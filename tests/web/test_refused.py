from skillopt_sleep.web.guard import Refused, answer


def test_a_refusal_is_a_page_that_says_why_and_closes_the_connection() -> None:
    status, headers, body = answer(Refused(421, "Not <this> address", "Open it under that name."))
    assert status == 421
    assert b"Not &lt;this&gt; address" in body
    assert b"refresh" not in body
    assert dict(headers)[b"connection"] == b"close"
    assert dict(headers)[b"content-length"] == str(len(body)).encode()


def test_a_browser_can_be_sent_on() -> None:
    assert b'content="0; url=/"' in answer(Refused(401, "Unknown", "", again="/")).body
