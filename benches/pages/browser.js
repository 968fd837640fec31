// A browser with one window: its pages come from a folder, and it keeps their history, storage and cookies.
'use strict';

const { readFileSync } = require('node:fs');
const { basename, dirname, join, normalize } = require('node:path');
const { Mouse, Keyboard } = require('./gestures.js');
const { Page } = require('./page.js');

const ORIGIN = 'http://page.test';
const WIDE = [1280, 757], NARROW = [390, 701];
const PAGES_MAX = 20;

class Browser {
  // `place` is the path of a file, with a query and a hash. `ask` answers dialogs.
  constructor(engine, place, ask) {
    const [, path, rest] = /^([^?#]*)(.*)$/s.exec(place);
    Object.assign(this, { engine, ask, folder: dirname(path), start: `/${basename(path)}${rest}` });
    if (!this.read(new URL(this.start, ORIGIN))) throw new Error(`there is no page at ${path}`);
  }

  // Returns the bytes of a file of the folder; none if there is no such file.
  read({ origin, pathname }) {
    if (origin !== ORIGIN) return null;
    try { return readFileSync(join(this.folder, normalize(decodeURIComponent(pathname)))); } catch { return null; }
  }

  // Opens the page at a place of the origin, with nothing stored.
  async reset(place) {
    if (this.page) this.page.close();
    Object.assign(this, { jar: new this.engine.CookieJar(), stored: { localStorage: [], sessionStorage: [] }, size: WIDE });
    Object.assign(this, { pages: [{ url: new URL(place, ORIGIN).href }], at: 0, mouse: new Mouse(this),
      keyboard: new Keyboard(this) });
    this.began = this.page?.clock.now ?? 0;
    await this.show([]);
  }

  // Loads the page at the present place in the history.
  async show(saved) {
    const { url, history } = this.pages[this.at];
    const clock_before = this.page?.clock.now ?? 0;
    const html = this.read(new URL(url))?.toString() ?? '<!doctype html><title>Nothing</title>';
    this.page = new Page(this.engine, this);
    this.page.clock.now = clock_before;
    await this.page.load({ url, html, saved, history });
    this.page.on_frame = () => this.mouse.refresh();
  }

  now() {
    return this.page.clock.now;
  }

  // Notes what a page that is left had, for the way back.
  leave() {
    const history = this.page.history();
    Object.assign(this.pages[this.at], { history, url: this.page.window.location.href, saved: this.page.fields() });
    this.page.close();
    this.mouse.forget();
  }

  // Goes where the page or the user wants to.
  async go({ url, delta, is_reload, is_replaced }) {
    this.leave();
    if (url && !is_reload) {
      this.at += is_replaced ? 0 : 1;
      this.pages.splice(this.at, Infinity, { url });
      return this.show([]);
    }
    // Back from the first page leads to nothing, and forward from there to the page again.
    this.at = Math.min(Math.max(0, this.at + (delta ?? 0)), this.pages.length - 1);
    return this.show(is_reload ? [] : this.pages[this.at].saved ?? []);
  }

  // Waits until a page rests, and returns what it shows.
  async look() {
    for (let left = PAGES_MAX; ; left -= 1) {
      const seen = await this.page.look();
      if (seen) return seen;
      const { next } = this.page;
      this.page.next = null;
      if (left > 0) await this.go(next);
    }
  }

  // Goes back or forward in the history by one.
  async travel(delta) {
    const { _sessionHistory: history } = this.page.window;
    const is_last = delta > 0 && history._currentIndex + 1 >= history.length && this.at + 1 >= this.pages.length;
    if (!is_last) history.traverseByDelta(delta);
  }

  reload() {
    return this.go({ is_reload: true });
  }

  resize() {
    this.size = this.size === WIDE ? NARROW : WIDE;
    const { window } = this.page;
    [window.innerWidth, window.innerHeight] = this.size;
    this.page.touch();
    window.dispatchEvent(new window.Event('resize'));
  }
}

module.exports = { Browser };
