import { fenceOf } from "../../lib/prompt-delimiter.js";
import { numbersOf } from "../../language/numbers.js";
import { truncate } from "../../lib/truncate.js";
import { dayIn, type TimeZone } from "../../lib/time-zone.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import type { CoreContext } from "../context.js";
import { guidanceFor } from "../documents/guidance.js";
import { AppError } from "../errors.js";
import { isActive } from "../memories/find-memory.js";
import { holdsSecret } from "../memories/secrets.js";
import { judgeText } from "../memories/trust.js";
import type { ExtractionGuidance, LanguageModel, ProfileSummary, SummaryLine } from "../ports.js";
import { summariseProfilePrompt, type StatedLine } from "../prompts/summarise-profile.js";
import type { Memory, ProfileBucket } from "../types.js";
import { definitionMark } from "./bucket-verdict.js";
import { effectiveBuckets, fillBuckets } from "./buckets.js";
import { RECENT } from "./digest.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** A summary is made when this many older memories are in none. */
const ENOUGH = 8;
/** The newest memories of each kind that are considered. */
const SOURCES = 500;
const MOST_COVERED = 150;
/** The first characters of a memory show what it is about. */
const LONGEST_SHOWN = 400;
const MOST_LINES = 6;
const LONGEST_LINE = 300;
/** Most questions per run: the others follow in the next one. */
const QUESTIONS = 50;

type ModelContext = CoreContext & { readonly model: LanguageModel };

/**
 * Summarises the older memories of profiles with the language model, for containers whose memories have changed since the
 * previous run; the first run considers all. A run that the model does not answer is repeated the next time.
 * @returns one run; it never throws because of the model
 */
export function createSummariser(context: ModelContext): (signal: AbortSignal) => Promise<void> {
  const { store, log } = context;
  const waiting = new Set<string>();
  let looked = 0;
  return async (signal) => {
    const changed = await store.summaries.changedSince(store.organizationId, looked);
    looked = changed.journalSeq;
    for (const tag of changed.tags) waiting.add(tag);
    let questions = 0;
    try {
      for (const tag of waiting) {
        if (signal.aborted || questions >= QUESTIONS) return;
        questions += await summariseContainer(context, tag, signal);
        waiting.delete(tag);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AppError)) throw error;
      log.warn("profiles are not summarised for now", { reason: error.message });
    }
  };
}

/** @returns how many questions were asked */
async function summariseContainer(context: ModelContext, containerTag: string, signal: AbortSignal): Promise<number> {
  const { store, log } = context;
  const { organizationId } = store;
  const buckets = await effectiveBuckets(store, organizationId, containerTag, undefined);
  const facts = await factsOf(context, containerTag);
  const kept = new Map((await store.summaries.holding(organizationId, containerTag)).map((one) => [one.bucket, one]));
  const filled = fillBuckets(facts, buckets);
  const timeZone = sharedTimeZone(context, await store.containers.find(organizationId, [containerTag]));
  const guidance = await guidanceFor(store, { organizationId, client: null, containerTags: [containerTag] });
  let questions = 0;
  for (const bucket of buckets) {
    const older = (filled[bucket.key] ?? []).slice(RECENT, RECENT + MOST_COVERED);
    const covered = new Set(kept.get(definitionMark(bucket))?.covers);
    if (older.filter(({ id }) => !covered.has(id)).length < ENOUGH) continue;
    questions += 1;
    try {
      const lines = await ask({ ...context, timeZone, guidance }, bucket, older, signal);
      await save(context, containerTag, bucket, { lines, older });
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
      log.warn("a part of a profile is summarised by rules", { reason: error.message });
    }
  }
  return questions;
}

/** Stated facts that hold now, newest first; guesses and flagged ones wait for a person. */
async function factsOf({ store }: CoreContext, containerTag: string): Promise<Memory[]> {
  const read = (isStatic: boolean) =>
    store.memories.active(store.organizationId, containerTag, { isStatic, limit: SOURCES });
  const facts = [...(await read(true)), ...(await read(false))];
  return facts
    .filter(({ isInference, text }) => !isInference && !holdsSecret(text))
    .toSorted((one, other) => other.seq - one.seq);
}

async function ask(
  { model, store, timeZone, guidance }: ModelContext & { readonly guidance: ExtractionGuidance },
  bucket: ProfileBucket,
  older: readonly Memory[],
  signal: AbortSignal,
): Promise<SummaryLine[]> {
  const { name, version, schema, messages } = summariseProfilePrompt;
  const byHandle = new Map(older.map((memory, index) => [`m${index + 1}`, memory]));
  const memories = [...byHandle].map(([handle, { text, createdAt }]) => ({
    handle,
    text: truncate(text, LONGEST_SHOWN),
    date: dayIn(createdAt, timeZone),
  }));
  const fence = fenceOf(JSON.stringify(memories));
  const request = {
    name,
    schema,
    messages: messages({ bucket, memories, fence, guidance }),
    effort: "careful",
  } as const;
  const { value, ...used } = await model.generate(request, signal);
  const noted = { ...used, prompt: `${name}/${version}`, documentId: "", revision: 0 };
  await store.extractions.note(store.organizationId, noted);
  return value.lines.flatMap((line) => checkLine(line, byHandle, timeZone) ?? []).slice(0, MOST_LINES);
}

/**
 * The line if it is based on memories that were shown, contains no number that is not in them, and gives no orders; otherwise
 * null.
 */
function checkLine(
  { text, from }: StatedLine,
  byHandle: ReadonlyMap<string, Memory>,
  timeZone: TimeZone,
): SummaryLine | null {
  const line = singleSpaced(text);
  const grounds = [...new Set(from)].flatMap((handle) => byHandle.get(handle) ?? []);
  if (line === "" || line.length > LONGEST_LINE || grounds.length === 0) return null;
  const said = new Set(
    grounds.flatMap(({ text: fact, createdAt }) => numbersOf(`${fact} ${dayIn(createdAt, timeZone)}`)),
  );
  if (numbersOf(line).some((number) => !said.has(number))) return null;
  if (judgeText(line, undefined, { origin: "connector" }).trust === "flagged") return null;
  return { text: line, memoryIds: grounds.map(({ id }) => id) };
}

/** What was forgotten or purged while the model was working must not return in a summary. */
async function save(
  { store, clock }: CoreContext,
  containerTag: string,
  bucket: ProfileBucket,
  { lines, older }: { readonly lines: readonly SummaryLine[]; readonly older: readonly Memory[] },
): Promise<void> {
  const { name, version } = summariseProfilePrompt;
  const covers = older.map(({ id }) => id);
  const summary: ProfileSummary = { bucket: definitionMark(bucket), lines, covers, prompt: `${name}/${version}` };
  await store.transaction(async (repositories) => {
    const present = await repositories.memories.byIds(store.organizationId, covers);
    const holding = present.filter((memory) => memory.containerTag === containerTag && isActive(memory, clock.now()));
    if (holding.length === covers.length)
      await repositories.summaries.save(store.organizationId, containerTag, summary);
  });
}
