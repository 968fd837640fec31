// The Appium server with its UiAutomator2 driver, in node.
//
// The arguments are the serial, the folder that holds the packages, and the folder of an SDK with adb in it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";

const [serial, folder, sdk] = process.argv.slice(2);
const notes = "org.secuso.privacyfriendlynotes";

// A port that is free now.
async function freePort() {
    const server = createServer();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address();
    await new Promise((resolve) => server.close(resolve));
    return port;
}

const port = await freePort();
const appium = spawn(
    process.execPath,
    [join(folder, "node_modules/appium/index.js"), "--address", "127.0.0.1", "--port", port, "--log-no-colors"],
    { env: { ...process.env, APPIUM_HOME: folder, ANDROID_HOME: sdk }, stdio: ["ignore", "pipe", "pipe"] },
);
let log = "";
for (const stream of [appium.stdout, appium.stderr]) stream.on("data", (bytes) => (log += bytes));
process.on("exit", () => appium.kill("SIGKILL"));

// Sends a command; the value of an answer that is an error is thrown.
async function ask(method, path, body) {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(`${method} ${path}: ${value.error}: ${value.message}`), { code: value.error });
    return value;
}

async function ready() {
    for (;;) {
        try {
            return await ask("GET", "/status");
        } catch (error) {
            if (appium.exitCode !== null) throw error;
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
    }
}

// No more than an app needs: the driver installs its helper and its server by itself.
const capabilities = {
    platformName: "Android",
    "appium:automationName": "UiAutomator2",
    "appium:udid": serial,
    "appium:adbPort": Number(process.env.ANDROID_ADB_SERVER_PORT),
    "appium:systemPort": await freePort(),
    "appium:appPackage": notes,
    "appium:appActivity": ".SplashActivity",
};

const id = (element) => element["element-6066-11e4-a52e-4f735466cecf"];

async function opened() {
    const alwaysMatch = capabilities;
    const { sessionId, capabilities: got } = await ask("POST", "/session", { capabilities: { alwaysMatch } });
    const path = `/session/${sessionId}`;
    return {
        capabilities: got,
        get: (rest) => ask("GET", path + rest),
        post: (rest, body = {}) => ask("POST", path + rest, body),
        find: async (using, value) => id(await ask("POST", `${path}/element`, { using, value })),
        all: async (using, value) => (await ask("POST", `${path}/elements`, { using, value })).map(id),
        end: () => ask("DELETE", path),
    };
}

async function uses(session) {
    assert.equal(session.capabilities.deviceModel, "Farlead Sim");
    assert.equal(session.capabilities.deviceScreenSize, "480x800");
    const click = async (using, value) => session.post(`/element/${await session.find(using, value)}/click`);

    // The dialog of the first start.
    assert.match(await session.get("/source"), /<android.widget.Button [^>]*text="OKAY"[^>]* displayed="true" \/>/);
    assert.match(await session.get("/alert/text"), /^Welcome\nWith this app/);
    await click("id", "android:id/button1");
    await assert.rejects(session.get("/alert/text"), { code: "no such alert" });

    // A note is written, and stored by the way back.
    await click("accessibility id", "+");
    await click("id", "fab_text");
    const name = await session.find("xpath", "//android.widget.EditText[1]");
    await session.post(`/element/${name}/value`, { text: "Milk" });
    await session.post(`/element/${name}/value`, { text: " & bread" });
    assert.equal(await session.get(`/element/${name}/text`), "Milk & bread");
    assert.equal(await session.get(`/element/${name}/attribute/class`), "android.widget.EditText");
    assert.equal(await session.get(`/element/${name}/enabled`), true);
    await session.post(`/element/${name}/clear`);
    await session.post(`/element/${name}/value`, { text: "Bread" });
    await click("-android uiautomator", 'new UiSelector().resourceIdMatches(".*btn_save")');
    assert.equal((await session.all("xpath", "//*[@resource-id='org.secuso.privacyfriendlynotes:id/item_name' and @text='Bread']")).length, 1);
    await assert.rejects(session.get(`/element/${name}/text`), { code: "stale element reference" });

    // By a finger, and back again.
    const row = await session.find("id", "item_name");
    const { x, y, width, height } = await session.get(`/element/${row}/rect`);
    const finger = [
        { type: "pointerMove", duration: 0, x: x + width / 2, y: y + height / 2 },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
    ];
    await session.post("/actions", { actions: [{ type: "pointer", id: "finger", actions: finger }] });
    assert.equal((await session.all("class name", "android.widget.EditText")).length, 2);
    await session.post("/back");
    assert.equal(await session.get(`/element/${row}/text`), "Bread");
    await session.post("/execute/sync", { script: "mobile: pressKey", args: [{ keycode: 4 }] });
    await assert.rejects(session.find("id", "item_name"), { code: "no such element" });
    await session.post("/execute/sync", { script: "mobile: activateApp", args: [{ appId: notes }] });

    // The display, as a picture and by its facts.
    const picture = Buffer.from(await session.get("/screenshot"), "base64");
    assert.equal(picture.subarray(1, 4).toString(), "PNG");
    assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [480, 800]);
    assert.deepEqual(await session.get("/window/rect"), { width: 480, height: 800, x: 0, y: 0 });
    await session.post("/orientation", { orientation: "LANDSCAPE" });
    assert.equal(await session.get("/orientation"), "LANDSCAPE");
    await session.post("/orientation", { orientation: "PORTRAIT" });
    await session.post("/appium/settings", { settings: { ignoreUnimportantViews: true } });
    assert.equal((await session.get("/appium/settings")).ignoreUnimportantViews, true);
    await assert.rejects(session.find("xpath", "//*["), { code: "invalid selector" });
}

try {
    await ready();
    const session = await opened();
    await uses(session);
    await session.end();
    console.log("ok");
    process.exit(0);
} catch (error) {
    console.error(error, log.slice(-20_000));
    process.exit(1);
}
