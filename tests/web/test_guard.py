"""F105 to F107, F109, F111 and F113 of the threat model: who is refused, whatever is asked for."""

import re
from html import unescape

import pytest

from tests.command import Home
from tests.web.dashboard import Dashboard, lines, served

ROUTES = ("/", "/nights", "/nights/2026-01-01", "/static/look.css", "/no-such-page")
ADDRESS = re.compile(r'(?:href|src)="([^"#]+)')
ACTION = re.compile(r' action="([^"]*)"')
NAVIGATES = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("given", ["", "?token=wrong", "cookie"])
def test_without_the_cookie_every_route_is_refused(dashboard: Dashboard, route: str, given: str) -> None:
    headers = {"Cookie": dashboard.cookie.partition("=")[0] + "=wrong"} if given == "cookie" else {}
    used = dashboard.address.partition("?")[2]
    for query in (given, f"?{used}"):
        reply = dashboard.ask("GET", route + (query if query != "cookie" else ""), headers)
        assert reply.status == 401
        assert "skillopt-sleep web" in reply.text
        assert "set-cookie" not in reply.headers


def test_the_address_lets_somebody_in_once(slept: Home) -> None:
    with served(slept) as (dashboard, _):
        first = dashboard.enter()
        assert (first.status, first.headers["location"]) == (303, "/")
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert f"Path={dashboard.root};" in cookie, "a browser sends cookies to every port"
        assert len(dashboard.root) > 16
        secret = dashboard.address.partition("=")[2]
        assert secret not in cookie

        assert dashboard.get("/nights").status == 200
        reloaded = dashboard.get(dashboard.address.removeprefix(dashboard.home))
        assert reloaded.status == 303, "whoever is in stays in"


def test_an_address_that_is_used_twice_lets_everyone_out_and_the_terminal_says_so(slept: Home) -> None:
    with served(slept) as (dashboard, process):
        dashboard.enter()
        again = dashboard.ask("GET", dashboard.address.removeprefix(dashboard.home))
        assert again.status == 401
        assert "set-cookie" not in again.headers
        assert dashboard.get("/nights").status == 401
        assert dashboard.enter().status == 401
        process.terminate()
        err = process.communicate(timeout=20)[1]
    assert "used a second time" in err
    assert "start it again" in err


def test_nothing_is_answered_outside_of_the_dashboards_own_path(dashboard: Dashboard) -> None:
    for path in (*ROUTES, "/enter?token=x", "/alive", dashboard.root):
        for headers in ({"Cookie": dashboard.cookie}, {"Cookie": dashboard.cookie, "Sec-Fetch-Site": "none"}):
            reply = dashboard.asked("GET", path, headers)
            assert reply.status == 401, path
            assert dashboard.root not in reply.text


def test_every_address_in_a_page_is_below_the_dashboards_own_path(dashboard: Dashboard) -> None:
    seen, found = set[str](), [f"{dashboard.root}/"]
    while found:
        address = found.pop()
        if "://" in address or address in seen:
            continue
        assert address.startswith(f"{dashboard.root}/"), address
        seen.add(address)
        reply = dashboard.asked("GET", address, {"Cookie": dashboard.cookie})
        assert reply.status in {200, 303}, address
        page = reply.text if "html" in reply.headers.get("content-type", "") else ""
        found += [unescape(one) for one in ADDRESS.findall(page)]
        found += [reply.headers["location"]] if reply.status == 303 else []
        for action in ACTION.findall(page):
            assert action.startswith(f"{dashboard.root}/"), address
    assert len(seen) > 30


def test_neither_the_token_nor_a_path_is_printed_or_logged(slept: Home) -> None:
    with served(slept) as (dashboard, process):
        dashboard.enter()
        dashboard.get("/nights?skip=whisper")
        dashboard.get("/whisper")
        process.terminate()
        out, err = process.communicate(timeout=20)
    assert out == ""
    assert "token" not in err
    assert "whisper" not in err
    token = dashboard.address.partition("=")[2]
    for file in (slept.folder / "sleep").rglob("*"):
        if file.is_file():
            assert token.encode() not in file.read_bytes()


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "host",
    [
        "evil.com",
        "127.0.0.1.evil.com:{port}",
        "localhost:1",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "127.0.0.1",
        "evil.com:{port}",
        "127.0.0.1:{port}.",
        "user@127.0.0.1:{port}",
        "",
    ],
)
def test_another_host_is_refused_on_every_route(dashboard: Dashboard, route: str, host: str) -> None:
    headers = {"Host": host.format(port=dashboard.port), "Cookie": dashboard.cookie}
    reply = dashboard.ask("GET", route, headers)
    assert reply.status == 421
    assert f"127.0.0.1:{dashboard.port}" in reply.text


def test_it_answers_under_its_other_name_too(dashboard: Dashboard) -> None:
    headers = {"Host": f"localhost:{dashboard.port}", "Cookie": dashboard.cookie}
    assert dashboard.ask("GET", "/nights", headers).status == 200


@pytest.mark.parametrize("route", ROUTES)
def test_a_missing_host_and_two_hosts_are_refused(dashboard: Dashboard, route: str) -> None:
    cookie = ("Cookie", dashboard.cookie)
    ours = ("Host", dashboard.host)
    missing = dashboard.raw(lines(f"GET {dashboard.root}{route} HTTP/1.1", [cookie]))
    old = dashboard.raw(lines(f"GET {dashboard.root}{route} HTTP/1.0", [cookie]))
    two = dashboard.raw(lines(f"GET {dashboard.root}{route} HTTP/1.1", [ours, ("Host", "evil.com"), cookie]))
    twice = dashboard.raw(lines(f"GET {dashboard.root}{route} HTTP/1.1", [ours, ours, cookie]))
    for reply in (missing, two, twice):
        assert reply.startswith(b"HTTP/1.1 400"), "HTTP itself forbids it"
    assert old.startswith(b"HTTP/1.1 421")
    for reply in (missing, old, two, twice):
        assert b"Nights" not in reply


@pytest.mark.parametrize(
    "changed",
    [
        {"Origin": "null"},
        {"Origin": "http://evil.com"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", **NAVIGATES},
    ],
)
def test_a_form_from_elsewhere_is_refused(dashboard: Dashboard, changed: dict[str, str]) -> None:
    headers = {**dashboard.form_headers(), **changed}
    assert dashboard.ask("POST", "/nights", headers, b"form_token=x").status == 403
    del headers["Origin"]
    assert dashboard.ask("POST", "/nights", headers, b"form_token=x").status == 403


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/json", ""])
def test_a_form_of_another_kind_is_refused(dashboard: Dashboard, kind: str) -> None:
    headers = {**dashboard.form_headers(), "Content-Type": kind}
    assert dashboard.ask("POST", "/nights", headers, b"form_token=x").status == 415


@pytest.mark.parametrize("body", [b"", b"form_token=", b"form_token=wrong", b"x=%ff", b"&".join([b"a=1"] * 2_000)])
def test_a_form_without_the_pages_token_is_refused(dashboard: Dashboard, body: bytes) -> None:
    reply = dashboard.ask("POST", "/nights", dashboard.form_headers(), body)
    assert reply.status in {400, 403}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_change_nothing(dashboard: Dashboard, method: str) -> None:
    reply = dashboard.ask(method, "/nights", {"Cookie": dashboard.cookie})
    assert reply.status in {400, 403, 405}
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_gets_nothing_with_the_cookie_but_a_visit(dashboard: Dashboard, site: str) -> None:
    cookie = {"Cookie": dashboard.cookie, "Sec-Fetch-Site": site}
    for dest in ("script", "image", "empty", "iframe", "style", "object"):
        mode = "navigate" if dest in {"iframe", "object"} else "no-cors"
        reply = dashboard.ask("GET", "/nights", {**cookie, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest})
        assert reply.status == 403
    assert dashboard.ask("GET", "/nights", {**cookie, **NAVIGATES}).status == 200


def test_a_visit_from_another_site_is_sent_on_from_our_own_page(dashboard: Dashboard) -> None:
    refresh = 'http-equiv="refresh"'
    elsewhere = dashboard.ask("GET", "/", {"Sec-Fetch-Site": "cross-site", **NAVIGATES})
    assert elsewhere.status == 401
    assert refresh in elsewhere.text
    assert refresh not in dashboard.ask("GET", "/", {"Sec-Fetch-Site": "same-origin", **NAVIGATES}).text
    assert refresh not in dashboard.ask("GET", "/").text


def test_a_websocket_is_refused(dashboard: Dashboard) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert dashboard.ask("GET", "/nights", upgrade).status == 401
    elsewhere = {"Cookie": dashboard.cookie, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "websocket"}
    assert dashboard.ask("GET", "/nights", {**upgrade, **elsewhere}).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/static/../../../etc/passwd",
        "/static/..%2f..%2f..%2fetc%2fpasswd",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static/look.css%00.js",
        "/static//etc/passwd",
        "//etc/passwd",
        "//evil.com/nights",
        "/static/enter.html",
        "/nights/..%2f..",
        "/nights/../sleep.db",
        "/nights/%2e%2e/report.json",
        "/nights/%00/report.json",
        "/nights/2026-01-01/..%2f..%2f..%2fsleep.db",
        "/nights/\\..\\..\\x/report.json",
        "http://evil.com/nights",
    ],
)
def test_no_address_leads_out_of_the_pages(dashboard: Dashboard, path: str) -> None:
    reply = dashboard.get(path)
    assert reply.status == (404 if path.startswith("/") else 401)
    assert "root:" not in reply.text


@pytest.mark.parametrize("route", [*ROUTES, "/nights?x=1"])
@pytest.mark.parametrize("known", [True, False])
def test_every_answer_has_the_same_protection(dashboard: Dashboard, route: str, known: bool) -> None:
    headers = dashboard.ask("GET", route, {"Cookie": dashboard.cookie} if known else {}).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "same-origin", "with less, a browser sends forms without their origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers
