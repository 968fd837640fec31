"use strict";
// What is chosen in the table is shown below it too.
(() => {
  const filter = document.getElementById("filter");
  if (filter) {
    const text = document.getElementById("filter-text");
    const boxes = [...document.querySelectorAll("#filter-outcomes input")];
    const rows = [...document.querySelectorAll("tr[data-spec]")].map((row) => {
      const section = document.getElementById("spec-" + row.dataset.spec);
      const formula = section && section.querySelector(".formula");
      return { row, section, text: (row.textContent + " " + (formula ? formula.textContent : "")).toLowerCase() };
    });
    const choose = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const outcomes = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
      let shown = 0;
      for (const one of rows) {
        const is = outcomes.has(one.row.dataset.outcome) && words.every((word) => one.text.includes(word));
        one.row.hidden = !is;
        if (one.section) one.section.hidden = !is;
        shown += is ? 1 : 0;
      }
      document.getElementById("filter-count").textContent = shown + " of " + rows.length + " shown";
    };
    filter.addEventListener("input", choose);
    filter.hidden = rows.length < 2;
    choose();
  }
  // What a link leads to is unfolded, and so is all that is printed.
  const unfold = () => {
    let at = location.hash && document.getElementById(location.hash.slice(1));
    for (; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.part:not([open]), details.spec:not([open])")];
    for (const part of opened) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
  });
})();
