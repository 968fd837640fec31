# Made by farlead 0.1.0 from a test it keeps.
# Run it with `pytest FILE` (pytest, Appium-Python-Client 5 or later), the app being installed and an Appium server with its
# driver UiAutomator2 running. In the environment, APPIUM_URL names the server (http://127.0.0.1:4723), ANDROID_SERIAL the
# device if there are several, APPIUM_CAPABILITIES more capabilities as JSON, FARLEAD_TIMEOUT_S how long a check waits (10),
# FARLEAD_IDLE_S how long an idle takes (70).
#
# What the run was found for:
#     possible "keeps what was written" within 7 steps:
#         F (![crashed = true] & [text ~ off])
# What captures it, step by step:
#     possible "captured":
#         X [text ~ off] & X X [actionType = back]
# app: org.notes 1.0.1
# in farlead: --app apps/notes.app
# device: simulator, 480x800
# spec: specs/notes/keep.ltl
# found by: planner
# seed: 7
# search: 3 episodes, 21 steps
# steps: 7 of the 9 it was found with
# did it again: 3 of 3 times

import json
import os
import re
import time
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from appium import webdriver
from appium.options.android import UiAutomator2Options
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import WebDriverException

PACKAGE = "org.notes"
TIMEOUT_S = float(os.environ.get("FARLEAD_TIMEOUT_S", "10"))


@pytest.fixture
def driver():
    options = UiAutomator2Options()
    options.new_command_timeout = timedelta(minutes=5)
    if os.environ.get("ANDROID_SERIAL"):
        options.udid = os.environ["ANDROID_SERIAL"]
    # More capabilities of a server or a device, as one JSON object.
    options.load_capabilities(json.loads(os.environ.get("APPIUM_CAPABILITIES", "{}")))
    driver = webdriver.Remote(os.environ.get("APPIUM_URL", "http://127.0.0.1:4723"), options=options)
    driver.implicitly_wait(TIMEOUT_S)
    yield driver
    driver.quit()


@pytest.fixture(autouse=True)
def set_up(driver):
    """Makes the device upright and connected, before the test and after it."""
    put_back(driver)
    yield
    put_back(driver)


def start(driver, activity):
    """Starts the app as after an installation."""
    # A run before may have left the display dark.
    driver.press_keycode(224)
    driver.execute_script("mobile: clearApp", {"appId": PACKAGE})
    driver.execute_script("mobile: startActivity", {"intent": f"{PACKAGE}/{activity}", "wait": True})


def fill(field, text):
    field.click()
    field.clear()
    if text:
        field.send_keys(text)


def tap(driver, element, x=50, y=50, ms=50):
    """Touches a widget so many percent from its left and its top."""
    driver.tap([point(element, x, y)], ms)


def point(element, x, y):
    rect = element.rect
    across = min(int(rect["width"] * x / 100), rect["width"] - 1)
    down = min(int(rect["height"] * y / 100), rect["height"] - 1)
    return rect["x"] + across, rect["y"] + down


def go_back(driver):
    """Leaves the screen: a keyboard would take the first press."""
    if driver.is_keyboard_shown():
        driver.back()
    driver.back()


def eventually(holds):
    """Whether it holds within the time that an app needs."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        try:
            if holds():
                return True
        except WebDriverException:
            # The screen has changed under the question: neither yes nor no.
            pass
        if time.monotonic() > end:
            return False
        time.sleep(0.2)


def widgets(driver):
    """The attributes of the widgets that are shown, with the place of each in the tree."""
    found = []
    # The source leaves out what a widget does not have.
    none = {"text": "", "content-desc": "", "resource-id": ""}

    def see(element, place):
        found.append({**none, **element.attrib, "place": place})
        for at, child in enumerate(element):
            see(child, f"{place}:{at}")

    for at, top in enumerate(ElementTree.fromstring(driver.page_source.encode())):
        see(top, str(at))
    return [widget for widget in found if not re.search(r"\[(-?\d+),(-?\d+)\]\[(\1,|-?\d+,\2\])", widget["bounds"])]


def names(full, separator):
    """A name in full, and what comes after the last of its separators."""
    return [full, full.rsplit(separator, 1)[-1]]


def activity_names(driver):
    """The activity in front by all of its names."""
    owner, name = driver.current_package, driver.current_activity
    full = owner + name if name.startswith(".") else name
    short = full.removeprefix(owner) if full.startswith(owner + ".") else full
    return [full, short, full.rsplit(".", 1)[-1], f"{owner}/{short}"]


def forget_crashes(driver):
    log_lines(driver)
    LOG.clear()


def has_crashed(driver):
    return any(f"Process: {PACKAGE}," in line or f">>> {PACKAGE} <<<" in line for line in log_lines(driver))


LOG = []


def log_lines(driver):
    """The lines of the log since the last crash was forgotten; the server gives each of them once."""
    LOG.extend(entry["message"] for entry in driver.get_log("logcat"))
    return LOG


def put_back(driver):
    driver.orientation = "PORTRAIT"


def test_keeps_what_was_written(driver):
    # step 0, reinitialise org.notes.ui.Main
    start(driver, "org.notes.ui.Main")
    assert eventually(lambda: any("Main" in name for name in activity_names(driver))), "step 0, reinitialise org.notes.ui.Main: [activity ~ Main]"

    # step 1, click ImageButton 0:3
    # Not as in the test: no name tells the widget apart, so it is found by its place in the tree.
    driver.find_element(AppiumBy.XPATH, "/hierarchy/*[1]/*[4]").click()
    assert eventually(lambda: any("Edit" in name for name in activity_names(driver))), "step 1, click ImageButton 0:3: [activity ~ Edit]"

    # step 2, text "50% off, it's $5" into "Name"
    fill(driver.find_element(AppiumBy.ID, "org.notes:id/name"), "50% off, it's $5")

    # step 3, back
    go_back(driver)
    assert eventually(lambda: not any(bool(re.search("^Note [0-9]+$", w["text"])) for w in widgets(driver))), "step 3, back: ![text ~ /^Note [0-9]+$/]"
    assert eventually(lambda: sum(any(name == "row" for name in names(w["resource-id"], "/")) for w in widgets(driver)) >= 2), "step 3, back: [count(id = row) >= 2]"

    # step 4, longclick "one"
    tap(driver, driver.find_element(AppiumBy.ANDROID_UIAUTOMATOR, "new UiSelector().resourceId(\"org.notes:id/row\").text(\"one\")"), ms=1000)

    # step 5, click "two"
    forget_crashes(driver)
    driver.find_element(AppiumBy.ANDROID_UIAUTOMATOR, "new UiSelector().resourceId(\"org.notes:id/row\").text(\"two\")").click()
    assert eventually(lambda: any(w["checked"] == "true" for w in widgets(driver))), "step 5, click \"two\": [checked = true]"
    assert eventually(lambda: not has_crashed(driver)), "step 5, click \"two\": ![crashed = true]"

    # step 6, rotate
    driver.orientation = "LANDSCAPE"
    assert eventually(lambda: any(w["text"] == "50% off, it's $5" for w in widgets(driver))), "step 6, rotate: [text = \"50% off, it's $5\"]"
