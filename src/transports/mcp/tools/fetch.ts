import * as z from "zod";
import { dayIn, type TimeZone } from "../../../lib/time-zone.js";
import type { Fetched } from "../../../core/index.js";
import { TRUST, type Document, type Memory, type Trust } from "../../../core/types.js";
import { safeCut } from "../../../lib/truncate.js";
import { markOf, hitTitle } from "../hits.js";
import { fence, NOTICE } from "../recalled.js";
import { oneLine } from "../../../lib/one-line.js";
import { defineTool } from "../tool.js";
import { anyId, containerTag, READ_ONLY } from "./arguments.js";

/** Clients move longer results to a file, or drop them. */
const PAGE_CHARACTERS = 40_000;

const input = z.object({
  id: anyId.describe("Id of a memory or document from search, or a document's customId"),
  containerTag: containerTag.describe("Needed for a customId that exists in several containers"),
  offset: z.int().min(0).default(0).describe("nextOffset of the last result, to continue a long text"),
});

const output = z.object({
  id: z.string(),
  kind: z.enum(["memory", "document"]),
  title: z.string(),
  text: z.string(),
  url: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  containerTags: z.array(z.string()),
  date: z.string(),
  status: z.string().describe("Document: processing status. Memory: latest, superseded or forgotten"),
  related: z.array(z.string()).describe("Ids: the memories of a document, or the documents that state a memory"),
  origin: z.string().describe("Who it is from: user, agent, connector, web or rules"),
  trust: z.enum(TRUST).describe("flagged: reads like an instruction, and nobody has reviewed it"),
  newerId: z.string().nullable().describe("The memory that replaced this one"),
  nextOffset: z.number().nullable().describe("Where the rest begins; null at the end"),
  notice: z.string(),
});
type Page = z.output<typeof output>;

export const fetchTool = defineTool({
  name: "fetch",
  title: "Fetch by id",
  description: "Returns one document in full, page by page if it is long, or one memory with its sources, by id.",
  input,
  output,
  annotations: READ_ONLY,
  async run({ core, actor }, { id, containerTag: within, offset }) {
    const fetched = await core.fetch({ actor }, { id, within });
    const { whole, page } = present(fetched, id);
    const start = offset > 0 ? safeCut(whole, offset) : 0;
    const end = safeCut(whole, start + PAGE_CHARACTERS);
    const structured = { ...page, text: whole.slice(start, end), nextOffset: end < whole.length ? end : null };
    return { text: describe(structured, { total: whole.length, start, timeZone: fetched.timeZone }), structured };
  },
});

type Presented = { whole: string; page: Omit<Page, "text" | "nextOffset"> };

function present({ document, memory, memories, sources, trust }: Fetched, id: string): Presented {
  if (memory) return { whole: memory.text, page: presentMemory({ memory, trust }, memories[0]?.id ?? null, sources) };
  if (document) return { whole: document.content, page: presentDocument({ document, trust }, memories) };
  throw new Error(`The service returned neither a memory nor a document for ${id}`);
}

function presentMemory(
  { memory, trust }: { memory: Memory; trust: Trust },
  newerId: string | null,
  sources: readonly string[],
): Presented["page"] {
  return {
    id: memory.id,
    kind: "memory",
    title: hitTitle(undefined, memory.text),
    url: `memory://memories/${memory.id}`,
    metadata: memory.metadata ?? {},
    containerTags: [memory.containerTag],
    date: memory.createdAt,
    status: memory.isForgotten ? "forgotten" : memory.isLatest ? "latest" : "superseded",
    related: [...sources],
    origin: memory.origin,
    trust,
    newerId,
    notice: NOTICE,
  };
}

function presentDocument(
  { document, trust }: { document: Document; trust: Trust },
  memories: readonly Memory[],
): Presented["page"] {
  return {
    id: document.id,
    kind: "document",
    title: hitTitle(document, document.content),
    url: document.url ?? `memory://documents/${document.id}`,
    metadata: document.metadata ?? {},
    containerTags: [...document.containerTags],
    date: document.documentDate ?? document.createdAt,
    status: document.status,
    related: memories.map(({ id }) => id),
    origin: document.origin,
    trust,
    newerId: null,
    notice: NOTICE,
  };
}

function describe(
  page: Page,
  { total, start, timeZone }: { readonly total: number; readonly start: number; readonly timeZone: TimeZone },
): string {
  const { id, kind, title, text, status, related, newerId, nextOffset, date, containerTags, trust, origin } = page;
  const noun = kind === "memory" ? "Documents that state it" : "Memories from it";
  return [
    `${kind === "memory" ? "Memory" : "Document"} [${id}] in ${containerTags.join(", ")}, ${dayIn(date, timeZone)}, ${status}${markOf(trust, origin)}.`,
    ...(newerId === null ? [] : [`It was replaced by memory [${newerId}].`]),
    ...(related.length > 0 ? [`${noun}: ${related.map((other) => `[${other}]`).join(" ")}`] : []),
    fence(oneLine(text.slice(0, 400)).startsWith(title) ? text : `${title}\n\n${text}`),
    ...(start > 0 || nextOffset !== null
      ? [
          `Characters ${start} to ${start + text.length} of ${total}${nextOffset === null ? "" : `; for the rest call fetch with offset ${nextOffset}`}.`,
        ]
      : []),
  ].join("\n");
}
