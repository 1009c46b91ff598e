import type { AuthorizedCall, CoreContext, Limits } from "../context.js";
import type { Comparison, Download, EmbedderChoice, Move, PlacedEmbedder } from "../ports.js";
import { isAbsent } from "./embedders.js";

/** An embedder in its role, as people see it. */
export interface ShownEmbedder {
  readonly name: string;
  readonly choice: EmbedderChoice;
  /** ISO date-time since when it has its role. */
  readonly since: string;
}

/** How far the move to the next embedder is, as people see it. */
export interface ShownMove extends ShownEmbedder {
  readonly state: Move["phase"] | "paused" | "waiting";
  /** Texts that have a vector, of how many. */
  readonly done: number;
  readonly total: number;
  readonly perMinute: number | null;
  readonly minutesLeft: number | null;
  /** Tokens that were sent, roughly. */
  readonly tokens: number;
  /** US dollars so far, roughly; null where nobody set a price. */
  readonly cost: number | null;
  readonly download: Download | null;
  /** What keeps it from going on. */
  readonly problem: string | null;
  readonly comparison: Comparison | null;
}

/** Which embedders there are. */
export interface EmbeddingStatus {
  /** `isAnswering` is false while it cannot be had; searches go by words then. */
  readonly active: ShownEmbedder & { readonly isAnswering: boolean };
  readonly next: ShownMove | null;
  /** What may be gone back to until then. */
  readonly previous: (ShownEmbedder & { readonly keptUntil: string | null }) | null;
}

/** Which embedder answers, how far the move to another one is, and what is kept for a rollback. */
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

/** What everybody may know of embedders: not where they are reached. */
export interface EmbeddingSummary {
  /** False while the embedder cannot be had; searches go by words then. */
  readonly isAnswering: boolean;
  /** Why what it was asked last was not answered; null while it answers. */
  readonly problem: string | null;
  readonly next: Pick<ShownMove, "name" | "state" | "done" | "total" | "minutesLeft" | "problem"> | null;
  readonly previous: { readonly name: string; readonly keptUntil: string | null } | null;
}

/** How embedding goes, in short. */
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

/** US dollars of so many tokens; null for a service whose price nobody set. */
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
