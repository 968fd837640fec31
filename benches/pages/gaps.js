// What jsdom lacks and a page or a script that looks at it needs: bounds, scrolling, computed styles, dialogs, pointer events,
// and answers from the folder of the page.
'use strict';

const { sheets_of } = require('./style.js');

// Runs in the page, for classes of its own realm.
const CLASSES = `(() => {
  window.PointerEvent = class PointerEvent extends MouseEvent {
    constructor(kind, init = {}) {
      super(kind, init);
      const { pointerId = 0, pointerType = '', isPrimary = false } = init;
      const values = Object.entries({ pointerId, pointerType, isPrimary });
      for (const [name, value] of values) Object.defineProperty(this, name, { value });
    }
  };
  window.PerformanceObserver = class PerformanceObserver {
    observe() {}
    disconnect() {}
    takeRecords() { return []; }
  };
})()`;

const camel = name => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const get = (of, values) => {
  for (const [name, value] of Object.entries(values)) Object.defineProperty(of, name, { get: value, configurable: true });
};
const add = (of, values) => {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(of, name, { value, writable: true, configurable: true });
  }
};

const add_styles = (window, page) => {
  const views = new WeakMap();
  window.getComputedStyle = e => {
    const style = page.fresh().styles.of(e);
    if (!views.has(style)) {
      const view = Object.fromEntries(Object.entries(style).map(([name, value]) => [camel(name), value]));
      views.set(style, { ...view, getPropertyValue: name => style[name] ?? '' });
    }
    return views.get(style);
  };
  get(window.ShadowRoot.prototype, {
    styleSheets() { return sheets_of(this); },
  });
};

const add_bounds = (window, page) => {
  const layout = () => page.fresh().layout;
  const { Element, HTMLElement } = window;
  const rect_of = ({ left, top, right, bottom }) => {
    return { left, top, right, bottom, x: left, y: top, width: right - left, height: bottom - top };
  };
  const size = (e, side) => rect_of(layout().rect(e))[side];
  add(Element.prototype, {
    getBoundingClientRect() { return rect_of(layout().rect(this)); },
    getClientRects() { return layout().rects(this).map(rect_of); },
    checkVisibility({ visibilityProperty } = {}) {
      return Boolean(layout().box(this)) && !(visibilityProperty && page.styles.of(this).visibility !== 'visible');
    },
  });
  get(Element.prototype, {
    clientWidth() { return layout().size_to_scroll(this).client_width; },
    clientHeight() { return layout().size_to_scroll(this).client; },
    scrollWidth() { return layout().size_to_scroll(this).width; },
    scrollHeight() { return layout().size_to_scroll(this).height; },
    clientLeft() { return 0; },
    clientTop() { return 0; },
  });
  get(HTMLElement.prototype, {
    offsetWidth() { return size(this, 'width'); },
    offsetHeight() { return size(this, 'height'); },
    offsetLeft() { return layout().rect(this).left - left_top(this.offsetParent).left; },
    offsetTop() { return layout().rect(this).top - left_top(this.offsetParent).top; },
    offsetParent() {
      if (!layout().box(this) || page.styles.of(this).position === 'fixed') return null;
      let outer = this.parentElement;
      const { body } = window.document;
      while (outer && outer !== body && page.styles.of(outer).position === 'static') outer = outer.parentElement;
      return outer;
    },
  });
  const left_top = e => e ? layout().rect(e) : { left: 0, top: 0 };
};

// Elements at a point, as the tree `root` knows them.
const add_points = (window, page) => {
  const seen_from = (root, e) => {
    for (let one = e; one; one = one.getRootNode().host) {
      const own = one.getRootNode();
      for (let around = root; around; around = around.host?.getRootNode()) if (around === own) return one;
    }
    return null;
  };
  for (const { prototype } of [window.Document, window.ShadowRoot]) {
    add(prototype, {
      elementsFromPoint(x, y) {
        return [...new Set(page.fresh().layout.hits(x, y).map(e => seen_from(this, e)).filter(Boolean))];
      },
      elementFromPoint(x, y) { return this.elementsFromPoint(x, y)[0] ?? null; },
    });
  }
  const rect = event => event.target?.getBoundingClientRect?.() ?? { left: 0, top: 0 };
  get(window.MouseEvent.prototype, {
    offsetX() { return this.clientX - rect(this).left; },
    offsetY() { return this.clientY - rect(this).top; },
  });
};

const add_scrolling = (window, page) => {
  const root = () => window.document.documentElement;
  const to = (e, x, y) => {
    if (page.fresh().layout.scroll_to(e, x, y)) page.tell_of_scroll(e);
  };
  // Where a call of `scrollTo`, by two numbers or by their names, leads to.
  const wanted = (left, top) => typeof left === 'object' ? { x: left?.left, y: left?.top } : { x: left, y: top };
  const { prototype } = window.Element;
  for (const [name, side] of [['scrollLeft', 'x'], ['scrollTop', 'y']]) {
    Object.defineProperty(prototype, name, {
      get() { return page.layout.scroll_of(this)[side]; },
      set(place) {
        const { x, y } = { ...page.layout.scroll_of(this), [side]: place };
        to(this, x, y);
      },
      configurable: true,
    });
  }
  const scrolls = of => {
    const scroll = function (...parts) {
      const { x, y } = wanted(...parts), before = page.layout.scroll_of(of(this));
      to(of(this), x ?? before.x, y ?? before.y);
    };
    const scrollBy = function (...parts) {
      const { x = 0, y = 0 } = wanted(...parts), before = page.layout.scroll_of(of(this));
      to(of(this), before.x + x, before.y + y);
    };
    return { scroll, scrollTo: scroll, scrollBy };
  };
  add(prototype, scrolls(e => e));
  add(window, scrolls(root));
  for (const [name, side] of [['scrollX', 'x'], ['pageXOffset', 'x'], ['scrollY', 'y'], ['pageYOffset', 'y']]) {
    get(window, { [name]: () => page.layout.page_scroll()[side] });
  }
  get(window.Document.prototype, { scrollingElement() { return this.documentElement; } });
  add(prototype, {
    scrollIntoView() {
      for (let outer = this.parentElement; outer; outer = outer.parentElement) {
        const { layout } = page.fresh();
        if (!layout.can_scroll(outer)) continue;
        const inner = layout.rect(this), around = layout.rect(outer);
        const [x, y] = outer === root() ? [window.innerWidth / 2, window.innerHeight / 2]
          : [(around.left + around.right) / 2, (around.top + around.bottom) / 2];
        outer.scrollBy((inner.left + inner.right) / 2 - x, (inner.top + inner.bottom) / 2 - y);
      }
    },
  });
};

const add_texts = window => {
  const { prototype } = window.HTMLElement;
  const limit = (e, name) => e.hasAttribute(name) ? Number.parseInt(e.getAttribute(name), 10) : -1;
  get(window.HTMLTextAreaElement.prototype, {
    minLength() { return limit(this, 'minlength'); },
    maxLength() { return limit(this, 'maxlength'); },
  });
  Object.defineProperty(prototype, 'innerText', {
    get() { return this.textContent.replace(/[ \n\t]+/g, ' ').trim(); },
    set(text) { this.textContent = text; },
    configurable: true,
  });
  const editable = '[contenteditable=""], [contenteditable=true], [contenteditable=plaintext-only]';
  get(prototype, {
    isContentEditable() { return Boolean(this.closest(editable)); },
  });
  Object.defineProperty(window.Element.prototype, 'ariaLabel', {
    get() { return this.getAttribute('aria-label'); }, set(text) { this.setAttribute('aria-label', text); }, configurable: true,
  });
};

const add_dialogs = (window, page) => {
  const focusable = 'button:not(:disabled), input:not(:disabled), select, textarea, a[href], [tabindex]';
  const { modals } = page;
  add(window.HTMLDialogElement.prototype, {
    show() { this.setAttribute('open', ''); },
    showModal() {
      if (this.open) throw new window.DOMException('The dialog is open', 'InvalidStateError');
      this.setAttribute('open', '');
      modals.push(this);
      page.touch();
      page.before_modal.set(this, page.active());
      (this.querySelector('[autofocus]') ?? this.querySelector(focusable))?.focus();
    },
    close(value) {
      if (!this.open) return;
      this.removeAttribute('open');
      if (modals.includes(this)) modals.splice(modals.indexOf(this), 1);
      page.touch();
      if (value !== undefined) this.returnValue = value;
      page.before_modal.get(this)?.focus();
      window.setTimeout(() => this.dispatchEvent(new window.Event('close')));
    },
  });
  add(window, {
    alert: message => { page.asks('alert', message); },
    confirm: message => page.asks('confirm', message),
    prompt: (message, text) => page.asks('prompt', message, text),
  });
};

// A file of the folder is an answer of status 200; there is nothing else.
const add_answers = (window, page) => {
  window.fetch = async address => {
    const bytes = page.read(new URL(address.url ?? address, window.location.href));
    const text = async () => bytes?.toString() ?? '';
    return { ok: Boolean(bytes), status: bytes ? 200 : 404, text, json: async () => window.JSON.parse(await text()) };
  };
  window.XMLHttpRequest.prototype.send = function () {
    window.setTimeout(() => {
      get(this, { readyState: () => 4, status: () => 404 });
      for (const kind of ['readystatechange', 'load', 'loadend']) this.dispatchEvent(new window.ProgressEvent(kind));
    });
  };
};

const add_pictures = window => {
  const pen = () => new Proxy({}, { get: (of, name) => of[name] ?? (() => undefined) });
  add(window.HTMLCanvasElement.prototype, { getContext: pen });
  add(window.Element.prototype, {
    animate(frames, options) {
      const animation = { playState: 'running', onfinish: null };
      window.setTimeout(() => {
        animation.playState = 'finished';
        animation.onfinish?.();
      }, options?.duration ?? options);
      return animation;
    },
  });
};

const fill_gaps = (window, page) => {
  window.eval(CLASSES);
  const parts = [add_styles, add_bounds, add_points, add_scrolling, add_texts, add_dialogs, add_answers, add_pictures];
  parts.forEach(part => part(window, page));
};

module.exports = { fill_gaps };
