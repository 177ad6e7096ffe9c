"""The HTML report in a real Chromium, driven over its debugging pipe: it filters, folds and fits, logs nothing and asks for nothing."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Finding, Identity, Place, Report, Role, Severity, Subject
from crossgate.paths import MISSING
from crossgate.plan.model import Action, ClaimChange, Danger, FieldChange, Mark, Plan
from crossgate.report import write

pytestmark = pytest.mark.tools

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

ORDERS, USERS = "dist/40-claims/shop/orders.yaml", "dist/40-claims/shop/users.yaml"
PATIENCE = 60
"""Seconds that the browser may take for one answer on a busy machine."""


class Browser:
    """One tab, spoken to as the DevTools do (Chrome DevTools Protocol): JSON ended by NUL over two pipes, so no port is opened."""

    def __init__(self, binary: str, profile: Path) -> None:
        asking, self._ask = os.pipe()
        self._answers, answering = os.pipe()
        asking, answering = (_from_10(pipe) for pipe in (asking, answering))
        options = ["--headless=new", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        options += ["--no-sandbox"] if os.geteuid() == 0 else []
        # the browser reads from descriptor 3 and writes to 4
        script = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "bash", str(asking), str(answering), binary, *options, "about:blank"],
            pass_fds=(asking, answering),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(asking)
        os.close(answering)
        self._number, self._buffer, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters} | ({"sessionId": self._session} if self._session else {})
        os.write(self._ask, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: Path) -> None:
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def run(self, script: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until a script says something true."""
        end = time.monotonic() + PATIENCE
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.02)

    def press(self, key: str) -> None:
        codes = {"Tab": 9, "Enter": 13, "Escape": 27}
        text = {"text": "\r"} if key == "Enter" else {} if key in codes else {"text": key}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=codes.get(key, 0), **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=codes.get(key, 0))

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def screen(self, width: int, *, scheme: str = "light") -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def said(self) -> list[str]:
        """Return what the page wrote to the console, what it threw, and which addresses it asked for besides its own."""
        self.run("1")  # what came before the answer has been read
        kinds = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening")
        asked = [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [json.dumps(event) for event in self.events if event.get("method") in kinds] + asked[1:]

    def close(self) -> None:
        self._session = ""
        self.call("Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._ask)
        os.close(self._answers)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            read = os.read(self._answers, 1 << 20)
            assert read, "the browser has gone"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        parsed: dict[str, Any] = json.loads(message)
        return parsed


def _from_10(pipe: int) -> int:
    """Move a descriptor out of the way of 3 and 4."""
    import fcntl  # noqa: PLC0415 - not on every system that collects this file

    moved = fcntl.fcntl(pipe, fcntl.F_DUPFD, 10)
    os.close(pipe)
    return moved


@pytest.fixture(scope="module")
def browser(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tool("chromium"), tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Browser]:
    browser.screen(1280)
    yield browser
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page about 10,000 resources, 300 findings and a change, by two teams."""
    subjects: list[Subject] = []
    found: list[Finding] = []
    for number in range(2_500):
        team = ("fraud", "search")[number % 2]
        place, claim = Place(f"dist/{team}/c{number}.yaml", 1), Identity("e.org/v1", "Store", team, f"c{number}")
        subjects.append(Subject(claim, place, Role.CLAIM, team=team))
        subjects += [
            Subject(Identity("e.org/v1", kind, "", f"c{number}-{kind}"), place, Role.COMPOSED, kind, 4 * number, team)
            for kind in ("Bucket", "Database", "Release")
        ]
        if number < 300:
            severity = (Severity.ERROR, Severity.WARNING, Severity.WARNING)[number % 3]
            found.append(Finding(f"rule/{severity}", "R", severity, f"fault {number}", place, claim, "spec.a", (str(claim), "XStore x")))
    change = ClaimChange(
        Action.UPDATE,
        Identity("e.org/v1", "Store", "fraud", "c0"),
        Identity("e.org/v1", "Store", "fraud", "c0"),
        Role.CLAIM,
        Place("dist/fraud/c0.yaml", 1),
        fields=(FieldChange(("spec", "size"), 100, 50), FieldChange(("spec", "name"), MISSING, "new")),
        marks=(Mark(Danger.STORAGE_SHRINKS, "spec.size shrinks"),),
        team="fraud",
    )
    page = tmp_path_factory.mktemp("large") / "report.html"
    page.write_text(write(Report(tuple(found), subjects=tuple(subjects), counts={"claims": 2_500}, plan=Plan("main", (change,))), "html"))
    return page


def shown(tab: Browser, section: str) -> int:
    count: int = tab.run(f"[...document.querySelectorAll('#{section} .item')].filter((item) => item.offsetParent).length")
    return count


def test_a_pull_request(repo: Repo, tab: Browser) -> None:
    """A real run: a claim that shrinks its disk, opens a network and sets a password, another that goes, and several reports at once."""
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + "  network: 0.0.0.0/0\n  diskSize: 50\n  password: hunter2-canary\n")
    (repo.root / USERS).unlink()
    done = repo.run("check", "--base", "main", "-o", "html=out/report.html", "-o", "markdown=out/report.md", "-o", "sarif=out/report.sarif")
    assert done.returncode == 1, done.stdout + done.stderr
    page, comment = repo.root / "out/report.html", (repo.root / "out/report.md").read_text(encoding="utf-8")
    tab.open(page)
    assert tab.run("document.querySelector('h1').textContent") == "This is refused"
    dangers = tab.run("document.querySelector('#dangers').innerText")
    assert "Store shop/users is deleted" in dangers
    assert "shrinks from 100 to 50" in dangers
    assert "network/open-cidr" in tab.run("document.querySelector('#findings').textContent")
    rows = tab.run("[...document.querySelectorAll('#plan .row')].map((row) => row.textContent)")
    assert any("diskSize" in row and "100" in row and "50" in row for row in rows)
    assert any("password" in row and "(sensitive)" in row for row in rows)
    assert "@org/shop" in tab.run("document.querySelector('.summary').innerText")
    tree = tab.run("document.querySelector('#estate details').textContent")
    assert tree.index("Store shop/orders") < tree.index("XStore ") < tree.index("DatabaseInstance ")
    for text in (page.read_text(encoding="utf-8"), comment, done.stdout):
        assert "hunter2-canary" not in text
    assert "Store shop/users" in comment
    assert tab.said() == []


def test_filters_reach_what_waits(tab: Browser, large: Path) -> None:
    """Of 10,000 resources the page lays out 200; the others are found as well."""
    tab.open(large)
    assert (shown(tab, "findings"), shown(tab, "estate"), shown(tab, "plan")) == (200, 200, 1)
    tab.run("document.querySelector('#estate > .more').click()")
    assert shown(tab, "estate") == 400
    tab.run("document.querySelector('#text').focus()")
    tab.type("STORE fraud/c2468")
    tab.until("document.querySelector('#shown').textContent === 'findings: 0 of 300 · plan: 0 of 1 · estate: 1 of 2500'")
    assert shown(tab, "estate") == 1
    assert tab.run("document.querySelector('#estate .item:not([hidden])').textContent").startswith("Store fraud/c2468")
    tab.press("Escape")
    tab.until("document.querySelector('#shown').textContent === ''")
    assert shown(tab, "findings") == 200

    def choose(name: str, value: str) -> None:
        script = (
            f"const it = document.querySelector('#{name}'); it.value = '{value}'; it.dispatchEvent(new Event('input', {{ bubbles: true }}))"
        )
        tab.run(f"{{ {script} }}")

    choose("severity", "error")
    tab.until("document.querySelector('#shown').textContent.startsWith('findings: 100 of 300')")
    choose("team", "search")
    tab.until("document.querySelector('#shown').textContent === 'findings: 50 of 300 · plan: 0 of 1 · estate: 50 of 2500'")
    choose("rule", "rule/warning")
    tab.until("document.querySelector('#shown').textContent.startsWith('findings: 0 of 300')")
    assert tab.said() == []


def test_by_keyboard(tab: Browser, large: Path) -> None:
    tab.open(large)
    focused = "document.activeElement"
    tab.press("Tab")
    assert tab.run(f"{focused}.className") == "skip"
    assert tab.run(f"{focused}.getBoundingClientRect().left") >= 0, "the link is seen once it has the focus"
    tab.press("/")
    assert tab.run(f"{focused}.id") == "text"
    tab.type("fault 7")
    tab.until("document.querySelector('#shown').textContent !== ''")
    tab.press("Escape")
    assert tab.run(f"{focused}.tagName") == "BODY"
    tab.until("document.querySelector('#shown').textContent === ''")
    tab.press("j")
    assert tab.run(f"{focused}.tagName") == "SUMMARY"
    assert tab.run(f"getComputedStyle({focused}).outlineStyle") == "solid", "the focus is seen"
    tab.press("Enter")
    assert tab.run(f"{focused}.parentElement.open")
    tab.press("j")
    first = tab.run(f"[...document.querySelectorAll('summary')].indexOf({focused})")
    tab.press("k")
    assert tab.run(f"[...document.querySelectorAll('summary')].indexOf({focused})") == first - 1
    columns = "getComputedStyle(document.querySelector('#plan .row')).gridTemplateColumns.split(' ').length"
    assert tab.run(columns) == 3
    tab.press("d")
    assert tab.run(columns) == 1
    tab.press("d")
    assert tab.run(columns) == 3
    tab.press("e")
    assert tab.run("document.querySelectorAll('#findings details:not([open])').length") == 0
    assert tab.said() == []


def test_folds_and_themes(tab: Browser, large: Path) -> None:
    tab.open(large)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = tab.run(ground)
    colours = []
    for _ in range(3):
        tab.run("document.querySelector('#theme').click()")
        colours.append(tab.run(ground))
    assert colours == [light, colours[1], light]
    assert colours[1] != light
    tab.screen(1280, scheme="dark")
    assert tab.run(ground) == colours[1], "without a choice the system's counts"
    tab.run("document.documentElement.dataset.theme = 'dark'")
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.run(ground) == light, "paper is white"
    assert not tab.run("document.querySelector('#filters').offsetParent")
    tab.call("Emulation.setEmulatedMedia", media="")
    assert tab.run("document.querySelector('#plan details').open"), "what is dangerous is open"
    tab.run("document.querySelector('#plan summary').click()")
    assert not tab.run("document.querySelector('#plan details').open")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read(tab: Browser, large: Path, scheme: str) -> None:
    """Each text has a contrast of 4.5 to what is behind it (WCAG 2, 1.4.3), and nothing is wider than a phone."""
    tab.screen(360, scheme=scheme)
    tab.open(large)
    tab.run("for (const each of document.querySelectorAll('details')) each.open = true")
    assert tab.run("document.documentElement.scrollWidth") <= 360
    pairs = tab.run(
        """(() => {
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
          while (walk.nextNode()) {
            const node = walk.currentNode.parentElement;
            if (!walk.currentNode.data.trim() || !node.offsetParent || node.closest("script")) continue;
            let behind = node;
            while (behind && /, 0\\)$|transparent/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
            found.add(`${getComputedStyle(node).color}|${getComputedStyle(behind).backgroundColor}`);
          }
          return [...found];
        })()"""
    )
    assert len(pairs) > 5
    for pair in pairs:
        one, other = sorted((luminance(colour) for colour in pair.split("|")), reverse=True)
        assert (one + 0.05) / (other + 0.05) >= 4.5, pair


def luminance(colour: str) -> float:
    channels = [float(number) / 255 for number in re.findall(r"[\d.]+", colour)[:3]]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_without_javascript_it_is_read(tab: Browser, large: Path) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    tab.open(large)
    assert not tab.run("document.querySelector('#filters').offsetParent")
    assert shown(tab, "findings") == 200
    assert "100 more need JavaScript" in tab.run("document.querySelector('#findings').innerText")
    columns = "getComputedStyle(document.querySelector('#plan .row')).gridTemplateColumns.split(' ').length"
    tab.run("document.querySelector('#unified').click()")
    assert tab.run(columns) == 1, "the diff turns by style alone"


def test_a_hostile_manifest_runs_nothing(tab: Browser, tmp_path: Path) -> None:
    """Also in what waits: it is put into the page when a filter asks for it."""
    evil = "</script><script>window.evil=1</script><img src=x onerror='window.evil=1'>\"'><svg onload=window.evil=1>\u2028<!--"
    of = Identity("v1", evil, evil, evil)
    found = [Finding(evil, evil, Severity.ERROR, f"{evil}{n}", Place(evil, n), of, evil, (evil,), remediation=evil) for n in range(300)]
    page = tmp_path / "report.html"
    page.write_text(write(Report(tuple(found), subjects=(Subject(of, Place(evil), team=evil),), counts={}), "html"), encoding="utf-8")
    tab.open(page)
    tab.run("document.querySelector('#findings > .more').click()")
    assert shown(tab, "findings") == 300
    assert tab.run("window.evil === undefined && document.querySelectorAll('img, svg, script').length === 2")
    assert tab.said() == []
