import { format } from "../results.mjs";
import { asMarkdown, tablesOf } from "./table.mjs";

/** The most requested figures, in the order of the summary. */
const BY_SIZE = [
  ["search", "1 caller, p50", "search, p50"],
  ["search", "1 caller, p95", "search, p95"],
  ["search", "1 caller, p99", "search, p99"],
  ["search", "8 callers, searches", "searches by 8 callers"],
  ["search", "32 callers, searches", "searches by 32 callers"],
  ["search", "filter of 50 %, p50", "search with a filter that half of the notes pass, p50"],
  ["search", "filter of 10 %, p50", "… that a tenth passes, p50"],
  ["search", "filter of 1 %, p50", "… that a hundredth passes, p50"],
  ["mcp", "1 caller, p50", "search through MCP, p50"],
  ["mcp", "1 caller, p95", "search through MCP, p95"],
  ["vectors", "Chroma, p50", "search with Chroma for the vectors, p50"],
  ["vectors", "Chroma, p95", "search with Chroma for the vectors, p95"],
  ["vectors", "Chroma index alone, recall@10", "recall@10 of Chroma's index against all vectors"],
  ["vectors", "exact index alone, recall@10", "recall@10 of exact search against all vectors"],
  ["search", "start to first search answered", "start to first search answered"],
  ["search", "resident memory after all searches", "resident memory"],
  ["vectors", "Chroma engine, resident memory", "resident memory of the Chroma engine, where it is used"],
];

const PEERS =
  /^(search through (HTTP|MCP)(, p50|, p95|, searches|, 8 callers, searches|:.*)|start to .*|add .*|resident .*)$/;

/** A short summary, as Markdown tables for a README. */
export function renderSummary(figures) {
  const chosen = BY_SIZE.flatMap(([section, name, title]) =>
    figures
      .filter((figure) => figure.section === section && figure.name === name)
      .map((figure) => ({ ...figure, section: "summary", name: title })),
  );
  const peers = figures.filter(({ section, name }) => section === "peers" && PEERS.test(name) && !/p99/.test(name));
  return [
    ...tablesOf(chosen).map(asMarkdown),
    ...linesOf(figures, "ingest", "Taking in short documents"),
    ...linesOf(figures, "containers", "Many containers"),
    ...tablesOf(peers).map(asMarkdown),
  ].join("\n");
}

/** Figures of a single size, as sentences. */
function linesOf(figures, section, title) {
  const own = figures.filter((figure) => figure.section === section && !/p99/.test(figure.name));
  if (own.length === 0) return [];
  return [`${title}: ${own.map(({ name, unit, value }) => `${name} ${format(value)} ${unit}`).join("; ")}.\n`];
}
