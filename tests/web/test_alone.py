import base64
import hashlib

from skillopt_sleep.web.alone import alone


def test_a_page_may_use_its_own_style_and_nothing_else() -> None:
    response = alone(b"<style>b{color:red}</style><script>alert(1)</script>")
    policy = response.headers["content-security-policy"]
    digest = base64.b64encode(hashlib.sha256(b"b{color:red}").digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "refresh" not in response.headers


def test_a_page_that_goes_on_is_loaded_again() -> None:
    assert alone(b"", again=10).headers["refresh"] == "10"
