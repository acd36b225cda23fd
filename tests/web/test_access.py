from pathlib import Path

from skillopt_sleep.web.access import Access


def test_the_token_is_exchanged_once_for_a_cookie_that_is_known(tmp_path: Path) -> None:
    said: list[str] = []
    access = Access(4711, folder=tmp_path, ended=lambda: said.append("ended"))
    token = access.address.partition("=")[2]
    assert access.exchange(f"{token}x") is None
    cookie = access.exchange(token)
    assert cookie is not None

    pair = cookie.partition(";")[0]
    assert access.knows(pair)
    assert access.knows(f"other=1; {pair}; more=2")
    name, _, secret = pair.partition("=")
    for wrong in ("", name, f"{name}=", f"{name}={secret}x", f"other={secret}", f"{name}=\udcff"):
        assert not access.knows(wrong)

    assert said == []
    assert access.exchange(token) is None
    assert said == ["ended"]
    assert not access.knows(pair)


def test_every_server_has_its_own_secrets(tmp_path: Path) -> None:
    one, other = (Access(4711, folder=tmp_path, ended=print) for _ in range(2))
    assert one.root != other.root
    assert one.address != other.address
    assert one.form_token != other.form_token
    assert one.wrote(one.form_token)
    assert not one.wrote(other.form_token)
    assert one.hosts == ("127.0.0.1:4711", "localhost:4711")
