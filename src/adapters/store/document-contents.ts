import { type Kysely, type RawBuilder, sql } from "kysely";
import { MOST_CONTENT_BYTES } from "../../core/types.js";
import { yieldTurn } from "../../lib/time.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** Bytes read in one turn of the event loop. */
const BYTES_AT_ONCE = 1024 * 1024;

/** A document and the length of its text, known without reading the text. */
export interface SizedDocument {
  readonly id: string;
  readonly bytes?: number | undefined;
}

/**
 * Texts of documents by id, in this order, until the answer is full, each read together with a `head`; null for a document that
 * no longer satisfies the condition.
 */
export async function readContents(
  db: Kysely<Database>,
  documents: readonly SizedDocument[],
  { head, condition }: { readonly head: RawBuilder<string>; readonly condition: RawBuilder<boolean> },
): Promise<ReadonlyMap<string, { readonly content: string; readonly head: string } | null>> {
  const contents = new Map<string, { content: string; head: string } | null>();
  for (const ids of slicesOf(documents, MOST_CONTENT_BYTES)) {
    for (const id of ids) contents.set(id, null);
    const { rows } = await sql<{ id: string; content: string; head: string }>`
      select id, content, ${head} as head from documents
      where id in (select value from json_each(${listParameter(ids)})) and ${condition}`.execute(db);
    for (const { id, ...read } of rows) contents.set(id, read);
    await yieldTurn();
  }
  return contents;
}

/** Documents whose texts are read together in one turn, until `most` bytes are reached. */
export function* slicesOf(documents: readonly SizedDocument[], most = Infinity): Generator<string[]> {
  let slice: string[] = [];
  let sliceBytes = 0;
  let allBytes = 0;
  for (const { id, bytes = 0 } of documents) {
    if (allBytes > 0 && allBytes + bytes > most) break;
    slice.push(id);
    sliceBytes += bytes;
    allBytes += bytes;
    if (sliceBytes < BYTES_AT_ONCE) continue;
    yield slice;
    [slice, sliceBytes] = [[], 0];
  }
  if (slice.length > 0) yield slice;
}
