// Waits for the page to rest and returns all that it shows. Or says that another window is in front of it, that it has asked for
// another window, or that it gives way to another page. Arguments: milliseconds to wait at most, if it is looked at behind others,
// too, if the driver itself waits for the page that comes, if this is the last try to see the page, and the callback.
const [wait_max, stays_behind, driver_waits, is_last, done] = arguments;
const key = Symbol.for('farlead');
const WIDGETS_MAX = 5000, DEPTH_MAX = 200, LETTERS_MAX = 4000, RULES_MAX = 20000;
// Bits of what is true of a widget; the program knows them by the same numbers.
const CLICKABLE = 1, DOUBLE = 2, CHECKABLE = 4, CHECKED = 8, ENABLED = 16, FOCUSED = 32, SELECTED = 64, PASSWORD = 128;
const SCROLLABLE = 256, EDITABLE = 512, HOVERABLE = 1024, OUTSIDE = 2048, SLIDES = 4096, SIDEWAYS = 8192;

// The document and the shadow trees in it.
const trees = () => {
  const state = window[key];
  state.roots = state.roots.filter(root => root.deref());
  return [document, ...state.roots.map(root => root.deref()).filter(root => root?.isConnected)];
};
// What runs now and will come to its end. A colour that changes moves nothing.
const running = () => trees().flatMap(tree => tree.getAnimations?.() ?? []).filter(one => {
  return one.playState === 'running' && Number.isFinite(one.effect?.getComputedTiming().endTime)
    && !/color$|^(box-shadow|outline|fill|stroke)/.test(one.transitionProperty ?? '');
});
// True for an element that answers a click by a wave of light, say: it takes no click itself and shows nothing to read.
const is_decoration = e => {
  return e?.nodeType === 1 && getComputedStyle(e).pointerEvents === 'none' && !e.textContent.trim() && !e.shadowRoot
    && !e.querySelector('img, svg, input, canvas, slot');
};
const moves = () => running().some(one => !is_decoration(one.effect.target));
// Decorations that come and go, each with a box around it that has nothing else in it and no size.
const decorations = () => {
  const found = new Set();
  for (const { effect: { target } } of running()) {
    if (!is_decoration(target)) continue;
    found.add(target);
    const box = target.parentElement;
    if (box?.childNodes.length === 1 && box.offsetWidth === 0 && box.offsetHeight === 0) found.add(box);
  }
  return found;
};

// True for a script or a style sheet that the browser loads, if it is in the page.
const is_loaded_for = part => part.isConnected && (part.tagName === 'LINK'
  ? /\b(stylesheet|preload|modulepreload)\b/.test(part.rel) && !part.disabled
  : !part.noModule && /^$|^module$|javascript/.test(part.type));
const PART_MAX = 5000;
const waits_for_part = ({ parts }) => {
  for (const [part, asked] of parts) {
    if (performance.now() - asked > PART_MAX) parts.delete(part);
    else if (is_loaded_for(part)) return true;
  }
  return false;
};

const rest = async () => {
  const state = window[key];
  const leaves = () => performance.now() - state.leaves < wait_max;
  const begun = performance.now();
  // A page that is not in front draws no frames.
  const frame = () => new Promise(next => { requestAnimationFrame(next); state.later(next, 60); });
  let quiet = 0;
  while (quiet < 2) {
    const before = performance.now();
    await frame();
    const is_busy = document.readyState !== 'complete' || state.pending > 0 || state.timers.size > 0 || leaves()
      || waits_for_part(state) || state.plainly(moves);
    quiet = is_busy || state.changed > before ? 0 : quiet + 1;
    if (driver_waits && !is_last && leaves()) {
      state.leaves = -Infinity;
      return 'leaves';
    }
    if (performance.now() - begun > wait_max && !leaves()) return null;
  }
};

const INLINE = new Set(['B', 'STRONG', 'I', 'EM', 'U', 'S', 'DEL', 'INS', 'SMALL', 'BIG', 'SPAN', 'CODE', 'KBD', 'MARK', 'SUB', 'SUP',
  'ABBR', 'CITE', 'Q', 'TIME', 'VAR', 'FONT', 'BR', 'WBR', 'BDI', 'BDO', 'IMG', 'SVG', 'svg']);
const SKIPPED = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'HEAD', 'META', 'LINK', 'TITLE', 'BASE', 'SOURCE', 'TRACK', 'PARAM']);
const ROLES = {
  BUTTON: 'button', SUMMARY: 'button', TEXTAREA: 'textbox', OPTION: 'option', H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading',
  H5: 'heading', H6: 'heading', IMG: 'img', UL: 'list', OL: 'list', LI: 'listitem', NAV: 'navigation', MAIN: 'main',
  HEADER: 'banner', FOOTER: 'contentinfo', FORM: 'form', TABLE: 'table', TR: 'row', TD: 'cell', TH: 'columnheader', DIALOG: 'dialog',
  PROGRESS: 'progressbar', ARTICLE: 'article', ASIDE: 'complementary', P: 'paragraph', DETAILS: 'group', FIELDSET: 'group',
  OUTPUT: 'status', HR: 'separator', SECTION: 'region', CANVAS: 'canvas', IFRAME: 'iframe',
};
const INPUT_ROLES = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider',
  number: 'spinbutton', search: 'searchbox', date: 'date', time: 'time', 'datetime-local': 'datetime-local', month: 'month', week: 'week',
};
const PRESSED = new Set(['button', 'link', 'checkbox', 'radio', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'switch', 'treeitem']);
const CHECKS = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
const PRESSES = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend'];
const ENTERS = ['mouseenter', 'mouseover', 'pointerenter', 'pointerover'];
// An element that listens to more kinds of events is the root of a framework.
const KINDS_MAX = 20;

const tag_of = e => e.tagName.toLowerCase();
const is_blank_free = text => text && !/\s/.test(text);
const tidy = text => text.replace(/\s+/g, ' ').trim().slice(0, LETTERS_MAX);

const role_of = e => {
  const said = (e.getAttribute('role') ?? '').trim().split(/\s+/)[0];
  if (said && said !== 'none' && said !== 'presentation') return said;
  const tag = e.tagName;
  if (tag === 'A') return e.hasAttribute('href') ? 'link' : '';
  if (tag === 'INPUT') return INPUT_ROLES[e.type] ?? 'textbox';
  if (tag === 'SELECT') return e.multiple || e.size > 1 ? 'listbox' : 'combobox';
  return ROLES[tag] ?? '';
};

// Kinds of events that the element itself listens to, as far as that can be known.
const kinds_of = e => {
  const kinds = new Set(e.ownerDocument.defaultView?.[key]?.listeners.get(e)?.keys());
  for (const kind of [...PRESSES, ...ENTERS, 'dblclick']) if (typeof e[`on${kind}`] === 'function') kinds.add(kind);
  for (const name of Object.keys(e)) {
    const props = /^__react(Props|EventHandlers)\$/.test(name) ? e[name]
      : name.startsWith('__reactInternalInstance$') ? e[name]?._currentElement?.props : null;
    if (props) {
      for (const [prop, value] of Object.entries(props)) {
        if (typeof value !== 'function' || !/^on[A-Z]/.test(prop)) continue;
        kinds.add(prop === 'onDoubleClick' ? 'dblclick' : prop.slice(2).toLowerCase());
      }
    } else if (name === '__click' || name === '$$click') {
      kinds.add('click');
    } else if (name === '__dblclick' || name === '$$dblclick') {
      kinds.add('dblclick');
    }
  }
  return kinds;
};

const is_field = e => {
  if (e.tagName === 'TEXTAREA') return !e.readOnly;
  if (e.tagName === 'INPUT') return !e.readOnly && !['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'range', 'file', 'hidden', 'color'].includes(e.type);
  return e.isContentEditable && !e.parentElement?.isContentEditable;
};

const is_enabled = e => !e.matches(':disabled') && !e.closest('[aria-disabled="true"], [inert]');

// Element in front at a point, within shadow trees too.
const in_front = (root, x, y) => {
  let found = root.elementFromPoint(x, y);
  while (found?.shadowRoot) {
    const inner = found.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === found) break;
    found = inner;
  }
  return found;
};

// Node around a node, as it is drawn: the slot that has it, or the element whose shadow tree it is in.
const around_of = e => e.assignedSlot ?? e.parentNode ?? e.host;
const holds = (outer, inner) => {
  for (let e = inner; e; e = around_of(e)) if (e === outer) return true;
  return false;
};
// Nodes in a node, as they are drawn.
const nodes_in = e => {
  const given = e.tagName === 'SLOT' ? e.assignedNodes() : [];
  return given.length ? given : [...(e.shadowRoot ?? e).childNodes];
};
// Returns true if `front` gives the element `e` of its shadow tree a text: the browser says that a point in it is in `front`.
const has_text_of = (e, front) => [e, ...e.querySelectorAll('slot')].some(slot =>
  slot.tagName === 'SLOT' && slot.assignedNodes({ flatten: true }).some(node => node.nodeType === 3 && node.parentNode === front));
const elements_in = e => nodes_in(e).filter(node => node.nodeType === 1 && !SKIPPED.has(node.tagName));

const empty = { left: 0, top: 0, right: 0, bottom: 0 };
const is_empty = r => r.right - r.left < 1 || r.bottom - r.top < 1;
const meet = (a, b) => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
});
const join = (a, b) => is_empty(a) ? b : is_empty(b) ? a : {
  left: Math.min(a.left, b.left), top: Math.min(a.top, b.top), right: Math.max(a.right, b.right), bottom: Math.max(a.bottom, b.bottom),
};

// Adds to `found` the elements that are hidden until the mouse is over another, by the rules of a document or of a shadow
// tree: each with that other element.
const hidden_until_hover = (doc, found) => {
  let left = RULES_MAX;
  const see = rules => {
    for (const rule of rules) {
      if (left-- <= 0) return;
      const selector = rule.selectorText;
      if (selector?.includes(':hover') && rule.style) {
        const { display, visibility, opacity } = rule.style;
        const shows = (display && display !== 'none') || visibility === 'visible' || Number(opacity) > 0;
        for (const one of shows ? selector.split(',') : []) {
          const [, host, rest] = /^(.*?):hover([^\s>+~]*[\s>+~].*)$/.exec(one.trim()) ?? [];
          if (host === undefined) continue;
          try {
            for (const e of doc.querySelectorAll((host || '*') + rest.replaceAll(':hover', ''))) {
              const over = e.parentElement?.closest(host || '*') ?? doc.querySelector(host || '*');
              if (over) found.set(e, over);
            }
          } catch { /* A selector that only the browser's own rules may have. */ }
        }
      }
      if (rule.cssRules) see(rule.cssRules);
    }
  };
  for (const sheet of [...doc.styleSheets, ...doc.adoptedStyleSheets ?? []]) {
    try { see(sheet.cssRules); } catch { /* A sheet of another origin, which may not be read. */ }
  }
};

// Targets of jQuery's delegated events: kinds of events of each element.
const delegated_by_jquery = doc => {
  const found = new Map();
  const data = doc.defaultView?.jQuery?._data;
  if (!data) return found;
  for (const node of [doc, ...doc.querySelectorAll('*')]) {
    const events = data(node, 'events');
    for (const [kind, handlers] of Object.entries(events ?? {})) {
      for (const selector of new Set(Array.from(handlers, one => one.selector).filter(Boolean))) {
        try {
          for (const e of node.querySelectorAll(selector)) found.set(e, (found.get(e) ?? new Set()).add(kind));
        } catch { /* A selector of jQuery alone, like `:first`. */ }
      }
    }
  }
  return found;
};

const snapshot = () => {
  const widgets = [];
  // What the page says of its fields, a line for each rule: the place of the field, the name of the rule, and its value.
  const fields = [];
  const passing = decorations();
  // The element of each widget, the widget around it, and the reason for a click on it.
  const nodes = [], parents = [], reasons = [], hosts = [];
  const place_of = new Map();
  // True if a root waits for double clicks.
  let roots_wait = false;

  const walk = (doc, dx, dy, outer_clip, outer_depth, outer_parent) => {
    const view = doc.defaultView;
    const reveals = new Map();
    hidden_until_hover(doc, reveals);
    const delegated = delegated_by_jquery(doc);
    if (view[key]?.listeners.get(doc)?.has('dblclick')) roots_wait = true;
    const style_of = e => view.getComputedStyle(e);
    const focused = (() => {
      let e = doc.activeElement;
      while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
      return e === doc.body || e === doc.documentElement ? null : e;
    })();
    const rect_of = e => {
      const r = e.getBoundingClientRect();
      return { left: r.left + dx, top: r.top + dy, right: r.right + dx, bottom: r.bottom + dy };
    };
    const is_shown = e => e.checkVisibility ? e.checkVisibility({ visibilityProperty: true }) : e.getClientRects().length > 0;
    // Text of an element and the markup in it, as it is seen.
    const text_within = e => {
      let text = '';
      for (const child of nodes_in(e)) {
        if (child.nodeType === 3) text += child.data;
        else if (child.tagName === 'BR') text += ' ';
        else if (child.tagName === 'IMG') text += child.alt ?? '';
        else if (child.nodeType === 1 && !SKIPPED.has(child.tagName) && style_of(child).display !== 'none') {
          const is_block = !style_of(child).display.startsWith('inline');
          text += is_block ? ` ${text_within(child)} ` : text_within(child);
        }
      }
      return text;
    };
    // An element of the page's own making is markup if it is drawn as that.
    const is_inline = e => INLINE.has(e.tagName) || e.tagName === 'SLOT' || e.tagName.includes('-') && style_of(e).display === 'inline';
    const is_markup = e => is_inline(e) && !is_pressed(e) && elements_in(e).every(is_markup);
    const is_in_text = e => is_markup(e) || e.tagName === 'A' && elements_in(e).every(is_markup);
    // Several texts in one line are one text: `<strong>1</strong><span> item left</span>`.
    const is_line = e => {
      const drawn = elements_in(e).filter(child => style_of(child).display !== 'none');
      return drawn.every(child => style_of(child).display.startsWith('inline')) && drawn.filter(child => text_within(child).trim()).length > 1;
    };
    const is_pressed = e => PRESSED.has(role_of(e)) || PRESSES.some(kind => kinds_of(e).has(kind));
    const text_of = (e, role) => {
      if (e.tagName === 'INPUT') {
        if (e.type === 'password') return '•'.repeat(e.value.length);
        return ['checkbox', 'radio', 'file', 'image'].includes(e.type) ? '' : e.value.slice(0, LETTERS_MAX);
      }
      if (e.tagName === 'TEXTAREA') return e.value.slice(0, LETTERS_MAX);
      if (e.tagName === 'SELECT') return tidy([...e.selectedOptions].map(option => option.label).join(', '));
      if (e.tagName === 'OPTION') return tidy(e.label);
      // The text of a slot is that of the element around it.
      if (e.tagName === 'SLOT') return '';
      const own = own_nodes(e).filter(child => child.nodeType === 3).map(child => child.data).join(' ');
      const inner = elements_in(e);
      const is_whole = own.trim() ? inner.every(is_in_text) : inner.every(is_markup) && (PRESSED.has(role) || is_line(e));
      return tidy(is_whole ? text_within(e) : own);
    };
    const own_nodes = e => nodes_in(e).flatMap(child => child.tagName === 'SLOT' ? own_nodes(child) : [child]);
    const name_of = (e, text) => {
      const by = (e.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
      const labels = by.map(id => e.getRootNode().getElementById?.(id)?.textContent ?? '').join(' ');
      const label = e.labels?.length ? [...e.labels].map(one => one.textContent).join(' ') : '';
      const given = [labels, e.getAttribute('aria-label'), label, e.getAttribute('alt'), e.getAttribute('title'), e.placeholder];
      const name = tidy(given.find(one => typeof one === 'string' && one.trim()) ?? '');
      return name === text ? '' : name;
    };
    const id_of = e => {
      for (const name of ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa']) {
        const id = e.getAttribute(name);
        if (id) return id.slice(0, 200);
      }
      // A number in an id has mostly been counted up, by the page or by a framework.
      const is_made = id => /\d{3,}|[_:-]\d+$|^[_:]?r[\da-z]{1,3}:?$|[0-9a-f]{8}/i.test(id);
      return e.id && !is_made(e.id) ? e.id.slice(0, 200) : (e.tagName === 'SLOT' ? '' : e.getAttribute('name') ?? '').slice(0, 200);
    };

    // `clips` has the visible part by all elements around, and that by those around which have a position.
    const see = (e, depth, parent, clips, pointer_above, is_faint, host_above, delegates_above) => {
      if (SKIPPED.has(e.tagName) || passing.has(e) || widgets.length >= WIDGETS_MAX) return empty;
      const style = style_of(e);
      // What is in a revealed element is revealed with it.
      const host = reveals.get(e) ?? host_above;
      const is_hidden = style.display === 'none' || host_above && !is_shown(e);
      const is_revealed = host && place_of.has(host) && (is_hidden || style.visibility !== 'visible' || Number(style.opacity) === 0);
      if (is_hidden && !is_revealed && e.tagName !== 'OPTION') return empty;
      const role = role_of(e);
      const own_rect = rect_of(e);
      let clip = style.position === 'fixed' ? { all: outer_clip, placed: outer_clip }
        : style.position === 'absolute' ? { all: clips.placed, placed: clips.placed } : clips;
      let rect = is_empty(meet(own_rect, clip.all)) ? empty : own_rect;
      if (e.tagName === 'OPTION') rect = rect_of(e.closest('select') ?? e);
      const faint = is_faint || Number(style.opacity) === 0;
      if (is_revealed && is_empty(rect)) rect = rect_of(host);
      // What cannot be seen counts if a click still reaches it; a control of one pixel is for machines.
      const middle = [(rect.left + rect.right) / 2 - dx, (rect.top + rect.bottom) / 2 - dy];
      const is_tiny = rect.right - rect.left <= 2 || rect.bottom - rect.top <= 2;
      if (!is_revealed && (style.visibility !== 'visible' || faint || is_tiny)) {
        const reached = style.visibility === 'visible' && !is_tiny && faint && PRESSED.has(role) && in_front(doc, ...middle) === e;
        if (!reached) rect = empty;
      }
      const at = widgets.length;
      place_of.set(e, at);
      nodes.push(e);
      parents.push(parent);
      hosts.push(is_revealed ? place_of.get(host) : -1);
      const widget = { depth, tag: tag_of(e), role, classes: [...e.classList].filter(is_blank_free).slice(0, 50).join(' '), id: id_of(e), text: text_of(e, role), name: '', rect, flags: 0 };
      widget.name = name_of(e, widget.text);
      widgets.push(widget);

      const kinds = kinds_of(e);
      for (const kind of delegated.get(e) ?? []) kinds.add(kind);
      const is_root = kinds.size > KINDS_MAX || e === doc.body || e === doc.documentElement;
      if (is_root && kinds.has('dblclick')) roots_wait = true;
      const enabled = is_enabled(e);
      const has_pointer = style.cursor === 'pointer';
      const control = e.tagName === 'LABEL' ? e.control : null;
      const stands_for = control && !is_shown_control(control) ? control : null;
      let reason = '';
      if (PRESSED.has(role) || is_field(e) || stands_for || e.tagName === 'OPTION' || (e.tagName === 'INPUT' && e.type === 'color')) reason = 'native';
      else if (!is_root && delegated.get(e)?.has('click')) reason = 'native';
      else if (!is_root && PRESSES.some(kind => kinds.has(kind))) reason = has_pointer ? 'native' : 'listens';
      else if (!is_root && has_pointer && !pointer_above && e.tagName !== 'SELECT') reason = 'native';
      else if (!is_root && delegates_above.some(selector => is_like(e, selector))) reason = 'named';
      if (reason && leads_away(e)) reason = '';
      if (e.tagName === 'SELECT' || e.tagName === 'OPTGROUP') reason = '';
      reasons.push(reason);
      const is_option = e.tagName === 'OPTION';
      const set = (flag, is_true) => { if (is_true) widget.flags |= flag; };
      set(ENABLED, enabled && (!control || is_enabled(control)));
      set(EDITABLE, is_field(e));
      if (is_field(e) && ['INPUT', 'TEXTAREA'].includes(e.tagName)) {
        const type = (e.getAttribute('type') ?? '').toLowerCase();
        const { minLength: minlength, maxLength: maxlength, pattern, min, max, placeholder, autocomplete } = e;
        const rules = { minlength, maxlength, pattern, min, max, placeholder, autocomplete };
        fields.push(`${at} type ${type}`);
        for (const [name, rule] of Object.entries(rules)) {
          const text = `${rule ?? ''}`.slice(0, 1001).replace(/\s/g, ' ');
          if (text) fields.push(`${at} ${name} ${text}`);
        }
      }
      set(DOUBLE, !is_root && kinds.has('dblclick'));
      set(HOVERABLE, !is_root && ENTERS.some(kind => kinds.has(kind)));
      set(FOCUSED, e === focused);
      set(PASSWORD, e.tagName === 'INPUT' && e.type === 'password');
      const checked = stands_for ?? e;
      const checks = CHECKS.has(role_of(checked));
      set(CHECKABLE, checks || e.hasAttribute('aria-pressed'));
      set(CHECKED, checks && checked.checked === true || ['aria-checked', 'aria-pressed'].some(name => e.getAttribute(name) === 'true'));
      set(SELECTED, is_option && e.selected || e.getAttribute('aria-selected') === 'true' || !['false', null].includes(e.getAttribute('aria-current')));
      set(SLIDES, role === 'slider');
      const page = e === doc.documentElement;
      const scrolls = page ? doc.scrollingElement : e;
      const scrolls_by = side => page || /auto|scroll|overlay/.test(side);
      const is_long = scrolls && scrolls_by(style.overflowY) && scrolls.scrollHeight > scrolls.clientHeight + 2;
      const is_wide = scrolls && scrolls_by(style.overflowX) && scrolls.scrollWidth > scrolls.clientWidth + 2;
      const may_scroll = !['INPUT', 'SELECT', 'TEXTAREA'].includes(e.tagName) && style.overflow !== 'hidden';
      set(SCROLLABLE, (is_long || is_wide) && may_scroll);
      set(SIDEWAYS, is_wide && !is_long);

      // Whatever does not fit into the element and cannot be scrolled to is cut off.
      const cuts = side => side === 'hidden' || side === 'clip';
      if (!page && e !== doc.body && (cuts(style.overflowX) || cuts(style.overflowY))) {
        const inner = meet(clip.all, own_rect);
        clip = { all: inner, placed: style.position === 'static' ? clip.placed : inner };
      } else if (style.position !== 'static') {
        clip = { all: clip.all, placed: clip.all };
      }
      const inner_depth = Math.min(depth + 1, DEPTH_MAX);
      let around = empty;
      if (depth < DEPTH_MAX) {
        if (e.shadowRoot) {
          window[key].know(e.shadowRoot);
          hidden_until_hover(e.shadowRoot, reveals);
        }
        const delegates = [...delegates_above, ...delegates_of(e), ...delegates_of(e.shadowRoot)];
        for (const child of elements_in(e)) {
          around = join(around, see(child, inner_depth, at, clip, has_pointer, faint, is_revealed ? host : null, delegates));
        }
        if (e.tagName === 'IFRAME') {
          let inner = null;
          try { inner = e.contentDocument; } catch { /* A page of another origin. */ }
          const root = inner?.documentElement;
          if (root && !is_empty(rect)) walk(inner, rect.left + e.clientLeft, rect.top + e.clientTop, meet(outer_clip, rect), inner_depth, at);
        }
      }
      // A box without a size of its own is where its contents are.
      if (is_empty(widget.rect) && !faint && !is_tiny_control(e)) widget.rect = around;
      return join(widget.rect, around);
    };
    const delegates_of = node => node && view[key]?.delegates.get(node) || [];
    const is_like = (e, selector) => {
      try { return e.matches(selector); } catch { return false; }
    };
    const is_tiny_control = e => e.matches('input, button, select, textarea, label');
    const is_shown_control = e => {
      const rect = rect_of(e);
      const style = style_of(e);
      return is_shown(e) && rect.right - rect.left > 2 && rect.bottom - rect.top > 2
        && (Number(style.opacity) > 0 || in_front(doc, (rect.left + rect.right) / 2 - dx, (rect.top + rect.bottom) / 2 - dy) === e);
    };
    const leads_away = e => {
      const link = e.tagName === 'A' && e.hasAttribute('href') ? e : null;
      if (!link) return false;
      if (link.hasAttribute('download') || !['http:', 'https:', 'file:', 'javascript:'].includes(link.protocol)) return true;
      return link.protocol.startsWith('http') && link.origin !== window.location.origin;
    };
    const delegates = [...delegates_of(view), ...delegates_of(doc)];
    see(doc.documentElement, outer_depth, outer_parent, { all: outer_clip, placed: outer_clip }, false, false, null, delegates);
  };
  const everything = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
  walk(document, 0, 0, everything, 0, -1);

  // A container that listens for its children is no target; they are.
  const is_above = widgets.map(() => false);
  for (let at = widgets.length - 1; at >= 0; at -= 1) {
    const parent = parents[at];
    if (parent >= 0 && (reasons[at] || is_above[at]) && !is_empty(widgets[at].rect)) is_above[parent] = true;
  }
  for (let at = 0; at < widgets.length; at += 1) {
    if (reasons[at] === 'named' && is_above[at]) reasons[at] = '';
    if (reasons[at] !== 'listens') continue;
    const children = [];
    for (let below = at + 1; below < widgets.length && widgets[below].depth > widgets[at].depth; below += 1) {
      if (parents[below] === at && !is_empty(widgets[below].rect)) children.push(below);
    }
    const is_repeated = children.length > 1 && children.every(child => widgets[child].tag === widgets[children[0]].tag);
    if (is_above[at]) reasons[at] = '';
    else if (is_repeated) {
      reasons[at] = '';
      for (const child of children) reasons[child] = 'native';
    }
  }
  const is_text_of_row = at => {
    const { tag, text, rect } = widgets[at];
    return ['label', 'span', 'td', 'li', 'div'].includes(tag) && text && !is_empty(rect) && nodes[at].closest('li, tr, [role=row], [role=listitem]');
  };
  // A double click that a container waits for is done on the texts in its rows.
  for (let at = 0; at < widgets.length; at += 1) {
    if (!(widgets[at].flags & DOUBLE) || ['li', 'label', 'span', 'td', 'div'].includes(widgets[at].tag) && widgets[at].text) continue;
    for (let below = at + 1; below < widgets.length && widgets[below].depth > widgets[at].depth; below += 1) {
      if (!is_text_of_row(below)) continue;
      widgets[below].flags |= DOUBLE;
      widgets[at].flags &= ~DOUBLE;
    }
  }
  // So it is where only a root waits, and its framework does not tell for whom.
  const is_told = () => widgets.some(({ flags }) => flags & DOUBLE) || nodes.some(e => Object.keys(e).some(name => name.startsWith('__react')));
  if (roots_wait && !is_told()) widgets.forEach((widget, at) => { if (is_text_of_row(at)) widget.flags |= DOUBLE; });

  const [width, height] = [window.innerWidth, window.innerHeight];
  for (let at = 0; at < widgets.length; at += 1) {
    const widget = widgets[at], e = nodes[at], { rect } = widget;
    if (is_empty(rect)) continue;
    const takes = reasons[at] || widget.flags & (EDITABLE | DOUBLE | HOVERABLE | SLIDES);
    if (takes) {
      const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
      const is_inside = x >= 0 && y >= 0 && x < width && y < height;
      const own = e.ownerDocument === document;
      if (hosts[at] >= 0 || !own || e.tagName === 'OPTION') { /* It is not where it will be, or cannot be asked for. */ }
      else if (is_inside) {
        const front = in_front(document, x, y);
        const label = front?.closest?.('label');
        const is_reached = front && (holds(e, front) || has_text_of(e, front) || (label && label.control === e));
        if (!is_reached) {
          // Scrolled out of its list, or covered by something else.
          if (is_scrolled_out(e, x, y)) widget.flags |= OUTSIDE;
          else if (!(front && holds(front, e) && (e.tagName === 'A' || e.tagName === 'LABEL') && first_rect_is_reached(e))) {
            reasons[at] = '';
            widget.flags &= ~(EDITABLE | DOUBLE | HOVERABLE | SLIDES);
            continue;
          }
        }
      } else widget.flags |= OUTSIDE;
      if (!own) widget.flags |= is_inside ? 0 : OUTSIDE;
    }
    if (reasons[at]) widget.flags |= CLICKABLE;
  }
  // One control is one target: a click on the label of a control is one on the control, and so is a click on a box without a
  // name that has the control in its middle.
  for (let at = widgets.length - 1; at >= 0; at -= 1) {
    const { flags, depth, text, name, id, rect } = widgets[at];
    if (!(flags & CLICKABLE)) continue;
    const is_target = other => other !== undefined && widgets[other].flags & CLICKABLE && widgets[other].flags & ENABLED;
    const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
    let has_target = nodes[at].tagName === 'LABEL' && is_target(place_of.get(nodes[at].control));
    for (let below = at + 1; !(text || name || id || has_target) && below < widgets.length && widgets[below].depth > depth; below += 1) {
      const inner = widgets[below].rect;
      has_target = is_target(below) && x >= inner.left && x < inner.right && y >= inner.top && y < inner.bottom;
    }
    if (has_target) widgets[at].flags &= ~CLICKABLE;
  }
  function is_scrolled_out(e, x, y) {
    for (let above = around_of(e); above && above !== document.body; above = around_of(above)) {
      if (above.nodeType !== 1) continue;
      if (!/auto|scroll/.test(getComputedStyle(above).overflow)) continue;
      const box = above.getBoundingClientRect();
      if (x < box.left || x >= box.right || y < box.top || y >= box.bottom) return true;
    }
    return false;
  }
  // An inline element of several lines has nothing in its middle.
  function first_rect_is_reached(e) {
    const box = e.getClientRects()[0];
    if (!box) return false;
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const front = in_front(document, x, y);
    if (!front || !holds(e, front)) return false;
    widgets[place_of.get(e)].rect = { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
    return true;
  }

  const state = window[key];
  state.nodes = nodes;
  const round = n => Math.max(-1e9, Math.min(1e9, Math.round(n)));
  const errors = state.errors.splice(0), said = state.said.splice(0);
  state.answered();
  const { status } = state;
  state.status = 0;
  return {
    href: window.location.href,
    size: [width, height],
    errors,
    said,
    status,
    online: navigator.onLine,
    fields: fields.join('\n'),
    widgets: widgets.map(({ depth, tag, role, classes, id, text, name, rect, flags }, at) => [
      depth, tag, role, classes, id, text, name,
      is_empty(rect) ? [0, 0, 0, 0] : [round(rect.left), round(rect.top), round(rect.right), round(rect.bottom)],
      flags, hosts[at],
    ]),
  };
};

const look = left => {
  const state = window[key];
  if (left) return left;
  const opens = state.opens && !is_last;
  state.opens = false;
  if (opens) return 'opens';
  return document.visibilityState === 'hidden' && !stays_behind && !is_last ? 'behind' : state.plainly(snapshot);
};
rest().then(look).then(done, error => done({ failed: String(error?.stack ?? error) }));
