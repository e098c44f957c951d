"use strict";
// From a table to results: table → columns → training → results. Text from tables is only
// ever set as text, never as markup.
(() => {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const at = (id) => document.getElementById(id);
  const make = (tag, text = "", properties = {}) =>
    Object.assign(document.createElement(tag), { textContent: text, ...properties });
  let table = null;
  let job = null;

  const ask = async (path, options = {}) => {
    let answer;
    try {
      answer = await fetch(path, {
        ...options,
        headers: { ...options.headers, Authorization: `Bearer ${token}` },
      });
    } catch {
      throw new Error("The server does not answer. Is it still running?");
    }
    if (answer.ok) return answer;
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error ?? `The server answered ${answer.status}.`);
  };
  const askJson = async (path, body) => {
    const options = body === undefined ? {} : {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    };
    return (await ask(path, options)).json();
  };
  const say = (id, text, bad = false) => {
    at(id).textContent = text;
    at(id).classList.toggle("bad", bad);
  };
  const guarded = (id, work) => async (...given) => {
    try {
      await work(...given);
    } catch (error) {
      say(id, error.message, true);
    }
  };
  const plain = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 5 });
  const save = async (answer, name) => {
    const link = make("a", "", { href: URL.createObjectURL(await answer.blob()), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const number = (id) => (at(id).value === "" ? null : Number(at(id).value));

  // 1 · A table
  const upload = guarded("table-told", async (file) => {
    say("table-told", `Reading ${file.name} …`);
    const answer = await ask(`/studio/tables?name=${encodeURIComponent(file.name)}`, {
      method: "POST",
      body: file,
    });
    table = await answer.json();
    say("table-told", `${table.told}.`);
    showColumns();
  });
  at("file").addEventListener("change", () => {
    if (at("file").files.length) upload(at("file").files[0]);
  });
  at("drop").addEventListener("dragover", (event) => {
    event.preventDefault();
    at("drop").classList.add("over");
  });
  at("drop").addEventListener("dragleave", () => at("drop").classList.remove("over"));
  at("drop").addEventListener("drop", (event) => {
    event.preventDefault();
    at("drop").classList.remove("over");
    if (event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
  });

  // 2 · Columns
  const showColumns = () => {
    at("label").replaceChildren(...table.columns.map((c) => new Option(c.name, c.name)));
    const likely = table.columns.findLast((c) => c.n_distinct <= 2 || (c.values.length && c.missing > 0.3));
    at("label").value = (likely ?? table.columns.at(-1)).name;
    at("columns").replaceChildren(...table.columns.map((column, index) => {
      const row = make("tr");
      const kind = make("select", "", { ariaLabel: `Kind of ${column.name}` });
      kind.dataset.index = index;
      for (const [value, text] of [["numbers", "numbers"], ["categories", "categories"], ["dates", "dates"], ["out", "leave out"]]) {
        kind.append(new Option(text, value, false, value === column.kind));
      }
      const cell = make("td");
      cell.append(kind);
      if (column.reason) cell.append(" ", make("small", column.reason));
      row.append(
        make("th", column.name, { scope: "row" }),
        cell,
        make("td", plain.format(column.n_distinct), { className: "number" }),
        make("td", `${Math.round(100 * column.missing)} %`, { className: "number" }),
        make("td", column.examples.join(", ")),
      );
      return row;
    }));
    showValues();
    at("step-columns").hidden = at("step-train").hidden = false;
  };
  const showValues = () => {
    const column = table.columns.find((c) => c.name === at("label").value);
    for (const [id, automatic] of [
      ["positive", "automatic: the larger of two numbers, or anything not blank"],
      ["negative", "automatic: −1 if it holds −1, 0 and 1, or else no row is"],
    ]) {
      const values = column.values.map((value) => new Option(value, value));
      at(id).replaceChildren(new Option(automatic, ""), ...values);
    }
    table.columns.forEach((c, index) => {
      at("columns").rows[index].hidden = c.name === column.name;
    });
    const marks = [-1, 0, 1].every((one) => column.values.map(Number).includes(one));
    const isOfClasses = column.values.length > (marks ? 3 : 2);
    if (isOfClasses !== several()) at("model").value = isOfClasses ? "classes" : "consensus";
    allowNetwork();
  };
  at("label").addEventListener("change", showValues);

  // 3 · Training
  const several = () => at("model").value === "classes";
  const trainsNetwork = () => at("generative").checked || at("model").value !== "consensus";
  const allowNetwork = () => {
    at("members").disabled = at("epochs").disabled = !trainsNetwork();
    for (const id of ["positive-box", "negative-box", "prior-box", "threshold-box"]) at(id).hidden = several();
    at("unlabeled-class-box").hidden = !several();
  };
  at("generative").addEventListener("change", allowNetwork);
  at("model").addEventListener("change", allowNetwork);
  at("train").addEventListener("click", guarded("train-told", async () => {
    const kinds = {};
    for (const select of at("columns").querySelectorAll("select")) {
      const column = table.columns[select.dataset.index];
      if (column.name !== at("label").value) kinds[column.name] = select.value;
    }
    say("train-told", "Starting …");
    const started = await askJson("/studio/jobs", {
      table: table.table,
      label: at("label").value,
      positive: several() ? null : at("positive").value || null,
      negative: several() ? null : at("negative").value || null,
      kinds,
      model: at("model").value,
      members: trainsNetwork() ? number("members") : null,
      epochs: trainsNetwork() ? number("epochs") : null,
      unlabeled_class: several() && at("unlabeled-class").checked,
      prior: several() ? null : number("prior"),
      threshold: at("threshold").value,
      seed: number("seed"),
      generative: at("generative").checked,
    });
    job = started.job;
    location.hash = job;
    watch();
  }));
  const watch = () => {
    at("train").disabled = true;
    at("step-train").hidden = at("cancel").hidden = at("progress").hidden = false;
    at("step-results").hidden = true;
    at("progress").removeAttribute("value");
    follow(job, performance.now());
  };
  const follow = guarded("train-told", async (key, since) => {
    let status;
    try {
      do {
        await new Promise((resolve) => setTimeout(resolve, 400));
        status = await askJson(`/studio/jobs/${key}`);
        if (status.total) {
          at("progress").value = status.done / status.total;
          const left = (performance.now() - since) / 1000 * (status.total / status.done - 1);
          say("train-told", status.done < status.total
            ? `Step ${status.done} of ${status.total}, about ${Math.ceil(left)} s left`
            : "Finishing …");
        }
      } while (status.state === "running");
    } finally {
      at("train").disabled = false;
      at("cancel").hidden = at("progress").hidden = true;
    }
    if (status.state !== "done") {
      say("train-told", `Training ${status.state}: ${status.reason}.`, true);
      return;
    }
    say("train-told", ["Done.", ...status.warnings].join(" "));
    await showResults();
  });
  at("cancel").addEventListener("click", guarded("train-told", async () => {
    await ask(`/studio/jobs/${job}`, { method: "DELETE" });
  }));

  // 4 · Results
  const showReport = guarded("report-told", async (key) => {
    const address = `/studio/jobs/${key}/report?token=${encodeURIComponent(token)}`;
    at("report").hidden = at("open-report").hidden = true;
    at("report-wait").hidden = false;
    at("open-report").href = address;
    for (;;) {
      const { share, doing, ready, failure } = await askJson(`/studio/jobs/${key}/report/progress`);
      if (key !== job) return;
      if (failure) throw new Error(`There is no report: ${failure}`);
      if (ready) break;
      at("report-progress").value = share;
      say("report-told", `Writing the report: ${doing || "starting"} …`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    at("report").src = address;
    at("report").hidden = at("open-report").hidden = false;
    at("report-wait").hidden = true;
  });
  const showResults = async () => {
    showReport(job);
    say("cut-told", "");
    say("other-told", "");
    const { attributes, classes, several: manyClasses, generates } =
      await askJson(`/studio/jobs/${job}/attributes`);
    at("cut-box").hidden = manyClasses;
    at("class").replaceChildren(...classes.map((name) => new Option(name, name)));
    at("draws").hidden = !generates;
    at("no-draws").hidden = generates;
    at("conditions").replaceChildren(...attributes.map(condition));
    at("drawn-box").hidden = true;
    say("draw-told", "");
    at("step-results").hidden = false;
  };
  const condition = (attribute, index) => {
    const box = make("fieldset");
    const legend = make("legend");
    const tick = make("input", "", { type: "checkbox", id: `fix-${index}` });
    legend.append(tick, make("label", ` ${attribute.name}`, { htmlFor: `fix-${index}` }));
    box.append(legend);
    let value;
    if (attribute.kind === "numbers") {
      const span = attribute.high - attribute.low;
      const slider = make("input", "", { type: "range", ariaLabel: `Value of ${attribute.name}` });
      slider.min = attribute.low;
      slider.max = attribute.high;
      slider.step = attribute.whole ? 1 : span / 200;
      slider.value = attribute.low + span / 2;
      const shown = make("output");
      const show = () => { shown.textContent = plain.format(Number(slider.value)); };
      slider.addEventListener("input", () => { tick.checked = true; show(); });
      show();
      box.append(slider, shown);
      value = () => Number(slider.value);
    } else {
      const choice = make("select", "", { ariaLabel: `Value of ${attribute.name}` });
      attribute.categories.forEach((item, i) => choice.append(new Option(String(item), i)));
      choice.addEventListener("change", () => { tick.checked = true; });
      box.append(choice);
      value = () => attribute.categories[Number(choice.value)];
    }
    box.given = () => (tick.checked ? [[attribute.name, value()]] : []);
    return box;
  };
  at("draw").addEventListener("click", guarded("draw-told", async () => {
    say("draw-told", "Drawing …");
    const given = Object.fromEntries([...at("conditions").children].flatMap((box) => box.given()));
    const body = { n_rows: number("n-rows") ?? 8, class: at("class").value, given };
    const { rows } = await askJson(`/studio/jobs/${job}/sample`, body);
    const names = Object.keys(rows[0]);
    const head = make("tr");
    head.append(...names.map((name) => make("th", name, { scope: "col" })));
    const thead = make("thead");
    thead.append(head);
    const tbody = make("tbody");
    for (const row of rows) {
      const line = make("tr");
      line.append(...names.map((name) => {
        const cell = row[name];
        const text = typeof cell === "number" && !Number.isInteger(cell) ? plain.format(cell) : String(cell ?? "");
        return make("td", text);
      }));
      tbody.append(line);
    }
    at("drawn").replaceChildren(thead, tbody);
    at("drawn-box").hidden = false;
    say("draw-told", `${rows.length} rows drawn.`);
  }));
  const download = (path, name) => guarded("train-told", async () => {
    await save(await ask(`/studio/jobs/${job}/${path}`), name);
  });
  at("move-cut").addEventListener("click", guarded("cut-told", async () => {
    const kind = at("cut-kind").value;
    say("cut-told", "Moving …");
    const body = kind ? { [kind]: (number("cut-number") ?? 0) / 100 } : {};
    const { told } = await askJson(`/studio/jobs/${job}/cut`, body);
    say("cut-told", told);
    showReport(job);
  }));
  at("other").addEventListener("change", guarded("other-told", async () => {
    const file = at("other").files[0];
    if (!file) return;
    say("other-told", `Scoring ${file.name} …`);
    const path = `/studio/jobs/${job}/score?name=${encodeURIComponent(file.name)}`;
    await save(await ask(path, { method: "POST", body: file }), "scores.csv");
    say("other-told", `Scores of ${file.name} are in scores.csv.`);
    at("other").value = "";
  }));
  at("get-scores").addEventListener("click", download("scores.csv", "scores.csv"));
  at("get-report").addEventListener("click", download("report", "report.html"));
  at("get-model").addEventListener("click", download("model.pulps", "model.pulps"));
  const listTrainings = guarded("table-told", async () => {
    const { jobs } = await askJson("/studio/jobs");
    at("trainings").replaceChildren(...jobs.reverse().map((one) => {
      const open = make("button", one.name, { type: "button", className: "second" });
      open.addEventListener("click", () => {
        job = one.job;
        location.hash = job;
        watch();
      });
      const when = one.started ? new Date(one.started).toLocaleString() : "";
      const item = make("li");
      item.append(open, ` ${one.state === "done" ? when : "is training"}`);
      return item;
    }));
    at("earlier").hidden = jobs.length === 0;
  });
  listTrainings();
  if (location.hash.length > 1) {  // a training that was started before, perhaps in another tab
    job = location.hash.slice(1);
    watch();
  }
  at("docs").href = `/docs?token=${encodeURIComponent(token)}`;
})();
