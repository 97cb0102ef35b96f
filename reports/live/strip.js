"use strict";
{
  // The program sends the strip as it changes, as HTML that it has made safe.
  const connection = document.getElementById("connection"), strip = document.getElementById("under-way");
  const report = document.title; // the title while no run is under way
  let source;

  // A page that nobody sees asks for nothing: browsers allow few connections to one program.
  const follow = () => {
    if (source) source.close();
    source = undefined;
    if (document.hidden) return;
    source = new EventSource("events");
    source.onopen = () => { connection.textContent = ""; };
    source.onerror = () => { connection.textContent = "The connection is lost, and what is shown here is old. It is " +
      "tried again."; };
    source.onmessage = event => {
      const { title, html } = JSON.parse(event.data);
      document.title = title || report;
      replace(html);
    };
  };
  document.addEventListener("visibilitychange", follow);
  follow();

  // replace puts new content into the strip, and keeps what the reader has opened, scrolled and chosen by keyboard.
  const replace = html => {
    const reached = "[tabindex], summary";
    const open = new Set(Array.from(strip.querySelectorAll("details[open]"), d => d.dataset.key));
    const places = Array.from(strip.querySelectorAll(reached),
      e => [e.scrollLeft, e.scrollTop, e === document.activeElement]);
    strip.innerHTML = html;
    for (const d of strip.querySelectorAll("details")) d.open = open.has(d.dataset.key);
    strip.querySelectorAll(reached).forEach((e, i) => {
      if (i >= places.length) return;
      [e.scrollLeft, e.scrollTop] = places[i];
      if (places[i][2]) e.focus({ preventScroll: true });
    });
  };
}
