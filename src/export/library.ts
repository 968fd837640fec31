//: byId

// Returns the elements with this test id, id or name.
function byId(within: Page | Locator, id: string, op = '=') {
  const value = id.replace(/["\\]/g, '\\$&');
  const names = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa', 'id', 'name'];
  return within.locator(names.map(name => `[${name}${op}"${value}"]`).join(', '));
}
//: byText

// Returns the elements with this text, be it all that is in them or the part that is their own.
function byText(within: Page | Locator, text: string | RegExp) {
  const whole = within.getByText(text, { exact: true });
  return typeof text === 'string' ? whole.or(within.locator(`:text-is(${JSON.stringify(text)})`)) : whole;
}
//: byDesc

// Returns the elements with this label, alternative text, title or placeholder.
function byDesc(within: Page | Locator, desc: string | RegExp) {
  const exact = { exact: true };
  return within.getByLabel(desc, exact).or(within.getByAltText(desc, exact))
    .or(within.getByTitle(desc, exact)).or(within.getByPlaceholder(desc, exact));
}
//: revealed

// Returns an element. If only the mouse over what is around it shows it, the mouse goes there.
async function revealed(element: Locator) {
  if (!(await element.isVisible())) await element.locator('xpath=ancestor::*').filter({ visible: true }).last().hover();
  return element;
}
//: nearest

// Returns the one that is nearest to a point of the window.
async function nearest(elements: Locator, x: number, y: number) {
  const shown = elements.filter({ visible: true });
  await expect(shown).not.toHaveCount(0);
  const distances = await shown.evaluateAll((all, at) => all.map(e => {
    const box = e.getBoundingClientRect();
    return Math.hypot(box.left + box.width / 2 - at[0], box.top + box.height / 2 - at[1]);
  }), [x, y]);
  return shown.nth(distances.indexOf(Math.min(...distances)));
}
//: texts

// Returns the texts of the elements that are shown: of a field its value, of a select the chosen entry, of others their own
// text with the markup in it.
function texts(elements: Locator) {
  return elements.filter({ visible: true }).evaluateAll(all => all.map(e => {
    const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();
    const field = e as HTMLInputElement & HTMLSelectElement;
    if (e.tagName === 'INPUT') return ['checkbox', 'radio', 'file', 'image'].includes(field.type) ? '' : field.value;
    if (e.tagName === 'TEXTAREA') return field.value;
    if (e.tagName === 'SELECT') return tidy([...field.selectedOptions].map(option => option.label).join(', '));
    const parts = [...e.childNodes].filter(node => node.nodeType === 3).map(node => node.textContent ?? '');
    const own = parts.join(' ');
    const isPressed = e.matches('a[href], button, summary, option, [role=button], [role=link], [role=tab], [role=option]');
    const inline = 'b, strong, i, em, u, s, del, ins, small, span, code, kbd, mark, sub, sup, abbr, time, br, wbr, img, svg, slot';
    const isWhole = (own.trim() !== '' || isPressed) && [...e.querySelectorAll('*')].every(inner => inner.matches(inline));
    return tidy(isWhole ? e.textContent ?? '' : own);
  }));
}
//: numberIn

// Returns the number that a text is; none if it is no number.
function numberIn(text: string) {
  return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : NaN;
}
//: goBack

// Goes back; the first page has none before it.
async function goBack(page: Page) {
  await page.goBack();
  if (page.url() === 'about:blank') await page.goForward();
}
//: scroll

// Turns the wheel over the part of an element that is seen, by four fifths of its size; sideways it scrolls without the wheel,
// which at the edge of a page goes back.
async function scroll(page: Page, element: Locator, right: number, down: number) {
  const at = await element.evaluate(e => {
    const box = e.getBoundingClientRect();
    const [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)];
    const [width, height] = [Math.min(box.right, innerWidth) - left, Math.min(box.bottom, innerHeight) - top];
    return { x: left + width / 2, y: top + height / 2, width, height };
  });
  if (right !== 0) return element.evaluate((e, by) => e.scrollBy({ left: by, behavior: 'instant' }), right * at.width * 0.8);
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(0, down * at.height * 0.8);
}
//: drag

// Drags the mouse between two points of an element, in parts of its width and its height.
async function drag(page: Page, element: Locator, from: number[], to: number[]) {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (!box) throw new Error(`${element} is not shown`);
  await page.mouse.move(box.x + box.width * from[0], box.y + box.height * from[1]);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to[0], box.y + box.height * to[1]);
  await page.mouse.up();
}
//: tapAt

// Presses the mouse at a point of an element, in parts of its width and its height.
async function tapAt(element: Locator, x: number, y: number, delay = 0) {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (!box) throw new Error(`${element} is not shown`);
  await element.click({ position: { x: box.width * x, y: box.height * y }, delay });
}
