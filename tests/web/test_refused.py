from skillopt_sleep.web.guard import Refused, answer


def test_a_refusal_is_a_page_that_says_why_and_closes_the_connection() -> None:
    response = answer(Refused(421, "Not <this> address", "Open it under that name."))
    assert response.status_code == 421
    assert b"Not &lt;this&gt; address" in response.body
    assert b"refresh" not in response.body
    assert response.headers["connection"] == "close"
    assert response.headers["content-length"] == str(len(response.body))


def test_a_browser_can_be_sent_on() -> None:
    assert b'content="0; url=/"' in bytes(answer(Refused(401, "Unknown", "", again="/")).body)
