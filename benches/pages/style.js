// Styles of elements: the cascade of the page's style sheets over a few rules of the browser's own. jsdom has one, but it knows
// no specificity, and no mouse that is over an element.
'use strict';

const BLOCKS = new Set(('html body div p h1 h2 h3 h4 h5 h6 ul ol dl dt dd form fieldset legend section article aside header '
  + 'footer main nav address blockquote figure figcaption hr pre details summary optgroup option dialog center '
  + 'hgroup search menu').split(' '));
const DISPLAYS = {
  li: 'list-item', table: 'table', tr: 'table-row', td: 'table-cell', th: 'table-cell', tbody: 'table-row-group',
  thead: 'table-header-group', tfoot: 'table-footer-group', caption: 'table-caption', button: 'inline-block',
  input: 'inline-block',
  select: 'inline-block', textarea: 'inline-block', meter: 'inline-block', progress: 'inline-block', slot: 'contents',
};
const UNSEEN = new Set('head script style template title meta link base noscript datalist source track param area'.split(' '));
// A compound of a tag, classes and ids alone, and one that depends on more than the tree.
const PLAIN = /^(\*|[a-z][\w-]*)?((?:[.#][\w-]+)*)$/i;
const STATES = /:(checked|focus|active|invalid|valid|user-|placeholder|target|default|indeterminate|in-range|out-of-range)/;
const INHERITED = ['visibility', 'cursor', 'pointer-events'];
const INITIAL = {
  display: 'inline', visibility: 'visible', opacity: '1', position: 'static', cursor: 'auto', 'pointer-events': 'auto',
  'overflow-x': 'visible', 'overflow-y': 'visible',
};
const SIDES = ['top', 'right', 'bottom', 'left'];

// Element around an element, as it is drawn.
const around_of = e => {
  const around = e.assignedSlot ?? e.parentNode ?? null;
  return around?.nodeType === 11 ? around.host ?? null : around?.nodeType === 1 ? around : null;
};

// Parts of `text` at the signs that `is_end` takes, outside of brackets and quotes.
const split = (text, is_end) => {
  const parts = [''];
  let depth = 0, quote = '';
  for (const sign of text) {
    if (quote) quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if ('(['.includes(sign)) depth += 1;
    else if (')]'.includes(sign)) depth -= 1;
    if (!depth && !quote && is_end(sign)) parts.push(sign, '');
    else parts[parts.length - 1] += sign;
  }
  return parts;
};

const specificity_of = selector => {
  const plain = selector.replace(/:(is|not|has)\(/g, ' ').replace(/:where\([^)]*\)/g, '');
  const count = pattern => (plain.match(pattern) ?? []).length;
  return count(/#[\w-]+/g) * 1e6 + count(/\.[\w-]+|\[[^\]]*\]|(?<!:):(?!:)[\w-]+/g) * 1e3 + count(/(^|[\s>+~])[a-z][\w-]*/gi);
};

// Compounds of a selector with the combinators between them, the last one first.
const compounds_of = selector => {
  const tidy = selector.trim().replace(/\s*([>+~])\s*(?![^[(]*[\])])/g, '$1').replace(/\s+/g, ' ');
  return split(tidy, sign => ' >+~'.includes(sign)).reverse().map((part, at) => at % 2 ? part : compound_of(part));
};
const compound_of = text => {
  const [, tag, names] = PLAIN.exec(text) ?? [];
  if (names === undefined) return { text };
  const named = sign => (names.match(/[.#][\w-]+/g) ?? []).filter(name => name[0] === sign).map(name => name.slice(1));
  return { text, plain: { tag: tag === '*' ? undefined : tag?.toLowerCase(), classes: named('.'), ids: named('#') } };
};
const fits_plain = (e, { tag, classes, ids }) => {
  if (tag !== undefined && e.localName !== tag) return false;
  if (ids.some(id => e.id !== id)) return false;
  if (!classes.length) return true;
  const own = (e.getAttribute('class') ?? '').split(/\s+/);
  return classes.every(name => own.includes(name));
};

// The rules of a sheet: each with a selector, its place in the cascade, and what it declares.
const rules_of = (rules, width) => [...rules].flatMap(rule => {
  if (rule.media) {
    const limit = kind => Number(new RegExp(`${kind}-width:\\s*(\\d+)px`).exec(rule.media.mediaText)?.[1] ?? NaN);
    if (width > limit('max') || width < limit('min') || /print/.test(rule.media.mediaText)) return [];
  }
  if (rule.cssRules && !rule.selectorText) return rules_of(rule.cssRules, width);
  if (!rule.selectorText || !rule.style) return [];
  const declared = declared_in(rule.style);
  return split(rule.selectorText, sign => sign === ',').filter(one => one !== ',' && !one.includes('::'))
    .map(one => ({ compounds: compounds_of(one), specificity: specificity_of(one), declared, is_stateful: STATES.test(one) }));
});

const declared_in = style => Array.from({ length: style.length }, (_, at) => {
  const name = style[at];
  return { name, value: style.getPropertyValue(name), is_important: style.getPropertyPriority(name) === 'important' };
});

// Puts the parts of a shorthand into `style`.
const spread = (style, name, value) => {
  if (name === 'overflow') {
    const [x, y = x] = value.split(/\s+/);
    Object.assign(style, { 'overflow-x': x, 'overflow-y': y });
  } else if (['margin', 'padding', 'inset'].includes(name)) {
    const [top, right = top, bottom = top, left = right] = value.split(/\s+/);
    [top, right, bottom, left].forEach((one, at) => { style[name === 'inset' ? SIDES[at] : `${name}-${SIDES[at]}`] = one; });
  }
  style[name] = value;
};

// Style sheets of a document or a shadow tree. jsdom has them all in the list of the document.
const sheets_of = root => [...root.querySelectorAll('style, link')].map(e => e.sheet).filter(sheet => sheet && !sheet.disabled);

class Styles {
  // `roots` returns the document and its shadow trees; `hovered` has the elements that the mouse is over.
  constructor(window, roots, hovered) {
    Object.assign(this, { window, roots, hovered });
    this.forget();
  }

  forget() {
    Object.assign(this, { known: new Map(), rules: null });
  }

  // Returns the values of an element by the names of the properties.
  of(e) {
    const known = this.known.get(e);
    if (known) return known;
    const around = around_of(e);
    const outer = around ? this.of(around) : INITIAL;
    const style = { ...INITIAL };
    for (const name of INHERITED) style[name] = outer[name];
    this.put_own(e, style);
    for (const [name, value] of this.cascade(e)) {
      const taken = value === 'inherit' ? outer[name] : value === 'initial' || value === 'unset' ? INITIAL[name] : value;
      if (taken !== undefined) spread(style, name, taken);
    }
    const is_flex = /flex|grid/.test(outer.display);
    const is_lifted = ['absolute', 'fixed'].includes(style.position) || /left|right/.test(style.float ?? '');
    const is_inline = style.display.startsWith('inline');
    if ((is_flex || is_lifted) && is_inline) style.display = style.display.slice('inline-'.length) || 'block';
    style.overflow = style['overflow-x'] === style['overflow-y'] ? style['overflow-x']
      : `${style['overflow-x']} ${style['overflow-y']}`;
    this.known.set(e, style);
    return style;
  }

  // Puts what the browser itself says of an element.
  put_own(e, style) {
    const tag = e.localName;
    style.display = BLOCKS.has(tag) ? 'block' : DISPLAYS[tag] ?? 'inline';
    const is_closed = tag === 'dialog' && !e.hasAttribute('open');
    const is_folded = e.parentNode?.localName === 'details' && !e.parentNode.hasAttribute('open') && tag !== 'summary';
    if (UNSEEN.has(tag) || e.hidden || is_closed || is_folded || tag === 'input' && e.type === 'hidden') style.display = 'none';
    if (tag === 'a' && e.hasAttribute('href')) style.cursor = 'pointer';
    else if (['button', 'select', 'label', 'option'].includes(tag)) style.cursor = 'default';
    else if (tag === 'textarea') style.cursor = 'text';
    else if (tag === 'input') style.cursor = /^(button|submit|reset|checkbox|radio|range|color|file|image)$/.test(e.type)
      ? 'default' : 'text';
    if (tag === 'dialog') style.position = 'absolute';
    if (tag === 'textarea') Object.assign(style, { 'overflow-x': 'auto', 'overflow-y': 'auto' });
  }

  // Returns the declarations for an element, the strongest last.
  cascade(e) {
    const found = this.rules_for(e).filter(({ compounds }) => this.matches(e, compounds, 0));
    found.sort((a, b) => a.specificity - b.specificity);
    const all = [...found.flatMap(({ declared }) => declared), ...e.style?.length ? declared_in(e.style) : []];
    const of = is_important => all.filter(one => one.is_important === is_important).map(({ name, value }) => [name, value]);
    return [...of(false), ...of(true)];
  }

  // Returns the rules of the tree that an element is in, and of its own shadow tree.
  rules_for(e) {
    if (!this.rules) {
      const rules_in = root => sheets_of(root).flatMap(sheet => rules_of(sheet.cssRules, this.window.innerWidth));
      this.rules = new Map(this.roots().map(root => [root, rules_in(root)]));
      this.is_stateful = [...this.rules.values()].flat().some(rule => rule.is_stateful);
    }
    const of = root => this.rules.get(root) ?? [];
    const inner = e.shadowRoot ? of(e.shadowRoot).filter(({ compounds }) => compounds[0].text.startsWith(':host')) : [];
    return [...inner, ...of(e.getRootNode())];
  }

  // Returns true if the element fits the compound at `at` and the ones around it fit the rest.
  matches(e, compounds, at) {
    if (!this.fits(e, compounds[at])) return false;
    const combinator = compounds[at + 1];
    const others = combinator === undefined ? null : {
      '>': () => [e.parentElement], '+': () => [e.previousElementSibling], '~': () => before_of(e), ' ': () => above_of(e),
    }[combinator]();
    return !others || others.some(other => other && this.matches(other, compounds, at + 2));
  }

  fits(e, { text: compound, plain: parts }) {
    if (parts) return fits_plain(e, parts);
    if (compound.startsWith(':host')) {
      const [, inner] = /^:host\((.*)\)$/.exec(compound) ?? [];
      return Boolean(e.shadowRoot) && (inner === undefined || e.matches(inner));
    }
    if (compound.includes(':hover') && !this.hovered.has(e)) return false;
    const plain = compound.replaceAll(':hover', '') || '*';
    try { return e.matches(plain); } catch { return false; }
  }
}

const before_of = e => {
  const found = [];
  for (let one = e.previousElementSibling; one; one = one.previousElementSibling) found.push(one);
  return found;
};
const above_of = e => {
  const found = [];
  for (let one = e.parentElement; one; one = one.parentElement) found.push(one);
  return found;
};

module.exports = { Styles, around_of, sheets_of };
