"use strict";
// The page is a client of the messages in docs/studio-protocol.md. Texts of apps become text nodes, never markup.

const VERSION = 2;
const token = new URLSearchParams(location.search).get("token") || "";
const at = (id) => document.getElementById(id);

let socket = null;
let view = null;
let files = [];
let sent = 0;
const waiting = new Map();

const SVG = "http://www.w3.org/2000/svg";

/** Returns an element with this text or these children. */
function make(tag, fields = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(fields)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Brings the children of an element up to date: `wanted` has a key and a maker for each, and those with the same key stay. */
function renew(part, wanted) {
  // A browser lays the page out when what has the focus goes. That is quick as long as nothing else has changed.
  const focus = document.activeElement;
  const held = [...part.children].findIndex((child) => child.contains(focus));
  if (held >= 0 && part.children[held].key !== wanted[held]?.[0]) focus.blur();
  wanted.forEach(([key, made], number) => {
    const there = part.children[number];
    if (there?.key === key) return;
    const fresh = Object.assign(made(), { key });
    if (there) there.replaceWith(fresh);
    else part.append(fresh);
  });
  while (part.children.length > wanted.length) part.lastElementChild.remove();
}

/** Number of what was said last. */
let saying = 0;

function say(text, isBad = false) {
  saying += 1;
  at("status").textContent = text;
  at("status").className = isBad ? "bad" : "";
  at("status").title = text ? "Click to close" : "";
}

/** Time that the browser has to show a new screen before the rest of the page is made, and time after which its picture is not waited
 * for any longer, in milliseconds. */
const SHOWN_FIRST = 40;
const PICTURE_LATE = 250;

/** Time after which what was told is gone, in milliseconds: a screen reader says all of it again when a dialog opens. */
const TOLD = 3000;
let untold = 0;

/** Tells those who listen to the page what has changed on it. */
function tell(text) {
  if (!text) return;
  at("told").textContent = text;
  clearTimeout(untold);
  untold = setTimeout(() => at("told").replaceChildren(), TOLD);
}

/** Sends a request; the promise has its result. */
function ask(message) {
  return new Promise((done, failed) => {
    if (!socket || socket.readyState !== WebSocket.OPEN) {
      failed(new Error("the studio is not reached; is `farlead studio` still running?"));
      return;
    }
    sent += 1;
    waiting.set(sent, { done, failed });
    socket.send(JSON.stringify({ id: sent, ...message }));
  });
}

/** Times after which somebody who waits sees that something goes on, and is told what, in milliseconds. */
const BUSY = 100;
const SLOW = 600;

/** Number of what was said of a device that does not answer. */
let silence = 0;

/** Shows for how long the device has not answered, until it has. */
function showSilence({ seconds }) {
  if (seconds !== null) {
    say(`The device has not answered for ${seconds} seconds. Look whether it is on and connected. Files, the editor and Stop work meanwhile.`);
    silence = saying;
  } else if (silence === saying) say("");
}

/** What the page waits for before it is connected. */
const CONNECTING = "This page waits for `farlead studio` to answer. Look at its terminal: does it still run?";

/** Does a request of the user's and shows its error, if there is one, and what it `waits` for if it takes its time. */
async function request(message, waits = "The device is at work.") {
  let own = saying;
  const busy = setTimeout(() => at("display").classList.add("is-busy"), BUSY);
  const slow = setTimeout(() => (say(waits), (own = saying)), SLOW);
  try {
    const result = await ask(message);
    // What was said meanwhile is news.
    if (own === saying) say("");
    return result;
  } catch (error) {
    say(error.message, true);
    return null;
  } finally {
    clearTimeout(busy);
    clearTimeout(slow);
    at("display").classList.remove("is-busy");
  }
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/socket?token=${encodeURIComponent(token)}`);
  const slow = setTimeout(() => say(CONNECTING), SLOW);
  socket.addEventListener("open", async () => {
    clearTimeout(slow);
    drawings.clear();
    const hello = await request({ do: "hello", version: VERSION, drawings: true }, CONNECTING);
    if (!hello) return;
    document.documentElement.dataset.ready = "true";
    showFiles(hello.files);
    showView(hello.view);
    showLast(hello);
    showFollow(hello.follow);
    if (!edited()) opened.file ? showFile(opened.file) : edit();
    // It may have changed while nobody told of it.
    else if (opened.file) ask({ do: "open", file: opened.file }).then(({ text }) => fileChanged({ file: opened.file, text }), (error) => say(error.message, true));
  });
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.event) {
      hear(message);
      return;
    }
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (!asked) return;
    if (message.error !== undefined) asked.failed(new Error(message.error));
    else asked.done(message.result);
  });
  socket.addEventListener("close", () => {
    clearTimeout(slow);
    for (const asked of waiting.values()) asked.failed(new Error("the studio has ended"));
    waiting.clear();
    say("The studio is not reached; is `farlead studio` still running?", true);
    setTimeout(connect, 1000);
  });
}

function hear(message) {
  if (message.event === "view") showView(message.view);
  else if (message.event === "drawing") keepDrawing(message);
  else if (message.event === "files") showFiles(message.files);
  else if (message.event === "file") fileChanged(message);
  else if (message.event === "job") beginJob(message.command);
  else if (message.event === "lines") showLines(message);
  else if (message.event === "news") takeNews(message.news);
  else if (message.event === "paused") showPause(message.rests);
  else if (message.event === "ended") endJob(message);
  else if (message.event === "follow") showFollow(message);
  else if (message.event === "touch") say(message.why, true);
  else if (message.event === "silent") showSilence(message);
}

const picture = (number) => `/picture/${number}?token=${encodeURIComponent(token)}`;

// Pictures of the screen.

/** SVG of the screens that the studio has drawn, by the numbers of their pictures, and how many of the last ones are kept. */
const drawings = new Map();
const DRAWINGS_KEPT = 100;

function keepDrawing({ number, svg }) {
  drawings.set(number, svg);
  if (drawings.size > DRAWINGS_KEPT) drawings.delete(drawings.keys().next().value);
}

/** Elements of a drawing besides its style, and their attributes: shapes and texts. */
const DRAWN = new Set(["svg", "g", "rect", "circle", "path", "text", "tspan"]);
const DRAWN_AS = new Set(["xmlns", "viewBox", "class", "x", "y", "width", "height", "rx", "cx", "cy", "r", "d", "font-size", "text-anchor"]);

/** Returns a drawing as an element, or null.
 *
 * It may be part of the page: farlead writes it, and escapes the texts of apps, so they are text there, too. Parsing runs nothing, and
 * what has any other element or attribute than farlead writes stays out; the policy of the page runs no script but its own. */
function drawing(number) {
  if (!drawings.has(number)) return null;
  const root = new DOMParser().parseFromString(drawings.get(number), "image/svg+xml").documentElement;
  const [style, ...rest] = root.querySelectorAll("*");
  const isDrawn = (element) => element.namespaceURI === SVG && DRAWN.has(element.localName) && element.getAttributeNames().every((name) => DRAWN_AS.has(name));
  const isStyle = style?.localName === "style" && !style.attributes.length && !style.children.length;
  return isStyle && [root, ...rest].every(isDrawn) ? document.adoptNode(root) : null;
}

/** The picture of the screen, apart from the styles and the texts of the page. */
const frame = at("picture").attachShadow({ mode: "open" });
const framed = new CSSStyleSheet();
framed.replaceSync(":host > * { display: block; width: 100%; }");
frame.adoptedStyleSheets = [framed];

/** Shows a picture; the promise ends when it is there. A drawing is there with the next frame, an image once it is fetched and decoded. */
async function showPicture(number) {
  if (latest.picture === number) return;
  latest.picture = number;
  const drawn = drawing(number);
  if (drawn) {
    frame.replaceChildren(drawn);
    return;
  }
  const image = make("img", { alt: "", src: picture(number) });
  // One that cannot be shown is as good as another.
  await image.decode().catch(() => null);
  if (latest.picture === number) frame.replaceChildren(image);
}

// The run and the screen.

/** Number of the view that is shown, the focus that waits for its elements, the number of the screen that the tree is of, and that of the
 * picture. */
const latest = { number: 0, focus: null, tree: null, picture: null };

function showView(next) {
  const before = view;
  latest.focus = focused() || latest.focus;
  latest.number += 1;
  const number = latest.number;
  view = next;
  const last = view.steps[view.steps.length - 1];
  const isNew = last && last.picture !== latest.picture;
  // The focus is mostly there, see `renew`.
  showScreen();
  // The picture is on its way while the rest is made.
  const shown = view.screen && showPicture(last.picture);
  at("device").textContent = view.device;
  at("activities").hidden = view.launchable.length < 2;
  renew(at("activity"), view.launchable.map((name) => [name, () => make("option", { value: name, textContent: name.split(".").pop() })]));
  showStrip(isNew);
  showTest();
  showExpected();
  // What is being typed is newer than what the studio knows.
  if (document.activeElement !== at("name") && at("name").value !== view.name) at("name").value = view.name;
  if (at("menu").open && menu.screen !== view.screen?.number) at("menu").close();
  if (at("step").open) at("step").close();
  at("branches").replaceChildren(
    ...view.branches.flatMap((branch, number) => {
      const name = `${branch.name}, ${branch.steps} steps, ${branch.last}`;
      const forget = make("button", { onclick: () => request({ do: "forget-branch", number }), title: "Delete this run", "aria-label": `Delete other run: ${name}` }, "\u00d7");
      return [make("button", { onclick: () => request({ do: "branch", number }), title: "Do this run again" }, `Other run: ${name}`), forget];
    }),
  );
  const told = changes(before, next);
  // What takes longer waits until the screen is there; of several views, the last one is worth it.
  const late = new Promise((over) => setTimeout(over, PICTURE_LATE));
  Promise.race([shown, late]).then(() =>
    setTimeout(() => {
      if (number === latest.number) showRest();
      tell(told);
    }, SHOWN_FIRST),
  );
}

function showRest() {
  for (const image of at("strip").querySelectorAll("img:not([src])")) image.src = picture(image.dataset.picture);
  showTree();
  showAtoms();
  at("strip").scrollLeft = at("strip").scrollWidth;
  focusAgain(latest.focus);
  latest.focus = null;
  remember();
  draft();
  judge();
}

/** Parts of the page whose elements are made anew, and what has the focus where its element is gone. */
const PARTS = { strip: "run-title", widgets: "app-title", keys: "app-title", tree: "here-title", atoms: "here-title", expected: "expectations-title", branches: "run-title" };

/** Buttons that the Tab key comes to in the parts that are one stop. */
const stops = { tree: null, strip: null };

function stopAt(id, button) {
  if (stops[id]) stops[id].tabIndex = -1;
  stops[id] = button;
  if (button) button.tabIndex = 0;
}

const label = (element) => element.getAttribute("aria-label") || element.textContent;

/** Returns the part that has the focus, and the label of the element there. */
function focused() {
  const element = document.activeElement;
  const part = element && Object.keys(PARTS).find((id) => at(id).contains(element));
  return part ? { part, label: label(element) } : null;
}

/** Gives the focus to the element that took the place of the one that had it, else to the title of its part. */
function focusAgain(before) {
  if (!before || document.activeElement !== document.body) return;
  const again = [...at(before.part).querySelectorAll("button")].find((one) => label(one) === before.label);
  (again || at(PARTS[before.part])).focus({ preventScroll: true });
}

/** Most new names of a screen that are told. */
const NAMES_TOLD = 5;

/** Returns what differs between two views, in words. */
function changes(before, next) {
  if (!before) return "";
  const [number, last] = [next.steps.length - 1, next.steps[next.steps.length - 1]];
  if (last && before.screen?.number !== next.screen?.number) {
    const names = (screen) => new Set((screen?.widgets || []).map((widget) => widget.name).filter(Boolean));
    const old = names(before.screen);
    const fresh = [...names(next.screen)].filter((name) => !old.has(name));
    const more = fresh.length > NAMES_TOLD ? ` and ${fresh.length - NAMES_TOLD} more` : "";
    const told = fresh.length ? `New: ${fresh.slice(0, NAMES_TOLD).join(", ")}${more}.` : "No new text.";
    return [`Step ${number}: ${last.action}.`, last.crashed ? "The app has crashed." : `Screen: ${last.activity}.`, told, ...last.notices].join(" ");
  }
  if (next.expected.length > before.expected.length) {
    const one = next.expected[next.expected.length - 1];
    return `Expected, ${one.is_met ? "met" : "not met"}: ${one.holds ? "" : "not "}${one.atom}.`;
  }
  if (next.remembered.length > before.remembered.length) {
    const one = next.remembered[next.remembered.length - 1];
    return `Remembered: ${one.name} is ${one.value}.`;
  }
  const isFewer = (part) => next[part].length < before[part].length;
  return ["expected", "remembered", "branches"].some(isFewer) ? "Removed." : "";
}

/** Shows if touches on the device itself are followed, on devices where they can be. */
function showFollow({ can, on, why }) {
  at("follow").hidden = !can;
  at("follow").setAttribute("aria-pressed", String(on));
  if (why) say(why, true);
}

/** Shows the steps; the image of the last one waits for the rest of the page if its picture `isNew`, as decoding it takes its time. */
function showStrip(isNew) {
  const shown = view.steps.map((step, number) => {
    const isLast = number + 1 === view.steps.length;
    const expected = view.expected.filter((one) => one.step === number && one.when !== "never");
    const isMet = expected.every((one) => one.is_met);
    const mark = () => expected.length ? make("span", { class: isMet ? "good" : "bad" }, `${expected.length} expected${isMet ? "" : ", not met"}`) : null;
    const notices = () => step.notices.map((notice) => make("span", {}, notice.split("\n")[0]));
    const title = isLast ? "The screen below" : "Look at this step";
    const item = () => make(
      "li",
      { class: isLast ? "is-last" : "", role: "none" },
      make(
        "button",
        { title, tabIndex: -1, onclick: () => !isLast && openStep(number) },
        make("img", { alt: "", loading: "lazy", "data-picture": step.picture, ...(isLast && isNew ? {} : { src: picture(step.picture) }) }),
        make("b", {}, `${number}. ${step.action}`),
        make("span", { class: step.crashed ? "bad" : "" }, step.crashed ? "crashed" : step.activity),
        ...notices(),
        mark(),
      ),
    );
    return [JSON.stringify([step, isLast, expected.length, isMet]), item];
  });
  renew(at("strip"), shown);
  stopAt("strip", at("strip").querySelector("li:last-child button"));
}

/** Shows the screen of an earlier step beside the one that is there now. */
function openStep(number) {
  const step = view.steps[number];
  const last = view.steps[view.steps.length - 1];
  at("step-title").textContent = `Step ${number}: ${step.action}`;
  const shown = (name, one) => make("figure", {}, make("figcaption", {}, name), make("img", { src: picture(one.picture), alt: `${name}: ${one.activity}` }));
  at("step-screens").replaceChildren(shown(`Step ${number}`, step), shown("Now", last));
  at("step-notices").textContent = step.notices.join("\n");
  at("step-back").onclick = () => (at("step").close(), request({ do: "back-to", step: number }));
  at("step").showModal();
}

const named = (widget) => widget.name || widget.id || widget.class;
/** Returns the name of a widget and what it is, for those who do not see it. */
const spoken = (widget) => [named(widget), named(widget) === widget.class ? "" : widget.class, widget.checked ? "checked" : "", widget.enabled ? "" : "disabled"].filter(Boolean).join(", ");

/** Puts an element over these pixels of the screen. */
function place(element, [left, top, right, bottom]) {
  const { width, height } = view.screen;
  const share = (length, of) => `${(100 * length) / of}%`;
  Object.assign(element.style, { left: share(left, width), top: share(top, height), width: share(right - left, width), height: share(bottom - top, height) });
}

/** Returns true for the keys that open a menu; not every browser makes a right click of them. */
const isMenuKey = ({ key, shiftKey }) => key === "ContextMenu" || (key === "F10" && shiftKey);

function showScreen() {
  const screen = view.screen;
  at("keys").replaceChildren();
  at("marks").replaceChildren();
  at("app-title").textContent = view.is_away ? (job.runs ? "Screen: a command uses the device" : "Screen: the device is lost; Start again looks for it") : screen ? `Screen: ${view.steps[view.steps.length - 1].activity || screen.package}` : "Screen";
  at("display").hidden = !screen;
  at("display").classList.toggle("is-away", view.is_away);
  if (!screen) return;
  at("display").style.aspectRatio = `${screen.width} / ${screen.height}`;
  at("display").style.setProperty("--ratio", screen.width / screen.height);
  for (const id of ["display", "main"]) at(id).classList.toggle("is-wide", screen.width > screen.height);
  const boxed = (number) => () => {
    const widget = screen.widgets[number];
    const [left, top, right, bottom] = widget.bounds;
    // What only holds others together says nothing to those who listen; the tree has it.
    const tag = widget.offers.length || widget.name ? "button" : "div";
    const box = make(tag, { "data-number": number });
    if (tag === "button") {
      box.setAttribute("aria-label", spoken(widget));
      // Only what can be acted on is on the way of the Tab key; the tree has all.
      box.tabIndex = widget.offers.length ? 0 : -1;
    }
    place(box, widget.bounds);
    // Of two widgets at a place the smaller one is meant, wherever it is in the tree.
    box.style.zIndex = Math.max(1, 30000 - Math.round((30000 * (right - left) * (bottom - top)) / (screen.width * screen.height)));
    return box;
  };
  const visible = [...screen.widgets.keys()].filter((number) => {
    const [left, top, right, bottom] = screen.widgets[number].bounds;
    return left < right && top < bottom;
  });
  const size = [screen.width, screen.height];
  renew(at("widgets"), visible.map((number) => [JSON.stringify([number, size, screen.widgets[number]]), boxed(number)]));
  visible.forEach((number, nth) => (screen.widgets[number].box = at("widgets").children[nth]));
  const onWidgets = new Set(screen.widgets.flatMap((widget) => widget.offers));
  const key = (label, fields) => make("button", fields, make("span", { class: "cut" }, label));
  const offered = screen.offers.flatMap(({ type, label }, number) => {
    const title = ON_DEVICE[type] || "";
    return onWidgets.has(number) ? [] : [key(label, { title, disabled: view.is_away, onclick: () => act(number) })];
  });
  // One that is not done is still on the way of the Tab key: whoever comes to it learns why.
  const forbidden = screen.forbidden.flatMap((one) => {
    const title = sentence(one);
    return one.at === null ? [key(one.label, { title, "aria-disabled": true, onclick: () => say(title, true) })] : [];
  });
  at("keys").replaceChildren(...offered, ...forbidden);
}

/** Effects of the actions that are on no widget, in words. */
const ON_DEVICE = {
  back: "Press the back key",
  rotate: "Turn the device",
  pauseresume: "Leave the app, and come back to it",
  idle: "Wait",
  network: "Switch the network off, or on again",
  enter: "Press the enter key",
};

function showTree() {
  for (const box of at("widgets").querySelectorAll(".is-shown")) box.classList.remove("is-shown");
  const above = [];
  const rows = (view.screen?.widgets || []).flatMap((widget, number) => {
    if (!widget.offers.length && !widget.name && !widget.id) return [];
    while (above.length && above[above.length - 1] >= widget.depth) above.pop();
    above.push(widget.depth);
    const level = above.length;
    const item = () => {
      const row = make("button", { "data-number": number, role: "treeitem", "aria-level": level, "aria-haspopup": "dialog", tabIndex: -1 }, make("span", { class: "cut" }, named(widget), " ", make("small", {}, widget.class)));
      row.style.paddingLeft = `${6 + Math.min(widget.depth, 12) * 5}px`;
      row.setAttribute("aria-label", spoken(widget));
      return make("li", { role: "none" }, row);
    };
    return [[JSON.stringify([number, level, widget.depth, named(widget), spoken(widget)]), item]];
  });
  renew(at("tree"), rows);
  stopAt("tree", at("tree").querySelector("button"));
  latest.tree = view.screen?.number;
}

/** Shows what holds on the screen, to those who look. */
function showAtoms() {
  const atoms = (at("atoms-part").open && view?.screen?.atoms) || [];
  at("atoms").replaceChildren(...atoms.map((one) => make("li", {}, make("button", { title: one.words, onclick: () => openAtoms("What holds here", "", [], [one]) }, make("code", {}, one.atom)))));
}

at("atoms-part").addEventListener("toggle", showAtoms);

/** Returns the widget that an element stands for. */
const widgetOf = (element) => view.screen?.widgets[element.closest("[data-number]")?.dataset.number];

/** Time after which a finger that rests on a widget opens its menu, in milliseconds, and how far it may move, in pixels. */
const LONG_PRESS = 550;
const PRESS_MOVES = 10;
const press = { timer: 0, x: 0, y: 0, isLong: false };

at("widgets").addEventListener("pointerdown", (event) => {
  clearTimeout(press.timer);
  press.isLong = false;
  const widget = event.pointerType === "mouse" ? null : widgetOf(event.target);
  if (!widget) return;
  [press.x, press.y] = [event.clientX, event.clientY];
  press.timer = setTimeout(() => {
    press.isLong = true;
    openMenu(widget);
  }, LONG_PRESS);
});
at("widgets").addEventListener("pointermove", ({ clientX, clientY }) => {
  if (Math.hypot(clientX - press.x, clientY - press.y) > PRESS_MOVES) clearTimeout(press.timer);
});
for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, () => clearTimeout(press.timer));
at("widgets").addEventListener("click", ({ target }) => {
  const widget = widgetOf(target);
  // The finger that has opened a menu does no click when it leaves.
  if (widget && !press.isLong) touch(widget);
  press.isLong = false;
});
at("widgets").addEventListener("contextmenu", (event) => {
  event.preventDefault();
  const widget = widgetOf(event.target);
  clearTimeout(press.timer);
  if (widget && !press.isLong) openMenu(widget);
  press.isLong = event.pointerType === "touch";
});
at("widgets").addEventListener("keydown", (event) => {
  const widget = isMenuKey(event) && widgetOf(event.target);
  if (!widget) return;
  event.preventDefault();
  openMenu(widget);
});
at("tree").addEventListener("click", ({ target }) => {
  const widget = latest.tree === view.screen?.number && widgetOf(target);
  if (widget) openMenu(widget);
});
for (const [type, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) at("tree").addEventListener(type, ({ target }) => widgetOf(target)?.box?.classList.toggle("is-shown", on));

function act(offer, text, instead = false) {
  const message = { do: "act", screen: view.screen.number, offer, instead };
  return request(text === undefined ? message : { ...message, text });
}

/** Returns a sentence about an action that a rule forbids. */
const sentence = ({ label, rule }) => `A rule of farlead.toml forbids ${label}: never ${rule}.`;

/** Returns the action of this type on a widget that a rule forbids, if there is one. */
const forbiddenOn = (widget, type) => view.screen.forbidden.find((one) => one.at === widget.at && one.type === type);

const offerOf = (widget, type) => widget.offers.find((number) => view.screen.offers[number].type === type);

/** Does what a finger on this widget would do, or what the next step of a test says if its own widget is not there. */
function touch(widget) {
  const missing = view.test?.why ? view.test.steps[view.test.next].type : null;
  const type = missing || "click";
  const own = offerOf(widget, type);
  const types = widget.offers.some((number) => view.screen.offers[number].types);
  if (types && !missing) openMenu(widget);
  else if (own !== undefined) act(own, undefined, Boolean(missing));
  else if (view.is_away) return;
  else if (forbiddenOn(widget, type)) openMenu(widget);
  else {
    // A text on a button takes no touch itself; the button around it does.
    const [left, top, right, bottom] = widget.bounds;
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const around = view.screen.widgets.filter((other) => {
      const [l, t, r, b] = other.bounds;
      return other.at < widget.at && l <= x && x <= r && t <= y && y <= b && (offerOf(other, type) !== undefined || forbiddenOn(other, type));
    });
    const nearest = around[around.length - 1];
    const forbidden = nearest && forbiddenOn(nearest, type);
    // What is farther out is another action than the one that is forbidden.
    if (nearest && !forbidden) act(offerOf(nearest, type), undefined, Boolean(missing));
    else openMenu(widget, forbidden ? [forbidden] : []);
  }
}

// A stored test that is walked through.

function showTest() {
  const test = view.test;
  at("test").hidden = !test;
  if (!test) return;
  at("test-title").textContent = `Test: ${test.name}`;
  const isWanted = test.expectation === "possible";
  const state = test.why
    ? [`Step ${test.next}: ${test.why}. Click the widget that it meant; right click for another action, or one before it.`, "bad"]
    : test.is_reached
      ? [isWanted ? "The run does what the spec asks for." : "The run violates the spec again.", isWanted ? "good" : "bad"]
      : [test.next === null ? `All steps are done, and the spec is not reached: ${test.left} is left.` : "", test.next === null ? "bad" : ""];
  [at("test-state").textContent, at("test-state").className] = state;
  at("test-steps").replaceChildren(
    ...test.steps.map((step, number) => {
      const isNext = number === test.next;
      const [badge, kind] = step.is_left_out ? ["left out", ""] : step.step === null ? [isNext ? "next" : "later", ""] : step.differs ? ["differs", "bad"] : ["done", "good"];
      const sees = step.differs ? `expected ${step.differs}, and it is not so` : step.sees.length ? `then ${step.sees.join(" & ")}` : "";
      const done = step.step === null ? step.action : view.steps[step.step].action;
      return make("li", { class: isNext ? "is-next" : "" }, make("span", { class: `badge ${kind}` }, badge), make("span", {}, `${number}. ${step.action}`, done !== step.action ? make("div", { class: "hint" }, `done as ${done}`) : null, sees ? make("div", { class: step.differs ? "bad" : "hint" }, sees) : null));
    }),
  );
  for (const id of ["next", "all-steps", "leave-out"]) at(id).disabled = test.next === null || (id !== "leave-out" && Boolean(test.why));
  at("mend").hidden = !(test.is_reached && test.is_changed);
  if (!test.why || !view.screen) return;
  const mark = (bounds, kind, title) => {
    const box = make("span", { class: kind, title });
    place(box, bounds);
    return box;
  };
  const recorded = test.steps[test.next].on;
  at("marks").replaceChildren(...[recorded && mark(recorded, "is-recorded", "Here it was"), test.nearest_at && mark(test.nearest_at, "is-nearest", "The nearest widget")].filter(Boolean));
}

async function allSteps() {
  while (view.test && view.test.next !== null && !view.test.why) {
    if (!(await request({ do: "next-of-test" }))) return;
  }
}

/** Puts the run in the place of the steps of the test, and confirms it. */
async function mend() {
  const file = view.test.file;
  if (job.runs) {
    say("A command runs; wait until it ends, or stop it, and save the test then.", true);
    return;
  }
  if (opened.file === file && edited()) {
    say(`The editor has changes of ${file} that are not saved; save them or open the file again first.`, true);
    return;
  }
  const mended = await request({ do: "mended" });
  if (!mended) return;
  if (opened.file !== file && !(await openFile(file))) return;
  if (!(await request({ do: "save", file, text: mended.text, was: opened.disk }))) return;
  await showFile(file);
  if (await request({ do: "confirm", file })) job.confirms = file;
}

// The menu of a widget.

const menu = { screen: null };

/** Opens the menu of a widget; it says which rules forbid an action on it, or on what is `around` it. */
async function openMenu(widget, around = []) {
  const forbidden = [...view.screen.forbidden.filter((one) => one.at === widget.at), ...around];
  const found = await request({ do: "widget", screen: view.screen.number, at: widget.at });
  if (found) openAtoms(named(widget), `${widget.class}${widget.id ? `, id ${widget.id}` : ""}`, widget.offers, found.atoms, found.terms, forbidden);
}

function openAtoms(title, about, offers, atoms, terms = [], forbidden = []) {
  menu.screen = view.screen.number;
  at("menu-forbidden").textContent = forbidden.map(sentence).join("\n");
  at("menu-title").textContent = title;
  at("menu-about").textContent = about;
  const close = () => at("menu").close();
  const next = view.test ? view.test.next : null;
  const instead = (number, text) => (next === null ? null : make("button", { type: "button", class: "rule", title: "It takes the place of this step of the test", onclick: () => (close(), act(number, text && text(), true)) }, `In place of step ${next}`));
  at("menu-do").replaceChildren(
    ...offers.map((number) => {
      const offer = view.screen.offers[number];
      const done = (text) => (close(), act(number, text));
      const rule = async (message) => (close(), await request(message)) && say("farlead.toml has the rule: searches keep to it.");
      const never = offer.atom ? make("button", { class: "rule", title: "A rule for farlead.toml: no search does this", onclick: () => rule({ do: "never", atom: offer.atom }) }, "Never do this") : null;
      if (!offer.types) return make("span", { class: "bar" }, make("button", { onclick: () => done() }, make("span", { class: "cut" }, offer.label)), instead(number), never);
      const input = make("input", { autocomplete: "off", spellcheck: false });
      input.setAttribute("aria-label", "Text to type");
      return make("form", { onsubmit: (event) => (event.preventDefault(), done(input.value)) }, input, make("button", { class: "first" }, "Type"), instead(number, () => input.value || undefined), atoms.length ? make("button", { type: "button", class: "rule", title: "A rule for farlead.toml: searches type this into this field", onclick: () => rule({ do: "type-here", atom: atoms[0].atom, text: input.value }) }, "Always type this here") : null, never);
    }),
  );
  const rows = atoms.map((one) => {
    const expect = (label, fields) => make("button", { onclick: () => (close(), expectAtom(one.atom, fields)) }, label);
    return make(
      "div",
      { class: "atom" },
      make("code", {}, one.atom),
      make("p", {}, one.words),
      make("div", { class: "bar", role: "group", "aria-label": `Expect: ${one.words}` }, expect("now", {}), expect("not now", { holds: false }), expect("from now on", { when: "from-now-on" }), expect("never", { when: "never" })),
    );
  });
  const rest = rows.length > 1 ? make("details", {}, make("summary", {}, `${rows.length - 1} more ways to say it`), ...rows.slice(1)) : null;
  at("menu-atoms").replaceChildren(...[rows[0], rest].filter(Boolean));
  at("menu-values").hidden = !terms.length;
  at("menu-terms").replaceChildren(
    ...terms.map(({ term, value }) => {
      const input = make("input", { value: unused(term), autocomplete: "off", spellcheck: false, size: 10 });
      input.setAttribute("aria-label", "Name of the value");
      const remembered = (event) => (event.preventDefault(), close(), request({ do: "remember", step: view.steps.length - 1, name: input.value, term }));
      return make("form", { class: "atom", onsubmit: remembered }, make("code", {}, term), make("p", {}, `now: ${value}`), make("div", { class: "bar" }, input, make("button", {}, "Remember")));
    }),
  );
  at("menu").showModal();
  // A text that is typed at once goes into its field; of the buttons, the one that closes the menu comes first.
  (at("menu").querySelector("#menu-do input") || at("menu").querySelector("#menu-do button, #menu-atoms button"))?.focus();
}

/** Returns a name for the value of a term that no other value has. */
function unused(term) {
  const word = /= ([a-z_][a-z0-9_]*)\)$/i.exec(term)?.[1] || "value";
  const stem = term.startsWith("count") ? `old_${word}_count` : `old_${word}`;
  const taken = (name) => view.remembered.some((one) => one.name === name);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}${number}`;
    if (!taken(name)) return name;
  }
}

function expectAtom(atom, fields) {
  return request({ do: "expect", step: view.steps.length - 1, atom, ...fields });
}

// What is expected, and the spec that says so.

const times = { now: "", "from-now-on": ", and from there on", never: "" };

function showExpected() {
  const values = view.remembered.map((one, number) =>
    make(
      "li",
      {},
      make("span", { class: "badge" }, "value"),
      make("span", {}, `step ${one.step}: `, make("code", {}, `${one.name} = ${one.term}`), make("span", { class: "hint" }, ` ${one.value}`)),
      make("button", { onclick: () => request({ do: "forget-value", number }) }, "Remove"),
    ),
  );
  at("expected").replaceChildren(
    ...values,
    ...view.expected.map((one, number) =>
      make(
        "li",
        {},
        make("span", { class: `badge ${one.is_met ? "good" : "bad"}` }, one.is_met ? "met" : "not met"),
        make("span", {}, `${one.when === "never" ? "never" : `step ${one.step}`}${times[one.when]}: `, make("code", {}, `${one.holds ? "" : "!"}${one.atom}`), one.why ? make("span", { class: "hint" }, ` ${one.why}`) : null),
        make("button", { onclick: () => request({ do: "forget", number }) }, "Remove"),
      ),
    ),
  );
}

const form = () => document.querySelector("input[name=form]:checked").value;
const draftFile = () => {
  const stem = at("name").value.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "") || "run";
  return `specs/${stem}.${form() === "scenario" ? "feature" : "ltl"}`;
};

async function draft() {
  at("draft-file").textContent = draftFile();
  if (!view || !view.steps.length) return;
  try {
    const { text } = await ask({ do: "draft", form: form() });
    at("draft").textContent = text;
    const isBare = form() === "a" && !view.expected.length;
    at("draft-judged").textContent = `${await judgedInWords(text, draftFile())}${isBare ? " Nothing is expected yet: it speaks of the last screen alone." : ""}`;
    at("draft-words").textContent = await inWords(uri("draft", draftFile()), text);
    if (at("drawn-part").open) await drawDraft();
    if (at("forms-part").open) await showForms();
  } catch (error) {
    at("draft-judged").textContent = error.message;
  }
}

/** Shows all forms of the spec, each with whether this run meets it. */
async function showForms() {
  const shown = [];
  for (const input of document.querySelectorAll("input[name=form]")) {
    const { text } = await ask({ do: "draft", form: input.value });
    const file = input.value === "scenario" ? "draft.feature" : "draft.ltl";
    const words = make("details", {}, make("summary", {}, "In words"), make("pre", { tabIndex: 0 }, await inWords(uri("draft", file), text)));
    const automata = make("details", {}, make("summary", {}, "As an automaton"), make("div", { class: "drawn" }, ...(await drawn(text, file))));
    shown.push(make("h3", {}, input.parentElement.textContent.trim()), make("pre", { tabIndex: 0 }, text), make("p", { class: "hint" }, await judgedInWords(text, file)), words, automata);
  }
  at("forms").replaceChildren(...shown);
}

/** Returns the automata of a text; pictures are inert, whatever texts are in them. */
async function drawn(text, file) {
  const { drawings } = await ask({ do: "draw", text, file });
  return drawings.map((svg) => (svg ? make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt: "What is left of the spec after each step" }) : make("p", { class: "hint" }, "This one is too large to draw.")));
}

async function drawDraft() {
  at("drawn").replaceChildren(...(await drawn(at("draft").textContent, draftFile())));
}

async function judgedInWords(text, file) {
  const { specs } = await ask({ do: "judge", text, file });
  const said = specs.map((spec) => {
    if (spec.expectation === "possible") return spec.at === null ? "This run does not meet it." : `This run meets it at step ${spec.at}.`;
    return spec.at === null ? `This run does not break "${spec.name}".` : `This run breaks "${spec.name}" at step ${spec.at}.`;
  });
  return said.join(" ");
}

/** The last change of the name, which waits for the device. */
let naming = null;

async function saveDraft() {
  const file = draftFile();
  await naming;
  const drafted = await request({ do: "draft", form: form() });
  if (!drafted) return null;
  if (!(await mayLeave(file))) return null;
  const saved = await request({ do: "save", file, text: drafted.text, was: opened.file === file ? opened.disk : null });
  return saved && (await showFile(file)) ? file : null;
}

// The editor.

/** The file that is open, its text when it was opened or saved, and its text on disk; null if it is not there. */
const opened = { file: "", text: "", disk: null };
const edited = () => at("text").value !== opened.text;
/** Returns true if somebody else has changed the file on disk, and the editor has another text. */
const isTheirs = () => opened.disk !== null && opened.disk !== opened.text;
const isTest = () => opened.file.endsWith(".test.ltl");
/** Address of a text for the language server, whose documents are few: one of a kind for each language. */
const uri = (kind, file) => `studio:${kind}.${file.endsWith(".feature") ? "feature" : "ltl"}`;

async function editor(message) {
  const { messages } = await ask({ do: "editor", message: { jsonrpc: "2.0", ...message } });
  return messages;
}

async function take(uri, text) {
  const [published] = await editor({ method: "textDocument/didOpen", params: { textDocument: { uri, text } } });
  return published?.params?.diagnostics || [];
}

/** Returns the text of what the language server writes as Markdown: blocks, and lines with escaped signs. */
function plain(markdown) {
  let isBlock = false;
  const lines = markdown.split("\n").map((line) => {
    if (/^`{3,}/.test(line)) isBlock = !isBlock;
    else return isBlock ? line : line.replace(/\\([\p{P}\p{S}])/gu, "$1");
    return null;
  });
  return lines.filter((line) => line !== null).join("\n");
}

/** Returns what the language server says of a place in a text that it has, or an empty text. */
async function saidOf(uri, position) {
  const [hover] = await editor({ id: 2, method: "textDocument/hover", params: { textDocument: { uri }, position } });
  return plain(hover?.result?.contents?.value || "");
}

/** The texts that are told in words so far: one at a time, as a text takes the place of the one before at its address. */
let told = Promise.resolve();

/** Returns what `farlead explain` says of each spec of a text. */
function inWords(uri, text) {
  const words = told.then(() => wordsOf(uri, text));
  told = words.catch(() => {});
  return words;
}

async function wordsOf(uri, text) {
  await take(uri, text);
  const [listed] = await editor({ id: 1, method: "textDocument/documentSymbol", params: { textDocument: { uri } } });
  const said = [];
  for (const symbol of listed?.result || []) {
    const position = (symbol.range || symbol.location.range).start;
    said.push(await saidOf(uri, position));
  }
  return said.filter(Boolean).join("\n\n");
}

function showFiles(names) {
  files = names;
  const chosen = opened.file;
  at("file").replaceChildren(make("option", { value: "", textContent: names.length ? "Choose a file" : "No spec files yet" }), ...names.map((name) => make("option", { value: name, textContent: name })));
  at("file").value = names.includes(chosen) ? chosen : "";
}

/** Asks a question; the promise has the answer, or null if there is none. */
function question(title, text, answers) {
  at("question-title").textContent = title;
  at("question-text").textContent = text;
  return new Promise((done) => {
    const buttons = answers.map((answer, number) => make("button", { class: number ? "" : "first", onclick: () => at("question").close(answer) }, answer));
    at("question-answers").replaceChildren(...buttons);
    at("question").returnValue = "";
    at("question").addEventListener("close", () => done(at("question").returnValue || null), { once: true });
    at("question").showModal();
    buttons[0].focus();
  });
}

/** Returns true if the editor may leave its text for another, as that is saved or the user gives it up. */
async function mayLeave(next) {
  if (!edited()) return true;
  const what = opened.file ? `Changes of ${opened.file} are not saved.` : "What is in the editor is not saved.";
  const [save, lose, stay] = ["Save them", "Give them up", "Stay here"];
  const answer = await question("The editor has changes", `${what} Next would be ${next}.`, [save, lose, stay]);
  return answer === lose || (answer === save && Boolean(await saveText()));
}

/** Opens a file in the editor; returns true if it is there now. */
async function openFile(file) {
  const may = await mayLeave(file);
  at("file").value = opened.file;
  return may && showFile(file);
}

/** Puts a file into the editor, whatever is there. */
async function showFile(file) {
  const read = await request({ do: "open", file });
  if (!read) return false;
  Object.assign(opened, { file, text: read.text, disk: read.text });
  at("text").value = read.text;
  at("file").value = file;
  at("disk").hidden = true;
  edit();
  return true;
}

function fileChanged({ file, text }) {
  if (file !== opened.file || text === opened.disk) return;
  opened.disk = text;
  if (text === null) at("disk").replaceChildren(`${file} is gone from disk; Save writes it again.`);
  else if (!edited()) {
    showFile(file);
    return;
  } else {
    const theirs = make("button", { onclick: () => showFile(file) }, "Take that, and lose mine");
    at("disk").replaceChildren(`${file} has changed on disk. `, theirs, " ", make("button", { onclick: () => saveText(true) }, "Keep mine, and write it over that"));
  }
  at("disk").hidden = false;
  edit();
}

/** Shows which buttons can do something now. */
function showButtons() {
  for (const id of ["explore", "keep", "replay", "walk", "check"]) at(id).disabled = job.runs;
  for (const id of ["replay", "walk"]) at(id).disabled ||= !isTest();
  at("check").disabled ||= !opened.file;
  at("save").disabled = isTheirs() || !(edited() || (opened.file && opened.disk === null));
}

let timer = 0;
function edit() {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    showButtons();
    at("watch-part").hidden = !opened.file || isTest();
    at("watch-file").textContent = opened.file;
    const text = at("text").value;
    if (!text) {
      at("mistakes").replaceChildren();
      mark([]);
      at("words").textContent = "";
      return;
    }
    try {
      const own = uri("file", opened.file);
      const mistakes = await take(own, text);
      mark(mistakes);
      at("mistakes").replaceChildren(
        ...mistakes.map((one) => {
          const go = () => {
            at("text").focus();
            at("text").setSelectionRange(offsetOf(text, one.range.start), offsetOf(text, one.range.start));
          };
          return make("li", {}, make("button", { class: one.severity === 1 ? "bad" : "", onclick: go }, `line ${one.range.start.line + 1}`), make("span", {}, one.message));
        }),
      );
      at("words").textContent = await inWords(own, text);
      judge();
    } catch (error) {
      say(error.message, true);
    }
  }, 250);
}

/** Returns the place of a line and character in a text. */
function offsetOf(text, { line, character }) {
  let start = 0;
  for (let number = 0; number < line; number += 1) start = text.indexOf("\n", start) + 1;
  return start + character;
}

/** Underlines the mistakes below the text of the editor, which shows no marks itself. */
function mark(mistakes) {
  const text = at("text").value;
  const spans = mistakes.map(({ range, severity }) => ({ from: offsetOf(text, range.start), to: offsetOf(text, range.end), severity }));
  const parts = [];
  let done = 0;
  for (const { from, to, severity } of spans.sort((one, other) => one.from - other.from)) {
    if (from < done) continue;
    // A mistake between two letters is shown at the next one, and one at the end of a line behind it.
    const end = Math.max(to, from + 1);
    const part = text.slice(from, end);
    const marked = part.trimEnd() || part.split("\n")[0];
    parts.push(text.slice(done, from), make("mark", { class: severity === 1 ? "is-mistake" : "" }, marked || " "));
    done = from + marked.length;
  }
  at("marked").replaceChildren(...parts, text.slice(done), "\n");
  scrollMarks();
}

function scrollMarks() {
  at("marked").style.transform = `translate(${-at("text").scrollLeft}px, ${-at("text").scrollTop}px)`;
}

async function judge() {
  at("judged").replaceChildren();
  const text = at("text").value;
  if (!text || !view?.steps.length || isTest()) return;
  try {
    const { specs } = await ask({ do: "judge", text, file: opened.file });
    at("judged").replaceChildren(
      ...specs.flatMap((spec) => [
        make("h3", {}, `${spec.expectation} ${spec.name}: ${spec.at === null ? "not at any step" : `at step ${spec.at}`}`),
        make(
          "table",
          {},
          make("tr", {}, make("th", {}, "step"), make("th", {}, "holds"), make("th", {}, "is left")),
          ...spec.steps.map((step, number) => make("tr", {}, make("td", {}, String(number)), make("td", {}, step.labels.join(" ")), make("td", {}, step.left))),
        ),
      ]),
    );
  } catch (error) {
    at("judged").textContent = error.message;
  }
}

/** Values of keys on the screens that were shown, for completion. */
const seen = { text: new Set(), desc: new Set(), id: new Set(), class: new Set(), activity: new Set() };

function remember() {
  for (const step of view.steps) seen.activity.add(step.activity);
  for (const { atom } of view.screen?.atoms || []) {
    const found = /^\[(text|desc|id|class) = (.*?)(, [a-z]+ = [a-z]+)*\]$/.exec(atom);
    if (found && seen[found[1]].size < 500) seen[found[1]].add(found[2]);
  }
  for (const widget of view.screen?.widgets || []) if (seen.class.size < 500) seen.class.add(widget.class);
}

const choices = { all: [], at: 0 };

async function complete() {
  const before = at("text").value.slice(0, at("text").selectionStart);
  const lines = before.split("\n");
  const value = /[[,]\s*(text|desc|id|class|activity)\s*(?:=|!=|~)\s*([^,\]]*)$/.exec(lines[lines.length - 1]);
  if (value && seen[value[1]].size) {
    const all = [...seen[value[1]]].filter((one) => one.toLowerCase().includes(value[2].toLowerCase()));
    Object.assign(choices, { all: all.slice(0, 60).map((label) => ({ label })), part: value[2].length, at: 0 });
    return showChoices();
  }
  const own = uri("file", opened.file);
  await take(own, at("text").value);
  const position = { line: lines.length - 1, character: lines[lines.length - 1].length };
  const [answer] = await editor({ id: 3, method: "textDocument/completion", params: { textDocument: { uri: own }, position } });
  const found = answer?.result?.items || answer?.result || [];
  const part = /[\p{L}\p{N}_]*$/u.exec(before)[0];
  choices.all = found.filter((one) => one.label.toLowerCase().includes(part.toLowerCase())).slice(0, 60);
  choices.part = part.length;
  choices.at = 0;
  showChoices();
}

function showChoices() {
  at("choices").hidden = !choices.all.length;
  at("choices").replaceChildren(
    ...choices.all.map((one, number) => {
      const row = make("li", { role: "option", onclick: () => choose(number) }, one.label);
      row.setAttribute("aria-selected", String(number === choices.at));
      return row;
    }),
  );
  at("choices").children[choices.at]?.scrollIntoView({ block: "nearest" });
}

function choose(number) {
  const one = choices.all[number];
  const end = at("text").selectionStart;
  at("text").setRangeText(one.insertText || one.label, end - choices.part, end, "end");
  closeChoices();
  at("text").focus();
  edit();
}

function closeChoices() {
  choices.all = [];
  at("choices").hidden = true;
}

at("text").addEventListener("keydown", (event) => {
  if (event.key === " " && event.ctrlKey) {
    event.preventDefault();
    complete().catch((error) => say(error.message, true));
  } else if (choices.all.length) {
    const keys = { ArrowDown: 1, ArrowUp: -1 };
    if (keys[event.key]) {
      choices.at = (choices.at + keys[event.key] + choices.all.length) % choices.all.length;
      showChoices();
    } else if (event.key === "Enter" || event.key === "Tab") choose(choices.at);
    else if (event.key === "Escape") closeChoices();
    // What is typed makes the list shorter.
    else if (event.key.length === 1 || event.key === "Backspace") return;
    else return closeChoices();
    event.preventDefault();
  }
});
at("text").addEventListener("input", () => {
  if (choices.all.length) complete().catch((error) => say(error.message, true));
  mark([]);
  edit();
});
at("text").addEventListener("scroll", scrollMarks);

/** Time that the mouse rests on the text before words are shown, in milliseconds. */
const HOVER = 250;
let hovering = 0;

function closeHover() {
  clearTimeout(hovering);
  at("hover").hidden = true;
}

/** Shows in words what is below the mouse, as other editors do. */
async function hover({ offsetX, offsetY, clientX, clientY }) {
  const [text, style] = [at("text"), getComputedStyle(at("text"))];
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  const line = Math.floor((offsetY + text.scrollTop - parseFloat(style.paddingTop)) / parseFloat(style.lineHeight));
  const character = Math.floor((offsetX + text.scrollLeft - parseFloat(style.paddingLeft)) / pen.measureText("m").width);
  if (character >= (text.value.split("\n")[line] || "").length) return;
  const own = uri("file", opened.file);
  await take(own, text.value);
  const said = await saidOf(own, { line, character });
  at("hover").hidden = !said;
  at("hover").textContent = said;
  Object.assign(at("hover").style, { left: `${Math.min(clientX, innerWidth - at("hover").offsetWidth - 8)}px`, top: `${clientY + 14}px` });
}

at("text").addEventListener("mousemove", (event) => {
  closeHover();
  hovering = setTimeout(() => hover(event).catch(closeHover), HOVER);
});
for (const type of ["mouseleave", "keydown", "scroll"]) at("text").addEventListener(type, closeHover);

/** Saves the text of the editor; one without a file is saved under the name of the run. What somebody else has written meanwhile
 * is lost only if the user wants it `over` that. */
async function saveText(over = false) {
  const text = at("text").value;
  const file = opened.file || draftFile();
  if (isTheirs() && !over) {
    at("disk").scrollIntoView({ block: "center" });
    at("disk").querySelector("button").focus();
    tell(`${file} has changed on disk. Which of the two stays?`);
    return null;
  }
  const saved = await request({ do: "save", file, text, was: opened.disk });
  if (saved) {
    Object.assign(opened, { file, text, disk: text });
    at("disk").hidden = true;
    at("file").value = file;
    edit();
  }
  return saved;
}

// Commands.

const job = { runs: false, rests: false, log: [], episodes: [], shown: 0, counts: [], maps: 0, timer: 0, number: 0, confirms: null };
/** Most episodes that are kept, and that are shown until somebody wants more; most points of a curve. */
const EPISODES_KEPT = 400;
const EPISODES_SHOWN = 20;
const POINTS_MAX = 600;

function showJob(command) {
  job.runs = Boolean(command);
  at("stop").hidden = !job.runs;
  at("pause").hidden = !job.runs;
  showButtons();
  if (command) at("command").textContent = command;
}

function showPause(rests) {
  job.rests = rests;
  at("pause").textContent = rests ? "Go on" : "Pause";
  if (job.runs) at("progress").textContent = rests ? "It rests." : "It runs.";
}

/** Shows what the last command has said and found, to a page that has joined later. */
function showLast({ job: command, last, news }) {
  if (!last) {
    showJob(null);
    return;
  }
  beginJob(last.command);
  last.lines.forEach(showLines);
  news.forEach(takeNews);
  showPause(last.rests);
  if (!command && last.ended) endJob({ ...last.ended, lost: null });
}

function beginJob(command) {
  Object.assign(job, { rests: false, log: [], episodes: [], shown: EPISODES_SHOWN, counts: [], maps: 0, timer: 0, number: job.number + 1, confirms: null });
  for (const id of ["episodes-part", "curve", "map", "report"]) at(id).hidden = true;
  at("results").replaceChildren();
  for (const id of ["log", "counts"]) at(id).textContent = "";
  showJob(command);
  showPause(false);
}

/** Starts a command, and brings to sight what it will say. */
async function start(message) {
  const started = await request(message);
  if (started) at("work").scrollIntoView({ block: "nearest" });
  return started;
}

function showLines({ stream, text }) {
  for (const line of text.split("\n")) {
    if (stream === "out" && line.startsWith("{")) {
      try {
        showResult(JSON.parse(line));
        continue;
      } catch (error) {
        // A line that was cut is shown as it is.
      }
    }
    job.log.push(line);
  }
  job.log.splice(0, Math.max(0, job.log.length - 400));
  at("log").textContent = job.log.join("\n");
  at("log").scrollTop = at("log").scrollHeight;
}

/** Returns the address of a picture of the command; those of another command have the same numbers. */
const ofJob = (path, number) => `${path}?token=${encodeURIComponent(token)}&command=${job.number}.${number}`;

/** Takes news of the command: an episode, counts, or a new map. */
function takeNews(news) {
  if (news.news === "episode") {
    job.episodes.push(news);
    // Those that have come nearest stay, and the latest.
    if (job.episodes.length > EPISODES_KEPT) job.episodes = [...nearest(job.episodes.slice(0, -1)).slice(0, EPISODES_KEPT / 2), job.episodes[job.episodes.length - 1]];
  } else if (news.news === "counts") {
    job.counts.push(news);
    // A curve needs no more points; every other one of the older will do.
    if (job.counts.length > POINTS_MAX) job.counts = job.counts.filter((_, number) => number % 2 === 0 || number > POINTS_MAX / 2);
  } else if (news.news === "map") job.maps += 1;
  job.timer ||= setTimeout(showNews, 200);
}

/** Returns how little an episode has left of the formula at its best step, counted in atoms. */
const atomsLeft = (episode) => Math.min(...episode.run.steps.map((step) => (step.left === "true" ? -1 : step.left.split("[").length)));

/** Returns episodes by how near they came, the latest first among equals; those of exploring have no aim. */
const nearest = (episodes) => [...episodes].sort((one, other) => (one.spec === null ? 0 : atomsLeft(one) - atomsLeft(other)) || other.episode - one.episode);

function showNews() {
  job.timer = 0;
  showCounts();
  at("map").hidden = !job.maps;
  const map = ofJob("/map.svg", job.maps);
  if (job.maps && at("map").open && at("map-picture").getAttribute("src") !== map) at("map-picture").src = map;
  showEpisodes();
}

function showCounts() {
  const last = job.counts[job.counts.length - 1];
  if (!last) return;
  const explored = last.explored;
  at("counts").textContent = explored
    ? `episode ${last.episode}, ${explored.steps} steps: ${explored.activities} activities, ${explored.screens} screens, ${explored.transitions} transitions, ${explored.crashes} crashes`
    : `${last.spec}: episode ${last.episode}, ${last.steps} steps${last.closest === null ? "" : `, at best ${last.closest} to go`}`;
  const points = job.counts.filter((one) => one.spec === last.spec);
  const lines = explored ? ["screens", "transitions"].map((name) => [name, points.map((one) => [one.explored.steps, one.explored[name]])]) : [["steps to go, at best", points.filter((one) => one.closest !== null).map((one) => [one.steps, one.closest])]];
  const curves = lines.filter(([, line]) => line.length > 1);
  at("curve").hidden = !curves.length;
  drawCurve(curves);
}

/** Draws lines, each a name and its points. */
function drawCurve(lines) {
  const [width, height] = [600, 120];
  const all = lines.flatMap(([, line]) => line);
  const most = (part) => Math.max(1, ...all.map((point) => point[part]));
  const [mostX, mostY] = [most(0), most(1)];
  at("curve-lines").replaceChildren(
    ...lines.map(([, line], number) => {
      const drawn = document.createElementNS(SVG, "polyline");
      drawn.setAttribute("points", line.map(([x, y]) => `${((x / mostX) * width).toFixed(1)},${(height - (y / mostY) * (height - 4) - 2).toFixed(1)}`).join(" "));
      drawn.setAttribute("class", `line-${number}`);
      return drawn;
    }),
  );
  at("curve-names").replaceChildren(...lines.map(([name, line], number) => make("span", { class: `line-${number}` }, `${name}: ${line[line.length - 1][1]}`)));
}

/** Returns an action with the short name of the activity that it starts. */
const short = (action) => action.replace(/^reinitialise (?:.*\.)?/, "start ");

function showEpisodes() {
  at("episodes-part").hidden = !job.episodes.length;
  at("episodes-title").textContent = job.episodes.some((one) => one.spec !== null) ? "Episodes, nearest first" : "Episodes, latest first";
  at("more-episodes").hidden = job.episodes.length <= job.shown;
  if (!at("episodes-part").open) return;
  const name = (episode) => `${episode.spec === null ? "" : `${episode.spec}, `}episode ${episode.episode}`;
  const open = new Set([...document.querySelectorAll("#episodes details[open]")].map((one) => one.dataset.name));
  const shownStep = (step) => make("li", { title: [step.why, step.labels.length ? `holds: ${step.labels.join(" ")}` : ""].filter(Boolean).join("\n") }, step.screen === null ? null : make("img", { src: ofJob(`/screen/${step.screen}`, 0), alt: "", loading: "lazy" }), make("b", {}, short(step.action)), step.labels.length ? make("span", {}, step.labels.join(" ")) : null);
  at("episodes").replaceChildren(
    ...nearest(job.episodes)
      .slice(0, job.shown)
      .map((episode) => {
        const { steps, left_out: leftOut } = episode.run;
        const last = steps[steps.length - 1];
        const reasons = make("details", { open: open.has(name(episode)) }, make("summary", {}, "Reasons"), make("ol", {}, ...steps.map((step, number) => make("li", {}, make("b", {}, `${leftOut + number}. ${short(step.action)}`), step.why ? make("div", {}, step.why) : null, make("div", { class: "hint" }, `leaves ${step.left}`)))));
        reasons.dataset.name = name(episode);
        const state = episode.spec === null ? "" : last?.left === "true" ? "all is reached" : `leaves ${last?.left}`;
        return make("li", {}, make("b", {}, name(episode)), make("span", { class: "hint" }, ` ${state}`), make("ol", { class: "pictures", tabIndex: 0 }, ...steps.map(shownStep)), reasons);
      }),
  );
}

/** Returns what a replay says of a step that was not as expected. */
function replayed({ rate, verdict, step, expected, actual, nearest: near }) {
  const lines = [`${verdict}, ${rate.passes} of ${rate.runs} times`];
  if (step !== null) lines.push(`step ${step}: expected ${expected}; there is ${actual}`);
  if (near) lines.push(`the nearest widget is ${near}`);
  return lines;
}

function showExplored(event) {
  const all = event.activities.length + event.unseen.length;
  const lines = [
    `${event.activities.length} of ${all} activities, ${event.screens} screens, ${event.transitions} transitions`,
    `${event.done} actions done, ${event.never_done_count} never done; ${event.why}`,
  ];
  at("results").append(make("li", {}, make("span", { class: "badge" }, "explored"), make("span", {}, ...lines.map((line) => make("div", {}, line)))));
}

function showResult(event) {
  if (event.event === "explored") showExplored(event);
  if (event.event !== "result") return;
  const isGood = event.outcome === "passed";
  const what = event.spec || event.test || event.file || "";
  const confirmed = event.confirmed && !event.replay ? `reproduced ${event.confirmed.passes} of ${event.confirmed.runs} times` : "";
  const shrunk = event.found > event.length ? `shrunk from ${event.found} steps to ${event.length}` : "";
  const lines = [what, event.why, shrunk, confirmed, ...(event.replay ? replayed(event.replay) : []), ...(event.advice || [])].filter(Boolean);
  const test = event.test && event.test !== what ? make("button", { onclick: () => openFile(event.test) }, "Open the test") : null;
  const walked = event.replay?.step != null && event.test && files.includes(event.test) ? make("button", { onclick: () => walk(event.test) }, "Step by step") : null;
  at("results").append(make("li", {}, make("span", { class: `badge ${isGood ? "good" : "bad"}` }, event.outcome.replaceAll("_", " ")), make("span", {}, ...lines.map((line) => make("div", {}, line)), test, walked)));
}

/** Says whether the run of a mended test came again. */
function showConfirmed(code) {
  const rate = job.log.find((line) => line.startsWith("  reproduced ")) || "";
  const badge = make("span", { class: `badge ${code === 0 ? "good" : "bad"}` }, code === 0 ? "confirmed" : "not confirmed");
  at("results").append(make("li", {}, badge, make("span", {}, make("div", {}, job.confirms), make("div", {}, rate.trim()))));
  if (code !== 0) say(`${job.confirms} has the run that you led, and it is not confirmed: see "What the command says". Mend the test once more, or replay it.`, true);
}

/** Meanings of the exit codes of commands. */
const ENDS = {
  0: "all passed",
  1: "not all passed",
  2: "the command could not be understood",
  3: "a file is missing, or has mistakes",
  4: "there is no device for it",
  5: "a run was not the same again",
  6: "the app crashed",
  70: "farlead has a fault",
  130: "it was stopped; what it had found is kept",
};

function endJob({ code, report, lost }) {
  if (job.confirms) showConfirmed(code);
  at("progress").textContent = code === null ? "It ended before it began to work." : `It ended: ${ENDS[code] || "it failed"}${code ? ` (exit code ${code})` : ""}.`;
  at("report").hidden = !report;
  at("report").firstElementChild.href = `/report.html?token=${encodeURIComponent(token)}`;
  showJob(null);
  if (lost) say(lost, true);
}

at("episodes-part").addEventListener("toggle", showEpisodes);
at("more-episodes").addEventListener("click", () => {
  job.shown += EPISODES_SHOWN;
  showEpisodes();
});
at("map").addEventListener("toggle", showNews);

// Devices.

/** Pause between two pictures of each phone that is looked on, in milliseconds. */
const GLANCE = 2000;
const glances = { number: 0, timer: 0 };

async function showDevices() {
  if (!at("devices-part").open) return;
  // What was said of the device before stays.
  const found = await ask({ do: "devices" }).catch((error) => say(error.message, true));
  if (!found) return;
  const shared = () => [...document.querySelectorAll("#devices input[type=checkbox]:checked")].map((one) => one.value);
  // Rows stay as long as their devices are as they were, so that the focus stays on what was clicked.
  renew(at("devices"), found.devices.map(({ is_driven, is_shared, ...device }) => [JSON.stringify(device), () => {
    const drive = make("input", { type: "radio", name: "driven", value: device.name, disabled: !device.is_ready, onchange: async () => (await request({ do: "drive", device: device.name }), showDevices()) });
    const share = make("input", { type: "checkbox", value: device.name, disabled: !device.is_ready, onchange: async () => (await request({ do: "share", devices: shared() }), showDevices()) });
    const picture = device.has_picture ? make("img", { alt: `Screen of ${device.name}` }) : null;
    if (picture) picture.dataset.device = device.name;
    return make("li", {}, picture, make("b", {}, device.name), make("div", { class: "hint" }, [device.model, device.state].filter(Boolean).join(", ")), make("label", {}, drive, "I drive it"), make("label", {}, share, "commands use it"));
  }]));
  found.devices.forEach((device, number) => {
    const row = at("devices").children[number];
    row.classList.toggle("is-driven", device.is_driven);
    [row.querySelector("[type=radio]").checked, row.querySelector("[type=checkbox]").checked] = [device.is_driven, device.is_shared];
  });
  glance();
}

/** Shows the screens of the phones as they are, again and again while the list is open. */
function glance() {
  clearTimeout(glances.timer);
  if (!at("devices-part").open) return;
  glances.number += 1;
  for (const picture of document.querySelectorAll("#devices img")) {
    // A phone that has not answered is not asked again meanwhile.
    if (picture.src && !picture.complete) continue;
    picture.src = `/device/${encodeURIComponent(picture.dataset.device)}?token=${encodeURIComponent(token)}&number=${glances.number}`;
  }
  glances.timer = setTimeout(glance, GLANCE);
}

at("devices-part").addEventListener("toggle", showDevices);
at("devices-again").addEventListener("click", showDevices);

// The tree and the run are one stop of the Tab key each: arrows go through them.

for (const [id, next, before] of [["tree", "ArrowDown", "ArrowUp"], ["strip", "ArrowRight", "ArrowLeft"]]) {
  at(id).addEventListener("focusin", ({ target }) => stopAt(id, target));
  at(id).addEventListener("keydown", (event) => {
    const item = event.target.closest("li");
    const goes = { [next]: () => item.nextElementSibling, [before]: () => item.previousElementSibling, Home: () => at(id).firstElementChild, End: () => at(id).lastElementChild };
    if (!goes[event.key]) return;
    event.preventDefault();
    goes[event.key]()?.querySelector("button").focus();
  });
}

// Buttons.

async function walk(file) {
  if (await request({ do: "walk-through", file })) at("test").scrollIntoView({ block: "nearest" });
}

at("start").addEventListener("click", () => request(at("activities").hidden ? { do: "start" } : { do: "start", activity: at("activity").value }));
at("look").addEventListener("click", () => request({ do: "look" }));
at("step-close").addEventListener("click", () => at("step").close());
at("follow").addEventListener("click", async () => {
  const on = at("follow").getAttribute("aria-pressed") !== "true";
  if (await request({ do: "follow", on })) say(on ? "Touch the app on the device: each touch becomes a step." : "");
});
at("menu-close").addEventListener("click", () => at("menu").close());
at("own").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (await expectAtom(at("own-atom").value, {})) at("own-atom").value = "";
});
at("drawn-part").addEventListener("toggle", () => at("drawn-part").open && drawDraft().catch((error) => say(error.message, true)));
at("forms-part").addEventListener("toggle", () => at("forms-part").open && showForms().catch((error) => say(error.message, true)));
at("name").addEventListener("input", () => (naming = request({ do: "name", name: at("name").value })));
for (const one of document.querySelectorAll("input[name=form]")) one.addEventListener("change", draft);
at("save-draft").addEventListener("click", saveDraft);
at("keep").addEventListener("click", async () => {
  const file = await saveDraft();
  if (file) await start({ do: "check", file });
});
at("file").addEventListener("change", () => at("file").value && openFile(at("file").value));
at("save").addEventListener("click", () => saveText());
at("check").addEventListener("click", async () => {
  if (!edited() || (await saveText())) start({ do: "check", file: opened.file });
});
at("replay").addEventListener("click", () => start({ do: "replay", file: opened.file }));
at("walk").addEventListener("click", () => walk(opened.file));
at("next").addEventListener("click", () => request({ do: "next-of-test" }));
at("all-steps").addEventListener("click", allSteps);
at("leave-out").addEventListener("click", () => request({ do: "leave-out" }));
at("leave-test").addEventListener("click", () => request({ do: "leave-test" }));
at("mend").addEventListener("click", mend);
at("explore").addEventListener("click", () => start({ do: "explore", files: at("watch").checked && opened.file && !isTest() ? [opened.file] : [], budget: Number(at("budget").value) || 1000 }));
at("stop").addEventListener("click", () => request({ do: "stop" }));
at("pause").addEventListener("click", () => request({ do: "pause", rests: !job.rests }));
at("status").addEventListener("click", () => say(""));

connect();
