import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { escape } from "./chart.mjs";
import { drawCharts } from "./charts.mjs";
import { renderSummary } from "./summary.mjs";
import { asMarkdown, tablesOf } from "./table.mjs";

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 14px/1.5 system-ui, sans-serif; max-width: 1320px; margin: 2rem auto; padding: 0 1rem;
    color: #24292f; background: #fff; }
  table { border-collapse: collapse; margin: 1rem 0; }
  th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid #d0d7de; text-align: right; white-space: nowrap; }
  th:first-child, td:first-child { text-align: left; }
  .charts { display: flex; flex-wrap: wrap; gap: 1rem; }
  .wrong { color: #b3264a; }
  @media (prefers-color-scheme: dark) {
    body { color: #e6edf3; background: #0d1117; }
    th, td { border-color: #3d444d; }
    .wrong { color: #ff7d98; }
  }
`;

/** The results as text for a terminal or a README. */
export function renderMarkdown({ about, figures, remarks, problems }) {
  return [
    `${describe(about)}:\n`,
    ...tablesOf(figures).map(asMarkdown),
    ...remarks,
    ...problems.map((problem) => `WRONG: ${problem}`),
    "",
  ].join("\n");
}

/** Writes `bench.json`, `report.html`, `summary.md` and one SVG file per chart. @returns the path of the report */
export function writeReport(folder, results) {
  const charts = drawCharts(results.figures);
  mkdirSync(folder, { recursive: true });
  const { about, figures, problems, remarks } = results;
  writeFileSync(join(folder, "bench.json"), `${JSON.stringify({ about, figures, problems, remarks }, null, 1)}\n`);
  writeFileSync(join(folder, "summary.md"), `${describe(about)}:\n\n${renderSummary(figures)}`);
  for (const { file, svg } of charts) writeFileSync(join(folder, file), svg);
  const report = join(folder, "report.html");
  writeFileSync(report, renderHtml(results, charts));
  return report;
}

function renderHtml({ about, figures, problems, remarks }, charts) {
  const sections = tablesOf(figures).map((table) => {
    const own = charts.filter(({ section }) => section === table.section).map(({ svg }) => svg);
    return `<h2>${escape(table.title)}</h2>\n${asHtml(table)}\n<div class="charts">\n${own.join("\n")}</div>`;
  });
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Recollect: what the bench measured</title><style>${STYLE}</style></head>
<body>
<h1>What the bench measured</h1>
<p>${escape(describe(about))}. “n^0.5” means: with four times the notes, twice the value.</p>
${problems.map((problem) => `<p class="wrong">${escape(`Wrong: ${problem}`)}</p>`).join("\n")}
${sections.join("\n")}
${remarks.map((remark) => `<p>${escape(remark)}</p>`).join("\n")}
</body>
</html>
`;
}

function asHtml({ heads, lines }) {
  const row = (cells, tag) => `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join("")}</tr>`;
  const body = lines.map((cells) => row(cells, "td")).join("\n");
  return `<table>\n<thead>${row(heads, "th")}</thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
}

function describe({ node, cores, processor, load, seed, minutes }) {
  const busy = `load ${load.toFixed(1)} at the start`;
  return `Node ${node}, ${cores} cores (${processor}, ${busy}), notes of seed ${seed}, wall time seen by the client, ${minutes} min in all`;
}
