import { AppError } from "../../../core/errors.js";
import { createId } from "../../../lib/ids.js";
import { truncate } from "../../../lib/truncate.js";
import type { ToolContext } from "../tool.js";

/** Below this, what is found says something else. */
const LEAST_SIMILARITY = 0.85;
const CANDIDATES = 5;
const LONGEST_EXACT_TEXT = 10_000;
const LONGEST_QUERY = 2_000;

interface ForgottenText {
  readonly id: string;
  readonly text: string;
  /** Ids of documents whose text still states it. */
  readonly statedIn: readonly string[];
  /** Other memories that still say it. */
  readonly saidBy: readonly { readonly id: string; readonly text: string }[];
}

type Forgotten = Awaited<ReturnType<ToolContext["core"]["forget"]>>;

/**
 * Forgets the memory with exactly this text, otherwise the most similar one in the container if its similarity is at least 0.85
 * (contract 7.7).
 * @returns what was forgotten, or null when nothing says this
 */
export async function forgetText(
  { core, actor }: ToolContext,
  text: string,
  containerTag: string,
): Promise<ForgottenText | null> {
  const writing = () => ({ actor, operationId: createId() });
  const exact =
    text.length <= LONGEST_EXACT_TEXT && (await unlessMissing(core.forget(writing(), { content: text, containerTag })));
  if (exact) return onlyOf(exact);
  const { candidates } = await core.forget(
    { actor },
    { query: truncate(text, LONGEST_QUERY), containerTag, threshold: LEAST_SIMILARITY, limit: CANDIDATES },
  );
  const [best] = candidates;
  if (!best) return null;
  const similar = await unlessMissing(core.forget(writing(), { ids: [best.id], containerTag }));
  return similar && onlyOf(similar);
}

function onlyOf({ forgotten: [only], statedIn, saidBy = [] }: Forgotten): ForgottenText | null {
  return only ? { ...only, statedIn: statedIn.map(({ id }) => id), saidBy } : null;
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") return null;
    throw error;
  }
}
