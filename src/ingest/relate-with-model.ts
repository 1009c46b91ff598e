import { createHash } from "node:crypto";
import { AppError, RetryLater } from "../core/errors.js";
import {
  resolveFacts,
  type Resolution,
  type ResolvedFact,
  type StatedCandidate,
} from "../core/memories/resolve-facts.js";
import { writtenWhen } from "../core/containers/time-zone.js";
import type { ContainerRow, LanguageModel } from "../core/ports.js";
import type { Document, StatedRelation } from "../core/types.js";
import { factKey } from "../language/fact-key.js";
import { fenceOf } from "../lib/prompt-delimiter.js";
import type { IngestContext } from "./context.js";
import { relateFactsPrompt, type ShownStatement, type StatedRelations } from "./prompts/relate-facts.js";
import { neighboursOf, type Neighbour } from "./relation-ground.js";
import { singleSpaced } from "../lib/single-spaced.js";

const MOST_FACTS = 25;
const MOST_MEMORIES = 40;
const MOST_DERIVED = 5;
const FEWEST_SOURCES = 2;
const LONGEST_DERIVED = 500;
const MOST_TOKENS = 8_000;
/** Seconds to wait when an unavailable provider gives no time itself. */
const PAUSE = 60;
/** Answers that are cached for documents that have to wait midway. */
const KEPT_ANSWERS = 200;

/**
 * Asks the language model how the facts of a document relate to what one container knows, and what follows from them
 * together. It sees handles instead of ids, and only handles that it was shown count. Facts without a valid statement
 * are left to the rules, as are all when it refuses; nothing is asked when there is nothing to relate.
 * @returns the resolution with the model's statements, which `writeFacts` checks before it uses them
 * @throws RetryLater while the model is unavailable; answers received by then are not asked for again
 */
export async function relateWithModel(
  context: IngestContext,
  place: { readonly document: Document; readonly container: ContainerRow },
  resolution: Resolution,
  signal?: AbortSignal,
): Promise<ModelRelation> {
  const { model } = context;
  if (!model || resolution.facts.length === 0) return { resolution, refusal: null };
  const neighbours = await neighboursOf(context, { ...place, resolution });
  const relations = new Map<number, StatedRelation>();
  const derived: StatedCandidate[] = [];
  let refusal: AppError | null = null;
  const said = await writtenWhen(context, { ...place.document, createdAt: place.document.updatedAt });
  for (const question of questionsOf(said, resolution.facts, neighbours)) {
    const answer = await tryAskModel({ ...context, model }, place.document, question, signal);
    if (answer instanceof AppError) {
      refusal = answer;
      continue;
    }
    for (const [position, relation] of relationsOf(question, answer)) relations.set(position, relation);
    derived.push(...derivedOf(question, answer));
  }
  const facts = resolution.facts.map((fact, position) => withRelation(fact, relations.get(position)));
  if (derived.length === 0) return { resolution: { ...resolution, facts }, refusal };
  const { organizationId, origin } = place.document;
  const more = await resolveFacts(context, { ...place, organizationId, origin }, derived, signal);
  const space = resolution.space ?? more.space;
  return { resolution: { ...resolution, space, facts: [...facts, ...more.facts] }, refusal };
}

/** A resolution with the model's statements about it. */
export interface ModelRelation {
  readonly resolution: Resolution;
  /** Why rules have to relate some of it in place of the model; null if they do not. */
  readonly refusal: AppError | null;
}

/** Facts and memories by the handles under which they are shown together. */
interface Question {
  /** Positions of facts in the resolution. */
  readonly facts: ReadonlyMap<string, { readonly position: number; readonly fact: ResolvedFact }>;
  readonly memories: ReadonlyMap<string, Neighbour>;
  /** When the facts were said (ISO). */
  readonly said: string;
}

/**
 * As few questions as can hold all facts with their neighbours. Explicit statements, and text that reads like an
 * instruction, are left out.
 */
function questionsOf(
  said: Question["said"],
  facts: readonly ResolvedFact[],
  neighbours: readonly (readonly Neighbour[])[],
): Question[] {
  const questions: Question[] = [];
  let open = {
    facts: new Map<string, { position: number; fact: ResolvedFact }>(),
    memories: new Map<string, Neighbour>(),
  };
  const close = () => {
    if (open.memories.size > 0 || open.facts.size >= FEWEST_SOURCES) questions.push({ ...byHandle(open), said });
    open = { facts: new Map(), memories: new Map() };
  };
  for (const [position, fact] of facts.entries()) {
    if (fact.candidate.updates || fact.judgement.trust === "flagged") continue;
    const near = neighbours[position] ?? [];
    const union = new Set([...open.memories.keys(), ...near.map(({ memory }) => memory.id)]);
    if (open.facts.size === MOST_FACTS || union.size > MOST_MEMORIES) close();
    open.facts.set(String(position), { position, fact });
    for (const neighbour of near) open.memories.set(neighbour.memory.id, neighbour);
  }
  close();
  return questions;
}

function byHandle(open: {
  facts: ReadonlyMap<string, { position: number; fact: ResolvedFact }>;
  memories: ReadonlyMap<string, Neighbour>;
}): Omit<Question, "said"> {
  return {
    facts: new Map([...open.facts.values()].map((fact, index) => [`f${index + 1}`, fact])),
    memories: new Map([...open.memories.values()].map((memory, index) => [`m${index + 1}`, memory])),
  };
}

// --------------------------------------------------------------------------------------------------------------- asking

/** Answers by question; they are released together with the model. */
const answersOf = new WeakMap<LanguageModel, Map<string, StatedRelations>>();

/** The reason, when the model refuses permanently. */
async function tryAskModel(
  context: IngestContext & { readonly model: LanguageModel },
  document: Document,
  question: Question,
  signal?: AbortSignal,
): Promise<StatedRelations | AppError> {
  try {
    return await askModel(context, document, question, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    if (error.kind === "unavailable") throw new RetryLater(error.retryAfter ?? PAUSE, error.publicMessage);
    context.log.warn("facts are related by rules", { facts: question.facts.size, reason: error.message });
    return error;
  }
}

async function askModel(
  { model, store }: IngestContext & { readonly model: LanguageModel },
  { organizationId, id: documentId, revision }: Document,
  question: Question,
  signal?: AbortSignal,
): Promise<StatedRelations> {
  const { name, version, schema } = relateFactsPrompt;
  const messages = relateFactsPrompt.messages(inputOf(question));
  const key = createHash("sha256").update(JSON.stringify(messages)).digest("base64");
  const answers = answersOf.get(model) ?? new Map<string, StatedRelations>();
  answersOf.set(model, answers);
  const known = answers.get(key);
  if (known) return known;
  const request = { name, schema, messages, effort: "careful", maxTokens: MOST_TOKENS, subject: key } as const;
  const { value, ...spent } = await model.generate(request, signal);
  await store.extractions.note(organizationId, { ...spent, prompt: `${name}/${version}`, documentId, revision });
  answers.set(key, value);
  for (const oldest of answers.keys()) if (answers.size > KEPT_ANSWERS) answers.delete(oldest);
  return value;
}

function inputOf({ facts, memories, said }: Question): Parameters<typeof relateFactsPrompt.messages>[0] {
  const shownFacts = [...facts].map(([handle, { fact }]): ShownStatement => {
    const { text, eventDates = [] } = fact.candidate;
    return { handle, text, said: dayOf(said), days: eventDates };
  });
  const shownMemories = [...memories].map(([handle, { memory, saidAt, days }]): ShownStatement => ({
    handle,
    text: memory.text,
    said: dayOf(saidAt),
    days,
  }));
  const all = JSON.stringify([shownFacts, shownMemories]);
  const fence = fenceOf(all);
  return { facts: shownFacts, memories: shownMemories, fence };
}

function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

// -------------------------------------------------------------------------------------------------------------- reading

function withRelation(fact: ResolvedFact, relation: StatedRelation | undefined): ResolvedFact {
  return relation ? { ...fact, candidate: { ...fact.candidate, relation } } : fact;
}

/** The valid part of an answer: for each fact, the first entry in which all handles were shown. */
function relationsOf(question: Question, { relations }: StatedRelations): Map<number, StatedRelation> {
  const found = new Map<number, StatedRelation>();
  const seen = new Set<string>();
  for (const { fact: handle, relation, memories } of relations) {
    const shown = question.facts.get(handle);
    if (!shown || seen.has(handle)) continue;
    seen.add(handle);
    const stated = statedRelation(question, shown.fact, relation, memories);
    if (stated) found.set(shown.position, stated);
  }
  return found;
}

function statedRelation(
  { memories: shown }: Question,
  { twin, related }: ResolvedFact,
  relation: StatedRelations["relations"][number]["relation"],
  handles: readonly string[],
): StatedRelation | null {
  const ids = handles.flatMap((handle) => shown.get(handle)?.memory.id ?? []);
  const [id] = ids;
  if (relation === "new") {
    // The model cannot know about what it was not shown.
    const shownIds = new Set([...shown.values()].map(({ memory }) => memory.id));
    const sawAll = [...related, ...(twin === null ? [] : [twin])].every((one) => shownIds.has(one));
    return sawAll && handles.length === 0 ? { kind: "new" } : null;
  }
  if (relation === "unsure" || id === undefined || ids.length < handles.length) return null;
  if (relation === "updates") return { kind: "updates", ids: [...new Set(ids)] };
  return ids.length === 1 ? { kind: relation, id } : null;
}

/** Statements that follow from at least two that were shown, none of which is itself an inference. */
function derivedOf(question: Question, { derived }: StatedRelations): StatedCandidate[] {
  const texts = [
    ...[...question.facts.values()].map(({ fact }) => fact.candidate.text),
    ...[...question.memories.values()].map(({ memory }) => memory.text),
  ];
  const known = new Set(texts.map(factKey));
  const candidates: StatedCandidate[] = [];
  for (const { text: stated, from } of derived) {
    const text = singleSpaced(stated).toWellFormed();
    const sources = sourcesOf(question, from);
    if (!sources || !/[\p{L}\p{N}]/u.test(text) || text.length > LONGEST_DERIVED || known.has(factKey(text))) continue;
    known.add(factKey(text));
    candidates.push({
      text,
      kind: "fact",
      isStatic: false,
      isInference: true,
      relation: { kind: "derives", ...sources },
    });
    if (candidates.length === MOST_DERIVED) break;
  }
  return candidates;
}

function sourcesOf(question: Question, handles: readonly string[]): { ids: string[]; facts: number[] } | null {
  const ids = new Set<string>();
  const facts = new Set<number>();
  for (const handle of handles) {
    const memory = question.memories.get(handle)?.memory;
    const shown = question.facts.get(handle);
    if (memory) ids.add(memory.id);
    else if (shown && shown.fact.candidate.isInference !== true) facts.add(shown.position);
    else return null;
  }
  return ids.size + facts.size >= FEWEST_SOURCES ? { ids: [...ids], facts: [...facts] } : null;
}
