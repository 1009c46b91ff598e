import { format } from "../results.mjs";
import { growthExponent } from "../statistics.mjs";

const TITLES = {
  search: "Searches of one container, through HTTP",
  stages: "Where the time of a search goes (median of each stage)",
  fill: "Writing memories into one container",
  loop: "How long the event loop does not come round while searches run",
  containers: "Many containers",
  ingest: "Taking in documents",
  connections: "Keeping a bucket in step",
  vectors: "Chroma beside exact search",
  postgres: "The record in PostgreSQL on the same machine",
  "postgres stages": "Where the time of a search goes on PostgreSQL (median of each stage)",
  mcp: "Through MCP on standard input and output",
  peers: "Beside others, on the same notes",
  reading: "Reading files",
  summary: "One container, through HTTP unless said otherwise",
};

/** The results of a run as tables, one per section: headings, and rows of text. */
export function tablesOf(figures) {
  const sections = [...new Set(figures.map(({ section }) => section))];
  return sections.map((section) => {
    const own = figures.filter((figure) => figure.section === section);
    const systems = [...new Set(own.map(({ system }) => system))];
    const table = systems.length > 1 ? compare(own, systems) : arrangeBySize(own);
    return { section, title: TITLES[section] ?? section, ...table };
  });
}

/** A table in Markdown, under its title. */
export function asMarkdown({ title, heads, lines }) {
  const rule = heads.map((_, at) => (at === 0 ? "---" : "---:"));
  const rows = [heads, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`);
  return `### ${title}\n\n${rows.join("\n")}\n`;
}

function arrangeBySize(figures) {
  const sizes = sizesOf(figures);
  const withGrowth = sizes.length > 1;
  const heads = ["", ...sizes.map(nameOfSize), ...(withGrowth ? ["grows as"] : [])];
  const lines = namesOf(figures).map((name) => {
    const own = figures.filter((figure) => figure.name === name);
    const cells = sizes.map((size) => show(own.find((figure) => figure.size === size)));
    return [name, ...cells, ...(withGrowth ? [showGrowth(own)] : [])];
  });
  return { heads, lines };
}

/** Another system's column is followed by the ratio to Recollect's value. */
function compare(figures, systems) {
  const [ours, ...others] = ["Recollect", ...systems.filter((system) => system !== "Recollect")];
  const rows = sizesOf(figures).flatMap((size) =>
    namesOf(figures.filter((figure) => figure.size === size)).map((name) => ({ name, size })),
  );
  const heads = ["", "notes", ours, ...others.flatMap((other) => [other, "ratio"])];
  const lines = rows.map(({ name, size }) => {
    const at = (system) => figures.find((one) => one.name === name && one.size === size && one.system === system);
    const cells = others.flatMap((other) => [show(at(other)), showRatio(at(ours), at(other))]);
    return [name, nameOfSize(size), show(at(ours)), ...cells];
  });
  return { heads, lines };
}

function sizesOf(figures) {
  return [...new Set(figures.map(({ size }) => size))].sort((a, b) => (a ?? 0) - (b ?? 0));
}

function namesOf(figures) {
  return [...new Set(figures.map(({ name }) => name))];
}

function nameOfSize(size) {
  return size === undefined ? "none" : size.toLocaleString("en");
}

function show(figure) {
  return figure === undefined ? "–" : `${format(figure.value)} ${figure.unit}`;
}

function showRatio(ours, other) {
  return ours && other && other.value > 0 ? `${format(ours.value / other.value)}×` : "";
}

/** A share does not belong to a size that could grow. */
function showGrowth(figures) {
  if (figures[0]?.unit === "%") return "";
  const exponent = growthExponent(figures.filter(({ size }) => size !== undefined));
  return exponent === undefined ? "" : `n^${exponent.toFixed(2)}`;
}
