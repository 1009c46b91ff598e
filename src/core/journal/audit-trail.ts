import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import type { Clock, Log, Store } from "../ports.js";
import type { AuditEntry } from "../types.js";

const WRITE_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
/** What cannot be written is kept so far, then the oldest is dropped: the audit must not fill the memory. */
const MOST_WAITING = 10_000;
/** Different things that are counted within a minute; what comes beyond is counted together. */
const MOST_COUNTED = 1_000;
/** Containers and subjects of one entry. */
export const MOST_NAMES = 20;
const JOURNAL_ROWS = 2_000;

/** What happened, before it has a place and a time. */
export type AuditEvent = Omit<AuditEntry, "id" | "at" | "count">;

/** Writes down who did what, about a second later unless it is said otherwise. */
export interface AuditTrail {
  /** Never waits and never fails. @param id of the entry: what is noted again under one that there is stays one entry */
  note(event: AuditEvent, id?: string): void;
  /** Counts what happens often: one entry for all of a minute that are alike in everything but what they are about. */
  count(event: AuditEvent): void;
  /** Resolves when all that was noted so far is kept, or could not be, which the log then says. */
  flush(): Promise<void>;
  /** Writes down the rest. What is noted afterwards is lost. */
  close(): Promise<void>;
}

export interface AuditTrailOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How many different things are counted within a minute; a test has less patience. */
  readonly mostCounted?: number;
}

export function createAuditTrail({ store, clock, log, mostCounted = MOST_COUNTED }: AuditTrailOptions): AuditTrail {
  /** By id, in the order of their first mention. */
  let waiting = new Map<string, AuditEntry>();
  /** Entries of this minute that go on counting, by what they have in common. */
  let counted = new Map<string, AuditEntry>();
  let minute = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;
  let isFailing = false;

  function add(entry: AuditEntry): void {
    if (isClosed) return;
    waiting.set(entry.id, entry);
    if (waiting.size > MOST_WAITING) waiting.delete(waiting.keys().next().value ?? "");
    timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref();
  }

  async function write(): Promise<void> {
    const entries = waiting;
    waiting = new Map();
    if (entries.size === 0) return;
    try {
      await store.audit.put(store.organizationId, await withContainers(store, [...entries.values()]));
      isFailing = false;
    } catch (error) {
      // What was counted meanwhile is newer.
      for (const [id, entry] of waiting) entries.set(id, entry);
      waiting = new Map([...entries].slice(-MOST_WAITING));
      // Said once: it is tried again every second.
      if (!isFailing) log.warn("the audit could not be written", { entries: waiting.size, error });
      isFailing = true;
      if (!isClosed) timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref();
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return (writing = writing.then(write));
  }

  const entryFor = (event: AuditEvent, id = createId()): AuditEntry => ({
    ...event,
    id,
    at: iso(clock.now()),
    count: 1,
  });

  return {
    note: (event, id) => add(entryFor(event, id)),
    count(event) {
      const now = Math.floor(clock.now().getTime() / MINUTE_MS);
      if (now !== minute) counted = new Map();
      minute = now;
      const own = keyOf(event);
      // Of a flood from a thousand addresses that there was one is enough.
      const isOver = counted.size >= mostCounted && !counted.has(own);
      const subject = isOver ? { ...event, actor: "others", address: null, client: null } : event;
      const key = isOver ? `others ${event.outcome}` : own;
      const known = counted.get(key);
      const entry = known ? { ...known, ...joined(known, subject), count: known.count + 1 } : entryFor(subject);
      counted.set(key, entry);
      add(entry);
    },
    flush,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await flush();
    },
  };
}

function keyOf({ actor, action, outcome, face, address, client }: AuditEvent): string {
  return JSON.stringify([actor, action, outcome, face, address, client]);
}

function joined(known: AuditEvent, more: AuditEvent): Pick<AuditEvent, "containerTags" | "subjectIds"> {
  return {
    containerTags: firstOf([...known.containerTags, ...more.containerTags]),
    subjectIds: firstOf([...known.subjectIds, ...more.subjectIds]),
  };
}

function firstOf(names: readonly string[]): string[] {
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/** Calls often name an id alone; the journal knows where it lies, or lay. */
async function withContainers(store: Store, entries: readonly AuditEntry[]): Promise<AuditEntry[]> {
  const isBare = (entry: AuditEntry) => entry.containerTags.length === 0 && entry.outcome === "ok";
  const subjectIds = [...new Set(entries.filter(isBare).flatMap((entry) => entry.subjectIds))];
  if (subjectIds.length === 0) return [...entries];
  const rows = await store.journal.list(store.organizationId, { subjectIds, offset: 0, limit: JOURNAL_ROWS });
  const tags = new Map<string, string>();
  for (const { subjectId, containerTag } of rows.entries)
    if (containerTag !== null && !tags.has(subjectId)) tags.set(subjectId, containerTag);
  return entries.map((entry) =>
    isBare(entry) ? { ...entry, containerTags: firstOf(entry.subjectIds.flatMap((id) => tags.get(id) ?? [])) } : entry,
  );
}
