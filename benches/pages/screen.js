// Screens: what the script that looks at a page answers, in the form of the devices that are programs.
// `src/device/webdriver/page.rs` makes the same of a page in a browser.
'use strict';

const FLAGS = {
  1: 'clickable', 2: 'doubleclickable', 4: 'checkable', 8: 'checked', 16: 'enabled', 32: 'focused', 64: 'selected',
    128: 'password',
  256: 'scrollable', 512: 'editable', 1024: 'hoverable', 4096: 'slides', 8192: 'sideways',
};
const OUTSIDE = 2048;
const MESSAGE_MAX = 200, CALLS_MAX = 3;
const DIALOG_OK = 'dialog-ok', DIALOG_CANCEL = 'dialog-cancel', DIALOG_FIELD = 'dialog-field';

// Control characters would steer a terminal.
const seen = text => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g, '');
const first_word = text => text.split(/\s+/).find(Boolean) ?? '-';
const class_of = (tag, role, classes) => [first_word(tag), first_word(role), ...classes.split(/\s+/).filter(Boolean)].join(' ');
const names_of = bits => Object.keys(FLAGS).filter(bit => bits & bit).map(bit => FLAGS[bit]);

const widget_of = ([depth, tag, role, classes, id, text, name, bounds, bits]) => ({
  depth, class: class_of(tag, role, classes), id: seen(id), text: seen(text), desc: seen(name), bounds, flags: names_of(bits),
});

// Paths of widgets in their tree: `0:1` is the second child of the first top node.
const paths_of = widgets => {
  const above = [];
  return widgets.map(({ depth }) => {
    above.length = Math.min(above.length, depth + 1);
    above[depth] = (above[depth] ?? -1) + 1;
    return above.slice(0, depth + 1).join(':');
  });
};

// Calls of the page in a trace; the rest of it is what called the page.
const calls_in = trace => {
  const lines = trace.split('\n').filter(line => /^\s+at /.test(line));
  const end = lines.findIndex(line => line.includes(__dirname) || /node_modules|node:/.test(line));
  return lines.slice(0, end < 0 ? lines.length : end);
};
const call_of = line => {
  const [, named, place] = /^\s*at (?:(.*) \((.*)\)|.*)$/.exec(line);
  const path = (place ?? line.trim().slice('at '.length)).replace(/[\d:]+$/, '');
  const file = path.split('/').at(-1).split(/[?#]/)[0];
  return named ? `${named} (${file})` : file;
};
// What tells one error from another: its message without numbers, and its first calls.
const identity_of = ([message, trace]) => {
  const shown = /^Uncaught|^\w*Error: /.test(message) ? message : `Uncaught ${trace.split('\n')[0]}`;
  const without_numbers = shown.split('\n')[0].slice(0, MESSAGE_MAX).split(/\d/).filter(Boolean).join('#');
  return [without_numbers, ...calls_in(trace).map(call_of).slice(0, CALLS_MAX)].join(' < ');
};

const screen_of = ({ href, size: [width, height], errors, said, status, online, widgets: rows }) => {
  const { origin, pathname, hash } = new URL(href);
  const widgets = rows.map(widget_of);
  return {
    package: origin, activity: pathname + hash, orientation: width > height ? 'landscape' : 'portrait',
    network: online ? 'on' : 'off', widgets,
    ...errors.length && { crashed: true, crash: seen(identity_of(errors[0])) },
    ...said.length && { console: seen(said.join('\n')) },
    ...status && { status },
  };
};

// The screen of a dialog of the browser, in front of `before`.
const dialog_of = (before, [width, height], message) => {
  const row = (depth, tag, role, id, text, at, rows, flags) => ({
    depth, class: class_of(tag, role, ''), id, text: seen(text), desc: '', flags: ['enabled', ...flags],
    bounds: [width / 4 | 0, (height / 4 | 0) + at * 60, width * 3 / 4 | 0, (height / 4 | 0) + (at + rows) * 60],
  });
  const { package: origin, activity, orientation, network } = before;
  return {
    package: origin, activity, orientation, network, widgets: [
      row(0, 'dialog', 'alertdialog', '', '', 0, 4, []), row(1, 'p', '', '', message, 0, 1, []),
      row(1, 'input', 'textbox', DIALOG_FIELD, '', 1, 1, ['editable']), row(1, 'button', 'button', DIALOG_OK, 'OK', 2, 1,
        ['clickable']),
      row(1, 'button', 'button', DIALOG_CANCEL, 'Cancel', 3, 1, ['clickable']),
    ],
  };
};

module.exports = { screen_of, dialog_of, paths_of, OUTSIDE, DIALOG_OK, DIALOG_CANCEL, DIALOG_FIELD };
