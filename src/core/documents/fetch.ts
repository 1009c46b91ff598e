import { firstVersionId } from "../memories/first-version-id.js";
import { isId } from "../../lib/ids.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { asSeenBy, maySee } from "../auth.js";
import { sharedTimeZone, timeZoneOf } from "../containers/time-zone.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { documentNameSchema, findDocument } from "./documents.js";
import { parseInput } from "../input.js";
import { isExpired } from "../memories/find-memory.js";
import { findStatement } from "../memories/statements.js";
import type { StatedTurn } from "../memories/told-turns.js";
import { trustOf, trustOfDocument } from "../memories/trust.js";
import { AppError } from "../errors.js";
import type { Actor, Document, Memory, Trust } from "../types.js";

/** A document with its memories, or a memory with its sources. */
export interface Fetched {
  readonly document: Document | null;
  readonly memory: Memory | null;
  /** Memories of the document, or the newest version of a superseded memory. */
  readonly memories: readonly Memory[];
  /** Ids of the documents that state the memory. */
  readonly sources: readonly string[];
  /** The trust of the memory, or of the document. */
  readonly trust: Trust;
  /** Time zone for showing its days. */
  readonly timeZone: TimeZone;
}

/** Forgotten and expired memories are not shown; superseded ones are. */
function isTold(memory: Memory, now: Date): boolean {
  return !memory.isForgotten && !isExpired(memory, now);
}

function fetchedStatement(
  { timeZone }: Pick<CoreContext, "timeZone">,
  { memory, turn, container }: StatedTurn,
): Fetched {
  return {
    document: null,
    memory,
    memories: [],
    sources: [turn.source.id],
    trust: trustOf(memory),
    timeZone: sharedTimeZone({ timeZone }, [container]),
  };
}

/** Tells since when a memory has no longer been active, and who caused it; not what it said. */
async function isGone({ store, clock }: CoreContext, actor: Actor, memory: Memory): Promise<AppError> {
  const { id, forgetAfter } = memory;
  if (isExpired(memory, clock.now()))
    return new AppError("not_found", `Memory ${id} is no longer remembered: it expired at ${forgetAfter}.`);
  const { entries } = await store.journal.list(actor.organizationId, { subjectIds: [id], offset: 0, limit: 1 });
  const [last] = entries;
  const by = last === undefined ? "" : ` at ${last.at} by ${last.actor}`;
  return new AppError("not_found", `Memory ${id} was forgotten${by}.`);
}

/**
 * Looks an id up as a memory, then as a document or customId, in one container if given.
 * @throws AppError as `findDocument`, and `not_found` that says when and by whom something was forgotten
 */
export async function fetchById(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Fetched> {
  const name = parseInput(documentNameSchema, raw);
  const { id, within } = name;
  const { store } = context;
  const { organizationId } = call.actor;
  const memory = isId(id) ? await store.memories.byId(organizationId, id) : null;
  const isMeant = memory && (within === undefined || memory.containerTag === within);
  if (isMeant && isTold(memory, context.clock.now()) && maySee(call.actor, [memory.containerTag])) {
    const sources = await store.memories.sources(organizationId, [memory.id]);
    const heads = await store.documents.headsByIds(
      organizationId,
      sources.map((source) => source.documentId),
    );
    const hidden = new Set(heads.filter((head) => !maySee(call.actor, head.containerTags)).map((head) => head.id));
    const latest = memory.isLatest ? null : await store.memories.latestOf(organizationId, firstVersionId(memory));
    return {
      document: null,
      memory,
      memories:
        latest && isTold(latest, context.clock.now()) && maySee(call.actor, [latest.containerTag]) ? [latest] : [],
      sources: sources.map((source) => source.documentId).filter((source) => !hidden.has(source)),
      trust: trustOf(memory),
      timeZone: sharedTimeZone(context, await store.containers.find(organizationId, [memory.containerTag])),
    };
  }
  const statement = memory ? null : await findStatement(context, call.actor, { id, containerTag: within });
  if (statement) return fetchedStatement(context, statement);
  if (isMeant && !isTold(memory, context.clock.now()) && maySee(call.actor, [memory.containerTag]))
    throw await isGone(context, call.actor, memory);
  const document = await findDocument(store, call.actor, name);
  const memories = await store.memories.ofDocument(organizationId, document.id);
  return {
    document: asSeenBy(call.actor, document),
    memory: null,
    memories: memories.filter(
      (memory) => isTold(memory, context.clock.now()) && maySee(call.actor, [memory.containerTag]),
    ),
    sources: [],
    trust: (await isByStranger(context, document)) ? "unverified" : trustOfDocument(document),
    timeZone: await timeZoneOf(context, document),
  };
}

async function isByStranger({ store }: CoreContext, { organizationId, id }: Document): Promise<boolean> {
  return (await store.documents.reading(organizationId, id))?.outcome?.isByStranger === true;
}
