// Texts that fit a field, by what the page says of it: what `src/gui/sample.rs` finds for a page in a browser.
'use strict';

const BYTES_MAX = 500, PATTERN_MAX = 1000, FIELDS_MAX = 200, SAID_MAX = 3, DIGITS_MAX = 10;
const AROUND_LEVELS = 6, AROUND_TEXTS = 6, AROUND_BYTES = 300;
const SENTENCE = 'a few words, and 1 more', SHORT = 3, PASSWORD = 'Secret-123';
const CALLED = [
  ['', 'holder owner name'], ['name@example.com', 'email mail'], ['https://example.com/', 'homepage link site url web website'],
  ['123', 'csc cvc cvv'], ['12/40', 'exp expiration expires expiry'], ['4111111111111111', 'card cardnumber cc creditcard'],
  ['12345', 'plz postal postalcode postcode zip zipcode'], ['0301234567', 'cell fax mobile phone tel telephone'],
  ['2000', 'jahr year'],
].map(([text, names]) => [text, names.split(' ')]);
const NUMBER = [['42', ['digits', 'number', 'numeric', 'zahl']]];
const EXAMPLES = [' like ', 'e.g. ', 'for example ', 'such as ', 'z. B. '];
const DIGITS = /^(digit|ziffer|stellen|chiffre|dígito)/, LETTERS = /^(letter|character|char|sign|zeichen|caract|buchstabe)/;
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const PARTS = { yyyy: '2040', yy: '40', mm: '10', dd: '20', hh: '20', ss: '30', jjjj: '2040' };
const UNTOLD = ['activity', 'btn', 'button', 'the', 'id'];
const FORMS = {
  spinbutton: { takes: /^-?\d+(\.\d+)?$/, samples: [] },
  date: { takes: /^\d{4}-\d\d-\d\d$/, samples: ['2001-02-03', '2040-10-20'] },
  time: { takes: /^\d\d:\d\d$/, samples: ['04:05', '20:30'] },
  'datetime-local': { takes: /^\d{4}-\d\d-\d\dT\d\d:\d\d$/, samples: ['2001-02-03T04:05', '2040-10-20T20:30'] },
  month: { takes: /^\d{4}-\d\d$/, samples: ['2001-02', '2040-10'] },
  week: { takes: /^\d{4}-W\d\d$/, samples: ['2001-W05', '2040-W42'] },
};

const bytes_of = text => Buffer.byteLength(text);
const is_field = ({ flags, bounds }) => flags.includes('editable') && is_visible({ bounds });
const is_visible = ({ bounds: [left, top, right, bottom] }) => right > left && bottom > top;
const cycled = (text, letters) => text.repeat(Math.max(1, Math.ceil(Math.min(letters, BYTES_MAX) / text.length)));
const is_example = text => /\d/.test(text) && text.split(' ').every(word => /\d/.test(word) || /^\p{Lu}{0,3}$/u.test(word));
const form_of = role => Object.hasOwn(FORMS, role) ? FORMS[role] : null;

// Words of a name, in small letters.
const words_of = name => name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u)
  .filter(word => bytes_of(word) > 1 && !UNTOLD.includes(word));

// Texts around the field at `at`: of the largest part of the page that has no other field, if it is small enough.
const texts_around = (widgets, at) => {
  const levels = widgets.filter(is_field).length === 1 ? 1 : AROUND_LEVELS;
  let around = [], top = at;
  for (let level = 0; level < levels; level += 1) {
    let above = top - 1;
    while (above >= 0 && widgets[above].depth >= widgets[top].depth) above -= 1;
    if (above < 0) break;
    let end = above + 1;
    while (end < widgets.length && widgets[end].depth > widgets[above].depth) end += 1;
    const part = widgets.slice(above + 1, end);
    const texts = part.filter(one => is_visible(one) && one.text && !is_field(one)).map(one => one.text);
    const is_large = texts.length > AROUND_TEXTS || texts.reduce((sum, text) => sum + bytes_of(text), 0) > AROUND_BYTES;
    if (is_large || part.filter(is_field).length !== 1) break;
    [around, top] = [texts, above];
  }
  return around;
};

// Writes a text that a pattern matches; what may come any number of times comes `often`.
class Writer {
  constructor(pattern) {
    Object.assign(this, { pattern, at: 0 });
  }

  write(often) {
    const first = this.branch(often);
    while (this.pattern[this.at] === '|') {
      this.at += 1;
      this.branch(often);
    }
    return first;
  }

  branch(often) {
    let text = '';
    while (this.at < this.pattern.length && !'|)'.includes(this.pattern[this.at])) {
      const begin = this.at;
      const one = this.atom(often);
      const end = this.at;
      const [least, most] = this.quantity();
      const wanted = most === 1 ? 0 : Math.min(often, most);
      const times = Math.max(least, wanted);
      const inner = end === this.at ? one : new Writer(this.pattern.slice(begin, end)).atom(1);
      text += end === this.at ? one : inner.repeat(Math.min(times, BYTES_MAX + 1));
      if (text.length > BYTES_MAX) throw new Error('it is too long');
    }
    return text;
  }

  atom(often) {
    const sign = this.pattern[this.at];
    if (sign === '(') {
      this.at += /^\((\?:|\?<\w+>)?/.exec(this.pattern.slice(this.at))[0].length;
      const text = this.write(often);
      this.at += 1;
      return text;
    }
    const [one] = /^(\[(\\.|[^\]\\])*\]|\\.|.)/su.exec(this.pattern.slice(this.at));
    this.at += one.length;
    if (/^[\^$]$|^\\[bB]$/.test(one)) return '';
    return /^[[.]|^\\[dwsDWS]$/.test(one) ? one_of(one) : one.replace(/^\\/, '');
  }

  quantity() {
    const [all, kind, least, comma, most] = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})?\??/.exec(this.pattern.slice(this.at));
    this.at += all.length;
    if (kind) return { '?': [0, 1], '*': [0, Infinity], '+': [1, Infinity] }[kind];
    if (least === undefined) return [1, 1];
    return [Number(least), most ? Number(most) : comma ? Infinity : Number(least)];
  }
}

// A letter or a digit of a class, or its first sign.
const one_of = one => {
  const pattern = new RegExp(`^${one}$`, 'u');
  const all = ['1', 'a', 'A', ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))];
  return all.find(sign => pattern.test(sign)) ?? '';
};

class Rules {
  constructor(lines, field, said) {
    const [shortest, longest, kind, pattern, least, most, placeholder, autocomplete] = lines;
    Object.assign(this, { kind, pattern, range: [least, most], placeholder, autocomplete, field, said });
    this.shortest = Math.max(0, Number(shortest) || 0);
    this.longest = longest === '' || Number(longest) < 0 ? Infinity : Number(longest);
  }

  samples() {
    const [tag, role] = this.field.class.split(' ');
    const known = tag === 'input' ? form_of(role) : null;
    const form = known ?? form_of(this.kind);
    return [...new Set(form ? this.formed(form, known) : this.free())];
  }

  // Texts for numbers, dates and times.
  formed(form, known) {
    const takes = text => text !== '' && form.takes.test(text);
    const samples = this.range.filter(takes);
    const [least, most] = this.range;
    if (form !== FORMS.spinbutton) {
      if (!samples.length && known) return [];
      return [...samples, ...form.samples.filter(time => time >= least && (most === '' || time <= most))].sort();
    }
    const called = least === '' && most === '' ? [this.called()] : [];
    return [...samples, ...[...called, ...this.told()].filter(takes)];
  }

  free() {
    const guesses = [() => this.by_pattern(1), () => this.by_pattern(this.shortest), () => this.by_placeholder(),
      () => this.plain()];
    const fitting = text => text !== null && this.fits(text);
    const first = guesses.reduce((found, guess) => found ?? [guess()].find(fitting), undefined);
    return [first, ...this.told()].filter(text => text !== undefined && this.fits(text));
  }

  // Texts by what is said around the field.
  told() {
    const found = [];
    for (const said of this.said) {
      for (const before of EXAMPLES) {
        const at = said.indexOf(before);
        const example = at < 0 ? '' : said.slice(at + before.length).split(/[,;)(]/)[0].trim().replace(/\.+$/, '');
        if (is_example(example)) found.push(example);
      }
      const words = said.split(/\s+/).filter(Boolean).map(word => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
      words.forEach((word, at) => found.push(...this.counted(word, (words[at + 1] ?? '').toLowerCase())));
    }
    return found.slice(0, SAID_MAX);
  }

  // A number that is said, or a text with as many letters.
  counted(word, unit) {
    const is_digits = DIGITS.test(unit), is_letters = LETTERS.test(unit);
    const spelt = NUMBERS.indexOf(word.toLowerCase());
    const number = /^\d+$/.test(word) && word.length <= DIGITS_MAX ? Number(word) : is_digits || is_letters ? spelt : -1;
    if (number < 0) return [];
    const letters = text => cycled(text, number).slice(0, number).replace(/ $/, 's');
    if (is_digits) return [letters('0123456789')];
    if (is_letters) return [letters(this.field.flags.includes('password') ? PASSWORD : SENTENCE)];
    return [word];
  }

  is_patterned() {
    return this.pattern !== '' && bytes_of(this.pattern) <= PATTERN_MAX;
  }

  fits(text) {
    if (/\p{Cc}/u.test(text) || bytes_of(text) > BYTES_MAX || text.length < this.shortest
      || text.length > this.longest) return false;
    try { return !this.is_patterned() || new RegExp(`^(?:${this.pattern})$`, 'u').test(text); } catch { return true; }
  }

  by_pattern(often) {
    if (!this.is_patterned()) return null;
    try { return new Writer(this.pattern).write(often) || null; } catch { return null; }
  }

  by_placeholder() {
    const shown = this.placeholder.trim();
    if (/\d/.test(shown)) {
      const example = /^.*(?:g\. |: )(.*)$/.exec(shown)?.[1] ?? shown;
      return is_example(example) ? example : null;
    }
    const parts = shown.match(/\p{L}+|[^\p{L}]/gu) ?? [];
    const written = parts.map(part => /\p{L}/u.test(part) ? PARTS[part.toLowerCase()] : part);
    return written.length && !written.includes(undefined) ? written.join('') : null;
  }

  plain() {
    const called = this.field.flags.includes('password') ? PASSWORD : this.called();
    if (called) return cycled(called, this.shortest);
    return this.shortest > SHORT ? cycled(SENTENCE, this.shortest) : null;
  }

  // Text by what the field is called.
  called() {
    const sources = [[this.kind, this.autocomplete], [this.field.id, this.field.desc, this.placeholder], this.said];
    const of = (source, all) => {
      const words = source.flatMap(words_of);
      return all.find(([, names]) => words.some(word => names.includes(word)))?.[0];
    };
    const first = (from, all) => from.reduce((found, source) => found ?? of(source, all), undefined);
    return first(sources, CALLED) ?? first(sources.slice(1), NUMBER) ?? '';
  }
}

// Returns the samples of a screen, one a line after the number of its field.
const samples_of = (fields, widgets) => fields.slice(0, FIELDS_MAX).flatMap(field => {
  const [at, ...lines] = field.split('\n');
  const rules = new Rules(lines, widgets[at], texts_around(widgets, Number(at)));
  return rules.samples().map(sample => `${at} ${sample}`);
}).join('\n');

module.exports = { samples_of };
