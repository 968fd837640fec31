// Notes what a page does not tell afterwards: listeners, errors, its console, requests with their answers, and timers.
// Runs in each frame before the page's own scripts where the browser can do that, else at the first look.
(() => {
  const key = Symbol.for('farlead');
  if (window[key]) return;
  const now = () => performance.now();
  const state = {
    // Kinds of events that each node listens to.
    listeners: new WeakMap(),
    // Selectors of the elements for which a node listens to clicks, as far as its listeners name them.
    delegates: new WeakMap(),
    // Uncaught errors and rejections since the last look.
    errors: [],
    // Lines of the console since the last look, and the largest status of an answer.
    said: [],
    status: 0,
    // Requests without an answer.
    pending: 0,
    // Scripts and style sheets that the page has asked for after its start, with the times.
    parts: new Map(),
    // Time when the page began to give way to another one. It stays if that is a file to keep, or no answer.
    leaves: -Infinity,
    // True since the page has asked for another window, until a look tells.
    opens: false,
    // Timers that are about to end.
    timers: new Set(),
    // Time of the last change.
    changed: now(),
    // Shadow trees, as long as the page has them.
    roots: [],
    // Elements of the last look, in the order of its widgets.
    nodes: [],
    later: window.setTimeout.bind(window),
    listen: EventTarget.prototype.addEventListener,
  };
  Object.defineProperty(window, key, { value: state });

  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  // `if (event.target.closest('li'))` in a listener tells of its targets; `if (!..)` tells of everything else.
  const SELECTS = /(!\s*)?[\w$.?]*\.(?:closest|matches)\??\.?\(\s*(["'`])((?:(?!\2)[^\\\n$])+)\2\s*\)/g;
  const LETTERS_MAX = 20000;
  const learn = (target, type, listener) => {
    if (type !== 'click' || typeof listener !== 'function') return;
    for (const [, not, , selector] of String(listener).slice(0, LETTERS_MAX).matchAll(SELECTS)) {
      if (not) continue;
      const selectors = state.delegates.get(target) ?? new Set();
      state.delegates.set(target, selectors.add(selector));
    }
  };
  const count = (target, type, by) => {
    if (!(target instanceof Node)) return;
    const kinds = state.listeners.get(target) ?? new Map();
    kinds.set(type, (kinds.get(type) ?? 0) + by);
    if (kinds.get(type) <= 0) kinds.delete(type);
    state.listeners.set(target, kinds);
  };
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    if (listener) {
      count(this, type, 1);
      learn(this ?? window, type, listener);
    }
    return add.call(this ?? window, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    if (listener) count(this, type, -1);
    return remove.call(this ?? window, type, listener, options);
  };

  const note = (message, trace) => {
    // A browser reports this of pages that work well.
    if (state.errors.length < 20 && !/^ResizeObserver loop/.test(message)) {
      state.errors.push([String(message).slice(0, 2000), String(trace ?? '').slice(0, 8000)]);
    }
  };
  add.call(window, 'error', event => {
    const place = event.filename ? `\n    at ${event.filename}:${event.lineno}:${event.colno}` : '';
    if (event.message) note(event.message, event.error?.stack ?? event.message + place);
  });
  add.call(window, 'unhandledrejection', event => {
    const reason = event.reason;
    const message = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    note(`Uncaught (in promise) ${message}`, reason?.stack ?? message);
  });

  // A page may write without end.
  const lines_max = 50, letters_max = 500;
  const say = (kind, parts) => {
    if (state.said.length >= lines_max) return;
    const shown = part => {
      if (typeof part === 'string') return part;
      if (part instanceof Error) return `${part.name}: ${part.message}`;
      try { return JSON.stringify(part) ?? String(part); } catch { return String(part); }
    };
    state.said.push(`${kind}: ${parts.map(shown).join(' ')}`.slice(0, letters_max));
  };
  for (const [name, kind] of [['error', 'error'], ['warn', 'warning'], ['info', 'info'], ['log', 'log'], ['debug', 'debug']]) {
    const write = console[name];
    console[name] = function (...parts) {
      say(kind, parts);
      return write.apply(this, parts);
    };
  }
  const failed = console.assert;
  console.assert = function (holds, ...parts) {
    if (!holds) say('error', ['Assertion failed:', ...parts]);
    return failed.call(this, holds, ...parts);
  };

  // The page itself, and all that it loads; what the browser asks for by itself, like an icon of the site, is of type `other`.
  const weigh = entries => {
    for (const { initiatorType, responseStatus } of entries) {
      if (initiatorType !== 'other') state.status = Math.max(state.status, responseStatus ?? 0);
    }
  };
  const loads = new PerformanceObserver(list => weigh(list.getEntries()));
  for (const type of ['navigation', 'resource']) {
    try { loads.observe({ type, buffered: true }); } catch { /* This browser does not tell. */ }
  }
  state.answered = () => weigh(loads.takeRecords());

  const settle = () => { state.pending -= 1; state.changed = now(); };
  const ask = window.fetch;
  if (ask) {
    window.fetch = function (...parts) {
      state.pending += 1;
      const answer = ask.apply(this, parts);
      // The entry for it may come late.
      answer.then(({ status }) => { weigh([{ responseStatus: status }]); settle(); }, settle);
      return answer;
    };
  }
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...parts) {
    state.pending += 1;
    add.call(this, 'loadend', () => { weigh([{ responseStatus: this.status }]); settle(); }, { once: true });
    try {
      return send.apply(this, parts);
    } catch (error) {
      settle();
      throw error;
    }
  };

  // An app may load its parts when they are needed.
  for (const [of, name] of [[HTMLScriptElement.prototype, 'src'], [HTMLLinkElement.prototype, 'href']]) {
    const property = Object.getOwnPropertyDescriptor(of, name);
    Object.defineProperty(of, name, {
      ...property,
      set(value) {
        property.set.call(this, value);
        state.parts.set(this, now());
        const end = () => { if (state.parts.delete(this)) state.changed = now(); };
        for (const kind of ['load', 'error']) add.call(this, kind, end, { once: true });
      },
    });
  }

  // A window comes some time after it was asked for.
  const { open } = window;
  window.open = function (url, target, ...more) {
    state.opens ||= is_other(target ?? '_blank');
    return open.call(this ?? window, url, target, ...more);
  };
  const is_other = target => !/^(_self|_top|_parent)?$/i.test(target) && !window.frames[target];
  const ask_for_window = event => {
    const by = event.type === 'submit' ? event.target : event.target?.closest?.('a[target], area[target]');
    // The page's own listeners come after this one, and may keep the window away.
    if (by && is_other(by.getAttribute('target') ?? '')) state.later(() => { state.opens ||= !event.defaultPrevented; });
  };
  for (const kind of ['click', 'submit']) add.call(window, kind, ask_for_window, { capture: true, passive: true });

  add.call(window, 'beforeunload', () => { state.leaves = now(); });

  // A timer set by a timer, and so on, may be a clock, which never rests.
  const depth_max = 3, wait_max = 500;
  let depth = 0;
  const { setTimeout: start, clearTimeout: stop } = window;
  window.setTimeout = function (code, wait, ...parts) {
    if (typeof code !== 'function') return start.call(window, code, wait, ...parts);
    const own = depth + 1;
    const timer = start.call(window, function (...given) {
      const before = depth;
      depth = own;
      try {
        return code.apply(this, given);
      } finally {
        depth = before;
        if (state.timers.delete(timer)) state.changed = now();
      }
    }, wait, ...parts);
    if (own <= depth_max && !(wait > wait_max)) state.timers.add(timer);
    return timer;
  };
  window.clearTimeout = function (timer) {
    state.timers.delete(timer);
    return stop.call(window, timer);
  };

  // What is still moving is not where it was seen.
  add.call(window, 'scroll', () => { state.changed = now(); }, { capture: true, passive: true });

  const observer = new MutationObserver(() => { state.changed = now(); });
  const watch = tree => observer.observe(tree, { subtree: true, childList: true, attributes: true, characterData: true });
  watch(document);
  // A document knows neither the changes nor the animations of the shadow trees in it.
  const known = new WeakSet();
  state.know = root => {
    if (known.has(root)) return;
    known.add(root);
    state.roots.push(new WeakRef(root));
    watch(root);
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...parts) {
    const root = attach.apply(this, parts);
    state.know(root);
    return root;
  };

  // Built-in functions as they are before the page's scripts. Old libraries put others in their place, as an `Array.prototype.find`
  // that returns a number.
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const builtins = [
    Array, Array.prototype, String.prototype, Object, Number, Map.prototype, Set.prototype, Node.prototype, Element.prototype,
    HTMLElement.prototype, Document.prototype, DOMTokenList.prototype, NodeList.prototype,
  ].flatMap(of => Object.getOwnPropertyNames(of)
    .map(name => ({ of, name, value: getOwnPropertyDescriptor(of, name).value }))
    .filter(({ value }) => typeof value === 'function'));
  // Does `work` with them, and gives the page its own back. Until they are in place, this function calls none of them.
  state.plainly = work => {
    const theirs = [];
    for (let at = 0; at < builtins.length; at += 1) {
      const { of, name, value } = builtins[at];
      const there = getOwnPropertyDescriptor(of, name);
      if (there?.value === value || there?.configurable === false) continue;
      theirs[theirs.length] = { of, name, there };
      defineProperty(of, name, { value, writable: true, enumerable: false, configurable: true });
    }
    try {
      return work();
    } finally {
      for (let at = 0; at < theirs.length; at += 1) {
        const { of, name, there } = theirs[at];
        if (there) defineProperty(of, name, there);
        else delete of[name];
      }
    }
  };
})();
