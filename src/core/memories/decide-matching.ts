import { createHash } from "node:crypto";
import { fenceOf } from "../../lib/prompt-delimiter.js";
import { truncate } from "../../lib/truncate.js";
import type { CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import type { LanguageModel } from "../ports.js";
import { forgetMatchingPrompt } from "../prompts/forget-matching.js";

/** A caller waits for the answer, so the model has so long, in milliseconds; similarity decides what it left open. */
const PATIENCE = 20_000;
/** So long a decision is kept, in milliseconds: between a dry run and the call that it was for somebody reads. */
const KEPT = 10 * 60_000;
const MOST_KEPT = 20_000;
/** Memories of one question, and their characters. */
const GROUP = 100;
const GROUP_LENGTH = 24_000;
/** What a memory is about is in its first characters. */
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
  /** A dry run asks again about what the model could not answer before. */
  readonly isDryRun: boolean;
}

export interface MatchingDecision {
  /** Ids of the memories that the wish is about: never others than those found. */
  readonly about: ReadonlySet<string>;
  /** Why similarity alone decided on some of them; null when the model decided on all. */
  readonly degraded: string | null;
}

/** What was decided on a memory, and why it was not the model that did. */
interface Verdict {
  readonly isMeant: boolean;
  readonly degraded: string | null;
  readonly until: number;
}

/** By model, so that nothing is kept longer than what could decide anew. */
const verdictsOf = new WeakMap<LanguageModel, Map<string, Verdict>>();

/**
 * Lets the model say which of the memories that a search found are to be forgotten; it can only leave some out. What was
 * decided is kept for ten minutes, so that a call does what its dry run has shown; a memory that came between is decided
 * upon by itself. Slow work: outside transactions. A model that is away, refuses or answers nonsense leaves it to similarity.
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
    // What similarity decided holds for the call that it was shown for, and no longer.
    if (verdict.degraded === null || question.isDryRun) verdicts.set(keyOf(memory), verdict);
    decided.set(memory.id, verdict);
  }
  return {
    about: new Set([...decided].filter(([, { isMeant }]) => isMeant).map(([id]) => id)),
    degraded: [...decided.values()].find(({ degraded }) => degraded !== null)?.degraded ?? null,
  };
}

interface Answer {
  /** Ids; null when the model did not say. */
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

/** Holds no words: what is purged must not stay anywhere. */
function keyFor({ organizationId, containerTag, wish }: Question, { id, text }: Found): string {
  const parts = JSON.stringify([organizationId, containerTag, wish, id, text]);
  return createHash("sha256").update(parts).digest("base64");
}

function dropOld(verdicts: Map<string, Verdict>, now: number): void {
  for (const [key, { until }] of verdicts) if (until <= now || verdicts.size > MOST_KEPT) verdicts.delete(key);
}
