// jsdom, with what a browser does and jsdom leaves to others: pages give way to each other, fields tell of their edits when
// they lose the focus, and so does what is removed.
'use strict';

const { createRequire } = require('node:module');
const { join } = require('node:path');
const { PAGE } = require('./page.js');

// Returns the function that loads a module as jsdom itself does.
const find = () => {
  const folder = process.env.FARLEAD_TEST_NPM;
  const here = folder ? createRequire(join(folder, 'node_modules', 'none.js')) : require;
  try {
    return createRequire(here.resolve('jsdom'));
  } catch {
    throw new Error('jsdom is missing: npm install --prefix FOLDER jsdom@22.1.0, and FARLEAD_TEST_NPM=FOLDER');
  }
};

// Puts `wrap(own)` in the place of a function.
const replace = (of, name, wrap) => { of[name] = wrap(of[name]); };

const load_engine = () => {
  // jsdom puts off by no time what comes with the next task. It waits for nothing else.
  globalThis.setTimeout = (run, wait, ...parts) => setImmediate(run, ...parts);
  const of_jsdom = find();
  const part = name => of_jsdom(`./jsdom/living/${name}.js`);
  const { implForWrapper: impl_of, wrapperForImpl: wrapper_of } = part('generated/utils');
  const page_of = impl => impl._ownerDocument?._defaultView?.[PAGE];
  const navigation = part('window/navigation');
  const { serializeURL } = of_jsdom('whatwg-url');

  // Before the other modules take it from there.
  replace(navigation, 'navigate', own => (window, url, flags) => {
    const [here, there] = [impl_of(window._document)._URL, url].map(one => serializeURL(one, true));
    if (!flags.reloadTriggered && here === there || url.scheme === 'javascript') return own(window, url, flags);
    window[PAGE].next ??= { url: serializeURL(url), is_reload: Boolean(flags.reloadTriggered),
      is_replaced: Boolean(flags.replacement) };
  });
  const { JSDOM, VirtualConsole, CookieJar, ResourceLoader } = of_jsdom('jsdom');
  wrap_history(part('window/SessionHistory'), window => impl_of(window._document)._defaultView[PAGE]);
  const focusing = part('helpers/focusing');
  wrap_focus(focusing, page_of, wrapper_of);
  wrap_removal(part('nodes/Node-impl').implementation, page_of, wrapper_of);
  wrap_labels(part('nodes/HTMLLabelElement-impl').implementation, wrapper_of);
  replace(part('nodes/HTMLScriptElement-impl').implementation.prototype, '_innerEval', own => function (...parts) {
    page_of(this).restore();
    return own.apply(this, parts);
  });

  // Loads parts of a page by `read`, which knows no frames.
  const loader = read => new class extends ResourceLoader {
    fetch(address, { element } = {}) {
      if (element?.localName === 'iframe') return null;
      const bytes = read(new URL(address));
      return bytes ? Promise.resolve(bytes) : Promise.reject(new Error('there is no such file'));
    }
  }();
  return { JSDOM, VirtualConsole, CookieJar, loader, impl_of, report: part('helpers/runtime-script-errors'), focusing };
};

// A step over the ends of the history of a page leads to another page.
const wrap_history = ({ prototype }, page_in) => replace(prototype, 'traverseByDelta', own => function (delta) {
  const to = this._currentIndex + delta;
  if (delta === 0) page_in(this._window).next ??= { is_reload: true };
  else if (to < 0 || to >= this.length) page_in(this._window).next ??= { delta };
  else own.call(this, delta);
});

const wrap_focus = (focusing, page_of, wrapper_of) => {
  replace(focusing, 'isFocusableAreaElement', own => impl => own(impl) && page_of(impl).is_rendered(wrapper_of(impl)));
  replace(focusing, 'fireFocusEventWithTargetAdjustment', own => (kind, target, ...parts) => {
    if (kind === 'blur') page_of(target)?.commit(wrapper_of(target));
    own(kind, target, ...parts);
  });
};

// A browser moves the focus away before it removes what has it, and its listeners may remove something themselves.
const wrap_removal = ({ prototype }, page_of, wrapper_of) => {
  const leave = (impl, is_inner) => {
    const page = page_of(impl);
    const active = page?.window.document.activeElement;
    const outer = wrapper_of(impl);
    const is_left = active && active !== page.window.document.body && outer.contains(active);
    if (is_left && !(is_inner && active === outer)) page.blur(active);
  };
  replace(prototype, '_remove', own => function (node, ...parts) {
    leave(node, false);
    if (wrapper_of(node).parentNode === wrapper_of(this)) own.call(this, node, ...parts);
  });
  replace(prototype, '_replaceAll', own => function (node) {
    leave(this, true);
    own.call(this, node);
  });
};

// A click on a label moves the focus to its control; the second one of two does not.
const wrap_labels = ({ prototype }, wrapper_of) => replace(prototype, '_activationBehavior', own => function (event) {
  const { control } = wrapper_of(this);
  if (control && event.detail < 2 && !control.contains(wrapper_of(event.target))) control.focus();
  own.call(this, event);
});

module.exports = { load_engine };
