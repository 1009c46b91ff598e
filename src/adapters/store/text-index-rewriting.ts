import { type Kysely, type Selectable, sql } from "kysely";
import type { TextIndexStore } from "../../core/ports.js";
import { unitOf, type Unit } from "../../core/types.js";
import { sampleSegments } from "../../language/languages/unspaced.js";
import { WORDS_VERSION } from "../../language/words.js";
import { indexedText } from "./indexed-text.js";
import type { Database } from "./schema.js";
import { writeText } from "./text-index.js";
import { textIndexDialect } from "./text-index-dialects.js";
import { atomically } from "./transact.js";

/** The runtime brings the dictionaries that find words. */
const RUNTIME = process.versions["icu"] ?? "";
const STATE_ID = 1;

type State = Selectable<Database["word_splitting"]>;

/** A unit's entry in the text index, as it should be now. */
interface Entry {
  readonly unit: Unit;
  readonly containerIds: readonly number[];
  readonly text: string;
  readonly context: string;
  readonly forgotten: boolean;
}

interface Batch {
  readonly entries: readonly Entry[];
  readonly state: State;
}

/** Keeps the text index in step with how texts are split into words. */
export function createTextIndexStore(db: Kysely<Database>): TextIndexStore {
  return {
    async isCurrent() {
      const state = await readState(db);
      if (state) return isOfThisVersion(state) && state.is_done === 1;
      const { rows } = await sql`select 1 from chunks union all select 1 from memories limit 1`.execute(db);
      if (rows.length > 0) return false;
      // Examining the dictionaries takes longer than a first start may; most stores never need it.
      await writeState(db, { ...firstState(""), is_done: 1 });
      return true;
    },

    async rewriteSome(limit) {
      return atomically(db, async (db) => {
        const begun = await beginState(db);
        const { splitsPlainText } = textIndexDialect(db);
        if (begun.is_done === 1) return { rewritten: 0, isDone: true };
        const { entries, state } = await nextBatch(db, begun, limit);
        const changing = entries.filter(
          ({ text, context }) => !splitsPlainText || indexedText(text) !== text || indexedText(context) !== context,
        );
        let rewritten = 0;
        for (const entry of changing) {
          if (!(await isIndexed(db, entry.unit))) continue;
          await writeText(db, entry);
          rewritten += 1;
        }
        const isDone = entries.length === 0;
        await writeState(db, { ...state, is_done: isDone ? 1 : 0 });
        return { rewritten, isDone };
      });
    },
  };
}

function firstState(sample: string): State {
  return {
    id: STATE_ID,
    words: WORDS_VERSION,
    runtime: RUNTIME,
    sample,
    after_chunk: 0,
    after_memory: 0,
    is_done: 0,
  };
}

/**
 * The state of an index written entirely by this version.
 * @param former state of the index that had the same texts before, whose dictionaries need not be examined again
 */
export function writtenState(former: State | undefined): State {
  const isKnown = former !== undefined && isOfThisVersion(former);
  return { ...firstState(isKnown ? former.sample : ""), is_done: 1 };
}

function isOfThisVersion({ words, runtime }: State): boolean {
  return words === WORDS_VERSION && runtime === RUNTIME;
}

/** The state of rewriting; starts over if it was for another version. Another runtime may well find the same words. */
async function beginState(db: Kysely<Database>): Promise<State> {
  const state = await readState(db);
  if (state && isOfThisVersion(state)) return state;
  const fresh = firstState(sampleSegments());
  if (state?.words !== fresh.words || state.sample !== fresh.sample) return fresh;
  await writeState(db, { ...state, runtime: RUNTIME });
  return { ...state, runtime: RUNTIME };
}

async function nextBatch(db: Kysely<Database>, state: State, limit: number): Promise<Batch> {
  const chunks = await sql<{
    seq: number;
    text: string;
    context: string;
    containers: string;
    forgotten: number | null;
  }>`
    select seq, content as text, context, (select json_group_array(dc.container_id) from document_containers dc
      where dc.document_id = chunks.document_id) as containers,
      (select is_forgotten from documents where documents.id = chunks.document_id) as forgotten
    from chunks where seq > ${state.after_chunk} order by seq limit ${limit}`.execute(db);
  const lastChunk = chunks.rows.at(-1);
  if (lastChunk)
    return {
      entries: chunks.rows.map(({ seq, text, context, containers, forgotten }) => ({
        unit: unitOf("chunk", seq),
        containerIds: JSON.parse(containers) as number[],
        text,
        context,
        forgotten: forgotten === 1,
      })),
      state: { ...state, after_chunk: lastChunk.seq },
    };
  const memories = await db
    .selectFrom("memories")
    .select(["seq", "text", "container_id", "is_forgotten"])
    .where("seq", ">", state.after_memory)
    .where("is_latest", "=", 1)
    .orderBy("seq")
    .limit(limit)
    .execute();
  return {
    entries: memories.map(({ seq, text, container_id, is_forgotten }) => ({
      unit: unitOf("memory", seq),
      containerIds: [container_id],
      text,
      context: "",
      forgotten: is_forgotten === 1,
    })),
    state: { ...state, after_memory: memories.at(-1)?.seq ?? state.after_memory },
  };
}

/** What is not searchable yet, or no longer, stays so. */
async function isIndexed(db: Kysely<Database>, unit: Unit): Promise<boolean> {
  const { rows } = await sql`select 1 from text_index where rowid = ${unit}`.execute(db);
  return rows.length > 0;
}

async function readState(db: Kysely<Database>): Promise<State | undefined> {
  return db.selectFrom("word_splitting").selectAll().where("id", "=", STATE_ID).executeTakeFirst();
}

async function writeState(db: Kysely<Database>, state: State): Promise<void> {
  await db
    .insertInto("word_splitting")
    .values(state)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(state))
    .execute();
}
