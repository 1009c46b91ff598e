import { createHash } from "node:crypto";
import { fenceOf } from "../../lib/prompt-delimiter.js";
import { truncate } from "../../lib/truncate.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { LanguageModel } from "../ports.js";
import { forgetMatchingPrompt } from "../prompts/forget-matching.js";

/** A caller is waiting, so the model gets this long, in milliseconds; similarity decides whatever it left open. */
const PATIENCE = 20_000;
/** How long a decision is kept, in milliseconds: somebody reads the dry run before making the call. */
const KEPT = 10 * 60_000;
const MOST_KEPT = 20_000;
/** The most memories, and characters, per question. */
const GROUP = 100;
const GROUP_LENGTH = 24_000;
/** The first characters of a memory show what it is about. */
const LONGEST_SHOWN = 1_000;

/** A memory that a search found. */
export interface Found {
  readonly id: string;
  readonly text: string;
}

export interface Question {
  readonly organizationId: string;
  readonly containerTag: string;
  /** What is to be forgotten. */
  readonly wish: string;
  /** A dry run asks again about memories the model could not decide before. */
  readonly isDryRun: boolean;
}

export interface MatchingDecision {
  /** Ids of the memories that the wish is about: always a subset of those found. */
  readonly about: ReadonlySet<string>;
  /** Why similarity alone decided some of them; null when the model decided all. */
  readonly degraded: string | null;
}

/** The decision on a memory, and why the model did not make it. */
interface Verdict {
  readonly isMeant: boolean;
  readonly degraded: string | null;
  readonly until: number;
}

/** Keyed by model, so that decisions do not outlive the model that made them. */
const verdictsOf = new WeakMap<LanguageModel, Map<string, Verdict>>();

/**
 * Asks the model which of the memories found by a search are to be forgotten; it can only exclude some. Decisions are kept for
 * ten minutes, so that a call does what its dry run showed; a memory added in between is decided separately. Slow: run outside
 * transactions. If the model is unavailable, refuses or answers nonsense, similarity decides.
 */
export async function decideMatching(
  context: CoreContext & { readonly model: LanguageModel },
  question: Question,
  found: readonly Found[],
  patienceMs = PATIENCE,
): Promise<MatchingDecision> {
  const now = context.clock.now().getTime();
  const verdicts = verdictsOf.get(context.model) ?? new Map<string, Verdict>();
  verdictsOf.set(context.model, verdicts);
  dropOld(verdicts, now);
  const keyOf = (memory: Found) => keyFor(question, memory);
  const isOpen = (memory: Found) => {
    const known = verdicts.get(keyOf(memory));
    return !known || (question.isDryRun && known.degraded !== null);
  };
  const open = found.filter(isOpen);
  const signal = AbortSignal.timeout(patienceMs);
  const decided = new Map<string, Verdict>();
  await Promise.all(
    inGroups(open).map(async (group) => {
      const answer = await ask(context, question.wish, group, signal);
      for (const memory of group) {
        const isMeant = answer.about === null || answer.about.has(memory.id);
        decided.set(memory.id, { isMeant, degraded: answer.degraded, until: now + KEPT });
      }
    }),
  );
  for (const memory of found) {
    const verdict = decided.get(memory.id) ?? verdicts.get(keyOf(memory));
    if (!verdict) continue;
    // A decision by similarity applies only to the call it was shown for.
    if (verdict.degraded === null || question.isDryRun) verdicts.set(keyOf(memory), verdict);
    decided.set(memory.id, verdict);
  }
  return {
    about: new Set([...decided].filter(([, { isMeant }]) => isMeant).map(([id]) => id)),
    degraded: [...decided.values()].find(({ degraded }) => degraded !== null)?.degraded ?? null,
  };
}

interface Answer {
  /** Ids; null when the model gave no answer. */
  readonly about: ReadonlySet<string> | null;
  readonly degraded: string | null;
}

async function ask(
  { model, store, log }: CoreContext & { readonly model: LanguageModel },
  wish: string,
  group: readonly Found[],
  signal: AbortSignal,
): Promise<Answer> {
  const { name, version, schema, messages } = forgetMatchingPrompt;
  const byHandle = new Map(group.map((memory, index) => [`m${index + 1}`, memory]));
  const memories = [...byHandle].map(([handle, { text }]) => ({ handle, text: truncate(text, LONGEST_SHOWN) }));
  const fence = fenceOf(JSON.stringify(memories.map(({ text }) => text)));
  try {
    const request = { name, schema, messages: messages({ wish, memories, fence }), effort: "careful" } as const;
    const { value, ...used } = await model.generate(request, signal);
    const entry = { ...used, prompt: `${name}/${version}`, documentId: "", revision: 0 };
    await store.extractions.note(store.organizationId, entry);
    return { about: new Set(value.about.flatMap((handle) => byHandle.get(handle)?.id ?? [])), degraded: null };
  } catch (error) {
    if (!signal.aborted && !(error instanceof AppError)) throw error;
    const failure = error instanceof AppError ? error : new AppError("unavailable", "the language model took too long");
    log.warn("similarity decides what is forgotten", { reason: failure.message });
    return { about: null, degraded: `by similarity alone: ${failure.publicMessage}` };
  }
}

function inGroups(memories: readonly Found[]): Found[][] {
  const groups: Found[][] = [];
  let length = Infinity;
  for (const memory of memories) {
    const group = groups.at(-1);
    const added = Math.min(memory.text.length, LONGEST_SHOWN);
    if (group && group.length < GROUP && length + added <= GROUP_LENGTH) {
      group.push(memory);
      length += added;
    } else {
      groups.push([memory]);
      length = added;
    }
  }
  return groups;
}

/** Contains no text: purged content must not remain anywhere. */
function keyFor({ organizationId, containerTag, wish }: Question, { id, text }: Found): string {
  const parts = JSON.stringify([organizationId, containerTag, wish, id, text]);
  return createHash("sha256").update(parts).digest("base64");
}

function dropOld(verdicts: Map<string, Verdict>, now: number): void {
  for (const [key, { until }] of verdicts) if (until <= now || verdicts.size > MOST_KEPT) verdicts.delete(key);
}
