// Returns the option `e`. Its list tells of the input too when it is chosen, which the driver of Chromium 156 leaves out.
const list = e.closest('select') ?? e;
let is_heard = false;
const hear = (kind, then) => listen.call(list, kind, then, { capture: true, once: true });
hear('input', () => { is_heard = true; });
hear('change', () => { if (!is_heard) list.dispatchEvent(new Event('input', { bubbles: true, composed: true })); });
return e;
