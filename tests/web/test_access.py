from skillopt_sleep.web.access import Access


def test_the_token_is_exchanged_once_for_a_cookie_that_is_known() -> None:
    access = Access(4711)
    token = access.address.partition("=")[2]
    assert access.exchange(f"{token}x") is None
    cookie = access.exchange(token)
    assert cookie is not None
    assert access.exchange(token) is None

    pair = cookie.partition(";")[0]
    assert access.knows(pair)
    assert access.knows(f"other=1; {pair}; more=2")
    name, _, secret = pair.partition("=")
    for wrong in ("", name, f"{name}=", f"{name}={secret}x", f"other={secret}", f"{name}=\udcff"):
        assert not access.knows(wrong)


def test_every_server_has_its_own_secrets() -> None:
    one, other = Access(4711), Access(4711)
    assert one.address != other.address
    assert one.form_token != other.form_token
    assert one.wrote(one.form_token)
    assert not one.wrote(other.form_token)
    assert one.hosts == ("127.0.0.1:4711", "localhost:4711")
