import type { AuthorizedCall, CoreContext, Limits } from "../context.js";
import type { Comparison, Download, EmbedderChoice, Move, PlacedEmbedder } from "../ports.js";
import { isAbsent } from "./embedders.js";

/** An embedder in its role, as shown to people. */
export interface ShownEmbedder {
  readonly name: string;
  readonly choice: EmbedderChoice;
  /** Since when it has its role (ISO date-time). */
  readonly since: string;
}

/** The progress of the move to the next embedder, as shown to people. */
export interface ShownMove extends ShownEmbedder {
  readonly state: Move["phase"] | "paused" | "waiting";
  /** Texts that have a vector, and their total. */
  readonly done: number;
  readonly total: number;
  readonly perMinute: number | null;
  readonly minutesLeft: number | null;
  /** Tokens sent, approximately. */
  readonly tokens: number;
  /** US dollars so far, approximately; null without a configured price. */
  readonly cost: number | null;
  readonly download: Download | null;
  /** What stops it from continuing. */
  readonly problem: string | null;
  readonly comparison: Comparison | null;
}

/** The embedders in use. */
export interface EmbeddingStatus {
  /** `isAnswering` is false while it is unavailable; searches then go by words. */
  readonly active: ShownEmbedder & { readonly isAnswering: boolean };
  readonly next: ShownMove | null;
  /** The embedder that can be restored until then. */
  readonly previous: (ShownEmbedder & { readonly keptUntil: string | null }) | null;
}

/** Which embedder is active, the progress of the move to another one, and what is kept for a rollback. */
export async function getEmbeddings(
  { store, embedders, limits }: CoreContext,
  _call: AuthorizedCall,
): Promise<EmbeddingStatus> {
  const { active, next, previous } = await store.embeddings.placed();
  const embedder = embedders.active();
  return {
    active: {
      name: active?.name ?? embedder.name,
      choice: active?.choice ?? { kind: "builtin" },
      since: active?.since ?? "",
      isAnswering: !isAbsent(embedder),
    },
    next: next?.move ? showMove(next, next.move, limits) : null,
    previous: previous ? { ...show(previous), keptUntil: previous.dropAfter } : null,
  };
}

/** What everybody may know about embedders: not where they are reached. */
export interface EmbeddingSummary {
  /** False while the embedder is unavailable; searches then go by words. */
  readonly isAnswering: boolean;
  /** Why its last request was not answered; null while it answers. */
  readonly problem: string | null;
  readonly next: Pick<ShownMove, "name" | "state" | "done" | "total" | "minutesLeft" | "problem"> | null;
  readonly previous: { readonly name: string; readonly keptUntil: string | null } | null;
}

/** A summary of the state of embedding. */
export async function embeddingSummary({ store, embedders, limits }: CoreContext): Promise<EmbeddingSummary> {
  const { next, previous } = await store.embeddings.placed();
  const shown = next?.move ? showMove(next, next.move, limits) : null;
  return {
    isAnswering: !isAbsent(embedders.active()),
    problem: embedders.active().problem?.() ?? null,
    next: shown && {
      name: shown.name,
      state: shown.state,
      done: shown.done,
      total: shown.total,
      minutesLeft: shown.minutesLeft,
      problem: shown.problem,
    },
    previous: previous ? { name: previous.name, keptUntil: previous.dropAfter } : null,
  };
}

/** The price of this many tokens in US dollars; null for a service without a configured price. */
export function priceOf(choice: EmbedderChoice, tokens: number, { embeddingPrice }: Limits): number | null {
  if (choice.kind !== "openai") return 0;
  return embeddingPrice === null ? null : (tokens * embeddingPrice) / 1_000_000;
}

function show({ name, choice, since }: PlacedEmbedder): ShownEmbedder {
  return { name, choice, since };
}

function showMove(next: PlacedEmbedder, move: Move, limits: Limits): ShownMove {
  const { phase, isPaused, done, total, perMinute, tokens, download, problem, comparison } = move;
  const state = isPaused ? "paused" : problem !== null ? "waiting" : phase;
  const minutesLeft = perMinute ? Math.ceil(Math.max(0, total - done) / perMinute) : null;
  const cost = priceOf(next.choice, tokens, limits);
  return { ...show(next), state, done, total, perMinute, minutesLeft, tokens, cost, download, problem, comparison };
}
