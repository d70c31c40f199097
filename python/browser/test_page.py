"""The page in a real browser: Chromium without a window, driven by Playwright. `make test-browser` runs it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from records import write_leaves, write_lender, write_project

playwright = pytest.importorskip("playwright.sync_api", reason="`make test-browser` installs Playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("Chromium is not installed (Debian: apt-get install chromium)", allow_module_level=True)
TEMPER = Path(sys.executable).parent / "temper"


def made_page(folder, sites):
    write_project(folder, sites)
    return written_page(folder)


def written_page(folder):
    command = [str(TEMPER), "report", "--format", "html", "--output", "report.html"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return made_page(tmp_path_factory.mktemp("small"), 20)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return made_page(tmp_path_factory.mktemp("large"), 500)


@pytest.fixture
def opened(browser):
    """Opens a page, and fails the test if its script fails or something is loaded from elsewhere."""
    contexts, problems = [], []

    def open_page(path, fragment="", **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def shown_rows(page):
    return page.locator("table.list tbody tr:visible")


def test_all_jobs_are_on_one_page(small, opened):
    page = opened(small)
    assert page.title() == "Temper: netkit"
    cards = page.locator(".cards li").all_inner_texts()
    assert [card.split("\n")[1] for card in cards] == [
        "temper bounds",
        "temper check",
        "temper model",
        "property tests",
    ]
    assert shown_rows(page).count() == 20 + 2 + 1 + 2


def test_filters_and_search_leave_what_was_asked_for(small, opened):
    page = opened(small)
    page.select_option("#word", "flaky")
    assert shown_rows(page).count() == 4
    assert "4 of 25 shown" in page.inner_text("main")
    page.select_option("#word", "")
    page.select_option("#command", "check")
    assert shown_rows(page).count() == 2
    page.select_option("#command", "")
    page.fill("#search", "batch[15] loss")
    assert shown_rows(page).all_inner_texts()[0].startswith("flaky")
    page.fill("#search", "nowhere")
    assert shown_rows(page).count() == 0


def test_columns_are_sorted_both_ways_and_say_so(small, opened):
    page = opened(small)
    places = lambda: page.locator("table.list tbody td:nth-child(2)").all_inner_texts()  # noqa: E731
    where = page.get_by_role("button", name="where")
    where.click()
    assert places()[0].startswith("iris.csv:1")
    assert page.locator("th[aria-sort=ascending]").inner_text() == "where"
    up = places()
    where.click()
    assert places() == up[::-1]


def test_a_link_leads_to_a_finding_and_back(small, opened):
    page = opened(small, "#B00005")
    assert page.locator("h2").inner_text() == "flaky tests/test_net.py:48:5 B00005"
    assert page.locator("pre .here").inner_text().strip().startswith("48")
    assert page.locator("svg .old").count() == 1 and page.locator("svg .new").count() == 1
    assert page.locator("svg circle.run").count() == 300
    page.get_by_role("link", name="All results").click()
    assert shown_rows(page).count() == 25
    page.go_back()
    assert page.locator("h2").inner_text().endswith("B00005")


def test_every_item_opens(small, opened):
    page = opened(small)
    ids = page.evaluate("data.items.map((item) => item.id)")
    for each in ids:
        page.evaluate(f"location.hash = {each!r}")
        page.wait_for_function("document.querySelector('main a') !== null")
        assert page.locator("h2").count() == 1, each
    page.evaluate("location.hash = 'df1428'")
    page.wait_for_selector("text=from nets import DenseNet")
    assert page.locator("main b").count() == 0, "a text of the project is no markup"


def test_the_overview_has_what_chance_costs_and_the_trend(small, opened):
    page = opened(small)
    assert "of all runs of these tests fail by chance alone" in page.inner_text("main")
    page.fill("#runs", "1000")
    page.fill("#minutes", "6")
    red, hours = re.match(r"([\d.]+) of them red by chance, ([\d.]+) hours", page.inner_text("output")).groups()
    assert float(hours) == pytest.approx(float(red) * 6 / 60, rel=0.01)
    bars = page.locator("svg:has(title:text('findings of the last 5 runs: 1, 2, 3, 4, 5')) rect")
    assert bars.count() == 5


def test_quantiles_and_the_limit_of_the_tail_are_drawn(small, opened):
    page = opened(small, "#B00000")
    assert page.locator("svg .quantile").count() == 4
    assert page.locator("svg .tail title").text_content().startswith("extrapolated from the tail: one run in 1,000")
    assert "1 in 1,000 beyond 1.1, at most 1.3" in page.inner_text("dl")


def test_mutants_stand_below_the_lines_that_they_change(small, opened):
    page = opened(small, "#B00000")
    assert "2 of 3 shown are killed in most of their runs today, 1 with the change: 1 lost" in page.inner_text("main")
    lost = page.locator("pre .mutant.lost").inner_text()
    assert "for _ in range(layers - 1):" in lost and lost.endswith("lost: 90 % → 20 %")
    assert page.locator("pre .mutant.killed").count() == page.locator("pre .mutant.survives").count() == 1
    # Other findings have none.
    page.evaluate("location.hash = 'B00005'")
    page.wait_for_selector("text=B00005")
    assert page.locator("pre .mutant").count() == 0


def test_a_search_shows_its_climb(small, opened):
    page = opened(small, "#P12345")
    assert page.locator("svg .step").count() == 3
    title = "best utility from 61.4 to 0 in 125 tests"
    assert page.locator("svg:has(.climb) > title").text_content() == title
    page.get_by_role("button", name="Copy the command pytest tests/test_walk.py").wait_for()
    assert page.locator("text=temper replay").count() == 0, "the test itself shows it again"
    page.get_by_role("link", name="Previous finding").click()
    assert "Rd92f56" in page.locator("h2").inner_text()


def test_leaves_are_a_tree_that_one_can_walk(tmp_path, opened):
    write_leaves(tmp_path)
    page = opened(written_page(tmp_path))
    branch = page.locator(".tree summary:has-text('width > 1.5')")
    assert "2 leaves, 42 of 100 inputs contradict" in branch.inner_text()
    inside = page.locator(".tree code:text-is('length ≤ 4')")
    assert inside.is_visible(), "the way to a finding is open"
    branch.click()
    assert not inside.is_visible()
    branch.press("Enter")
    page.locator(".tree a").click()
    assert page.locator(".tree li.here").inner_text().endswith("this leaf")
    assert page.locator("th:text-is('petal width')").count() == 1, "the failing input next to its row"


def test_errors_of_a_model_are_a_map_and_a_tree(tmp_path, opened):
    write_lender(tmp_path)
    models = ["--model", "lender:new", "--against", "lender:old"]
    command = [str(TEMPER), "model", "loans.csv", "--target", "paid", "--unseen", *models]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300).returncode == 1
    page = opened(written_page(tmp_path), viewport={"width": 390, "height": 800})
    page.locator("table.list tbody tr a:visible").first.click()
    cells = page.locator("table.map tbody td")
    said = cells.all_inner_texts()
    assert any("reference 0 %" in text for text in said) and len(said) >= 4, said
    colours = cells.evaluate_all("cells => cells.map((cell) => getComputedStyle(cell).backgroundColor)")
    shares = [float(text.split(" ")[0]) if text[0].isdigit() else 0 for text in said]
    assert colours[shares.index(max(shares))] != colours[shares.index(0)], "the redder, the worse"
    tree = page.get_by_role("group", name="tree of errors")
    assert "income > 6" in tree.inner_text() and "age" in tree.inner_text()
    heights = tree.locator("td").evaluate_all("cells => cells.map((cell) => cell.offsetHeight)")
    assert max(heights) < 60, "numbers and conditions are not broken into pieces"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_commands_and_patches_are_copied(small, opened):
    page = opened(small, "#B00000", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the command temper apply B00000").click()
    assert page.evaluate("navigator.clipboard.readText()") == "temper apply B00000"
    page.get_by_role("button", name="Copy the patch").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('+0.99'))")


def test_it_is_dark_where_the_user_wants_it_dark(small, opened):
    back = "getComputedStyle(document.body).backgroundColor"
    light, dark = (opened(small, color_scheme=scheme) for scheme in ("light", "dark"))
    assert light.evaluate(back) == "rgb(255, 255, 255)"
    assert dark.evaluate(back) == "rgb(20, 23, 27)"
    light.click("#theme")
    assert light.evaluate(back) == "rgb(20, 23, 27)"


@pytest.mark.parametrize("fragment", ["", "#B00000", "#df1428", "#Rd92f56", "#check-1", "#P12345"])
@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_is_wider_than_the_screen(small, opened, fragment, width):
    page = opened(small, fragment, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["", "#B00000", "#df1428", "#Rd92f56", "#P12345"])
def test_it_can_be_used_without_eyes_or_mouse(small, opened, fragment, scheme):
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="`make test-browser` installs it")
    page = opened(small, fragment, color_scheme=scheme)
    violations = axe.Axe().run(page)["violations"]
    serious = [
        (each["id"], each["nodes"][0]["html"]) for each in violations if each["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_five_hundred_sites_are_one_small_quick_page(large, opened):
    assert large.stat().st_size < 1_000_000
    page = opened(large)
    assert shown_rows(page).count() == 505
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def script_secs():
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "ScriptDuration")

    before = script_secs()
    page.fill("#search", "batch[250]")
    assert shown_rows(page).count() == 1
    # The tenth of a second is generous by an order of magnitude, and script time is not clock time.
    assert script_secs() - before < 0.1
