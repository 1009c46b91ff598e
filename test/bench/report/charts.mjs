import { growthExponent } from "../statistics.mjs";
import { renderChart } from "./chart.mjs";

const CALLERS = ["1 caller", "8 callers", "32 callers"];
const SHARES = ["p50", "p95", "p99"];
const under = (section, names, labels = names) => names.map((name, at) => ({ section, name, label: labels[at] }));

/** The charts: each line is one figure by number of notes. */
const CHARTS = [
  {
    file: "search",
    title: "Search through HTTP, one caller",
    lines: under(
      "search",
      SHARES.map((share) => `1 caller, ${share}`),
      SHARES,
    ),
  },
  {
    file: "search-callers",
    title: "Search through HTTP, p50 by callers at once",
    lines: under(
      "search",
      CALLERS.map((callers) => `${callers}, p50`),
      CALLERS,
    ),
  },
  {
    file: "throughput",
    title: "Searches through HTTP",
    lines: under(
      "search",
      CALLERS.map((callers) => `${callers}, searches`),
      CALLERS,
    ),
  },
  {
    file: "filters",
    title: "Search with a filter, p50",
    lines: [
      { section: "search", name: "1 caller, p50", label: "no filter" },
      ...under("search", ["filter of 50 %, p50", "filter of 10 %, p50", "filter of 1 %, p50"], ["50 %", "10 %", "1 %"]),
    ],
  },
  {
    file: "start",
    title: "Start to first search answered",
    lines: under("search", ["start to first search answered"], ["start"]),
  },
  {
    file: "memory",
    title: "Resident memory",
    lines: under(
      "search",
      ["resident memory after all searches", "highest resident memory", "resident memory of its children"],
      ["after all searches", "highest", "Chroma engine"],
    ),
  },
  {
    file: "stages",
    title: "Where the time of a search goes (median)",
    section: "stages",
  },
  {
    file: "vectors",
    title: "Search: Chroma beside exact",
    lines: under("vectors", ["exact, p50", "exact, p95", "Chroma, p50", "Chroma, p95"]),
  },
  {
    file: "postgres",
    title: "Search with the record in PostgreSQL, one caller",
    lines: under(
      "postgres",
      SHARES.map((share) => `1 caller, ${share}`),
      SHARES,
    ),
  },
  {
    file: "mcp",
    title: "Search through MCP on standard input and output, p50",
    lines: under(
      "mcp",
      CALLERS.map((callers) => `${callers}, p50`),
      CALLERS,
    ),
  },
  {
    file: "peers-http",
    title: "Search through HTTP beside mem0ai/oss, p50",
    section: "peers",
    name: "search through HTTP, p50",
  },
  {
    file: "peers-mcp",
    title: "Search through MCP beside server-memory, p50",
    section: "peers",
    name: "search through MCP, p50",
  },
];

/** The charts that have data: file name, section and SVG. */
export function drawCharts(figures) {
  return CHARTS.flatMap(({ file, title, lines, section, name }) => {
    const chosen = lines ?? linesOf(figures, section, name);
    const drawn = chosen.map((line) => seriesOf(figures, line)).filter(({ points }) => points.length > 0);
    const unit = figures.find(
      (figure) => figure.section === chosen[0]?.section && figure.name === chosen[0].name,
    )?.unit;
    const svg = unit && renderChart({ title, unit, xTitle: "notes", series: drawn });
    return svg ? [{ file: `${file}.svg`, section: chosen[0].section, svg }] : [];
  });
}

/** One line per system that has the figure, or per figure of the section. */
function linesOf(figures, section, name) {
  const own = figures.filter((figure) => figure.section === section && (name === undefined || figure.name === name));
  const keys = own.map((figure) => (name === undefined ? figure.name : figure.system));
  return [...new Set(keys)].map((key) =>
    name === undefined ? { section, name: key, label: key } : { section, name, system: key, label: key },
  );
}

function seriesOf(figures, { section, name, system = "Recollect", label }) {
  const points = figures
    .filter((figure) => figure.section === section && figure.name === name && figure.system === system)
    .filter(({ size, value }) => size !== undefined && value > 0)
    .map(({ size, value }) => ({ x: size, y: value }));
  const exponent = growthExponent(points.map(({ x, y }) => ({ size: x, value: y })));
  return { label: exponent === undefined ? label : `${label} (n^${exponent.toFixed(2)})`, points };
}
