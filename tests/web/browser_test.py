#!/usr/bin/python3
"""Plays on the served board in a real Chromium: browser_test.py SERVE FIXTURE [--shots FOLDER]

SERVE is the program baghzero-serve, FIXTURE the program board_fixture, which makes the model and the
solved game that are played with. --model FILE and --db FOLDER take others; --shots saves what the
page looks like. Needs Debian's chromium-driver and python3-selenium.
"""

import argparse
import contextlib
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from chromium import DESKTOP, PHONE, Browser

PATIENCE = 20  # seconds for whatever the page has to wait for
GAME = "1. G33 B1122 2. G14 Bx2244 3. G23 Bx1513 *"  # two captures
SHOWN_GAME = ("1. G31 B1122 2. G11 B2213 3. G12 B1322 4. G21 B2213 5. G22 B1324 6. G13 B2433 7. G53 "
              "B5152 *")  # of two that play well


class Page(Browser):
    """A browser with the board in it."""

    def __init__(self, address, size=DESKTOP, dark=False):
        super().__init__(address, size, dark)
        self.wait(lambda: self.all("#points .point"), "the board is drawn")

    def wait(self, condition, what):
        WebDriverWait(self.driver, PATIENCE, 0.05).until(
            lambda _: condition(), f"{what}: it never came to that; the page says {self.message()!r}")

    def message(self):
        return self.one("#message").text

    def text(self):
        return self.ask("game.text")

    def point(self, name):
        return self.one(f'.point[data-point="{name}"]')

    def click(self, name):
        self.point(name).find_element(By.TAG_NAME, "circle").click()

    def label(self, name):
        return self.point(name).get_attribute("aria-label")

    def choose(self, name, value):
        field = self.one(f'[name="{name}"]')
        if field.tag_name == "select":
            Select(field).select_by_value(value)
        else:
            field.clear()
            field.send_keys(value)

    def fill(self, text):
        self.driver.execute_script(
            "document.getElementById('exchange').open = true;"
            "document.getElementById('text').value = arguments[0]", text)
        self.one("#import").click()

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def errors(self):
        """What the browser itself found fault with; refusals of the program are no faults."""
        return [message for message in self.messages() if "status of 4" not in message]


def plays_both_roles(page):
    page.click("33")
    page.wait(lambda: len(page.text().split()) == 4, "the goat is answered")
    assert re.fullmatch(r"1\. G33 Bx?\d{4} \*", page.text()), page.text()
    assert page.label("33") == "33, goat"
    page.one("#undo").click()
    page.wait(lambda: page.text() == "*", "both moves are taken back")
    page.choose("side", "tiger")
    page.wait(lambda: re.fullmatch(r"1\. G\d\d \*", page.text()), "the engine begins as goats")
    page.click("11")
    assert "choose where" in page.message(), page.message()
    targets = len(page.all("#over .target"))
    assert targets > 0
    page.click(page.ask("game.legal.find((move) => move.from === '11').to"))
    page.wait(lambda: re.fullmatch(r"1\. G\d\d Bx?11\d\d 2\. G\d\d \*", page.text()), "it goes on")


def tells_what_is_wrong(page):
    page.choose("side", "both")
    page.one("#new-game .main").click()
    page.wait(lambda: page.text() == "*", "a new game")
    page.click("11")
    assert "goats’ turn" in page.message(), page.message()
    page.click("12")
    page.wait(lambda: page.text() == "1. G12 *", "a goat is placed")
    page.click("12")
    assert "a goat stands on 12" in page.message(), page.message()
    page.click("33")
    assert "Choose the tiger" in page.message(), page.message()
    page.click("11")
    assert page.all("#over .threat"), "the goat that can be captured is marked"
    page.click("55")
    assert "Tiger on 55" in page.message(), page.message()
    page.click("11")
    page.click("53")
    page.wait(lambda: "B1153" in page.message(), "the fault of a far step")
    assert page.text() == "1. G12 *"
    page.press(Keys.ESCAPE)
    page.click("11")
    page.click("13")
    page.wait(lambda: page.text() == "1. G12 Bx1113 *", "the capture")
    assert page.one("#captured").text == "1 of 5"


def shows_what_is_known(page):
    page.fill(GAME)
    page.wait(lambda: page.text() == GAME, "the game is taken over")
    assert len(page.all("#moves li")) == 3
    page.one("#show-tigers").click()
    steps, captures = map(int, re.match(r"(\d+) steps?, (\d+) captures?", page.one("#tigers").text).groups())
    assert len(page.all("#under .step")) == steps and len(page.all("#over .jump")) == captures
    page.one("#show-network").click()
    page.wait(lambda: page.all("#over .pill"), "the network's policy")
    shares = [int(pill.text.rstrip("%")) for pill in page.all("#over .pill")]
    assert 90 <= sum(shares) <= 105, shares
    assert "goats" in page.one("#network-verdict p").text
    page.one("#show-perfect").click()
    assert page.one("#perfect-verdict").is_displayed()
    page.one("#hint").click()
    page.wait(lambda: "would play" in page.message(), "a hint")
    assert page.all(".hinted")
    page.fill("1. G33 B1133 *")
    page.wait(lambda: "B1133" in page.message(), "why a text is refused")
    assert page.ask("game.text") == GAME
    page.fill("GGGGG/GGGGG/GGB1B/GGGG1/BB3 B 20")
    page.wait(lambda: page.ask("game.fen") == "GGGGG/GGGGG/GGB1B/GGGG1/BB3 B 20", "a FEN is taken over")
    page.wait(lambda: page.all("#over .badge.win"), "the winning capture is known")


def works_by_keyboard(page):
    page.fill("*")
    page.wait(lambda: page.text() == "*", "the start again")
    page.driver.execute_script("focusPoint('33')")
    page.press(Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.ENTER)
    page.wait(lambda: page.text() == "1. G22 *", "a goat by keyboard")
    page.press(Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.SPACE, Keys.ARROW_DOWN, Keys.SPACE)
    page.wait(lambda: page.text() == "1. G22 B1121 *", "a tiger by keyboard")
    page.press("u")
    page.wait(lambda: page.text() == "1. G22 *", "undo by keyboard")


def keeps_browsers_apart(page, other):
    before = page.text()
    other.click("44")
    other.wait(lambda: other.text().startswith("1. G44 "), "the second browser's own game")
    page.driver.refresh()
    page.wait(lambda: page.all("#points .point"), "the board is drawn again")
    assert page.text() == before, "the game is still there after a reload"


def fits_a_phone(page):
    assert page.fits(), "it is too wide"
    assert page.ask("document.getElementById('board').getBoundingClientRect().bottom < window.innerHeight")
    page.choose("side", "both")
    page.click("13")
    page.wait(lambda: page.label("13") == "13, goat", "a goat on a phone")


def first_paint(page):
    return page.ask("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000


def shoot(page, folder, name, toggles):
    page.fill(SHOWN_GAME)
    page.wait(lambda: page.text() == SHOWN_GAME and "Taken over" in page.message(), "the picture's game")
    for box in page.all(".views input"):
        if box.is_selected() != (box.get_attribute("id") in toggles):
            box.click()
    page.wait(lambda: page.all("#over .pill"), "the picture's policy")
    page.driver.execute_script("document.getElementById('exchange').open = false; document.activeElement.blur();"
                               "say(describeState()); window.scrollTo(0, 0)")
    page.driver.save_screenshot(str(folder / f"board-{name}.png"))


@contextlib.contextmanager
def served(program, model, database):
    process = subprocess.Popen([program, "--model", model, "--db", database, "--port", "0"],
                               stdout=subprocess.PIPE, text=True)
    try:
        yield process, re.search(r"http://\S+", process.stdout.readline()).group()
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serve")
    parser.add_argument("fixture")
    parser.add_argument("--model")
    parser.add_argument("--db")
    parser.add_argument("--shots", type=pathlib.Path)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        subprocess.run([arguments.fixture, folder], check=True)
        model = arguments.model or folder + "/model.bzn"
        process, address = stack.enter_context(served(arguments.serve, model, arguments.db or folder))
        pages = {}
        for name, size, dark in (("light", DESKTOP, False), ("dark", DESKTOP, True), ("phone", PHONE, False)):
            pages[name] = Page(address, size, dark)
            stack.callback(pages[name].driver.quit)
        page = pages["light"]
        print(f"first paint after {first_paint(page):.2f} s")
        for check in (plays_both_roles, tells_what_is_wrong, shows_what_is_known, works_by_keyboard):
            check(page)
            print(f"{check.__name__}: ok")
        keeps_browsers_apart(page, pages["dark"])
        fits_a_phone(pages["phone"])
        background = "getComputedStyle(document.body).backgroundColor"
        assert page.ask(background) != pages["dark"].ask(background)
        if arguments.shots:
            for name, shot in pages.items():
                shoot(shot, arguments.shots, name, ["show-network", "show-tigers"] + ["show-perfect"] * bool(arguments.db))
        for name, shown in pages.items():
            assert not shown.errors(), (name, shown.errors())
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0, "Ctrl-C ends it cleanly"
        page.one("#undo").click()
        page.wait(lambda: "does not answer" in page.message(), "that nobody answers is told")
    print("the board works in Chromium")


if __name__ == "__main__":
    sys.exit(main())
