import { iso, sleep } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { Embedder, EmbedderChoice, PlacedEmbedder } from "../ports.js";
import { whereThereIsRoom } from "../upkeep/room.js";
import { choiceOfFingerprint, describeChoice, modelFoldersOf, isSameChoice } from "./choice.js";
import { absentEmbedder, isAbsent } from "./embedders.js";
import { DROP_JOB, FOLLOW_JOB, giveUpPrevious, giveUpSpace, MISSING_JOB, MOVE_JOB, planNext } from "./roles.js";

/** How long a start waits for the embedder; without it searches go by words until it is available. */
const START_WAITS_MS = 5_000;

type OpenContext = Pick<CoreContext, "store" | "embedders" | "clock" | "log">;

/** What the environment specifies about the embedder. */
export interface Asked {
  readonly choice: EmbedderChoice;
  /** False for the default that applies when nothing was specified. */
  readonly isStated: boolean;
  /** True in a process that ends soon: other processes may specify what its environment does not. */
  readonly isShortLived: boolean;
}

/**
 * Activates the embedder of the last run, and plans the move to what the environment specifies if that has changed. Whatever is
 * wrong with an embedder, the service starts: the problem is recorded where `status` shows it.
 */
export async function openEmbedders(context: OpenContext, asked: Asked): Promise<void> {
  const { store } = context;
  const known = (await store.embeddings.placed()).active ?? (await firstEmbedder(context, asked));
  await bringUp(context, known);
  await whereThereIsRoom(context, async () => {
    await clearLeftovers(context);
    await planAsked(context, asked);
    const { next } = await store.embeddings.placed();
    if (next?.move && !next.move.isPaused) await nudge(context);
  });
}

/** In a new store the built-in one is active from the start; a store of an earlier version continues as before. */
async function firstEmbedder({ store, clock }: OpenContext, { choice: asked }: Asked): Promise<PlacedEmbedder> {
  const former = await store.embeddings.formerFingerprint();
  const choice: EmbedderChoice =
    former === null ? { kind: "builtin" } : (choiceOfFingerprint(former, asked) ?? { kind: "builtin" });
  const since = iso(clock.now());
  const first = { choice, name: describeChoice(choice), fingerprint: former, since, move: null, dropAfter: null };
  await store.embeddings.place("active", first);
  return first;
}

/** Activates the embedder of the record, or a placeholder that says why it cannot. */
async function bringUp(context: OpenContext, placed: PlacedEmbedder): Promise<void> {
  const { embedders, log } = context;
  const embedder = await embedderSoon(context, placed).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    log.warn("the embedder is not available; searches use words only", {
      embedder: placed.name,
      reason: error.message,
    });
    return absentEmbedder(
      { name: placed.name, fingerprint: placed.fingerprint ?? "none" },
      {
        reason: error.message,
        paths: [...error.paths, ...modelFoldersOf(placed.choice)],
      },
    );
  });
  await whereThereIsRoom(context, () => answerFrom(context, placed, embedder));
  embedders.activate(embedder);
}

async function embedderSoon({ embedders }: OpenContext, { choice, name }: PlacedEmbedder): Promise<Embedder> {
  const waited = new AbortController();
  const late = sleep(START_WAITS_MS, { signal: waited.signal, unref: true }).then(() => {
    throw new AppError("unavailable", `The embedder ${name} is still being prepared.`, {
      paths: modelFoldersOf(choice),
    });
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([embedders.prepare(choice), late]);
  } finally {
    waited.abort();
  }
}

/** Records the active embedder. Vectors of another fingerprint, such as of another version, cannot be searched with it. */
async function answerFrom({ store, log }: OpenContext, placed: PlacedEmbedder, embedder: Embedder): Promise<void> {
  const { fingerprint, name } = embedder;
  if (placed.fingerprint === fingerprint && placed.name === name) return;
  const isOther = placed.fingerprint !== null && placed.fingerprint !== fingerprint;
  await store.transaction(async ({ embeddings, jobs }) => {
    await embeddings.place("active", { ...placed, fingerprint, name });
    if (!isOther) return;
    if (placed.fingerprint !== null) await embeddings.abandon(placed.fingerprint);
    await jobs.enqueue([MISSING_JOB, DROP_JOB]);
  });
  if (isOther) log.warn("the embedder now makes different vectors; all are made again", { embedder: name });
}

/** Removes spaces without vectors or a role: the process was killed between creating and recording them. */
async function clearLeftovers({ store }: OpenContext): Promise<void> {
  for (const { id, fingerprint } of await store.vectors.spaces())
    if ((await store.embeddings.countEmbedded(id)) === 0)
      await store.transaction((repositories) => giveUpSpace(repositories, fingerprint));
}

async function planAsked(context: OpenContext, { choice, isStated, isShortLived }: Asked): Promise<void> {
  const { store, log } = context;
  const last = await store.embeddings.lastAsked();
  if (last && (isSameChoice(last, choice) || (isShortLived && !isStated))) return;
  const outcome = await store.transaction(async (repositories) => {
    await repositories.embeddings.noteAsked(choice);
    return planNext(repositories, context, choice);
  });
  if (outcome === "planned")
    log.info("another embedder is requested; the previous one stays in use until it is ready", {
      embedder: describeChoice(choice),
    });
}

/** Makes the move due now: what stopped it may have been fixed. */
export async function nudge({ store, clock }: Pick<CoreContext, "store" | "clock">): Promise<void> {
  await store.transaction(async ({ jobs }) => {
    await jobs.enqueue([MOVE_JOB]);
    const waiting = await jobs.waiting(MOVE_JOB.kind, MOVE_JOB.group);
    await jobs.hold(
      waiting.map(({ id }) => id),
      clock.now(),
      "It will be retried.",
    );
  });
}

/**
 * Switches to the embedder to which another process has moved the vectors. Skipped if it produces different vectors in this
 * process, such as with another version: two processes would keep discarding each other's vectors.
 */
async function followMove({ embedders }: OpenContext, { choice, fingerprint }: PlacedEmbedder): Promise<void> {
  if (fingerprint === null || fingerprint === embedders.active().fingerprint) return;
  const made = await embedders.prepare(choice).catch(() => null);
  if (made?.fingerprint === fingerprint) embedders.activate(made);
}

/**
 * Periodic maintenance of embedders: an unavailable one may be available now, another process may have changed it, the previous
 * one's vectors are kept complete until they expire, and a waiting move continues.
 */
export async function maintainEmbedders(context: OpenContext & Pick<CoreContext, "wakeJobs">): Promise<void> {
  const { store, embedders, clock, log } = context;
  const { active, next, previous } = await store.embeddings.placed();
  if (active && isAbsent(embedders.active())) await bringUp(context, active);
  else if (active) await followMove(context, active);
  const isDropDue = previous?.dropAfter != null && previous.dropAfter <= iso(clock.now());
  await store.transaction(async (repositories) => {
    if (isDropDue && (await giveUpPrevious(repositories)))
      log.info("the vectors of the previous embedder are removed", { embedder: previous.name });
    await repositories.jobs.enqueue([
      ...(next?.move && !next.move.isPaused ? [MOVE_JOB] : []),
      ...(previous && !isDropDue ? [FOLLOW_JOB] : []),
      ...((await repositories.embeddings.abandoned()).length > 0 ? [DROP_JOB] : []),
    ]);
  });
  if (isDropDue) await embedders.release(previous.choice);
  context.wakeJobs();
}
