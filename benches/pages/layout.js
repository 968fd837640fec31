// A layout for a DOM that has none. Each element that is seen gets bounds of its own: blocks below each other, and what is
// inline beside each other. Letters have one width. Nothing is where a browser draws it, but what is in front is in front.
'use strict';

const { around_of } = require('./style.js');

const LETTER = 8, LINE = 20, INDENT = 40;
const SKIPPED = new Set(['select', 'input', 'textarea', 'iframe', 'canvas', 'img', 'svg', 'video', 'audio', 'progress',
  'meter']);
const SIZES = { textarea: [180, 40], select: [120, LINE], iframe: [300, 150], canvas: [300, 150], img: [20, LINE],
  svg: [20, LINE] };
const INPUT_SIZES = { checkbox: [14, 14], radio: [14, 14], range: [130, LINE], color: [50, LINE] };
const ROWS = /^(table-row|flex|inline-flex)$/;
const EVERYWHERE = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

const pixels = (value, whole) => {
  const [, number, unit] = /^(-?[\d.]+)(px|%|em|rem|)$/.exec(value ?? '') ?? [];
  if (number === undefined || unit === '' && Number(number) !== 0) return undefined;
  return Math.round(Number(number) * (unit === '%' ? whole / 100 : unit.endsWith('em') ? 16 : 1));
};
const nodes_in = e => {
  const given = e.localName === 'slot' ? e.assignedNodes() : [];
  return given.length ? given : [...(e.shadowRoot ?? e).childNodes];
};
const meet = (a, b) => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});
const has = (r, x, y) => x >= r.left && x < r.right && y >= r.top && y < r.bottom;
const union = rects => rects.length ? {
  left: Math.min(...rects.map(r => r.left)), top: Math.min(...rects.map(r => r.top)),
  right: Math.max(...rects.map(r => r.right)), bottom: Math.max(...rects.map(r => r.bottom)),
} : null;

class Layout {
  // `modals` are the dialogs that keep the rest of the page away, the front one last.
  constructor(window, styles, modals) {
    Object.assign(this, { window, styles, modals, scrolls: new Map() });
    this.forget();
  }

  forget() {
    this.boxes = null;
  }

  scroll_of(e) {
    return this.scrolls.get(e) ?? { x: 0, y: 0 };
  }

  page_scroll() {
    return this.scroll_of(this.window.document.documentElement);
  }

  // Returns the box of an element; none if it is not seen.
  box(e) {
    if (!this.boxes) this.draw();
    return this.boxes.get(e) ?? null;
  }

  draw() {
    this.boxes = new Map();
    const root = this.window.document.documentElement;
    const view = { left: 0, top: 0, right: this.window.innerWidth, bottom: this.window.innerHeight };
    if (root) this.put_block(root, 0, 0, view.right, { clip: EVERYWHERE, around: view, is_fixed: false, layer: [0, 0, 0] });
  }

  // Sides of an element: `padding` or `margin`.
  sides(style, name, width) {
    const [top, right, bottom, left] = ['top', 'right', 'bottom', 'left'].map(side => {
      return pixels(style[`${name}-${side}`], width) ?? 0;
    });
    return { top, right, bottom, left };
  }

  // Puts an element as a block at a place, `width` wide with its margins; returns its height with them.
  put_block(e, x, y, width, context) {
    const style = this.styles.of(e);
    const margin = this.sides(style, 'margin', width), padding = this.sides(style, 'padding', width);
    const most = pixels(style['max-width'], width) ?? Infinity;
    const inner_width = Math.min(pixels(style.width, width) ?? width - margin.left - margin.right, most);
    const shift = this.shift_of(style, y + margin.top);
    const left = x + margin.left, top = y + margin.top + shift;
    const natural = SKIPPED.has(e.localName) ? this.size_of(e)[1] : 0;
    const set = pixels(style.height, this.window.innerHeight);
    const box = this.add_box(e, style, context);
    box.rects.push({ left, top, right: left + inner_width, bottom: top + (set ?? 0) });
    const scroll = e === this.window.document.documentElement ? { x: 0, y: 0 } : this.scroll_of(e);
    const indent = ['ul', 'ol'].includes(e.localName) && style['padding-left'] === undefined ? INDENT : padding.left;
    const inner = this.inside(e, style, box, context);
    const line = { left: left + indent - scroll.x, right: left + inner_width - padding.right,
      top: top + padding.top - scroll.y };
    const height = SKIPPED.has(e.localName) ? natural : this.flow(e, line, inner);
    const whole = set ?? height + padding.top + padding.bottom;
    box.rects[0].bottom = top + whole;
    box.scroll_height = Math.max(whole, height + padding.top + padding.bottom);
    return whole + margin.top + margin.bottom;
  }

  // Way down of an element that sticks to the top of the view.
  shift_of(style, top) {
    return style.position === 'sticky' ? Math.max(0, this.page_scroll().y + (pixels(style.top, 0) ?? -Infinity) - top) : 0;
  }

  add_box(e, style, context) {
    const is_lifted = style.position !== 'static';
    const [top, index] = context.layer;
    const is_modal = this.modals.includes(e);
    const own = is_lifted && Number.isFinite(Number(style['z-index'])) ? Number(style['z-index']) : index;
    const layer = [is_modal ? this.modals.indexOf(e) + 1 : top, own, is_lifted ? 1 : context.layer[2]];
    const is_fixed = context.is_fixed || style.position === 'fixed' || is_modal;
    const box = { e, style, rects: [], layer, is_fixed, clip: context.clip, scroll_height: 0, place: this.boxes.size };
    this.boxes.set(e, box);
    return box;
  }

  // Context of what is in an element.
  inside(e, style, box, context) {
    const cuts = !['html', 'body'].includes(e.localName) && /hidden|clip|auto|scroll/.test(style.overflow);
    const [rect] = box.rects;
    return {
      clip: cuts && rect.bottom > rect.top ? meet(context.clip, rect) : context.clip,
      around: style.position === 'static' ? context.around : rect, is_fixed: box.is_fixed, layer: box.layer,
    };
  }

  // Puts what is in an element from the top of `line` on; returns its height.
  flow(e, { left, right, top }, context) {
    const is_row = ROWS.test(this.styles.of(e).display);
    const line = { left, right, x: left, top, height: 0, is_row };
    for (const node of nodes_in(e)) this.put(node, line, context, []);
    this.end_line(line);
    return line.top - top;
  }

  end_line(line) {
    Object.assign(line, { x: line.left, top: line.top + line.height, height: 0 });
  }

  break_line(line) {
    line.height ||= LINE;
    this.end_line(line);
  }

  // Puts a node on the line; `owners` are the boxes of the inline elements around it.
  put(node, line, context, owners) {
    if (node.nodeType === 3) this.put_text(node.data, line, owners);
    if (node.nodeType !== 1) return;
    const style = this.styles.of(node);
    const { display, position } = style;
    if (display === 'none') return;
    const is_lifted = ['absolute', 'fixed'].includes(position) || this.modals.includes(node);
    if (is_lifted) this.put_lifted(node, style, line, context);
    else if (display === 'contents') nodes_in(node).forEach(inner => this.put(inner, line, context, owners));
    else if (node.localName === 'br') this.break_line(line);
    else if (display === 'inline' && !SKIPPED.has(node.localName)) {
      const box = this.add_box(node, style, context);
      const inner = { ...context, layer: box.layer };
      nodes_in(node).forEach(one => this.put(one, line, inner, [...owners, box]));
    } else if (line.is_row || display.startsWith('inline') || display === 'table-cell') {
      this.put_beside(node, line, context, owners);
    } else {
      this.end_line(line);
      line.top += this.put_block(node, line.left, line.top, Math.max(line.right - line.left, LETTER), context);
      const box = this.boxes.get(node);
      owners.forEach(owner => owner.rects.push(box.rects[0]));
    }
  }

  put_text(text, line, owners) {
    const letters = text.replace(/\s+/g, ' ').trim().length;
    if (letters) this.take(letters * LETTER, LINE, line, owners);
  }

  // Takes room on the line; returns where it is.
  take(wanted, height, line, owners) {
    const whole = Math.max(line.right - line.left, LETTER);
    const width = height === LINE ? Math.min(wanted, whole) : wanted;
    if (line.x > line.left && line.x + width > line.right) this.end_line(line);
    const lines = wanted > width && height === LINE ? Math.ceil(wanted / whole) : 1;
    const rect = { left: line.x, top: line.top, right: line.x + width, bottom: line.top + height * lines };
    line.x += width + LETTER / 2;
    line.height = Math.max(line.height, height * lines);
    owners.forEach(owner => owner.rects.push(rect));
    return rect;
  }

  put_beside(e, line, context, owners) {
    const style = this.styles.of(e);
    const width = this.outer_width(e, style, line.right - line.left);
    const room = this.take(width, 0, line, owners);
    const height = this.put_block(e, room.left, room.top, room.right - room.left, context);
    room.bottom = room.top + height;
    line.height = Math.max(line.height, height);
  }

  // Puts an element that is out of the flow.
  put_lifted(e, style, line, context) {
    const is_modal = this.modals.includes(e), is_fixed = style.position === 'fixed' || is_modal;
    const { innerWidth, innerHeight } = this.window;
    const around = is_fixed ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : context.around;
    const whole = around.right - around.left;
    const side = name => pixels(style[name], whole);
    const width = this.outer_width(e, style, whole);
    const [left, right, top] = [side('left'), side('right'), side('top')];
    const x = is_modal ? (innerWidth - width) / 2 | 0 : left !== undefined ? around.left + left
      : right !== undefined ? around.right - right - width : line.x;
    const y = is_modal ? innerHeight / 4 | 0 : top !== undefined ? around.top + top : line.top;
    this.put_block(e, x, y, width, { ...context, clip: is_fixed ? EVERYWHERE : context.clip });
  }

  // Width of an element with its margins, if its contents say it.
  outer_width(e, style, most) {
    const margin = this.sides(style, 'margin', most);
    const sides = margin.left + margin.right, set = pixels(style.width, most);
    return set === undefined ? Math.min(this.natural_width(e, style, most) + sides, Math.max(most, LETTER)) : set + sides;
  }

  natural_width(e, style, most) {
    if (SKIPPED.has(e.localName)) return this.size_of(e)[0];
    const padding = this.sides(style, 'padding', most);
    const frame = padding.left + padding.right + (e.localName === 'button' ? 2 * LETTER : 0);
    const widths = nodes_in(e).map(node => this.width_of(node, most));
    const is_line = nodes_in(e).every(node => node.nodeType !== 1 || this.styles.of(node).display.startsWith('inline'));
    const inner = is_line || ROWS.test(style.display) ? widths.reduce((sum, one) => sum + one, 0) : Math.max(0, ...widths);
    return Math.max(inner + frame, e.localName === 'button' ? 2 * LETTER : 0);
  }

  width_of(node, most) {
    if (node.nodeType === 3) {
      const letters = node.data.replace(/\s+/g, ' ').trim().length;
      return letters ? letters * LETTER + LETTER / 2 : 0;
    }
    if (node.nodeType !== 1) return 0;
    const style = this.styles.of(node);
    if (style.display === 'none' || ['absolute', 'fixed'].includes(style.position)) return 0;
    return this.outer_width(node, style, most) + LETTER / 2;
  }

  // Width and height of an element that has its own.
  size_of(e) {
    const [width, height] = e.localName === 'input' ? INPUT_SIZES[e.type] ?? [170, LINE] : SIZES[e.localName] ?? [160, LINE];
    const said = name => Number.parseInt(e.getAttribute(name), 10) || 0;
    return e.localName === 'input' ? [width, height] : [said('width') || width, said('height') || height];
  }

  // Rectangles of an element in the view.
  rects(e) {
    const box = this.box(e);
    if (!box) return [];
    const { x, y } = box.is_fixed ? { x: 0, y: 0 } : this.page_scroll();
    return box.rects.map(r => ({ left: r.left - x, top: r.top - y, right: r.right - x, bottom: r.bottom - y }));
  }

  rect(e) {
    return union(this.rects(e)) ?? { left: 0, top: 0, right: 0, bottom: 0 };
  }

  // Elements at a point of the view, the front one first.
  hits(x, y) {
    const { innerWidth, innerHeight, document } = this.window;
    if (!(x >= 0 && y >= 0 && x < innerWidth && y < innerHeight)) return [];
    if (!this.boxes) this.draw();
    const scroll = this.page_scroll();
    const is_hit = box => {
      const [at_x, at_y] = box.is_fixed ? [x, y] : [x + scroll.x, y + scroll.y];
      return has(box.clip, at_x, at_y) && box.rects.some(r => has(r, at_x, at_y))
        && box.style.visibility === 'visible' && box.style['pointer-events'] !== 'none';
    };
    const modal = this.modals.at(-1);
    const inert = box => modal && !is_in(modal, box.e);
    const found = [...this.boxes.values()].filter(box => !inert(box) && is_hit(box));
    const order = ({ layer: [top, index, lifted], place }) => [top, index, lifted, place];
    found.sort((a, b) => order(b).map((one, at) => one - order(a)[at]).find(Boolean) ?? 0);
    const behind = modal ? [modal] : [document.documentElement];
    return [...new Set([...found.map(({ e }) => e), ...behind])];
  }

  size_to_scroll(e) {
    const rect = this.rect(e);
    if (e === this.window.document.documentElement) {
      const { innerHeight, innerWidth } = this.window;
      const right = Math.max(innerWidth, ...this.boxes_in_page().map(({ rects }) => union(rects)?.right ?? 0));
      const height = Math.max(this.box(e)?.scroll_height ?? 0, innerHeight);
      return { height, client: innerHeight, width: right, client_width: innerWidth };
    }
    const client = rect.bottom - rect.top, width = rect.right - rect.left;
    return { height: this.box(e)?.scroll_height ?? 0, client, width, client_width: width };
  }

  // Boxes that a page scrolls to.
  boxes_in_page() {
    return [...this.boxes.values()].filter(({ clip, is_fixed }) => clip === EVERYWHERE && !is_fixed);
  }

  // Scrolls an element, as far as it goes; returns true if that moves it.
  scroll_to(e, x, y) {
    const { height, client, width, client_width } = this.size_to_scroll(e);
    const before = this.scroll_of(e);
    const within = (place, most) => Math.min(Math.max(0, Math.round(place)), Math.max(0, most));
    const after = { x: within(x, width - client_width), y: within(y, height - client) };
    this.scrolls.set(e, after);
    this.forget();
    return after.x !== before.x || after.y !== before.y;
  }

  can_scroll(e) {
    const { height, client, width, client_width } = this.size_to_scroll(e);
    const is_page = e === this.window.document.documentElement;
    return (height > client || width > client_width) && (is_page || /auto|scroll/.test(this.styles.of(e)['overflow-y']));
  }
}

const is_in = (outer, e) => {
  for (let one = e; one; one = around_of(one)) if (one === outer) return true;
  return false;
};

module.exports = { Layout, is_in };
