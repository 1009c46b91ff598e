import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { memoryStateSchema, type MemoryState } from "../../src/core/memories/memory-state.js";
import type { SqliteConnection } from "../../src/lib/sqlite.js";
import { openDatabase } from "./store-folder.js";

/** Rules for every record, as queries that find violations. */
const BROKEN: Readonly<Record<string, string>> = {
  "facts with two newest versions": `
    select coalesce(root_id, id) as root from memories where is_latest = 1 group by root having count(*) > 1`,
  "facts whose versions are not counted 1, 2, 3": `
    select coalesce(root_id, id) as root, group_concat(version) as versions from memories
    where is_latest = 1 or is_forgotten = 0 group by root
    having count(*) <> max(version) or count(distinct version) <> count(*)`,
  "versions that do not follow the one before": `
    select one.id from memories one left join memories parent on parent.id = one.parent_id
    where one.parent_id is not null and (parent.version is not one.version - 1
      or coalesce(parent.root_id, parent.id) is not one.root_id or parent.container_id is not one.container_id)`,
  "two memories of one text": `
    select text from memories where is_latest = 1 and is_forgotten = 0 group by container_id, text having count(*) > 1`,
  "relations across containers": `
    select mr.* from memory_relations mr left join memories one on one.id = mr.from_id
    left join memories other on other.id = mr.to_id where one.container_id is not other.container_id`,
  "sources that are not there": `
    select * from memory_sources where document_id not in (select id from documents)
      or memory_id not in (select id from memories)`,
  "newest versions out of the text index, or superseded ones in it": `
    select m.id, is_latest from memories m join containers c on c.id = m.container_id and c.deleted_at is null
    where is_latest <> exists (select 1 from text_index_docsize where id = m.seq * 2 + 1)`,
  "vectors that are missing, of the past, or elsewhere": `
    select m.id, is_latest, is_forgotten, v.active, v.container_id from memories m
    join containers c on c.id = m.container_id and c.deleted_at is null
    left join vectors v on v.unit = m.seq * 2 + 1
    where (is_latest = 1 and is_forgotten = 0 and (v.unit is null or v.active = 0 or v.container_id <> m.container_id))
      or (is_latest = 0 and v.unit is not null) or (is_forgotten = 1 and v.active = 1)`,
};

interface JournalLine {
  readonly seq: number;
  readonly batch_id: string;
  readonly action: string;
  readonly subject: string;
  readonly subject_id: string;
  readonly cause: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** Reads the record next to the service that writes it, and compares it with its journal. */
export interface Auditor {
  /**
   * Checks that no rule is broken, and that the journal since the last look leads from that state to the present.
   * @returns the batches that changed memories since then, in order
   */
  audit(): readonly string[];
  close(): void;
}

export async function openAuditor(file: string): Promise<Auditor> {
  const connection = await openDatabase(file, { readOnly: true });
  const replayed = new Map<string, MemoryState>();
  let seen = 0;
  return {
    audit() {
      const broken = Object.entries(BROKEN).map(([rule, sql]) => [rule, connection.prepare(sql).all()] as const);
      expect(Object.fromEntries(broken.filter(([, rows]) => rows.length > 0))).toEqual({});
      const lines = connection.prepare("select * from journal where seq > ? order by seq").all(seen) as JournalLine[];
      seen = lines.at(-1)?.seq ?? seen;
      for (const line of lines) replay(replayed, line);
      expectReplayed(connection, replayed);
      const changes = lines.filter(({ subject, after }) => subject === "memory" && after !== null);
      return [...new Set(changes.map(({ batch_id }) => batch_id))];
    },
    close: () => connection.close(),
  };
}

/** Each entry continues from the state after the previous one. */
function replay(states: Map<string, MemoryState>, line: JournalLine): void {
  if (line.subject !== "memory" || line.after === null) return;
  const before = line.before === null ? null : memoryStateSchema.parse(JSON.parse(line.before));
  const after = memoryStateSchema.parse(JSON.parse(line.after));
  if (before) {
    const known = states.get(before.id);
    expect({ action: line.action, ...withoutSources(before) }).toEqual({
      action: line.action,
      ...(known ? withoutSources(known) : {}),
    });
    // A version replaced by an older one was undone, and is not history.
    const undone = before.version > after.version ? { isForgotten: true, forgetReason: line.cause } : {};
    if (before.id !== after.id) states.set(before.id, { ...before, isLatest: false, ...undone });
  } else expect(states.has(after.id)).toBe(false);
  states.set(after.id, after);
}

function withoutSources({ sources: _sources, ...state }: MemoryState): Omit<MemoryState, "sources"> {
  return state;
}

function expectReplayed(connection: SqliteConnection, states: ReadonlyMap<string, MemoryState>): void {
  const rows = connection
    .prepare(
      `select m.id, m.text, m.version, m.strength, m.forget_after, is_latest, is_forgotten, is_static, is_inference from memories m
       join containers c on c.id = m.container_id and c.deleted_at is null`,
    )
    .all() as Record<string, unknown>[];
  const replayed = rows.map((row) => rowOf(states.get(String(row["id"]))));
  // Compared so often that only differences are worth describing.
  if (!isDeepStrictEqual(replayed, rows.map(plain))) expect(replayed).toEqual(rows.map(plain));
}

function plain(row: Record<string, unknown>): Record<string, unknown> {
  return { ...row };
}

/** A state in the form of its row. */
function rowOf(state: MemoryState | undefined): Record<string, unknown> | null {
  if (!state) return null;
  const { id, text, version, strength, forgetAfter, isLatest, isForgotten, isStatic, isInference } = state;
  return {
    id,
    text,
    version,
    strength,
    forget_after: forgetAfter,
    is_latest: Number(isLatest),
    is_forgotten: Number(isForgotten),
    is_static: Number(isStatic),
    is_inference: Number(isInference),
  };
}
