"""pure-python-adb on a simulated device that runs apps/notes.app; the arguments are its serial and an apk."""

import io
import os
import sys
import tempfile
from pathlib import Path

from PIL import Image
from ppadb.client import Client

serial, apk = sys.argv[1:3]
client = Client("127.0.0.1", int(os.environ["ANDROID_ADB_SERVER_PORT"]))
assert client.version() == 41
assert serial in [device.serial for device in client.devices()]
d = client.device(serial)
assert d.get_state() == "device"
assert d.shell("echo hi") == "hi\n"
assert d.get_properties()["ro.build.version.sdk"] == "33"
# Of the density the package keeps whole multiples of 160.
assert d.wm_size() == (480, 800) and d.wm_density() == 1
package = "org.secuso.privacyfriendlynotes"
assert d.is_installed(package)
assert d.get_package_version_name(package) == "1.0.1"
d.shell(f"am start -W -n {package}/.SplashActivity")
assert d.get_pid(package) is not None
d.input_tap(345, 486)
d.input_keyevent("KEYCODE_HOME")
d.input_swipe(240, 600, 240, 200, 300)
d.input_text("abc")
picture = Image.open(io.BytesIO(d.screencap()))
assert picture.size == (480, 800)
picture.verify()
with tempfile.TemporaryDirectory() as folder:
    here, back = Path(folder) / "here", Path(folder) / "back"
    here.write_bytes(bytes(range(256)) * 3_000)
    d.push(str(here), "/sdcard/there")
    d.pull("/sdcard/there", str(back))
    assert back.read_bytes() == here.read_bytes()
assert d.install(apk)
assert d.is_installed("org.example.lamp")
assert d.uninstall("org.example.lamp")
assert not d.is_installed("org.example.lamp")
d.forward("tcp:6100", "tcp:9008")
assert d.list_forward() == {"tcp:6100": "tcp:9008"}
d.killforward_all()
assert "Display" in d.shell("dumpsys display")
print("ok")
