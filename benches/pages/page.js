// A page in jsdom: its window on a virtual clock, with a layout and a focus as in a browser.
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');
const { Clock } = require('./clock.js');
const { fill_gaps } = require('./gaps.js');
const { Layout } = require('./layout.js');
const { Styles } = require('./style.js');

const PAGE = Symbol('page');
const NOTES = Symbol.for('farlead');
const REST_MS = 3000;
const SEED = 0x9e3779b9;

const sources = join(__dirname, '..', '..', 'src', 'device', 'webdriver');
const source = name => readFileSync(join(sources, name), 'utf8');
const compiled = (name, before = '') => new Script(`(function () { ${before}${source(name)}\n})`, { filename: `node:${name}` });
const ELEMENT = `const { listen, nodes } = window[Symbol.for('farlead')], e = nodes[arguments[0]];\n`;
const SCRIPTS = {
  hook: compiled('hook.js'), look: compiled('look.js'), bring: compiled('bring.js', ELEMENT), set: compiled('set.js', ELEMENT),
  choose: compiled('choose.js', ELEMENT),
};

// Runs in the page: chance is the same each time.
const CHANCE = `(state => {
  Math.random = () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296;
  };
})(${SEED})`;

const is_savable = e => ['INPUT', 'SELECT', 'TEXTAREA'].includes(e.tagName)
  && !/^(password|hidden|file|submit|button|reset|image)$/.test(e.type)
  && e.autocomplete !== 'off';
const turn = () => new Promise(next => { setImmediate(next); });

class Page {
  // `jsdom` has the modules of jsdom, `browser` what outlives the page.
  constructor(jsdom, browser) {
    Object.assign(this, { jsdom, browser, clock: new Clock(), modals: [], before_modal: new WeakMap(), hovered: new Set() });
    Object.assign(this, { edited: new Map(), saved: [], touches: 0, version: -1, submits: 0, next: null });
  }

  // Loads `html`; `saved` are the values of its fields when it was left, and `history` the entries that it had.
  async load({ url, html, saved, history }) {
    const { JSDOM, VirtualConsole } = this.jsdom;
    Object.assign(this, { saved, before: history });
    const dom = new JSDOM(html, {
      url, runScripts: 'dangerously', pretendToBeVisual: true, virtualConsole: new VirtualConsole(),
      cookieJar: this.browser.jar,
      resources: this.jsdom.loader(address => this.read(address)), beforeParse: window => this.prepare(window),
    });
    this.dom = dom;
    if (this.window.document.readyState !== 'complete') {
      await new Promise(done => { this.window.addEventListener('load', done, { once: true }); });
    }
    this.window.dispatchEvent(new this.window.PageTransitionEvent('pageshow'));
    this.saved = [];
    this.window.document.querySelector('[autofocus]')?.focus();
  }

  prepare(window) {
    this.window = window;
    window[PAGE] = this;
    Object.assign(window, { innerWidth: this.browser.size[0], innerHeight: this.browser.size[1] });
    this.styles = new Styles(window, () => this.roots(), this.hovered);
    this.layout = new Layout(window, this.styles, this.modals);
    this.clock.install(window, error => this.jsdom.report(window, error), () => this.render());
    window.eval(CHANCE);
    for (const [name, stored] of Object.entries(this.browser.stored)) {
      for (const [key, value] of stored) window[name].setItem(key, value);
    }
    if (this.before) this.put_history(this.before);
    fill_gaps(window, this);
    window.addEventListener('submit', () => { this.submits += 1; }, true);
    this.run('hook');
    this.put_value = Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value').set;
    this.put_text = Object.getOwnPropertyDescriptor(window.HTMLTextAreaElement.prototype, 'value').set;
  }

  // Runs a script of farlead's in the page.
  run(name, ...parts) {
    return SCRIPTS[name].runInContext(this.jsdom.impl_of(this.window.document)._globalObject).apply(this.window, parts);
  }

  read(address) {
    return this.browser.read(address);
  }

  // Waits until the page rests, and returns what it shows; none if it gives way to another one.
  async look() {
    let answer;
    this.run('look', REST_MS, true, false, true, seen => { answer = seen; });
    for (;;) {
      await turn();
      if (this.next) return null;
      if (answer) return answer;
      this.clock.step();
    }
  }

  async wait(ms) {
    const end = this.clock.now + ms;
    let is_over = false;
    this.clock.add(ms, () => { is_over = true; });
    while (!is_over && this.clock.now <= end && !this.next) {
      await turn();
      this.clock.step();
    }
  }

  node(at) {
    return this.window[NOTES].nodes[at];
  }

  // Forgets styles and bounds, as something has changed that the tree does not tell of.
  touch() {
    this.touches += 1;
  }

  // Does so if the styles depend on what is checked, say.
  touch_states() {
    if (this.styles.is_stateful) this.touch();
  }

  // The document and its shadow trees.
  roots() {
    const inner = this.window[NOTES]?.roots.map(root => root.deref()).filter(Boolean) ?? [];
    return [this.window.document, ...inner];
  }

  // Returns the page with styles and bounds as they are now.
  fresh() {
    const { impl_of } = this.jsdom;
    const version = this.roots().reduce((sum, root) => sum + impl_of(root)._version, this.touches * 1e6);
    if (version !== this.version) {
      this.version = version;
      this.styles.forget();
      this.layout.forget();
    }
    return this;
  }

  // What a browser does for each frame: it moves the focus off what is not seen, scrolls back from what is no more, and tells
  // what is under the mouse.
  render() {
    this.touch_states();
    const active = this.active();
    if (active && (active.matches(':disabled') || !this.fresh().layout.box(active))) this.blur(active);
    for (const [e, { x, y }] of this.layout.scrolls) {
      if (e.isConnected && this.fresh().layout.scroll_to(e, x, y)) this.tell_of_scroll(e);
    }
    this.on_frame?.();
  }

  tell_of_scroll(e) {
    this.window.requestAnimationFrame(() => {
      const { document, Event } = this.window;
      const is_page = e === document.documentElement;
      (is_page ? document : e).dispatchEvent(new Event('scroll', { bubbles: is_page }));
    });
  }

  // The element that has the focus, in the shadow tree that it is in.
  active() {
    let e = this.window.document.activeElement;
    while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e && e !== this.window.document.body && e !== this.window.document.documentElement ? e : null;
  }

  is_rendered(e) {
    return this.window.document.readyState === 'loading' && !e.isConnected || Boolean(this.fresh().layout.box(e));
  }

  // Notes the value that a field has before it is edited.
  edit(field) {
    if (!this.edited.has(field)) this.edited.set(field, field.value);
  }

  // Tells of an edit that has ended.
  commit(field) {
    if (!this.edited.has(field)) return;
    const before = this.edited.get(field);
    this.edited.delete(field);
    if (field.value !== before) this.fire(field, 'change', 'Event', { cancelable: false, composed: false });
  }

  // Takes the focus off an element, whether or not it could have it now.
  blur(e) {
    const { impl_of, focusing } = this.jsdom;
    const target = impl_of(e);
    const tell = (kind, init) => focusing.fireFocusEventWithTargetAdjustment(kind, target, null, init);
    this.commit(e);
    target._ownerDocument._lastFocusedElement = null;
    tell('blur');
    tell('focusout', { bubbles: true });
  }

  // Sends an event as the browser itself does; returns false if its default is prevented.
  fire(target, kind, type, init = {}) {
    const { impl_of } = this.jsdom;
    const event = new this.window[type](kind, { bubbles: true, cancelable: true, composed: true, ...init });
    const sent = impl_of(event);
    sent.isTrusted = true;
    impl_of(target)._dispatch(sent);
    this.touch_states();
    return !event.defaultPrevented;
  }

  // Asks a question that the user answers before the page goes on.
  asks(kind, message = '', text = '') {
    return this.browser.ask(kind, String(message), String(text));
  }

  // Values of the fields, for a page that comes back.
  fields() {
    return [...this.window.document.querySelectorAll('input, select, textarea')].filter(is_savable)
      .map(e => ({ key: `${e.type} ${e.name}`, value: e.value, checked: e.checked }));
  }

  // Gives the fields that are there their values back, each once.
  restore() {
    if (!this.saved.length) return;
    for (const e of [...this.window.document.querySelectorAll('input, select, textarea')].filter(is_savable)) {
      const at = this.saved.findIndex(one => one.key === `${e.type} ${e.name}`);
      if (at < 0) continue;
      const [{ value, checked }] = this.saved.splice(at, 1);
      if (checked === undefined || !/checkbox|radio/.test(e.type)) e.value = value;
      else e.checked = checked;
    }
  }

  // Entries of the history that belong to this page, and the place of the present one.
  history() {
    const { _entries: entries, _currentIndex: at } = this.window._sessionHistory;
    return { entries: entries.map(({ url, stateObject }) => ({ url, state: stateObject })), at };
  }

  put_history({ entries, at }) {
    const own = this.window._sessionHistory, document = this.jsdom.impl_of(this.window.document);
    own._entries = entries.map(({ url, state }) => ({ document, url, stateObject: state }));
    own._currentIndex = at;
    document._latestEntry = own._entries[at];
    document._history._state = entries[at].state;
  }

  close() {
    for (const name of Object.keys(this.browser.stored)) this.browser.stored[name] = Object.entries(this.window[name]);
    this.clock.clear();
    this.dom.window.close();
  }
}

module.exports = { Page, PAGE };
