// Shows every line of the viewer form as a plain table, below what the page says without a script.
(() => {
  "use strict";
  const config = document.getElementById("scalene-config");
  const app = document.getElementById("scalene-app");
  const mode = config ? JSON.parse(config.textContent).mode : "none";

  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };
  const read = async () => {
    if (mode === "served") {
      new EventSource("alive");
      return (await fetch("form.json")).json();
    }
    const text = document.getElementById("scalene-form").textContent;
    return JSON.parse(mode === "standalone" ? await unpack(text) : text);
  };
  const show = (form) => {
    const table = document.createElement("table");
    table.createCaption().textContent = "All lines with data, in seconds";
    const lines = form.lines;
    for (let i = 0; i < lines.number.length && i < 1000; i++) {
      const row = table.insertRow();
      const path = form.strings[form.files.path[lines.file[i]]];
      const cells = [path.split("/").pop() + ":" + lines.number[i]];
      for (const name of ["python_s", "native_s", "system_s", "idle_s"]) cells.push(lines[name][i].toFixed(3));
      for (const text of cells) row.insertCell().textContent = text;
    }
    app.append(table);
  };
  read().then(show, (problem) => {
    app.textContent = "The profile could not be read: " + problem;
  });
})();
