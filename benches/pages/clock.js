// A clock that only moves when it is told to. The timers, frames and dates of a page run on it, so that waiting costs no time
// and a run is the same each time.
'use strict';

const STARTED = Date.UTC(2026, 5, 1, 9);
const FRAME_MS = 16;
const NESTED_MS = 4, NESTED_MAX = 5;

// Runs in the page: its dates are of its own realm.
const DATE = `(now => {
  const Real = Date;
  function Virtual(...parts) {
    return new.target ? Reflect.construct(Real, parts.length ? parts : [now()], new.target) : String(new Real(now()));
  }
  Object.setPrototypeOf(Virtual, Real);
  Virtual.prototype = Real.prototype;
  Object.defineProperty(Real.prototype, 'constructor', { value: Virtual, writable: true, configurable: true });
  Virtual.now = now;
  Date = Virtual;
})`;

class Clock {
  constructor() {
    this.now = 0;
    this.made = 0;
    this.depth = 0;
    this.timers = new Map();
  }

  add(wait, run) {
    const id = this.made += 1;
    this.timers.set(id, { at: this.now + wait, id, run });
    return id;
  }

  // Goes to the next timer and runs it; returns false if there is none.
  step() {
    let next = null;
    for (const timer of this.timers.values()) if (!next || timer.at < next.at) next = timer;
    if (!next) return false;
    this.timers.delete(next.id);
    this.now = Math.max(this.now, next.at);
    next.run();
    return true;
  }

  // Gives the page this clock. `report` takes what a callback throws; `draw` runs before each frame.
  install(window, report, draw) {
    const call = (code, parts) => {
      try {
        if (typeof code === 'function') code.apply(window, parts);
        else window.eval(String(code));
      } catch (error) {
        report(error);
      }
    };
    const wait_of = wait => Math.max(this.depth >= NESTED_MAX ? NESTED_MS : 1, Math.floor(Number(wait)) || 0);
    const nested = (depth, work) => {
      this.depth = depth;
      work();
      this.depth = 0;
    };
    window.setTimeout = (code, wait, ...parts) => {
      const depth = this.depth + 1;
      return this.add(wait_of(wait), () => nested(depth, () => call(code, parts)));
    };
    window.setInterval = (code, wait, ...parts) => {
      const again = id => () => {
        this.timers.set(id, { at: this.now + Math.max(NESTED_MS, wait_of(wait)), id, run: again(id) });
        call(code, parts);
      };
      const id = this.add(wait_of(wait), () => again(id)());
      return id;
    };
    window.requestAnimationFrame = code => {
      const run = () => {
        draw();
        call(code, [this.now]);
      };
      return this.add(FRAME_MS - this.now % FRAME_MS, run);
    };
    const stop = id => { this.timers.delete(id); };
    for (const name of ['clearTimeout', 'clearInterval', 'cancelAnimationFrame']) window[name] = stop;
    window.performance.now = () => this.now;
    window.eval(DATE)(() => STARTED + this.now);
  }

  clear() {
    this.timers.clear();
  }
}

module.exports = { Clock };
