import { iso } from "../../lib/time.js";
import type { CoreContext } from "../context.js";
import type { EmbedderChoice, JobDraft, Move, PlacedEmbedder, Repositories } from "../ports.js";
import type { VectorSpace } from "../types.js";
import { describeChoice, isSameChoice } from "./choice.js";

/** How long the vectors of a replaced embedder are kept, in days. */
export const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

/** Fills the space of the next embedder, and activates it. */
export const MOVE_JOB: JobDraft = job("move-embeddings");
/** Adds the missing vectors of the active space. */
export const MISSING_JOB: JobDraft = job("embed-missing");
/** Keeps the space of the previous embedder complete. */
export const FOLLOW_JOB: JobDraft = job("follow-embeddings");
/** Removes abandoned spaces. */
export const DROP_JOB: JobDraft = job("drop-vectors");

function job(kind: string): JobDraft {
  return { kind, payload: {}, group: "system", key: kind };
}

const BEGINNING: Move = {
  phase: "preparing",
  isPaused: false,
  isApproved: false,
  done: 0,
  total: 0,
  perMinute: null,
  tokens: 0,
  download: null,
  problem: null,
  comparison: null,
};

type Surroundings = Pick<CoreContext, "clock">;

/**
 * Makes an embedder the next one, inside a transaction; the previously planned one is abandoned. Asking for the active one
 * abandons the move.
 * @returns whether anything changed
 */
export async function planNext(
  repositories: Repositories,
  { clock }: Surroundings,
  choice: EmbedderChoice,
): Promise<"planned" | "given up" | "unchanged"> {
  const { active, next } = await repositories.embeddings.placed();
  if (active && isSameChoice(active.choice, choice)) return (await giveUpNext(repositories)) ? "given up" : "unchanged";
  if (next && isSameChoice(next.choice, choice)) return "unchanged";
  await giveUpNext(repositories);
  await repositories.embeddings.place("next", {
    choice,
    name: describeChoice(choice),
    fingerprint: null,
    since: iso(clock.now()),
    move: BEGINNING,
    dropAfter: null,
  });
  await repositories.jobs.enqueue([MOVE_JOB]);
  return "planned";
}

/**
 * Abandons the move and what it has filled, inside a transaction.
 * @returns false when there is none
 */
export async function giveUpNext(repositories: Repositories): Promise<boolean> {
  const { next } = await repositories.embeddings.placed();
  if (!next) return false;
  await repositories.embeddings.remove("next");
  await giveUpSpace(repositories, next.fingerprint);
  return true;
}

/**
 * Abandons the previous embedder, inside a transaction.
 * @returns false when there is none
 */
export async function giveUpPrevious(repositories: Repositories): Promise<boolean> {
  const { previous } = await repositories.embeddings.placed();
  if (!previous) return false;
  await repositories.embeddings.remove("previous");
  await giveUpSpace(repositories, previous.fingerprint);
  return true;
}

/** Abandons the space of a fingerprint, inside a transaction, unless an embedder in some role uses it. */
export async function giveUpSpace(repositories: Repositories, fingerprint: string | null): Promise<void> {
  const placed = Object.values(await repositories.embeddings.placed());
  if (fingerprint === null || placed.some((one) => one.fingerprint === fingerprint)) return;
  if ((await repositories.embeddings.abandon(fingerprint)) !== null) await repositories.jobs.enqueue([DROP_JOB]);
}

/** What becomes active, and the state of the one it replaces. */
export interface Switch {
  readonly to: { readonly choice: EmbedderChoice; readonly name: string; readonly space: VectorSpace };
  /** The space that was active; null if there was none. */
  readonly from: VectorSpace | null;
  /** The newest change of the space that takes over. */
  readonly head: number;
}

/** Makes another embedder active, inside a transaction. The old one stays as the previous one for a while. */
export async function changeActive(
  repositories: Repositories,
  { clock }: Surroundings,
  { to, from, head }: Switch,
): Promise<void> {
  const { active, previous } = await repositories.embeddings.placed();
  const now = clock.now();
  const since = iso(now);
  const fixed = { since, move: null };
  const taking = { ...fixed, choice: to.choice, name: to.name, fingerprint: to.space.fingerprint, dropAfter: null };
  const { next } = await repositories.embeddings.placed();
  if (next?.fingerprint === to.space.fingerprint) await repositories.embeddings.remove("next");
  await repositories.embeddings.place("active", taking);
  if (previous) await repositories.embeddings.remove("previous");
  if (active) {
    const dropAfter = iso(new Date(now.getTime() + KEPT_DAYS * DAY_MS));
    await repositories.embeddings.place("previous", { ...active, ...fixed, dropAfter });
  }
  if (previous) await giveUpSpace(repositories, previous.fingerprint);
  await repositories.embeddings.unfollow(to.space);
  if (from) await repositories.embeddings.noteFollowed(from, to.space, head);
  await repositories.jobs.enqueue([MISSING_JOB]);
}

/**
 * True while a space is that of the active embedder, inside a transaction: what was embedded before another one took over has
 * no vector there.
 */
export async function isOfActive({ embeddings }: Repositories, space: VectorSpace | null): Promise<boolean> {
  const { active } = await embeddings.placed();
  return active === undefined || active.fingerprint === space?.fingerprint;
}

/**
 * Updates the progress of the move to this choice, inside a transaction.
 * @returns the placed one; null when it is no longer next
 */
export async function changeMove(
  repositories: Repositories,
  choice: EmbedderChoice,
  change: Partial<Move> | ((move: Move) => Partial<Move>),
  known: Partial<Pick<PlacedEmbedder, "fingerprint" | "name">> = {},
): Promise<(PlacedEmbedder & { readonly move: Move }) | null> {
  const { next } = await repositories.embeddings.placed();
  if (!next?.move || !isSameChoice(next.choice, choice)) return null;
  const move = { ...next.move, ...(typeof change === "function" ? change(next.move) : change) };
  const changed = { ...next, ...known, move };
  await repositories.embeddings.place("next", changed);
  return changed;
}
