// The program sends the sections that have changed, as HTML that it has made safe.
const connection = document.getElementById("connection");
let source;

// A page that nobody sees asks for nothing: browsers allow few connections to one program.
function follow() {
  if (source) source.close();
  source = undefined;
  if (document.hidden) return;
  source = new EventSource("events");
  source.onopen = () => { connection.textContent = ""; };
  source.onerror = () => { connection.textContent = "The connection is lost, and what stands here is old. It is tried again."; };
  source.onmessage = (event) => {
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      if (id === "title") document.title = html;
      else replace(document.getElementById(id), html);
    }
  };
}
document.addEventListener("visibilitychange", follow);
follow();

// replace puts new content into a section, and keeps what the reader has opened, scrolled and chosen by keyboard.
function replace(section, html) {
  const reached = "[tabindex], summary";
  const open = new Set(Array.from(section.querySelectorAll("details[open]"), (d) => d.dataset.key));
  const places = Array.from(section.querySelectorAll(reached), (e) => [e.scrollLeft, e.scrollTop, e === document.activeElement]);
  section.innerHTML = html;
  for (const d of section.querySelectorAll("details")) d.open = open.has(d.dataset.key);
  section.querySelectorAll(reached).forEach((e, i) => {
    if (i >= places.length) return;
    [e.scrollLeft, e.scrollTop] = places[i];
    if (places[i][2]) e.focus({ preventScroll: true });
  });
}
