"""uiautomator2 on a simulated device that runs apps/notes.app; the argument is its serial."""

import sys
import xml.dom.minidom

import uiautomator2
from lxml import etree
from uiautomator2.exceptions import RPCUnknownError, UiObjectNotFoundError

serial = sys.argv[1]
package = "org.secuso.privacyfriendlynotes"
d = uiautomator2.connect(serial)

info = d.info
assert info["currentPackageName"] == "com.android.launcher", info
assert (info["displayWidth"], info["displayHeight"], info["displayRotation"]) == (480, 800, 0), info
assert info["sdkInt"] == 33 and info["screenOn"] and info["naturalOrientation"], info
assert (info["displaySizeDpX"], info["displaySizeDpY"]) == (320, 533), info
assert d.window_size() == (480, 800)
assert d.device_info["model"] == "Farlead Sim"


def read():
    """The screen, by two parsers that must see the same."""
    text = d.dump_hierarchy()
    nodes = [dict(node.attrib) for node in etree.fromstring(text.encode()).iter("node")]
    others = xml.dom.minidom.parseString(text.encode()).getElementsByTagName("node")
    assert nodes == [dict(node.attributes.items()) for node in others]
    assert [node["visible-to-user"] for node in nodes] == ["true"] * len(nodes)
    return nodes


# Starting and stopping.
d.app_start(package, ".SplashActivity", wait=True, stop=True)
assert d.app_current()["package"] == package
assert d.app_wait(package, front=True, timeout=5) > 0
assert package in d.app_list() and package in d.app_list_running()
assert d.app_info(package)["versionName"] == "1.0.1"

# Objects.
assert d(text="OKAY").exists and not d(text="okay").exists
assert d(textContains="okay").exists and d(textStartsWith="OK").exists and d(textMatches="O.*Y").exists
assert not d(textMatches="O").exists
ok = d(text="OKAY", className="android.widget.Button")
assert ok.count == 1 and ok.info["clickable"] and ok.info["packageName"] == package, ok.info
assert ok.info["resourceName"] == "android:id/button1"
assert d(resourceId="android:id/buttonPanel").child(text="OKAY").exists
assert not d(resourceId="android:id/topPanel").child(text="OKAY").exists
assert d(text="OKAY").sibling(text="View Help").exists
assert d(className="android.widget.Button", instance=1).get_text() == "OKAY"
assert [one.get_text() for one in d(className="android.widget.Button")] == ["View Help", "OKAY"]
assert d(text="View Help").right(className="android.widget.Button").get_text() == "OKAY"
try:
    d(text="none").click(timeout=3)
    raise AssertionError("there is no such widget")
except UiObjectNotFoundError:
    pass
try:
    d.jsonrpc.getText({"mask": 1, "text": "none", "childOrSibling": [], "childOrSiblingSelector": []})
    raise AssertionError("there is no such widget")
except UiObjectNotFoundError as error:
    assert "UiObjectNotFoundException" in str(error), error
for broken in [lambda: d.jsonrpc.nosuch(), lambda: d.jsonrpc.click("x"), lambda: d(textMatches="(").count]:
    try:
        broken()
        raise AssertionError("that is no call")
    except RPCUnknownError:
        pass
ok.click()
assert ok.wait_gone(timeout=3)

# Touches by points, selectors and paths; what is typed.
read()
d(description="+").click()
read()
d.xpath(f"//*[@resource-id='{package}:id/fab_text']").click()
assert d.app_current()["activity"] == ".TextNoteActivity"
name, text = d(className="android.widget.EditText", instance=0), d(className="android.widget.EditText", instance=1)
assert name.set_text("first")
assert name.get_text() == "first"
x, y = text.center()
d.click(x, y)
d.send_keys("ü & <日本>")
assert text.get_text() == "ü & <日本>"
assert text.info["focused"]
assert d.xpath("//android.widget.EditText[@text='ü & <日本>']").exists
text.clear_text()
text.set_text("second")
assert not d(resourceId="android:id/content").set_text("x")
read()
d.press("back")
d.press("home")
assert d.info["currentPackageName"] == "com.android.launcher"
d.app_start(package)
d.press(4)

# The display.
d.app_start(package, stop=True)
assert d.screenshot().size == (480, 800)
d.orientation = "left"
assert d.orientation == "left" and d.window_size() == (800, 480)
assert etree.fromstring(d.dump_hierarchy().encode()).get("rotation") == "1"
d.orientation = "natural"
d.freeze_rotation(False)
d.screen_off()
assert not d.info["screenOn"]
d.screen_on()
assert d.info["screenOn"]
d.swipe(240, 600, 240, 200)
d.swipe_ext("up")
d.drag(240, 600, 240, 200)
d.long_click(240, 400)
d.double_click(240, 400)
d.touch.down(10, 10).move(20, 20).up(20, 20)
d.clipboard = "kept"
assert d.clipboard == "kept"
assert d.last_toast is None or isinstance(d.last_toast, str)
assert len(d.dump_hierarchy(max_depth=1)) < len(d.dump_hierarchy())
assert len(d.dump_hierarchy(compressed=True)) < len(d.dump_hierarchy())

# One program at a time may look.
ran = d.shell("rm -f /sdcard/x.xml; uiautomator dump /sdcard/x.xml")
assert ran.exit_code == 137 and "Killed" in ran.output, ran
assert "already registered" in d.shell("logcat -d").output
second = d.shell("CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9009")
assert second.exit_code == 1 and "already registered" in second.output, second
assert "app_process" in d.shell("ps -A").output
d.stop_uiautomator()
assert "app_process" not in d.shell("ps -A").output
assert "UI hierchary dumped to" in d.shell("uiautomator dump").output
# It is started again when it is needed.
assert d.info["screenOn"]
d.app_stop(package)
d.stop_uiautomator()
print("ok")
