import type { Kysely } from "kysely";
import { kindOf, unitOf, type Unit, type UnitKind } from "../../core/types.js";
import { isPlain, otherForms, splitWords, wordParts } from "../../language/words.js";
import { NOTE_INDEX_CHANGE } from "./change-feed.js";
import { readRows } from "./fixed-query.js";
import type { Database } from "./schema.js";

/**
 * Containers as words of the text index's `scope` column, so that a search reads only the postings of its containers:
 * `d12` chunks, `m12` memories, and `e12` and `f12` those of them that are forgotten, of container 12.
 */
export function scopeWord(kind: UnitKind, containerId: number, forgotten = false): string {
  const [told, untold] = kind === "chunk" ? ["d", "e"] : ["m", "f"];
  return `${forgotten ? untold : told}${containerId}`;
}

const REMOVE_TEXT = "delete from text_index where rowid = ?";
const INSERT_TEXT = "insert into text_index (rowid, text, context, scope) values (?, ?, ?, ?)";

/** Writes a unit into the text index, replacing what it had there. */
export async function writeText(
  db: Kysely<Database>,
  entry: { unit: Unit; containerIds: readonly number[]; text: string; context: string; forgotten?: boolean },
): Promise<void> {
  const scope = entry.containerIds.map((id) => scopeWord(kindOf(entry.unit), id, entry.forgotten)).join(" ");
  for (const id of entry.containerIds) await readRows(db, NOTE_INDEX_CHANGE, [entry.unit, id]);
  await readRows(db, REMOVE_TEXT, [entry.unit]);
  await readRows(db, INSERT_TEXT, [entry.unit, indexedText(entry.text), indexedText(entry.context), scope]);
}

/**
 * What the text index is given of a text: the text where the index finds the words of `splitWords` in it by itself, else
 * those words, each in letters that the index takes for one word; and parts of long words.
 */
export function indexedText(text: string): string {
  const split = splitWords(text);
  const parts = wordParts(split);
  if (isPlain(text)) return parts.length > 0 ? `${text} ${parts.join(" ")}` : text;
  return [...split.words, ...split.forms, ...parts].map(indexForm).join(" ");
}

/** The words of the text index that stand for a word of a query: itself and its other forms. */
export function indexedForms(word: string): string[] {
  return [word, ...otherForms(word)].map(indexForm);
}

const MARK = /\p{M}/gu;
/** Marks from here on, up to as many as there are private characters in a row, become such: the index cuts words at marks. */
const FIRST_MARK = 0x900;
const FIRST_PRIVATE = 0xe000;
const PRIVATE = 0x1900;

function indexForm(word: string): string {
  return word.replace(MARK, (mark) => {
    const place = (mark.codePointAt(0) ?? 0) - FIRST_MARK;
    return place >= 0 && place < PRIVATE ? String.fromCharCode(FIRST_PRIVATE + place) : "";
  });
}

/** To be called before a unit is found in other containers than before. */
export async function noteAnywhere(db: Kysely<Database>, unit: Unit): Promise<void> {
  await readRows(db, NOTE_INDEX_CHANGE, [unit, 0]);
}

/** Takes a unit out of the text index and the vectors, with a line in the change log for each of its containers. */
export async function dropUnit(db: Kysely<Database>, unit: Unit): Promise<void> {
  await noteAnywhere(db, unit);
  await readRows(db, REMOVE_TEXT, [unit]);
  const removed = await db
    .deleteFrom("vectors")
    .where("unit", "=", unit)
    .returning(["space_id", "container_id", "unit"])
    .execute();
  if (removed.length > 0) await db.insertInto("vector_changes").values(removed).execute();
}

/** Drops the units of a document's chunks of some revisions. */
export async function dropChunkUnits(
  db: Kysely<Database>,
  documentId: string,
  revisions: { readonly from?: number; readonly before: number },
): Promise<void> {
  const rows = await db
    .selectFrom("chunks")
    .select("seq")
    .where("document_id", "=", documentId)
    .where("revision", ">=", revisions.from ?? 0)
    .where("revision", "<", revisions.before)
    .execute();
  for (const row of rows) await dropUnit(db, unitOf("chunk", row.seq));
}
