// Scrolls to the element `e` if it is not reached where it is; returns its bounds in the view.
const reached = () => {
  const box = e.getBoundingClientRect();
  const front = e.getRootNode().elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  const holds = inner => inner && (inner === e || holds(inner.assignedSlot ?? inner.parentNode ?? inner.host));
  // A point in a text that a slot was given is in the element that gave it.
  const has_text = slot => slot.tagName === 'SLOT' && slot.assignedNodes({ flatten: true }).some(node => node.parentNode === front);
  return front && (holds(front) || [e, ...e.querySelectorAll('slot')].some(has_text) || front.closest('label')?.control === e);
};
if (!reached()) e.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
const box = e.getBoundingClientRect();
let [dx, dy] = [0, 0];
for (let frame = e.ownerDocument.defaultView.frameElement; frame; frame = frame.ownerDocument.defaultView.frameElement) {
  const outer = frame.getBoundingClientRect();
  dx += outer.left + frame.clientLeft;
  dy += outer.top + frame.clientTop;
}
return [box.left + dx, box.top + dy, box.right + dx, box.bottom + dy].map(Math.round);
