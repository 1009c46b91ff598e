import { sleep } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import { AppError, RetryLater } from "../errors.js";
import type { Embedder, EmbedderChoice, JobContext, Move, PlacedEmbedder, PlainUnit, Repositories } from "../ports.js";
import type { VectorSpace } from "../types.js";
import { isSameChoice } from "./choice.js";
import { compareSpaces, type Side } from "./compare.js";
import { estimateUnitTokens } from "./embed-units.js";
import { fillSpace, followSpace } from "./fill.js";
import type { TokenLimiter } from "./token-limiter.js";
import { patientEmbedder } from "./patient-embedder.js";
import { changeActive, changeMove, giveUpSpace } from "./roles.js";

/** Seconds until the next attempt after a problem that may pass by itself, and after one that a person must fix. */
const TRY_AGAIN = 15;
const TRY_AGAIN_WRONG = 300;
/** Progress of a download is recorded at most this often, in bytes. */
const NOTED_BYTES = 1024 * 1024;
const MINUTE_MS = 60_000;
/** How often a move waiting because of its rate limit checks whether it was paused or abandoned, in milliseconds. */
const LOOKS_EVERY_MS = 1_000;

/** What a move may use. */
export interface MoveContext extends CoreContext {
  readonly tokenLimiter: TokenLimiter;
}

/** The move this run works on, with what was prepared for it. */
interface Moving {
  readonly choice: EmbedderChoice;
  readonly embedder: Embedder;
  readonly space: VectorSpace;
}

/**
 * Continues the move to the next embedder from wherever it stopped: prepares it, adds a vector for every text of the record,
 * compares searches, and activates it. Ends early when the move is paused or abandoned, or a person has to decide. Problems are
 * recorded, and the active embedder keeps answering.
 */
export async function moveEmbeddings(context: MoveContext, { signal }: JobContext): Promise<void> {
  const { next } = await context.store.embeddings.placed();
  if (!next?.move || next.move.isPaused) return;
  try {
    const moving = await makeReady(context, next, signal);
    if (moving) await goOn(context, moving, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error !== STOPPED) await noteProblem(context, next, error);
  }
}

/** True while there is a move that could continue without a person. */
export function isMoveDue(next: PlacedEmbedder | undefined): boolean {
  if (!next?.move || next.move.isPaused) return false;
  const { isApproved, comparison } = next.move;
  return isApproved || comparison === null || comparison.isSane;
}

const STOPPED = new Error("The move was stopped.");

/** @throws RetryLater always */
async function noteProblem({ store, log }: MoveContext, { choice, move, name }: PlacedEmbedder, error: unknown) {
  const isKnown = error instanceof AppError;
  const problem = isKnown ? error.message : "Something unexpected went wrong; the log has the details.";
  if (move?.problem !== problem)
    log[isKnown ? "warn" : "error"]("the next embedder is not available; the current one stays in use", {
      embedder: name,
      reason: problem,
      ...(!isKnown && { error }),
    });
  await store.transaction((repositories) => changeMove(repositories, choice, { problem, perMinute: null }));
  const isShortLived = isKnown && error.kind !== "invalid" && error.kind !== "conflict";
  throw new RetryLater(
    (isKnown ? error.retryAfter : undefined) ?? (isShortLived ? TRY_AGAIN : TRY_AGAIN_WRONG),
    problem,
  );
}

/** @returns null when the move is over: abandoned, or nothing has to be filled */
async function makeReady(
  context: MoveContext,
  { choice }: PlacedEmbedder,
  signal: AbortSignal,
): Promise<Moving | null> {
  const { store, embedders } = context;
  const stopping = new AbortController();
  const waiting = { signal: AbortSignal.any([signal, stopping.signal]) };
  const onProgress = downloadNoter(context, choice, () => stopping.abort(STOPPED));
  const embedder = await embedders.prepare(choice, { ...waiting, onProgress }).catch((error: unknown) => {
    throw stopping.signal.aborted ? STOPPED : error;
  });
  const [probe] = await embedder.embed(["How it answers is seen by asking it."], "document", signal);
  const space = await store.ensureSpace(embedder.fingerprint, probe?.length ?? 0);
  const next = await begin(context, choice, embedder);
  if (!next) return null;
  await context.calibrations.measure(embedder, signal);
  const [totals, done] = [await store.embeddings.totals(), await store.embeddings.countEmbedded(space.id)];
  const filling = await store.transaction((repositories) =>
    changeMove(repositories, choice, ({ comparison }) => ({
      phase: comparison ? "ready" : "filling",
      download: null,
      problem: null,
      done,
      total: Math.max(totals.units, done),
    })),
  );
  return filling && { choice, embedder, space };
}

/**
 * Records what the next embedder is.
 * @returns false when the move is over: abandoned, or nothing has to be filled
 */
async function begin({ store, embedders, log }: MoveContext, choice: EmbedderChoice, embedder: Embedder) {
  const { fingerprint, name } = embedder;
  return store.transaction(async (repositories) => {
    const { active } = await repositories.embeddings.placed();
    const next = await changeMove(repositories, choice, {}, { fingerprint, name });
    // If it was abandoned meanwhile, its space was not yet known.
    if (!next) await giveUpSpace(repositories, fingerprint);
    if (!next || !active || active.fingerprint !== fingerprint) return next !== null;
    await repositories.embeddings.place("active", { ...active, choice, name });
    await repositories.embeddings.remove("next");
    embedders.activate(embedder);
    log.info("the embedder is reached in another way; its vectors are kept", { embedder: name });
    return false;
  });
}

function downloadNoter({ store, log }: MoveContext, choice: EmbedderChoice, stop: () => void) {
  let noted = -NOTED_BYTES;
  return ({ bytes, total }: { bytes: number; total: number }): void => {
    if (bytes - noted < NOTED_BYTES && bytes < total) return;
    noted = bytes;
    store
      .transaction((repositories) => changeMove(repositories, choice, { download: { bytes, total } }))
      .then((next) => (next && !next.move.isPaused ? undefined : stop()))
      .catch((error: unknown) => log.debug("the progress of a download was not recorded", { error }));
  };
}

async function goOn(context: MoveContext, moving: Moving, signal: AbortSignal): Promise<void> {
  const { embedder, space, choice } = moving;
  const isWanted = counter(moving);
  const { store } = context;
  const pace = paced(context, moving);
  // Only a service that is paid or shared needs a rate limit.
  const embedding = { store, embedder: patientEmbedder(embedder), signal, ...(choice.kind === "openai" && { pace }) };
  for (;;) {
    const active = await activeSide(context);
    const isFilled = active
      ? await followSpace(embedding, { space, from: active.space }, isWanted)
      : (await fillSpace(embedding, space, isWanted)) !== null;
    if (!isFilled) return;
    const move = await compareOnce(context, moving, active, signal);
    if (!move || !(await mayTakeOver(context, moving, move))) return;
    if ((await takeOver(context, moving, active)) !== "behind") return;
  }
}

/**
 * Waits until this many tokens may be sent; if the move is paused or abandoned by then, sends nothing more, and throws STOPPED.
 */
function paced({ store, tokenLimiter }: MoveContext, { choice }: Moving) {
  return async (tokens: number, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const { next } = await store.embeddings.placed();
      if (!next?.move || next.move.isPaused || !isSameChoice(next.choice, choice)) throw STOPPED;
      const waitMs = tokenLimiter.waitMs();
      if (waitMs === 0) break;
      await sleep(Math.min(waitMs, LOOKS_EVERY_MS), { signal });
    }
    tokenLimiter.note(tokens);
  };
}

/** Counts written vectors, in the transactions that write. */
function counter({ choice }: Moving) {
  const startedAt = performance.now();
  let written = 0;
  return async (repositories: Repositories, batch: readonly PlainUnit[]): Promise<boolean | "as the last"> => {
    written += batch.length;
    const perMinute = Math.round((written * MINUTE_MS) / Math.max(1, performance.now() - startedAt));
    const next = await changeMove(repositories, choice, ({ done, total, tokens }) => ({
      done: done + batch.length,
      total: Math.max(total, done + batch.length),
      tokens: tokens + estimateUnitTokens(batch),
      perMinute,
      problem: null,
    }));
    return next !== null && (next.move.isPaused ? "as the last" : true);
  };
}

/** The active embedder, if it has a space. */
async function activeSide({ store, embedders }: MoveContext): Promise<Side | null> {
  const embedder = embedders.active();
  const space = await store.findSpace(embedder.fingerprint);
  return space && { embedder, space };
}

/**
 * Compares searches unless that has been done.
 * @returns null when the move was abandoned or paused meanwhile
 */
async function compareOnce(
  context: MoveContext,
  { choice, embedder, space }: Moving,
  active: Side | null,
  signal: AbortSignal,
): Promise<Move | null> {
  const { store, log } = context;
  const compared = await store.transaction((repositories) =>
    changeMove(repositories, choice, ({ comparison }) => (comparison ? {} : { phase: "comparing" })),
  );
  if (!compared || compared.move.isPaused) return null;
  if (compared.move.comparison) return compared.move;
  const comparison = await compareSpaces(context, { active, next: { embedder, space } }, signal);
  log.info("searches were compared before the embedder changes", { embedder: embedder.name, ...comparison });
  const noted = await store.transaction((repositories) =>
    changeMove(repositories, choice, { phase: "ready", comparison }),
  );
  return noted && !noted.move.isPaused ? noted.move : null;
}

/** Whether it may take over; if it is clearly worse than the active one, a person decides. */
async function mayTakeOver({ store, log }: MoveContext, { choice, embedder }: Moving, move: Move): Promise<boolean> {
  if (move.isApproved || move.comparison?.isSane) return true;
  const problem = "It finds clearly less than the current embedder, so a person must decide: switch, or give it up.";
  if (move.problem !== problem) log.warn("the next embedder is waiting for a decision", { embedder: embedder.name });
  await store.transaction((repositories) => changeMove(repositories, choice, { problem }));
  return false;
}

/** @returns `behind` when something was written meanwhile that the next space lacks */
async function takeOver(
  context: MoveContext,
  { choice, embedder, space }: Moving,
  active: Side | null,
): Promise<"done" | "behind" | "stopped"> {
  const { store, embedders, log } = context;
  const before = embedders.active();
  const head = await store.vectors.head(space.id);
  try {
    return await store.transaction(async (repositories) => {
      const next = await changeMove(repositories, choice, {});
      if (!next || next.move.isPaused) return "stopped";
      if ((active?.embedder ?? before) !== embedders.active()) return "behind";
      if (active && (await isBehind(repositories, space, active.space))) return "behind";
      await changeActive(repositories, context, {
        to: { choice, name: embedder.name, space },
        from: active?.space ?? null,
        head,
      });
      // Last, at a point where no other write can intervene: later writes use this one.
      embedders.activate(embedder);
      log.info("another embedder is now in use; the previous one is kept for a while", {
        embedder: embedder.name,
        before: before.name,
      });
      return "done";
    });
  } catch (error) {
    embedders.activate(before);
    throw error;
  }
}

async function isBehind(repositories: Repositories, space: VectorSpace, from: VectorSpace): Promise<boolean> {
  const after = await repositories.embeddings.followed(space, from);
  const lacking = after === null ? null : await repositories.embeddings.lacking(from, space, { after, limit: 1 });
  return lacking === null || lacking.length > 0;
}
