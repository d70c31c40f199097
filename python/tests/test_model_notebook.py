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


def test_a_map_has_a_cell_for_each_pair_of_parts_and_worse_ones_are_redder():
    found = {
        "columns": ["a<b", "hue"],
        "across": ["≤ 1", "> 1"],
        "down": ["red", "others"],
        "rows": [[10, 10], [20, 0]],
        "errors": [[1, 9], [2, 0]],
        "reference_errors": [[1, 1], [2, 0]],
    }
    evidence = {"condition": "a<b > 1", "affected": 0.1, "rows": 9, "error": [0.5, 0.9, 1], "reference_errors": 1}
    page = ModelReport("worse", [{"evidence": {**evidence, "map": found}}], "found")._repr_html_()
    assert "hue \\ a&lt;b" in page and "a<b" not in page
    assert "rgba(192,57,43,0.56)'>90 % of 10<" in page
    assert page.count("rgba(192,57,43,0.00)") == 2 and "<td></td>" in page


def test_a_tree_is_shown_if_it_has_parts():
    root = {"depth": 0, "condition": "all rows", "rows": 40, "errors": 10}
    part = {"depth": 1, "condition": "a > 1", "rows": 10, "errors": 10, "reference_errors": 2}
    assert "where errors lie" not in ModelReport("fine", [], "clean", [root])._repr_html_()
    page = ModelReport("fine", [], "clean", [root, part])._repr_html_()
    assert "padding-left:2.0em'>a &gt; 1<" in page and "100 % of 10" in page
