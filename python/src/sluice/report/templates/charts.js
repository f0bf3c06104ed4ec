// SPDX-License-Identifier: Apache-2.0
// Draws the charts, says what is at the pointer or at the place that the arrow keys chose, and
// lets tables scroll that are too wide.
"use strict";
const NARROW = 560;
const tip = document.getElementById("page:tip");
const said = document.getElementById("page:said");

function fitted(spec, width) {
  const entry = spec.usermeta.longest * 6 + 26;  // pixels, as in chart.py
  spec.config.legend.columns = Math.max(1, Math.floor((width - 110) / entry));
  spec.config.axis.labelLimit = Math.max(120, width * 0.42);
  if (spec.spec) {
    const across = Math.min(spec.usermeta.views, width < NARROW ? 1 : spec.columns);
    spec.columns = across;
    spec.spec.width = Math.max(120, Math.floor((width - 90) / across) - 50);
  }
  return spec;
}

function show(mark) {
  const box = mark.getBoundingClientRect();
  tip.textContent = mark.getAttribute("aria-label");
  tip.hidden = false;
  const most = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(8, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, most))}px`;
  const above = box.top - tip.offsetHeight - 8;
  tip.style.top = `${above < 8 ? box.bottom + 8 : above}px`;
}

function hide() {
  tip.hidden = true;
  document.querySelectorAll(".at").forEach(mark => mark.classList.remove("at"));
}

async function draw(figure) {
  const plot = figure.querySelector(".plot");
  const text = figure.querySelector("script").textContent;
  const drawn = plot.querySelector(".drawn");
  let embedded = null, columns = 0;
  const embed = async () => {
    const spec = fitted(JSON.parse(text), plot.clientWidth);
    columns = plot.clientWidth < NARROW;
    embedded?.finalize();
    embedded = await vegaEmbed(drawn, spec,
      {actions: false, renderer: "svg", tooltip: false, defaultStyle: false});
    // The plot around it has the name and the keys.
    for (const name of ["role", "aria-label", "aria-roledescription"]) drawn.removeAttribute(name);
  };
  await embed();
  if (JSON.parse(text).spec) {
    addEventListener("resize", () => { if (columns !== plot.clientWidth < NARROW) embed(); });
  }
  const marks = () => [...plot.querySelectorAll(".role-mark [aria-label]")];
  const of = event => event.target.closest?.(".role-mark [aria-label]");
  for (const kind of ["pointermove", "click"]) {
    plot.addEventListener(kind, event => { hide(); if (of(event)) show(of(event)); });
  }
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;  // the browser's own keys
    const all = marks(), at = all.findIndex(mark => mark.classList.contains("at"));
    const to = {
      ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: all.length - 1,
      ArrowLeft: at < 0 ? all.length - 1 : at - 1, ArrowUp: at < 0 ? all.length - 1 : at - 1,
    }[event.key];
    if (event.key === "Escape") hide();
    if (to === undefined || all.length === 0) return;
    event.preventDefault();
    hide();
    const mark = all[(to + all.length) % all.length];
    mark.classList.add("at");
    show(mark);
    said.textContent = tip.textContent;
  });
}

// A table that has no room scrolls by itself; one that has keeps its head in sight.
function measure() {
  for (const box of document.querySelectorAll(".scroll")) {
    box.classList.toggle("wide", box.firstElementChild.offsetWidth > box.offsetWidth + 1);
  }
}

measure();
addEventListener("resize", measure);
addEventListener("change", measure);
addEventListener("scroll", () => {
  const mark = document.querySelector(".at");
  if (mark) show(mark); else hide();
}, {passive: true});
Promise.all([...document.querySelectorAll("figure.chart")].map(draw))
  .then(() => { document.documentElement.dataset.drawn = "yes"; });
