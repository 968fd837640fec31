"""adbutils on a simulated device that runs apps/notes.app; the arguments are its serial and an apk of another app."""

import io
import sys
import tempfile
import xml.dom.minidom
from pathlib import Path

import adbutils
from lxml import etree
from PIL import Image

serial, apk = sys.argv[1:3]
client = adbutils.AdbClient()
assert serial in [device.serial for device in client.device_list()]
d = client.device(serial)
assert d.get_state() == "device"
assert "shell_v2" in d.get_features().split(",")
assert d.prop.model == "Farlead Sim" and d.prop.name == "farlead_sim"
assert d.getprop("ro.build.version.sdk") == "33"

# Commands, their two outputs and their codes, by both protocols.
assert d.shell("echo hi") == "hi"
assert d.shell(["echo", "it's", "a  b"]) == "it's a  b"
for v2 in (False, True):
    ran = d.shell2("echo one; echo two >&2; (exit 7)", v2=v2)
    assert ran.returncode == 7, ran
    assert ran.output.split() == ["one", "two"], ran
ran = d.shell2("nosuch", v2=True)
assert ran.returncode == 127 and "inaccessible or not found" in ran.stderr, ran
assert d.shell("cat /proc/version", encoding=None).startswith(b"Linux version")
stream = d.shell("echo one; echo two", stream=True)
assert stream.read_until_close() == "one\ntwo\n"

# Files.
content = bytes(range(256)) * 5_000
assert d.sync.push(content, "/data/local/tmp/a file") == len(content)
assert d.sync.read_bytes("/data/local/tmp/a file") == content
assert d.sync.stat("/data/local/tmp/a file").size == len(content)
assert d.sync.exists("/data/local/tmp/a file") and not d.sync.exists("/data/local/tmp/none")
assert "a file" in [entry.path for entry in d.sync.list("/data/local/tmp")]
with tempfile.TemporaryDirectory() as folder:
    d.sync.pull("/data/local/tmp/a file", Path(folder) / "back")
    assert (Path(folder) / "back").read_bytes() == content
d.remove("/data/local/tmp/a file")
assert not d.sync.exists("/data/local/tmp/a file")

# The app, its screen and its picture.
package = "org.secuso.privacyfriendlynotes"
assert package in d.list_packages()
assert d.app_info(package).version_name == "1.0.1"
assert d.app_info("org.nosuch") is None
d.app_start(package)
current = d.app_current()
assert (current.package, current.activity) == (package, ".MainActivity"), current
assert d.window_size() == (480, 800) and d.rotation() == 0 and d.is_screen_on()


def read():
    """The screen, by two parsers that must see the same."""
    text = d.dump_hierarchy()
    nodes = [dict(node.attrib) for node in etree.fromstring(text.encode()).iter("node")]
    others = xml.dom.minidom.parseString(text.encode()).getElementsByTagName("node")
    assert nodes == [dict(node.attributes.items()) for node in others]
    return nodes


def tap(text):  # or description, or id
    (found,) = [node for node in read() if text in (node["text"], node["content-desc"], node["resource-id"])]
    left, top, right, bottom = map(int, found["bounds"].replace("][", ",").strip("[]").split(","))
    d.click((left + right) // 2, (top + bottom) // 2)


def texts():
    return {node["text"] for node in read()}


tap("OKAY")
tap("+")
tap(package + ":id/fab_text")
assert d.app_current().activity == ".TextNoteActivity", d.app_current()
field = [node for node in read() if node["class"] == "android.widget.EditText"][0]
left, top, right, bottom = map(int, field["bounds"].replace("][", ",").strip("[]").split(","))
d.click((left + right) // 2, (top + bottom) // 2)
d.send_keys("a&b <c>")
assert any("a&b <c>" in text for text in texts()), texts()
d.keyevent("HOME")
assert d.app_current().package == "com.android.launcher"
for picture in (d.screenshot(), d.framebuffer()):
    assert picture.size == (480, 800) and len(picture.convert("L").getcolors()) > 1
png = d.shell("screencap -p", encoding=None)
Image.open(io.BytesIO(png)).verify()

# Switches.
d.switch_screen(False)
assert not d.is_screen_on()
d.switch_screen(True)
assert d.is_screen_on()
d.switch_airplane(True)
d.switch_airplane(False)
d.switch_wifi(False)
d.switch_wifi(True)
d.brightness_value = 77
assert d.brightness_value == 77

# Other apps.
d.install(apk, nolaunch=True, silent=True)
assert "org.example.lamp" in d.list_packages()
d.uninstall("org.example.lamp")
assert "org.example.lamp" not in d.list_packages()
d.app_stop(package)
d.app_clear(package)

# The ports.
port = d.forward_port(9008)
assert any(item.remote == "tcp:9008" for item in d.forward_list()) and port > 0
d.forward_remove_all()
try:
    d.create_connection(adbutils.Network.TCP, 9008)
    raise AssertionError("nothing listens there")
except adbutils.AdbError:
    pass
print("ok")
