from skillopt_sleep.web.markdown import as_html


def test_a_report_is_shown_without_its_title() -> None:
    assert as_html("# Night\n\n**To decide**\n\n- one\n") == (
        "<p><strong>To decide</strong></p>\n<ul>\n<li>one</li>\n</ul>\n"
    )


def test_nothing_in_it_becomes_a_link_a_picture_or_a_tag() -> None:
    hostile = "[a](javascript:alert(1)) ![b](http://evil.com/x) <img src=x onerror=alert(1)> <http://evil.com>\n\n[c]: x\n\n<script>alert(1)</script>"
    page = as_html(hostile)
    for tag in ("<a", "<img", "<script"):
        assert tag not in page
