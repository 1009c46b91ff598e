import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import type { Clock, Log, Store } from "../ports.js";
import type { AuditEntry } from "../types.js";

const WRITE_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
/** The most entries that wait while the store cannot be written; then the oldest are dropped, to bound memory. */
const MOST_WAITING = 10_000;
/** The most distinct events counted separately per minute; the rest are counted together. */
const MOST_COUNTED = 1_000;
/** The most containers and subjects per entry. */
export const MOST_NAMES = 20;
const JOURNAL_ROWS = 2_000;

/** An event before it has an id and a time. */
export type AuditEvent = Omit<AuditEntry, "id" | "at" | "count">;

/** Records who did what, in batches: within about a second, or at once with `flush`. */
export interface AuditTrail {
  /**
   * Never waits and never fails.
   * @param id of the entry; recording the same id again replaces it
   */
  note(event: AuditEvent, id?: string): void;
  /** For frequent events: those of a minute that differ only in their containers and subjects share an entry with a count. */
  count(event: AuditEvent): void;
  /** Resolves once everything recorded so far is written, or has failed, which is logged. */
  flush(): Promise<void>;
  /** Writes the rest. Events recorded afterwards are lost. */
  close(): Promise<void>;
}

export interface AuditTrailOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How many distinct events are counted per minute; tests use fewer. */
  readonly mostCounted?: number;
}

export function createAuditTrail(options: AuditTrailOptions): AuditTrail {
  return new WaitingAudit(options);
}

class WaitingAudit implements AuditTrail {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #mostCounted: number;
  /** By id, in order of first occurrence. */
  #waiting = new Map<string, AuditEntry>();
  /** Entries of this minute that are still being counted, by what they have in common. */
  #counted = new Map<string, AuditEntry>();
  #minute = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #isFailing = false;

  constructor({ store, clock, log, mostCounted = MOST_COUNTED }: AuditTrailOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#mostCounted = mostCounted;
  }

  note(event: AuditEvent, id?: string): void {
    this.#add(this.#entryFor(event, id));
  }

  count(event: AuditEvent): void {
    this.#beginMinute();
    const own = keyOf(event);
    // For a flood from a thousand addresses it is enough to know that there was one.
    const isFull = this.#counted.size >= this.#mostCounted && !this.#counted.has(own);
    const subject = isFull ? { ...event, actor: "others", address: null, client: null } : event;
    const key = isFull ? `others ${event.outcome}` : own;
    const known = this.#counted.get(key);
    const entry = known ? { ...known, ...joined(known, subject), count: known.count + 1 } : this.#entryFor(subject);
    this.#counted.set(key, entry);
    this.#add(entry);
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#writing = this.#writing.then(() => this.#write()));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.flush();
  }

  #entryFor(event: AuditEvent, id = createId()): AuditEntry {
    return { ...event, id, at: iso(this.#clock.now()), count: 1 };
  }

  #beginMinute(): void {
    const now = Math.floor(this.#clock.now().getTime() / MINUTE_MS);
    if (now !== this.#minute) this.#counted = new Map();
    this.#minute = now;
  }

  #add(entry: AuditEntry): void {
    if (this.#isClosed) return;
    this.#waiting.set(entry.id, entry);
    if (this.#waiting.size > MOST_WAITING) this.#waiting.delete(this.#waiting.keys().next().value ?? "");
    this.#writeSoon();
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async #write(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = new Map();
    if (entries.size === 0) return;
    const { audit, organizationId } = this.#store;
    try {
      await audit.put(organizationId, await withContainers(this.#store, [...entries.values()]));
      this.#isFailing = false;
    } catch (error) {
      // What was counted meanwhile is newer.
      for (const [id, entry] of this.#waiting) entries.set(id, entry);
      this.#waiting = new Map([...entries].slice(-MOST_WAITING));
      // Logged once: it is retried every second.
      if (!this.#isFailing)
        this.#log.warn("the audit trail could not be written", { entries: this.#waiting.size, error });
      this.#isFailing = true;
      if (!this.#isClosed) this.#writeSoon();
    }
  }
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

/** Adds the containers, from the journal, of entries that name only ids. */
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
