import * as z from "zod";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { parseInput } from "../input.js";
import { findDone, runOnce } from "../operations.js";
import type { EmbedderChoice, PlacedEmbedder, Repositories } from "../ports.js";
import { choiceSchema, describeChoice } from "./choice.js";
import { getEmbeddings, type EmbeddingStatus, priceOf } from "./embedding-status.js";
import { estimateTokens } from "./embed-units.js";
import { nudge } from "./open.js";
import { changeActive, changeMove, giveUpNext, giveUpPrevious, giveUpSpace, planNext } from "./roles.js";
import type { VectorSpace } from "../types.js";

/** What a person may do about embedders. */
export const changeEmbeddingsSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("use"), choice: choiceSchema }),
  z.object({ action: z.literal("pause") }),
  z.object({ action: z.literal("resume") }),
  z.object({ action: z.literal("switch") }),
  z.object({ action: z.literal("rollback") }),
  z.object({ action: z.literal("drop") }),
]);
type Change = z.output<typeof changeEmbeddingsSchema>;

/** The result of a change. */
export interface ChangedEmbeddings {
  /** In words. */
  readonly done: string;
  readonly embeddings: EmbeddingStatus;
}

/**
 * `use` another embedder: it is filled in the background and then takes over. `pause` and `resume` that; `switch` even if it
 * finds less; `rollback` to the previous embedder, or to abandon the move; `drop` what is kept for that.
 * @throws AppError `invalid` for an invalid request, `conflict` when there is nothing of the kind to do, `unavailable` when the
 * embedder to go back to does not answer
 */
export async function changeEmbeddings(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ChangedEmbeddings> {
  requireAllContainers(call.actor);
  const change = parseInput(changeEmbeddingsSchema, raw);
  const done = change.action === "rollback" ? await goBack(context, call) : await apply(context, call, change);
  if (change.action === "use" || change.action === "resume" || change.action === "switch") await nudge(context);
  context.wakeJobs();
  return { done, embeddings: await getEmbeddings(context, call) };
}

async function apply(
  context: CoreContext,
  call: AuthorizedCall,
  change: Exclude<Change, { action: "rollback" }>,
): Promise<string> {
  const known = change.action === "drop" ? await context.store.vectors.spaces() : [];
  return runOnce(context, call, "changeEmbeddings", async (repositories) => {
    switch (change.action) {
      case "use":
        return plan(repositories, context, change.choice);
      case "pause":
        return `Paused: ${await changeNext(repositories, { isPaused: true, perMinute: null })} waits until it is resumed.`;
      case "resume":
        return `${await changeNext(repositories, { isPaused: false })} is being filled again.`;
      case "switch":
        return `${await changeNext(repositories, { isApproved: true, isPaused: false })} answers as soon as it is filled.`;
      case "drop":
        return drop(repositories, known);
    }
  });
}

async function plan(repositories: Repositories, context: CoreContext, choice: EmbedderChoice): Promise<string> {
  const name = describeChoice(choice);
  switch (await planNext(repositories, context, choice)) {
    case "planned":
      return `${name} is filled in the background and then takes over.`;
    case "given up":
      return `${name} stays in use; the move to another embedder is given up.`;
    case "unchanged":
      return `${name} is already in use.`;
  }
}

async function changeNext(repositories: Repositories, change: Parameters<typeof changeMove>[2]): Promise<string> {
  const { next } = await repositories.embeddings.placed();
  const changed = next && (await changeMove(repositories, next.choice, change));
  if (!changed) throw new AppError("conflict", "No move to another embedder is in progress.");
  return changed.name;
}

async function drop(repositories: Repositories, known: readonly VectorSpace[]): Promise<string> {
  const { previous } = await repositories.embeddings.placed();
  await giveUpPrevious(repositories);
  const { length: before } = await repositories.embeddings.abandoned();
  // Earlier versions kept the vectors of every embedder that was ever used.
  for (const { fingerprint } of known) await giveUpSpace(repositories, fingerprint);
  const { length: after } = await repositories.embeddings.abandoned();
  if (!previous && before === after) throw new AppError("conflict", "No vectors of an earlier embedder are kept.");
  return `The vectors of ${previous?.name ?? "earlier embedders"} are removed; the only way back is to embed everything again.`;
}

async function goBack(context: CoreContext, call: AuthorizedCall): Promise<string> {
  // Once the embedders have been swapped back, a repeated call would swap them again.
  const done = await findDone<string>(context, call, { useCase: "changeEmbeddings" });
  if (done) return done.result;
  const { next, previous } = await context.store.embeddings.placed();
  if (next)
    return runOnce(context, call, "changeEmbeddings", async (repositories) => {
      await giveUpNext(repositories);
      return `The move to ${next.name} is given up; nothing has changed.`;
    });
  if (!previous) throw new AppError("conflict", "There are no vectors of an earlier embedder to go back to.");
  return takePrevious(context, call, previous);
}

/** Makes the previous embedder active again, after checking that it answers. */
async function takePrevious(context: CoreContext, call: AuthorizedCall, previous: PlacedEmbedder): Promise<string> {
  const { store, embedders, log } = context;
  const before = embedders.active();
  const embedder = await embedders.prepare(previous.choice);
  await embedder.embed(["Does it answer?"], "query");
  const space = await store.findSpace(embedder.fingerprint);
  if (!space || embedder.fingerprint !== previous.fingerprint)
    throw new AppError(
      "conflict",
      `${previous.name} now makes different vectors from those that are kept. Use it as a new embedder.`,
    );
  const from = await store.findSpace(before.fingerprint);
  const head = await store.vectors.head(space.id);
  try {
    const done = await runOnce(context, call, "changeEmbeddings", async (repositories) => {
      const placed = await repositories.embeddings.placed();
      if (placed.previous?.fingerprint !== space.fingerprint || embedders.active() !== before)
        throw new AppError("conflict", "The embedder was changed in the meantime.");
      await changeActive(repositories, context, { to: { ...previous, space }, from, head });
      embedders.activate(embedder);
      return `${previous.name} is in use again; what it lacks is added in the background.`;
    });
    log.info("the previous embedder is in use again", { embedder: embedder.name, before: before.name });
    return done;
  } catch (error) {
    embedders.activate(before);
    throw error;
  }
}

export const estimateEmbeddingSchema = z.object({ choice: choiceSchema });

/** What a move would cost. */
export interface EmbeddingEstimate {
  readonly name: string;
  readonly texts: number;
  /** Roughly. */
  readonly tokens: number;
  /** US dollars; null for a service without a configured price, 0 for a local embedder. */
  readonly cost: number | null;
  /** Minimum minutes, if a rate is set; otherwise null. */
  readonly minutes: number | null;
}

/** What a move to an embedder would cost, without starting it. @throws AppError `invalid` for an invalid request */
export async function getEmbeddingEstimate(
  { store, limits }: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<EmbeddingEstimate> {
  requireAllContainers(call.actor);
  const { choice } = parseInput(estimateEmbeddingSchema, raw);
  const { units, bytes } = await store.embeddings.totals();
  const tokens = estimateTokens(bytes);
  const rate = choice.kind === "openai" ? limits.embeddingTokensPerMinute : 0;
  return {
    name: describeChoice(choice),
    texts: units,
    tokens,
    cost: priceOf(choice, tokens, limits),
    minutes: rate > 0 ? Math.ceil(tokens / rate) : null,
  };
}
