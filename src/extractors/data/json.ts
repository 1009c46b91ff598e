import type { ExtractedContent, SourceFile } from "../../core/documents/content-ports.js";
import { GatheredParts } from "../gathered-parts.js";
import { decodeBytes } from "../decode-bytes.js";
import type { ExtractionTools } from "../format-extractor.js";
import { plainText } from "../plain-text.js";
import { textField, type DataNode } from "./data-node.js";
import { parseJson } from "./parse-json.js";
import { addData } from "./render-data.js";

/** Reads JSON as lists of paths and values, and as tables. @throws ExtractionError `empty` */
export async function extractJson(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const parsed = parseJson(decodeBytes(file.bytes, [file.charset]).text);
  if (parsed === null) return plainText(file, "The file is not well-formed JSON, or contains too much.", tools);
  const [only] = parsed.values;
  const notes = parsed.isWhole ? [] : ["The file ends before its JSON is complete."];
  return present(parsed.values.length === 1 ? (only ?? "") : { kind: "list", items: parsed.values }, notes, tools);
}

/** Share of the lines that may be broken; beyond that, the file is not JSON Lines. */
const MOST_BROKEN = 0.2;

/** Reads JSON Lines. A line without a JSON value is kept as text. @throws ExtractionError `empty` */
export async function extractJsonLines(file: SourceFile, tools: ExtractionTools): Promise<ExtractedContent> {
  const lines = decodeBytes(file.bytes, [file.charset])
    .text.split("\n")
    .filter((line) => line.trim() !== "");
  const read = lines.map((line) => parseJson(line));
  const broken = read.filter((line) => line?.isWhole !== true).length;
  if (broken > lines.length * MOST_BROKEN) return extractJson(file, tools);
  const items = read.flatMap((line, index) => (line?.isWhole === true ? line.values : [lines[index] ?? ""]));
  const notes = broken === 0 ? [] : [`${broken} lines are not JSON and were kept as text.`];
  return present({ kind: "list", items }, notes, tools);
}

function present(node: DataNode, notes: readonly string[], { limits }: ExtractionTools): ExtractedContent {
  const gathered = new GatheredParts(limits);
  for (const note of notes) gathered.note(note);
  const isLong = typeof node === "object" && node.kind === "list" && node.items.length > limits.maximumEntries;
  if (isLong) gathered.note(`Only the first ${limits.maximumEntries} entries were read.`);
  addData(isLong ? { kind: "list", items: node.items.slice(0, limits.maximumEntries) } : node, gathered);
  return gathered.content("text", { title: textField(node, ["title", "name"]) });
}
