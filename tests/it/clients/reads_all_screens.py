"""Goes through an app by touches at widgets; every dump is read by lxml and by expat, every picture by Pillow."""

import random
import sys
import xml.dom.minidom

import adbutils
from lxml import etree

d = adbutils.AdbClient().device(sys.argv[1])
package = d.shell("pm list packages -3").split(":")[1].strip()
width, height = d.window_size()
chance = random.Random(1)
sizes = set()
for step in range(60):
    if step % 20 == 0 or d.app_current().package == "com.android.launcher":
        d.app_start(package)
    text = d.dump_hierarchy()
    nodes = [dict(node.attrib) for node in etree.fromstring(text.encode()).iter("node")]
    others = xml.dom.minidom.parseString(text.encode()).getElementsByTagName("node")
    assert nodes and nodes == [dict(node.attributes.items()) for node in others], text
    sizes.add(len(nodes))
    if step % 10 == 0:
        picture = d.screenshot()
        assert sorted(picture.size) == sorted((width, height))
    live = [node for node in nodes if "true" in (node["clickable"], node["long-clickable"])] or nodes
    left, top, right, bottom = map(int, chance.choice(live)["bounds"].replace("][", ",").strip("[]").split(","))
    x, y = (left + right) // 2, (top + bottom) // 2
    match chance.randrange(12):
        case 0:
            d.keyevent("BACK")
        case 1:
            d.shell(f"input text '%s<&>\"{step}'")
        case 2:
            d.swipe(x, y, x, max(0, y - 200), 0.3)
        case 3:
            d.shell(f"settings put system accelerometer_rotation 0; settings put system user_rotation {step % 4}")
        case _:
            d.click(x, y)
assert len(sizes) > 1
print("ok")
