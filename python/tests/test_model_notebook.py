"""How a report on a model is shown in a notebook."""

from temper.model.testing import ModelReport


def test_regions_are_rows_with_bars_and_nothing_is_taken_for_markup():
    evidence = {
        "condition": "a > 1 & b < 2",
        "affected": 0.031,
        "rows": 50,
        "error": [0.5, 0.6, 0.7],
        "reference_errors": 2,
    }
    report = ModelReport("worse: a > 1", [{"kind": "region", "evidence": evidence}], "found")
    page = report._repr_html_()
    assert "a &gt; 1 &amp; b &lt; 2" in page and "3.1 %" in page
    assert "width:72px" in page and "60.0 %" in page and "4.0 %" in page
    assert page.endswith("<pre>worse: a &gt; 1</pre>")


def test_a_report_without_regions_is_its_text():
    assert ModelReport("clean", [], "clean")._repr_html_() == "<pre>clean</pre>"
