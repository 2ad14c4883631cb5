#!/usr/bin/python3
"""Opens the report of a run in a real Chromium: report_test.py BAGHZERO RUN

RUN has ended with an evaluated generation. Needs Debian's chromium-driver and python3-selenium.
"""

import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile

from chromium import DESKTOP, PHONE, Browser

CHARTS = ("Policy loss", "Value loss", "Outcomes of self-play", "How games end", "Games per second",
          "How often a row is used", "Gates: score of the candidate", "Rating", "Against greedy")
# By caption: where the chart lies, and whether every curve has a place on it and can be seen.
DRAWN = """Object.fromEntries([...document.querySelectorAll('.charts figure')].map((figure) => {
  const frame = figure.querySelector('svg').getBoundingClientRect();
  const inside = (shape) => {
    const box = shape.getBoundingClientRect();
    return box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top - 1 &&
      box.bottom <= frame.bottom + 1;
  };
  const curves = [...figure.querySelectorAll('path.line')];
  const dots = [...figure.querySelectorAll('circle')].filter((dot) => dot.getBoundingClientRect().width > 0);
  return [figure.querySelector('figcaption').textContent, {
    width: frame.width, height: frame.height, curves: curves.length, dots: dots.length,
    inside: [...curves, ...dots, ...figure.querySelectorAll('text')].every(inside),
    coloured: curves.every((curve) => getComputedStyle(curve).stroke.startsWith('rgb'))}];
}))"""
BOARDS = """[...document.querySelectorAll('.boards figure')].map((figure) => ({
  width: figure.querySelector('svg').getBoundingClientRect().width,
  lines: figure.querySelector('.lines, use').getBoundingClientRect().width,
  tigers: figure.querySelectorAll('.piece.tiger').length,
  goats: figure.querySelectorAll('.piece.goat').length,
  caption: figure.querySelector('figcaption').textContent}))"""


def draws_charts(page):
    drawn = page.ask(DRAWN)
    assert not set(CHARTS) - set(drawn), set(CHARTS) - set(drawn)
    for caption, chart in drawn.items():
        assert chart["width"] > 200 and chart["height"] > 100, (caption, chart)
        assert chart["curves"] >= 1 and chart["dots"] >= chart["curves"], (caption, chart)
        assert chart["inside"] and chart["coloured"], (caption, chart)


def draws_sample_boards(page):
    boards = page.ask(BOARDS)
    assert boards
    for board in boards:
        assert board["width"] > 100 and board["lines"] > 50, board
        assert board["tigers"] == 4 and 1 <= board["goats"] <= 20, board
        assert re.fullmatch(r"after \d+ pl(y|ies), \d captures?", board["caption"]), board
    moves = page.one("details")
    assert not moves.find_element("css selector", "p").is_displayed()
    moves.find_element("css selector", "summary").click()
    assert moves.find_element("css selector", "p").is_displayed(), "the moves can be read"


def brightness(colour):
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 3


def follows_the_colour_scheme(light, dark):
    for selector, what in (("body", "color"), ("figure text", "fill"), ("td", "color")):
        ink = f"getComputedStyle(document.querySelector('{selector}')).{what}"
        assert brightness(light.ask(ink)) < 80 < 175 < brightness(dark.ask(ink)), selector
    paper = "getComputedStyle(document.body).backgroundColor"
    assert brightness(dark.ask(paper)) < 80 < 175 < brightness(light.ask(paper))


def main():
    program, run = sys.argv[1:]
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        report = folder / "report.html"
        subprocess.run([program, "report", run, "--out", report], check=True, stdout=subprocess.DEVNULL)
        pages = {}
        for name, size, dark in (("light", DESKTOP, False), ("dark", DESKTOP, True), ("phone", PHONE, False)):
            pages[name] = Browser(report.as_uri(), size, dark)
            stack.callback(pages[name].driver.quit)
        for name, page in pages.items():
            draws_charts(page)
            draws_sample_boards(page)
            assert page.fits(), f"{name}: it is too wide"
            assert page.requests() == [report.as_uri()], name
            assert not page.messages(), name
            print(f"{name}: ok")
        follows_the_colour_scheme(pages["light"], pages["dark"])
    print("the report works in Chromium")


if __name__ == "__main__":
    sys.exit(main())
