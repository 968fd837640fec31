// A page in jsdom as a device of farlead: no browser, no waiting, and a second DOM for the scripts that look at pages.
//
//   npm install --prefix FOLDER jsdom@22.1.0
//   export FARLEAD_TEST_NPM=FOLDER
//   farlead explore tests/pages/todos.ltl --device "exec:node benches/pages/device.js tests/pages/todos.html?fault=9"
//
// The page runs on a virtual clock (clock.js) with a layout made up for it (layout.js). What looks at it are the scripts in
// `src/device/webdriver`, and gestures send the events of Chromium (gestures.js).
//
// It leaves out: frames, windows that a page opens, forms that are sent to a server, requests that more than a file of the
// folder answers, drags, animations of style sheets, media queries but widths, and actions that a spec declares.
'use strict';

const { readSync, writeSync } = require('node:fs');
const { Browser } = require('./browser.js');
const { load_engine } = require('./engine.js');
const { choose } = require('./gestures.js');
const { screen_of, dialog_of, paths_of, OUTSIDE, DIALOG_OK, DIALOG_CANCEL, DIALOG_FIELD } = require('./screen.js');

const ACTIONS = ['back', 'forward', 'reload', 'resize', 'enter', 'escape'];
const IDLE_MS = 1000;
const BYTES_READ = 65536;

// Lines of the standard input, which are waited for: a page that asks a question stands still until it is answered.
class Lines {
  constructor() {
    this.rest = Buffer.alloc(0);
  }

  // Returns the next line; none at the end.
  next() {
    const chunk = Buffer.alloc(BYTES_READ);
    for (;;) {
      const end = this.rest.indexOf('\n');
      if (end >= 0) {
        const line = this.rest.subarray(0, end).toString();
        this.rest = this.rest.subarray(end + 1);
        return line;
      }
      const length = readSync(0, chunk, 0, BYTES_READ);
      if (!length) return null;
      this.rest = Buffer.concat([this.rest, chunk.subarray(0, length)]);
    }
  }
}

const answer = said => {
  const bytes = Buffer.from(`${JSON.stringify(said)}\n`);
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
};

class Device {
  constructor(engine, place) {
    this.lines = new Lines();
    this.browser = new Browser(engine, place, (kind, message, text) => this.ask(kind, message, text));
    // The latest look, its screen, and the paths of its widgets.
    Object.assign(this, { seen: null, screen: null, paths: [] });
    // Request that ended a dialog, and is still to be done.
    this.kept = null;
  }

  async run() {
    for (;;) {
      const line = this.kept ?? this.lines.next();
      this.kept = null;
      if (line === null) return;
      if (!line.trim()) continue;
      const said = await this.serve(line).catch(error => ({ error: String(error?.message ?? error) }));
      if (this.kept === null) answer(said);
    }
  }

  async serve(line) {
    const request = read_request(line);
    if ('reset' in request) {
      await this.browser.reset(request.reset ?? this.browser.start);
      const first = request.reset === null ? { launchable: [this.browser.start], actions: ACTIONS } : {};
      return { ...await this.look(), ...first };
    }
    if (!this.screen) throw new Error('an action comes after a reset');
    await this.act(request.act);
    return this.look();
  }

  async look() {
    this.seen = await this.browser.look();
    this.screen = screen_of(this.seen);
    this.paths = paths_of(this.screen.widgets);
    return { screen: this.screen, fields: this.seen.fields, at: this.browser.now() - this.browser.began };
  }

  async act({ type, on, text, towards }) {
    const { browser } = this;
    const does = {
      click: () => this.touch(on, 1),
      doubleclick: () => this.touch(on, 2),
      longclick: () => this.touch(on, 1),
      hover: () => this.touch(on, 0),
      text: () => this.type(on, text),
      scroll: () => this.scroll(on, towards),
      swipe: () => this.swipe(on, towards),
      back: () => browser.travel(-1),
      forward: () => browser.travel(1),
      reload: () => browser.reload(),
      resize: () => browser.resize(),
      enter: () => browser.keyboard.enter(),
      escape: () => browser.keyboard.escape(),
      idle: () => browser.page.wait(IDLE_MS),
    };
    if (!Object.hasOwn(does, type)) throw new Error(`there is no action \`${type}\` here`);
    await does[type]();
  }

  // Returns the place of a widget in the latest look.
  find(on) {
    const at = this.paths.indexOf(on?.objectID);
    if (at < 0) throw new Error(`there is no widget ${on?.objectID}`);
    return at;
  }

  // Brings a widget into view, and the mouse to where it has to be before; returns the bounds of the widget.
  reach(at) {
    const [, , , , , , , bounds, bits, over] = this.seen.widgets[at];
    const [x, y] = middle(bounds);
    const [width, height] = this.seen.size;
    const is_inside = x >= 0 && y >= 0 && x < width && y < height;
    if (is_inside && !(bits & OUTSIDE) && over < 0) return bounds;
    const { mouse, page } = this.browser;
    if (over >= 0) mouse.move(...middle(page.run('bring', over)));
    return page.run('bring', at);
  }

  touch(on, times) {
    const at = this.find(on), { mouse, page } = this.browser;
    if (times === 1 && this.seen.widgets[at][1] === 'option') return choose(page, page.run('choose', at));
    mouse.move(...middle(this.reach(at)));
    if (times) mouse.press(times);
  }

  type(on, text) {
    const at = this.find(on), { mouse, keyboard, page } = this.browser;
    mouse.move(...middle(this.reach(at)));
    mouse.press(1);
    if (/^input (date|time|datetime-local|month|week)( |$)/.test(this.screen.widgets[at].class)) page.run('set', at, text);
    else keyboard.replace(text);
  }

  scroll(on, towards) {
    const at = this.find(on);
    const [left, top, right, bottom] = this.screen.widgets[at].bounds;
    const [width, height] = this.seen.size;
    const view = [Math.max(0, left), Math.max(0, top), Math.min(width, right), Math.min(height, bottom)];
    const part = length => Math.floor(length * 4 / 5) * (towards === 'down' || towards === 'right' ? 1 : -1);
    if (towards === 'up' || towards === 'down') this.browser.mouse.wheel(...middle(view), part(view[3] - view[1]));
    else this.browser.page.node(at).scrollBy(part(view[2] - view[0]), 0);
  }

  swipe(on, towards) {
    const { mouse } = this.browser;
    const [left, top, right, bottom] = this.reach(this.find(on));
    const [x, y] = middle([left, top, right, bottom]);
    const sign = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[towards];
    mouse.move(x, y);
    mouse.down();
    mouse.move(x + sign[0] * Math.floor((right - left) * 2 / 5), y + sign[1] * Math.floor((bottom - top) * 2 / 5));
    mouse.up();
  }

  // Shows a dialog and stands still until it is answered; returns what the page hears.
  ask(kind, message, text) {
    const screen = dialog_of(this.screen ?? this.blank(), this.browser.size, message);
    const ids = Object.fromEntries(paths_of(screen.widgets).map((path, at) => [path, screen.widgets[at].id]));
    const said = { alert: [undefined, undefined], confirm: [true, false], prompt: [text, null] }[kind];
    for (;;) {
      answer({ screen, at: this.browser.now() - (this.browser.began ?? 0) });
      const line = this.lines.next() ?? '{"reset":null}';
      const { reset, act } = read_dialog_request(line);
      if (reset) {
        this.kept = line;
        return said[1];
      }
      const id = ids[act?.on?.objectID];
      if (act?.type === 'text' && id === DIALOG_FIELD && kind === 'prompt') said[0] = String(act.text);
      if (act?.type === 'click' && id === DIALOG_OK) return said[0];
      if (act?.type === 'click' && id === DIALOG_CANCEL) return said[1];
    }
  }

  // Place of a page that asks before it is seen.
  blank() {
    const { origin, pathname, hash } = this.browser.page.window.location;
    return { package: origin, activity: pathname + hash, orientation: 'landscape', network: 'on' };
  }
}

const middle = ([left, top, right, bottom]) => [Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)];

const read_request = line => {
  let request;
  try { request = JSON.parse(line); } catch { throw new Error('a request is one line of JSON'); }
  const is_object = request !== null && typeof request === 'object';
  const is_reset = is_object && (request.reset === null || typeof request.reset === 'string');
  const is_act = typeof request?.act?.type === 'string';
  if (!is_reset && !is_act) throw new Error('a request has `reset` or `act`');
  return request;
};

// A request while a dialog is in front; one that cannot be read ends the dialog, and is answered after it.
const read_dialog_request = line => {
  try {
    const { act } = read_request(line);
    return { reset: !act, act };
  } catch {
    return { reset: true };
  }
};

const main = async () => {
  const place = process.argv[2];
  if (!place) throw new Error('usage: node device.js PAGE.html[?QUERY][#HASH]');
  // Dates are the same on each machine.
  process.env.TZ = 'UTC';
  const device = new Device(load_engine(), place);
  // The page hears of its own promises.
  process.on('unhandledRejection', reason => {
    const { window } = device.browser.page;
    const event = new window.Event('unhandledrejection', { cancelable: true });
    window.dispatchEvent(Object.assign(event, { reason }));
  });
  await device.run();
  process.exit(0);
};

main().catch(error => {
  process.stderr.write(`device.js: ${error.message}\n`);
  process.exit(1);
});
