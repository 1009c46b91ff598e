import { type Kysely, sql } from "kysely";
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
 * Texts of documents by id, in this order, until the answer is full. Without those of documents that have another revision now:
 * whoever may see the document as it was may perhaps not see what it became.
 */
export async function readContents(
  db: Kysely<Database>,
  documents: readonly (SizedDocument & { readonly revision: number })[],
): Promise<ReadonlyMap<string, string>> {
  const revisions = new Map(documents.map(({ id, revision }) => [id, revision]));
  const contents = new Map<string, string>();
  for (const ids of slicesOf(documents, MOST_CONTENT_BYTES)) {
    const { rows } = await sql<{ id: string; content: string; revision: number }>`
      select id, content, revision from documents where id in (select value from json_each(${listParameter(ids)}))`.execute(
      db,
    );
    for (const { id, content, revision } of rows) if (revisions.get(id) === revision) contents.set(id, content);
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
