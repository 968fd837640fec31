#: driver


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
#: set_up


@pytest.fixture(autouse=True)
def set_up(driver):
    """Makes the device upright and connected, before the test and after it."""
    put_back(driver)
    yield
    put_back(driver)
#: start


def start(driver, activity):
    """Starts the app as after an installation."""
    # A run before may have left the display dark.
    driver.press_keycode(224)
    driver.execute_script("mobile: clearApp", {"appId": PACKAGE})
    driver.execute_script("mobile: startActivity", {"intent": f"{PACKAGE}/{activity}", "wait": True})
#: fill


def fill(field, text):
    field.click()
    field.clear()
    if text:
        field.send_keys(text)
#: tap


def tap(driver, element, x=50, y=50, ms=50):
    """Touches a widget so many percent from its left and its top."""
    driver.tap([point(element, x, y)], ms)
#: swipe


def swipe(driver, element, start, end, ms):
    """Moves a finger between two points of a widget, in percent of its size."""
    driver.swipe(*point(element, *start), *point(element, *end), ms)
#: point


def point(element, x, y):
    rect = element.rect
    across = min(int(rect["width"] * x / 100), rect["width"] - 1)
    down = min(int(rect["height"] * y / 100), rect["height"] - 1)
    return rect["x"] + across, rect["y"] + down
#: go_back


def go_back(driver):
    """Leaves the screen: a keyboard would take the first press."""
    if driver.is_keyboard_shown():
        driver.back()
    driver.back()
#: leave_and_return


def leave_and_return(driver):
    driver.press_keycode(3)
    driver.activate_app(PACKAGE)
#: switch_network


def switch_network(driver, is_on):
    driver.execute_script("mobile: setConnectivity", {"airplaneMode": not is_on})
#: idle


def idle(driver):
    """Puts the display to sleep, for longer than it stays lit by itself."""
    driver.press_keycode(223)
    time.sleep(IDLE_S)
#: eventually


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
#: widgets


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
#: names


def names(full, separator):
    """A name in full, and what comes after the last of its separators."""
    return [full, full.rsplit(separator, 1)[-1]]
#: number


def number(text):
    """The number that a text is, as a list; an empty one if it is none."""
    return [Decimal(text.strip())] if re.fullmatch(r"\s*-?\d{1,15}([.]\d{1,9})?\s*", text, re.ASCII) else []
#: activity_names


def activity_names(driver):
    """The activity in front by all of its names."""
    owner, name = driver.current_package, driver.current_activity
    full = owner + name if name.startswith(".") else name
    short = full.removeprefix(owner) if full.startswith(owner + ".") else full
    return [full, short, full.rsplit(".", 1)[-1], f"{owner}/{short}"]
#: is_on_network


def is_on_network(driver):
    return not driver.execute_script("mobile: getConnectivity", {"services": ["airplaneMode"]})["airplaneMode"]
#: forget_crashes


def forget_crashes(driver):
    log_lines(driver)
    LOG.clear()
#: has_crashed


def has_crashed(driver):
    return any(f"Process: {PACKAGE}," in line or f">>> {PACKAGE} <<<" in line for line in log_lines(driver))
#: log_lines


LOG = []


def log_lines(driver):
    """The lines of the log since the last crash was forgotten; the server gives each of them once."""
    LOG.extend(entry["message"] for entry in driver.get_log("logcat"))
    return LOG
