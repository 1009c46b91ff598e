import * as z from "zod";
import type { SearchAnswer, SearchResult } from "../../core/index.js";
import type { DocumentHead, Memory } from "../../core/types.js";
import { truncate } from "../../lib/sentences.js";
import { count, oneLine } from "./recalled.js";

/** Characters of one hit that the text form shows; `fetch` gives the rest. */
const LONGEST_TEXT = 2_000;
const LONGEST_TITLE = 100;

/** One hit, with the fields that clients with a search of their own expect: `id`, `title`, `url`. */
export const hitSchema = z.object({
  id: z.string().describe("For fetch, and for forget when kind is memory"),
  kind: z.enum(["memory", "chunk"]),
  text: z.string(),
  similarity: z.number(),
  title: z.string(),
  url: z.string(),
  documentId: z.string().nullable().describe("The document it is from; for fetch"),
  containerTag: z.string().nullable(),
  date: z.string().describe("When it was said or written, else when it was kept (ISO 8601)"),
  metadata: z.record(z.string(), z.unknown()).nullable(),
});
export type Hit = z.output<typeof hitSchema>;

/** What a search result is called and where it is from. */
export function presentHit(result: SearchResult): Hit {
  const { memory, chunk } = result;
  const source = result.documents[0];
  return {
    id: result.id,
    kind: result.kind,
    text: result.text,
    similarity: result.similarity,
    title: titleOf(source, result.text),
    url: source?.url ?? addressOf(result.kind === "memory" ? "memories" : "documents", source, result.id),
    documentId: source?.id ?? null,
    containerTag: memory?.containerTag ?? source?.containerTags[0] ?? null,
    date:
      chunk?.metadata?.date ?? source?.documentDate ?? memory?.createdAt ?? source?.createdAt ?? chunk?.createdAt ?? "",
    metadata: memory?.metadata ?? source?.metadata ?? null,
  };
}

/** A source without a title is called by how the text begins. */
export function titleOf(source: Pick<DocumentHead, "title"> | undefined, text: string): string {
  return truncate(oneLine(source?.title ?? text), LONGEST_TITLE);
}

function addressOf(noun: "memories" | "documents", source: DocumentHead | undefined, id: string): string {
  return `memory://${noun}/${noun === "documents" && source ? source.id : id}`;
}

/** One hit as a line that begins with its id. */
export function describeHit(
  { id, kind, text, similarity, title, documentId, date }: Hit,
  source: string | null,
): string {
  const from = source === null ? "" : `, from "${title}"`;
  const about = `${kind}, similarity ${similarity.toFixed(2)}, ${date.slice(0, 10)}${from}`;
  const shown = truncate(text, LONGEST_TEXT);
  const rest =
    shown.length < text.length ? ` … (cut; fetch ${kind === "chunk" ? (documentId ?? id) : id} for all)` : "";
  return `[${id}] (${about}) ${shown}${rest}`;
}

/** All hits of an answer, a line each. */
export function describeHits(answer: SearchAnswer): string {
  return answer.results.map((result) => describeHit(presentHit(result), result.documents[0]?.title ?? null)).join("\n");
}

/** What is not in the answer yet, or not as good as it could be; empty when nothing is. */
export function describeGaps({ waiting, degraded }: Pick<SearchAnswer, "waiting" | "degraded">): string[] {
  const documents = count(waiting, "document of this container is", "documents of this container are");
  return [
    ...(waiting > 0 ? [`${documents} still being processed and may be missing here; search again in a moment.`] : []),
    ...degraded.map((reason) => `Less good than usual: ${oneLine(reason)}`),
  ];
}

/** A memory among others, as data. */
export const factSchema = z.object({ id: z.string(), text: z.string(), date: z.string() });

export function presentFact({ id, text, createdAt }: Memory): z.output<typeof factSchema> {
  return { id, text, date: createdAt };
}
