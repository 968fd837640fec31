// @yume-chan/adb in node: through the adb server, and straight to the port of the simulated device.
//
// The arguments are the serial, which is also HOST:PORT of the device, and the folder that holds the packages.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { pathToFileURL } from "node:url";

const [serial, folder] = process.argv.slice(2);
const require = createRequire(folder + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const adbPackage = await load("@yume-chan/adb");
const { Adb, AdbServerClient, AdbDaemonTransport, AdbPacket, AdbPacketSerializeStream } = adbPackage;
const streams = await load("@yume-chan/stream-extra");
const { AdbServerNodeTcpConnector } = await load("@yume-chan/adb-server-node-tcp");

async function whole(readable) {
    const pieces = [];
    for await (const piece of readable) pieces.push(piece);
    return Buffer.concat(pieces);
}

async function use(adb) {
    // The adb server writes blanks otherwise.
    assert.equal(adb.banner.model.replace("_", " "), "Farlead Sim");
    assert.equal(await adb.getProp("ro.build.version.sdk"), "33");
    const ran = await adb.subprocess.shellProtocol.spawnWaitText("echo one; echo two >&2; exit 3");
    assert.deepEqual([ran.stdout, ran.stderr, ran.exitCode], ["one\n", "two\n", 3]);
    assert.equal(await adb.subprocess.noneProtocol.spawnWaitText("echo one; echo two >&2"), "one\ntwo\n");
    const content = new Uint8Array(1_000_000).map((_, at) => (at * 7) % 251);
    const sync = await adb.sync();
    await sync.write({
        filename: "/sdcard/there",
        file: new streams.ReadableStream({
            start(controller) {
                controller.enqueue(content);
                controller.close();
            },
        }),
    });
    assert.ok((await whole(sync.read("/sdcard/there"))).equals(Buffer.from(content)));
    assert.equal(Number((await sync.stat("/sdcard/there")).size), content.length);
    assert.ok((await sync.readdir("/sdcard")).some((entry) => entry.name === "there"));
    await assert.rejects(() => whole(sync.read("/sdcard/none")));
    await sync.dispose();
    const picture = await adb.framebuffer();
    assert.deepEqual([picture.width, picture.height], [480, 800]);
    assert.equal(picture.data.length, 480 * 800 * 4);
    const xml = await adb.subprocess.noneProtocol.spawnWaitText("uiautomator dump /dev/tty");
    assert.ok(xml.includes("</hierarchy>"));
    await adb.rm("/sdcard/there");
}

const port = Number(process.env.ANDROID_ADB_SERVER_PORT);
const client = new AdbServerClient(new AdbServerNodeTcpConnector({ host: "127.0.0.1", port }));
const [device] = (await client.getDevices()).filter((device) => device.serial === serial);
const served = new Adb(await client.createTransport({ transportId: device.transportId }));
await use(served);
await served.close();

// Straight to the device: the package has the protocol, and node the socket.
const [host, devicePort] = serial.split(":");
const socket = connect(Number(devicePort), host);
await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
socket.setNoDelay(true);
const readable = new streams.ReadableStream({
    start(controller) {
        socket.on("data", (bytes) => controller.enqueue(new Uint8Array(bytes)));
        socket.on("end", () => {
            try {
                controller.close();
            } catch {
                // It was closed from here.
            }
        });
    },
}).pipeThrough(new streams.StructDeserializeStream(AdbPacket));
const writer = new streams.MaybeConsumable.WritableStream({
    write: (bytes) => new Promise((resolve) => socket.write(bytes, resolve)),
    close: () => socket.end(),
});
const serialize = new AdbPacketSerializeStream();
serialize.readable.pipeTo(writer).catch(() => {});
const transport = await AdbDaemonTransport.authenticate({
    serial,
    connection: { readable, writable: serialize.writable },
    credentialStore: { generateKey: () => assert.fail("no key is asked for"), iterateKeys: () => [] },
});
await use(new Adb(transport));
console.log("ok");
process.exit(0);
