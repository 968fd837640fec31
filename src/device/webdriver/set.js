// Gives the field `e` the value `arguments[1]`, as if somebody had typed it.
const { set } = Object.getOwnPropertyDescriptor(e.ownerDocument.defaultView.HTMLInputElement.prototype, 'value');
// A framework keeps a value of its own on the field, and hears of the change only if that is passed by.
set.call(e, arguments[1]);
for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, { bubbles: true, composed: kind === 'input' }));
