"""adb-shell, straight to the port of a simulated device that runs apps/notes.app; the argument is HOST:PORT."""

import io
import sys

from adb_shell.adb_device import AdbDeviceTcp
from adb_shell.auth.keygen import keygen
from adb_shell.auth.sign_pythonrsa import PythonRSASigner
from adb_shell.exceptions import AdbCommandFailureException

host, port = sys.argv[1].rsplit(":", 1)
d = AdbDeviceTcp(host, int(port), default_transport_timeout_s=30)
signers = []
if len(sys.argv) > 2:
    keygen(sys.argv[2])
    with open(sys.argv[2]) as key, open(sys.argv[2] + ".pub") as public:
        signers = [PythonRSASigner(public.read(), key.read())]
assert d.connect(rsa_keys=signers, auth_timeout_s=10)
assert d.available
assert d.shell("echo hi; echo bad >&2; echo last") == "hi\nbad\nlast\n"
assert d.shell("screencap -p", decode=False).startswith(b"\x89PNG\r\n\x1a\n")
content = bytes(range(256)) * 3_000
d.push(io.BytesIO(content), "/sdcard/there", mtime=1_700_000_000)
back = io.BytesIO()
d.pull("/sdcard/there", back)
assert back.getvalue() == content
mode, size, mtime = d.stat("/sdcard/there")
assert (size, mtime) == (len(content), 1_700_000_000), (mode, size, mtime)
assert [one.filename for one in d.list("/sdcard") if one.filename == b"there"] == [b"there"]
try:
    d.pull("/sdcard/none", io.BytesIO())
    raise AssertionError("there is no such file")
except AdbCommandFailureException:
    pass
assert list(d.streaming_shell("echo one; echo two")) == ["one\ntwo\n"]
d.close()
print("ok")
