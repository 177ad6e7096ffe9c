"use strict";
(() => {
  const STEP = 200;
  const root = document.documentElement;
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const form = one("#filters");
  const asked = { s: one("#severity"), r: one("#rule"), t: one("#team"), k: one("#state") };
  const waiting = JSON.parse(one("#waiting").textContent);

  // An entry is { s, r, t, k } (what the filters ask for), its text in small letters, and either its element or its HTML.
  // That HTML was escaped when the page was written, by the same code as the entries that stand in it.
  const SIGNS = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };
  const plain = (markup) => markup.replace(/<[^>]*>/g, " ").replace(/&(?:lt|gt|quot|#x27|amp);/g, (sign) => SIGNS[sign]);
  const words = (entry) => (entry.words ??= (entry.element ? entry.element.textContent : plain(entry.h)).toLowerCase());
  const lists = all("ol.items").map((element) => {
    const standing = all(":scope > li", element).map((item) => ({ ...item.dataset, element: item }));
    return {
      element,
      more: one(`#${element.dataset.list} > .more`),
      title: one(`#${element.dataset.list} > h2`).firstChild.textContent.trim().toLowerCase(),
      entries: [...standing, ...(waiting[element.dataset.list] ?? [])],
      limit: STEP,
    };
  });

  const made = (entry) => {
    if (!entry.element) {
      const item = document.createElement("li");
      item.className = "item";
      item.innerHTML = entry.h;
      entry.element = item;
    }
    return entry.element;
  };
  const fits = (entry, text, wanted) =>
    wanted.every(([key, value]) => entry[key] === value || (key !== "t" && entry[key].split(" ").includes(value))) && text.every((word) => words(entry).includes(word));

  const show = () => {
    const text = one("#text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = Object.entries(asked).filter(([, select]) => select.value).map(([key, select]) => [key, select.value]);
    const said = [];
    for (const list of lists) {
      // changes have no severity, rule or state of their own: those filters leave them alone
      const wanted = list.element.dataset.list === "plan" ? chosen.filter(([key]) => key === "t") : chosen;
      const found = list.entries.filter((entry) => fits(entry, text, wanted));
      const shown = new Set(found.slice(0, list.limit));
      let last = null;
      for (const entry of list.entries) {
        if (shown.has(entry)) {
          const item = made(entry);
          if (!item.isConnected) last ? last.after(item) : list.element.prepend(item);
          item.hidden = false;
          last = item;
        } else if (entry.element) {
          if (entry.h) entry.element.remove();
          else { entry.element.hidden = true; last = entry.element; }
        }
      }
      list.element.classList.toggle("empty", found.length === 0);
      list.more.hidden = found.length <= list.limit;
      list.more.textContent = `Show more (${shown.size} of ${found.length})`;
      said.push(`${list.title}: ${found.length} of ${list.entries.length}`);
    }
    one("#shown").textContent = text.length || chosen.length ? said.join(" · ") : "";
  };

  let waits = 0;
  const again = () => {
    clearTimeout(waits);
    waits = setTimeout(() => { for (const list of lists) list.limit = STEP; show(); }, 80);
  };
  form.addEventListener("input", again);
  form.addEventListener("reset", again);
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const list of lists) list.more.addEventListener("click", () => { list.limit += STEP; show(); });

  const THEMES = ["auto", "light", "dark"];
  const button = one("#theme");
  const theme = (name) => {
    if (name === "auto") delete root.dataset.theme;
    else root.dataset.theme = name;
    button.textContent = `Theme: ${name}`;
    try { localStorage.setItem("crossgate-theme", name); } catch { /* a page from a file may have no storage */ }
  };
  let kept = null;
  try { kept = localStorage.getItem("crossgate-theme"); } catch { /* likewise */ }
  theme(THEMES.includes(kept) ? kept : "auto");
  button.addEventListener("click", () => theme(THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length]));

  const heads = () => all(".item:not([hidden]) > details > summary");
  const step = (by) => {
    const stops = heads();
    const now = stops.findIndex((stop) => stop.parentElement.contains(document.activeElement));
    const next = stops[Math.max(0, Math.min(stops.length - 1, now + by))];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  };
  const keys = {
    "/": () => { one("#text").focus(); one("#text").select(); },
    j: () => step(1),
    k: () => step(-1),
    e: () => { const open = heads().some((head) => !head.parentElement.open); for (const head of heads()) head.parentElement.open = open; },
    d: () => { const other = one("input[name=layout]:not(:checked)"); if (other) other.checked = true; },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input[type=search], select");
    if (event.key === "Escape" && typing) { form.reset(); event.target.blur(); return; }
    if (!typing && keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });

  let closed = [];
  addEventListener("beforeprint", () => { closed = all("details:not([open])"); for (const each of closed) each.open = true; });
  addEventListener("afterprint", () => { for (const each of closed) each.open = false; });

  for (const element of [form, button, one(".keys")]) element.hidden = false;
  show();
})();
