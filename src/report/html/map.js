// The map moves and grows, is searched, and shows the screen that is chosen with the way to it.
for (const root of document.querySelectorAll(".m-explored")) {
  const prefix = root.dataset.prefix + "-";
  const view = root.querySelector(".m-view"), svg = view.querySelector("svg");
  const find = root.querySelector(".m-find"), said = root.querySelector(".m-said-count");
  const nodes = [...svg.querySelectorAll("a[data-kind]")], ways = [...svg.querySelectorAll(".m-way")];
  const whole = svg.viewBox.baseVal, all = { w: whole.width, h: whole.height };
  const box = { x: 0, y: 0, w: all.w };
  root.classList.add("m-script");
  root.querySelector(".m-tools").hidden = false;
  const height = () => (box.w * view.clientHeight) / Math.max(1, view.clientWidth);
  const show = () => {
    box.w = Math.min(Math.max(box.w, 120), Math.max(all.w, (all.h * view.clientWidth) / Math.max(1, view.clientHeight)) * 1.5);
    box.x = Math.min(Math.max(box.x, -box.w / 2), all.w - box.w / 2);
    box.y = Math.min(Math.max(box.y, -height() / 2), all.h - height() / 2);
    svg.setAttribute("viewBox", [box.x, box.y, box.w, height()].map((n) => n.toFixed(1)).join(" "));
  };
  const fit = () => {
    box.w = Math.max(all.w, (all.h * view.clientWidth) / Math.max(1, view.clientHeight));
    box.x = (all.w - box.w) / 2;
    box.y = (all.h - height()) / 2;
    show();
  };
  // Keeps the point under the pointer, or the middle, in its place.
  const zoom = (factor, x = view.clientWidth / 2, y = view.clientHeight / 2) => {
    const before = box.w;
    box.w *= factor;
    show();
    const share = (before - box.w) / view.clientWidth;
    box.x += x * share;
    box.y += y * share;
    show();
  };
  const move = (x, y) => {
    const scale = box.w / view.clientWidth;
    box.x += x * scale;
    box.y += y * scale;
    show();
  };
  const centre = (node) => {
    const { x, y, width, height: tall } = node.getBBox();
    box.w = Math.min(box.w, 1100);
    box.x = x + width / 2 - box.w / 2;
    box.y = y + tall / 2 - height() / 2;
    show();
  };
  const kindOf = (hash) => (hash.startsWith("#" + prefix) ? hash.slice(1 + prefix.length) : null);
  const choose = (kind) => {
    const article = kind && document.getElementById(prefix + kind);
    if (!article) return;
    for (const one of root.querySelectorAll(".m-on")) one.classList.remove("m-on");
    for (const one of [...nodes, ...ways]) one.classList.remove("m-chosen", "m-path", "m-lit");
    root.classList.add("m-any");
    article.classList.add("m-on");
    const path = article.dataset.path.split(" ").filter(Boolean);
    const steps = new Set(path.slice(1).map((to, at) => path[at] + " " + to));
    for (const node of nodes) {
      node.classList.toggle("m-path", path.includes(node.dataset.kind));
      node.classList.toggle("m-chosen", node.dataset.kind === kind);
    }
    for (const way of ways) {
      const { from, to } = way.dataset;
      way.classList.toggle("m-lit", from === kind || to === kind);
      way.classList.toggle("m-path", steps.has(from + " " + to));
    }
    return article;
  };
  const go = (kind) => {
    const article = choose(kind);
    if (!article) return;
    history.replaceState(null, "", "#" + prefix + kind);
    // On a narrow display the screen is shown below the map.
    if (article.getBoundingClientRect().top > innerHeight - 80) article.scrollIntoView({ block: "start" });
  };
  root.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#" + prefix + "']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const kind = kindOf(link.getAttribute("href"));
    go(kind);
    if (!view.contains(link)) centre(nodes.find((node) => node.dataset.kind === kind));
  });
  addEventListener("hashchange", () => choose(kindOf(location.hash)));
  // Search.
  let found = [], at = -1;
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = nodes.filter((node) => words.every((word) => node.dataset.text.includes(word)));
    at = -1;
    for (const node of nodes) node.classList.toggle("m-dim", !found.includes(node));
    said.textContent = words.length ? found.length + " of " + nodes.length : "";
  });
  find.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      find.value = "";
      find.dispatchEvent(new Event("input"));
    }
    if (event.key !== "Enter" || !found.length) return;
    event.preventDefault();
    at = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length;
    centre(found[at]);
    go(found[at].dataset.kind);
  });
  // Moving and zooming.
  const pointers = new Map();
  let dragged = 0;
  view.addEventListener("dragstart", (event) => event.preventDefault());
  view.addEventListener("pointerdown", (event) => {
    if (!pointers.size) dragged = 0;
    pointers.set(event.pointerId, event);
  });
  view.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
    const [x, y] = [event.clientX - before.clientX, event.clientY - before.clientY];
    dragged += Math.abs(x) + Math.abs(y);
    if (other) {
      const { left, top } = view.getBoundingClientRect();
      const far = (one) => Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
      zoom(far(before) / far(event), (event.clientX + other.clientX) / 2 - left, (event.clientY + other.clientY) / 2 - top);
    } else if (dragged > 4) {
      if (!view.hasPointerCapture(event.pointerId)) view.setPointerCapture(event.pointerId);
      move(-x, -y);
    }
    pointers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, (event) => pointers.delete(event.pointerId));
  view.addEventListener("click", (event) => {
    // The end of a drag is no click.
    if (dragged > 4) {
      event.preventDefault();
      event.stopPropagation();
    }
  }, true);
  view.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { left, top } = view.getBoundingClientRect();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005), event.clientX - left, event.clientY - top);
  }, { passive: false });
  const keys = {
    "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), "0": fit,
    ArrowLeft: () => move(-60, 0), ArrowRight: () => move(60, 0), ArrowUp: () => move(0, -60), ArrowDown: () => move(0, 60),
  };
  view.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  // What has the focus is in view.
  for (const node of nodes) node.addEventListener("focus", () => node.matches(":focus-visible") && centre(node));
  for (const [name, act] of [["in", keys["+"]], ["out", keys["-"]], ["fit", fit]])
    root.querySelector(".m-" + name).addEventListener("click", act);
  root.querySelector(".m-ways").addEventListener("change", (event) => svg.classList.toggle("m-all", event.target.checked));
  addEventListener("resize", show);
  fit();
  const first = nodes.find((node) => node.classList.contains("m-start"));
  // On a narrow display the whole would be too small to see anything.
  if (first && view.clientWidth < 600 && all.w > 2 * view.clientWidth) {
    box.w = 1.5 * view.clientWidth;
    centre(first);
  }
  const chosen = kindOf(location.hash);
  if (choose(chosen)) centre(nodes.find((node) => node.dataset.kind === chosen));
}
