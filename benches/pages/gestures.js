// Mouse and keyboard: the events that Chromium sends for the gestures of its driver, in their order, and what they do by
// default.
'use strict';

const { is_in } = require('./layout.js');
const { around_of } = require('./style.js');

const FOCUSABLE = 'a[href], button, input:not([type=hidden]), select, textarea, [tabindex], [contenteditable], summary, iframe';
const CONTROLS = new Set(['BUTTON', 'INPUT', 'SELECT', 'TEXTAREA']);
const TEXT_TYPES = new Set(['text', 'search', 'tel', 'url', 'email', 'password', 'number']);
const SUBMITS = 'button:not([type]), button[type=submit], input[type=submit], input[type=image]';
const CODES = { Control: 'ControlLeft', Delete: 'Delete', Enter: 'Enter', Escape: 'Escape', ' ': 'Space' };
const KEY_CODES = { Control: 17, Delete: 46, Enter: 13, Escape: 27 };

// Elements around an element as it is drawn, itself the first.
const chain_of = e => {
  const chain = [];
  for (let one = e; one; one = around_of(one)) chain.push(one);
  return chain;
};
const is_text_field = e => {
  if (!e || e.readOnly || e.disabled) return false;
  return e.tagName === 'TEXTAREA' || e.tagName === 'INPUT' && TEXT_TYPES.has(e.type) || Boolean(e.isContentEditable);
};

class Mouse {
  constructor(browser) {
    Object.assign(this, { browser, x: 0, y: 0, clicks: 0 });
    this.forget();
  }

  get page() {
    return this.browser.page;
  }

  // Forgets the elements of a page that is left. A page hears nothing of the mouse until it moves.
  forget() {
    Object.assign(this, { over: [], pressed: null, is_known: false });
  }

  target() {
    return this.page.fresh().layout.hits(this.x, this.y)[0] ?? this.page.window.document.documentElement;
  }

  send(target, name, init = {}) {
    if (!target || chain_of(target).some(e => CONTROLS.has(e.tagName) && e.matches(':disabled'))) return true;
    const { x: clientX, y: clientY } = this;
    const is_pointer = name.startsWith('pointer') || name === 'click';
    const pointer = is_pointer ? { pointerId: 1, pointerType: 'mouse', isPrimary: true } : {};
    const type = is_pointer ? 'PointerEvent' : 'MouseEvent';
    return this.page.fire(target, name, type, { view: this.page.window, clientX, clientY, screenX: clientX, screenY: clientY,
      ...pointer, ...init });
  }

  move(x, y) {
    Object.assign(this, { x, y, is_known: true });
    this.refresh();
    const target = this.target();
    const buttons = this.pressed ? 1 : 0;
    this.send(target, 'pointermove', { buttons });
    this.send(target, 'mousemove', { buttons });
    if (this.pressed?.type === 'range') this.slide(this.pressed);
  }

  // Tells the elements that the mouse has left, and those that it is over now.
  refresh() {
    if (!this.is_known) return;
    const after = chain_of(this.target()), before = this.over;
    if (after[0] === before[0]) return;
    this.over = after;
    const { hovered } = this.page;
    hovered.clear();
    after.forEach(e => hovered.add(e));
    this.page.touch();
    const left = before.filter(e => e.isConnected && !after.includes(e)),
      entered = after.filter(e => !before.includes(e)).reverse();
    const still = { bubbles: false, cancelable: false, composed: false };
    for (const kind of ['pointer', 'mouse']) {
      const [out, into] = [{ relatedTarget: after[0] }, { relatedTarget: before[0] ?? null }];
      if (before[0]?.isConnected) this.send(before[0], `${kind}out`, out);
      left.forEach(e => this.send(e, `${kind}leave`, { ...out, ...still }));
      this.send(after[0], `${kind}over`, into);
      entered.forEach(e => this.send(e, `${kind}enter`, { ...into, ...still }));
    }
  }

  down() {
    this.refresh();
    const target = this.target();
    const goes_on = this.send(target, 'pointerdown', { buttons: 1 });
    const takes = goes_on ? this.send(target, 'mousedown', { buttons: 1, detail: this.clicks + 1 }) : true;
    if (takes && target.isConnected) this.focus(target);
    this.pressed = target;
    if (target.type === 'range' && takes) this.slide(target);
  }

  // Moves the focus to what was pressed, or off what has it.
  focus(target) {
    const to = chain_of(target).find(e => e.matches(FOCUSABLE) && !e.matches(':disabled'));
    const active = this.page.active();
    if (to && to !== active) to.focus();
    else if (!to && active) active.blur();
  }

  up() {
    const target = this.target(), { pressed } = this;
    this.pressed = null;
    this.clicks += 1;
    this.send(target, 'pointerup');
    this.send(target, 'mouseup', { detail: this.clicks });
    if (pressed?.type === 'range') this.page.commit(pressed);
    const clicked = pressed?.isConnected ? chain_of(target).find(e => is_in(e, pressed)) : null;
    if (clicked) this.click(clicked);
    return clicked;
  }

  click(target) {
    const { submits } = this.page;
    if (!this.send(target, 'click', { detail: this.clicks }) || submits !== this.page.submits) return;
    const button = target.closest(SUBMITS);
    if (button) focus_mistake(button.form);
  }

  // Clicks once, or several times at the same place.
  press(times) {
    this.clicks = 0;
    let clicked = null;
    for (let left = times; left > 0; left -= 1) {
      this.down();
      clicked = this.up();
    }
    if (times === 2 && clicked) this.send(clicked, 'dblclick', { detail: 2 });
    this.clicks = 0;
  }

  // Pulls the knob of a slider to the mouse.
  slide(slider) {
    const { left, width } = slider.getBoundingClientRect();
    const [least, most, step] = [Number(slider.min || 0), Number(slider.max || 100), Number(slider.step) || 1];
    const part = Math.min(1, Math.max(0, (this.x - left) / width));
    const value = String(least + Math.round(part * (most - least) / step) * step);
    if (value === slider.value) return;
    this.page.edit(slider);
    this.page.put_value.call(slider, value);
    this.page.fire(slider, 'input', 'Event', { cancelable: false });
  }

  // Turns the wheel at a point.
  wheel(x, y, by) {
    const target = this.page.fresh().layout.hits(x, y)[0];
    if (!target || !this.send(target, 'wheel', { deltaY: by })) return;
    const scrolls = chain_of(target).find(e => {
      const before = e.scrollTop;
      return this.page.fresh().layout.can_scroll(e) && (e.scrollBy(0, by), e.scrollTop !== before);
    });
    if (scrolls) this.refresh();
  }
}

// A form that is not sent shows its first mistake.
const focus_mistake = form => {
  if (!form?.isConnected || form.noValidate) return;
  [...form.elements].find(field => field.willValidate && !field.validity.valid)?.focus();
};

class Keyboard {
  constructor(browser) {
    this.browser = browser;
    // Field whose text is selected as a whole, and text of a number that is not one yet.
    Object.assign(this, { whole: null, number: null });
  }

  get page() {
    return this.browser.page;
  }

  send(kind, key, init = {}) {
    const { page } = this;
    const target = page.active() ?? page.window.document.body ?? page.window.document.documentElement;
    const code = CODES[key] ?? (/^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : '');
    const keyCode = kind === 'keypress' ? key.charCodeAt(0) : KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0);
    return page.fire(target, kind, 'KeyboardEvent', { view: page.window, key, code, keyCode, ...init });
  }

  // Presses a key and lets it go; `does` is what it does unless the page prevents that.
  press(key, does, init) {
    if (this.send('keydown', key, init)) does();
    this.send('keyup', key, init);
  }

  // Puts `text` in the place of all that the field with the focus has.
  replace(text) {
    const held = { ctrlKey: true };
    this.send('keydown', 'Control', held);
    this.press('a', () => { this.whole = this.page.active(); }, held);
    this.send('keyup', 'Control');
    this.press('Delete', () => this.erase());
    for (const letter of text) {
      if (letter === '\n') this.enter();
      else this.press(letter, () => this.type(letter));
    }
    this.whole = null;
    this.number = null;
  }

  erase() {
    const field = this.page.active();
    if (!is_text_field(field) || this.whole !== field) return;
    const kind = 'deleteContentForward';
    if (this.tell_before(field, kind, null) && this.text_of(field) !== '') this.put(field, '', kind, null);
    this.whole = null;
  }

  type(letter) {
    if (!this.send('keypress', letter)) return;
    const field = this.page.active();
    if (!is_text_field(field)) return;
    if (field.type === 'number' && !/[\d.eE+-]/.test(letter)) return;
    if (!this.tell_before(field, 'insertText', letter)) return;
    this.insert(field, letter, 'insertText');
  }

  // Puts a letter where the caret is.
  insert(field, letter, kind) {
    const text = this.text_of(field);
    const [from, to] = this.whole === field ? [0, text.length]
      : this.number?.field === field || field.isContentEditable ? [text.length, text.length]
        : [field.selectionStart ?? text.length, field.selectionEnd ?? text.length];
    const after = text.slice(0, from) + letter + text.slice(to);
    this.whole = null;
    if (field.maxLength >= 0 && after.length > field.maxLength) return;
    this.put(field, after, kind, letter, from + letter.length);
  }

  text_of(field) {
    if (this.number?.field === field) return this.number.text;
    return field.isContentEditable ? field.textContent : field.value;
  }

  tell_before(field, inputType, data) {
    return this.page.fire(field, 'beforeinput', 'InputEvent', { inputType, data });
  }

  // Gives a field its text as the browser does, and tells of it.
  put(field, text, inputType, data, caret) {
    const { page } = this;
    if (field.isContentEditable) field.replaceChildren(text || page.window.document.createElement('br'));
    else {
      page.edit(field);
      (field.tagName === 'TEXTAREA' ? page.put_text : page.put_value).call(field, text);
      if (field.type === 'number') this.number = { field, text };
      else if (caret !== undefined && field.selectionStart !== null) field.setSelectionRange(caret, caret);
    }
    page.fire(field, 'input', 'InputEvent', { inputType, data, cancelable: false });
  }

  enter() {
    this.press('Enter', () => {
      if (!this.send('keypress', 'Enter')) return;
      const e = this.page.active();
      if (!e) return;
      if (e.tagName === 'TEXTAREA') {
        if (this.tell_before(e, 'insertLineBreak', null)) this.insert(e, '\n', 'insertLineBreak');
      } else if (e.tagName === 'INPUT' && !/^(button|submit|reset|image|file|color)$/.test(e.type)) this.send_form(e);
      else if (e.matches('button, input, summary, a[href]')) this.click(e);
    });
  }

  send_form(field) {
    if (is_text_field(field) && !this.tell_before(field, 'insertLineBreak', null)) return;
    this.page.commit(field);
    const { form } = field;
    if (!form) return;
    const button = [...form.elements].find(e => e.matches(SUBMITS));
    if (button) {
      if (!button.disabled) this.click(button);
    } else if ([...form.elements].filter(is_text_field).length <= 1) form.requestSubmit();
  }

  click(e) {
    this.browser.mouse.click(e);
  }

  escape() {
    this.press('Escape', () => {
      const dialog = this.page.modals.at(-1);
      if (dialog && this.page.fire(dialog, 'cancel', 'Event', { bubbles: false })) dialog.close();
    });
  }
}

// Chooses an entry of a select as the driver of Chromium does.
const choose = (page, option) => {
  const select = option.closest('select');
  if (!select || select.disabled || option.disabled) return;
  if (select !== page.active()) select.focus();
  if (!option.selected || select.multiple) {
    option.selected = !option.selected;
    page.fire(select, 'change', 'Event', { cancelable: false, composed: false });
  }
  for (const kind of ['mouseup', 'click']) page.fire(select, kind, 'MouseEvent', { view: page.window });
};

module.exports = { Mouse, Keyboard, choose };
