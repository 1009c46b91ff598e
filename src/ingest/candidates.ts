import { isChat } from "../language/chat.js";
import { isLasting } from "../core/memories/lasting.js";
import { timeZoneOf } from "../core/containers/time-zone.js";
import { wordsStating, type StatedCandidate } from "../core/memories/resolve-facts.js";
import { candidatesOfStated } from "../core/memories/stated-facts.js";
import { prepareSpeakerFinder } from "../core/memories/speakers.js";
import { isOutsideOrigin, SENDER, trustOfDocument } from "../core/memories/trust.js";
import type { FactSource } from "../core/ports.js";
import type { Document, FactCandidate, Turn } from "../core/types.js";
import { prepareQuoteFinder } from "../language/find-quote.js";
import { findDateline } from "../language/dateline.js";
import { withoutEmbeddedBytes } from "../language/embedded-bytes.js";
import { createTimeSlice } from "../lib/time.js";
import { inTimeZone } from "../lib/time-zone.js";
import { findAddition } from "./addition.js";
import { speakersIn } from "./conversation-edits.js";
import { formerSentence, type Edit } from "./edits.js";
import type { IngestContext } from "./context.js";
import { guidanceFor } from "../core/documents/guidance.js";
import { findReading } from "../core/documents/known-text.js";
import { splitFrontMatter } from "../lib/front-matter.js";
import { withoutPictureDescription } from "../core/documents/picture-description.js";
import { judgeWishes, plainWishesOf } from "../core/documents/plain-wishes.js";
import { knownFor } from "./known-memories.js";
import { noteModelFailure } from "./model-failures.js";
import { isUnchanged, type Parted } from "./unchanged.js";
import { singleSpaced } from "../lib/single-spaced.js";

/** Where a document says who wrote it, in characters. */
const OPENING_LENGTH = 2000;
/** A text up to this length that its sender asked to have remembered becomes one fact if no rule finds any. */
const AS_IS_LENGTH = 600;

/** A fact about the user of the memory, as extractors phrase it. */
const OF_THE_USER = /^(?:the )?user(?:['’]s)?\b/i;

/** What a submission of a document offers to remember. */
export interface Submission {
  /** Facts supplied by the sender; nothing is extracted then. */
  readonly stated?: readonly StatedCandidate[];
  /** What has to be read; absent when there is nothing new. */
  readonly source?: FactSource;
  /** True when it was sent as a conversation. */
  readonly wasSentAsTurns: boolean;
  readonly rememberAsIs: boolean;
  /**
   * True for content that anybody may have written, such as mails and web pages: it neither replaces nor ends anything
   * the user stated.
   */
  readonly isByStranger?: boolean;
  /** True for content written by somebody else: that its "user" is the user of this memory is only a guess. */
  readonly isForeign?: boolean;
  /** Sentences that replaced others of the previous text. */
  readonly edits?: readonly Edit[];
  /** Which sentences of the source were already in the previous text, if any. */
  readonly parted?: Parted;
}

/** What each submission since the last remembered one adds, in order, so that none is lost to its successor. */
export async function submissionsOf(context: IngestContext, document: Document): Promise<Submission[]> {
  const { documents } = context.store;
  const { organizationId, id, rememberedRevision } = document;
  if (rememberedRevision >= document.revision) return [];
  const textOf = async (revision: number) => (await documents.revisionText(organizationId, id, revision)) ?? "";
  const speakers = speakersIn(document.turns);
  const submissions: Submission[] = [];
  let previous = rememberedRevision > 0 ? await textOf(rememberedRevision) : "";
  const earlier = document.revision === 1 ? [] : await documents.pendingRevisions(organizationId, id);
  for (const { revision, ...pending } of earlier) {
    const content = await textOf(revision);
    const former = { ...document, ...pending, content, turns: null };
    submissions.push(await submissionOf(context, former, previous, speakers));
    previous = content;
  }
  submissions.push(await submissionOf(context, document, previous));
  return submissions;
}

/**
 * What a text of a document adds to the previous one.
 * @param speakers the speakers, if it was sent as a conversation of which only the text is left
 */
export async function submissionOf(
  context: IngestContext,
  document: Document,
  previous: string,
  speakers = speakersIn(document.turns),
): Promise<Submission> {
  const { model, store } = context;
  const { organizationId, id, revision, rememberAsIs } = document;
  const kept = { wasSentAsTurns: document.turns !== null, rememberAsIs };
  const timeZone = await timeZoneOf(context, document);
  if (document.facts)
    return { ...kept, stated: await candidatesOfStated(document.facts, { content: document.content, timeZone }) };
  const read = (await findReading(store, document))?.outcome ?? null;
  const author = document.metadata?.["author"];
  const told = wordsOf(document.content, read !== null);
  const before = wordsOf(previous, read !== null);
  const { content, turns, date, edits, parted } = await findAddition(
    before,
    { turns: document.turns, content: told, speakers },
    timeZone,
  );
  if (content === "") return kept;
  const written = date ?? document.documentDate ?? (await findDateline(content, document.createdAt, timeZone));
  const source: FactSource = {
    content,
    containerTag: document.containerTags[0] ?? "",
    date: inTimeZone(written ?? document.createdAt, timeZone),
    ...(read !== null && written === null && { isUndated: true }),
    timeZone,
    turns: turns?.map((turn) => (turn.date ? { ...turn, date: inTimeZone(turn.date, timeZone) } : turn)),
    title: document.title,
    opening: told.slice(0, OPENING_LENGTH),
    guidance: await guidanceFor(store, document),
    // People who upload a file have seldom written it.
    isOwn: trustOfDocument(document) === "trusted" && read === null,
    ...(read !== null && typeof author === "string" && { author }),
    known: model ? await knownFor(store.memories, document) : [],
    onModelUse: (use) => store.extractions.note(organizationId, { ...use, documentId: id, revision }),
    onRefused: async (why) => {
      await noteModelFailure(context, document, "facts", why);
    },
  };
  const isForeign = !turns && (read !== null || isOutsideOrigin(document.origin));
  return {
    ...kept,
    source,
    ...(read?.isByStranger === true && { isByStranger: true }),
    ...(isForeign && { isForeign }),
    ...(edits && { edits }),
    ...(parted && { parted }),
  };
}

/** The words a person wrote in a text: without front matter, a model's description of a picture, or the bytes of a picture. */
function wordsOf(text: string, isRead: boolean): string {
  const { body } = splitFrontMatter(text);
  return withoutEmbeddedBytes(isRead ? withoutPictureDescription(body) : body);
}

/** The candidates from the submissions of a document, in order. */
export async function findCandidates(
  context: IngestContext,
  submissions: readonly Submission[],
  signal: AbortSignal,
): Promise<StatedCandidate[]> {
  let candidates: StatedCandidate[] = [];
  for (const submission of submissions) {
    const found = await candidatesOf(context, submission, signal);
    candidates = [...candidates.filter((candidate) => !isTakenBack(candidate, found)), ...found];
  }
  return candidates;
}

/** True for a candidate from a sentence that was replaced before anybody had read it. */
function isTakenBack(candidate: StatedCandidate, later: readonly StatedCandidate[]): boolean {
  const words = singleSpaced(wordsStating(candidate) ?? "");
  return words !== "" && later.some(({ insteadOf }) => insteadOf?.includes(words));
}

/** The sender's own facts if there are any, otherwise what the extractor finds in the new part of the text. */
async function candidatesOf(
  { factExtractor }: IngestContext,
  submission: Submission,
  signal: AbortSignal,
): Promise<readonly StatedCandidate[]> {
  const { stated, source } = submission;
  if (stated) return stated;
  return source ? asRead(submission, await factExtractor.extract(source, signal), signal) : [];
}

/** The candidates found in a submission, with their speakers; the text itself if nothing was found and it is to be kept. */
export async function asRead(
  submission: Submission,
  found: readonly FactCandidate[],
  signal: AbortSignal,
): Promise<readonly StatedCandidate[]> {
  const facts = await asSaid(submission, found, signal);
  return submission.isByStranger === true ? facts.map((fact) => ({ ...fact, speaker: SENDER })) : facts;
}

async function asSaid(
  { source, wasSentAsTurns, rememberAsIs, isForeign, edits = [], parted }: Submission,
  found: readonly FactCandidate[],
  signal: AbortSignal,
): Promise<readonly StatedCandidate[]> {
  const fresh = parted ? found.filter(({ quote }) => quote === undefined || !isUnchanged(quote, parted)) : found;
  const meant = fresh.map((one) => (isForeign && OF_THE_USER.test(one.text) ? { ...one, isInference: true } : one));
  const attributed = await withSpeakers(meant, { turns: source?.turns ?? [], wasSentAsTurns }, signal);
  const said = attributed.map((candidate) => withFormerSentence(candidate, edits));
  const content = parted?.fresh ?? source?.content ?? "";
  if (said.length > 0 || !rememberAsIs || content === "" || content.length > AS_IS_LENGTH) return said;
  if (isChat(content)) return said;
  if (judgeWishes(plainWishesOf(source?.guidance))?.(content) === false) return said;
  const text = singleSpaced(content);
  return [{ text, kind: "fact", isStatic: isLasting(text), quote: content }];
}

function withFormerSentence(candidate: StatedCandidate, edits: readonly Edit[]): StatedCandidate {
  const former = candidate.quote === undefined ? null : formerSentence(edits, candidate.quote);
  return former === null ? candidate : { ...candidate, insteadOf: former };
}

/** Adds to each quote its position in the newest text of the document, if it is there. */
export async function withPlaces(
  candidates: readonly StatedCandidate[],
  content: string,
  signal?: AbortSignal,
): Promise<readonly StatedCandidate[]> {
  if (!candidates.some((candidate) => wordsStating(candidate) !== undefined)) return candidates;
  const find = await prepareQuoteFinder(content, signal);
  return candidates.map((candidate) => {
    const words = wordsStating(candidate);
    const quoteAt = words === undefined ? null : find(words);
    return quoteAt ? { ...candidate, quoteAt } : candidate;
  });
}

/** Anybody can write a transcript; only in one that was sent as a conversation do the user's words count as the owner's. */
async function withSpeakers(
  candidates: readonly StatedCandidate[],
  { turns, wasSentAsTurns }: { readonly turns: readonly Turn[]; readonly wasSentAsTurns: boolean },
  signal: AbortSignal,
): Promise<StatedCandidate[]> {
  const speakerOf = await prepareSpeakerFinder(turns, signal);
  const slice = createTimeSlice(signal);
  const attributed: StatedCandidate[] = [];
  for (const candidate of candidates) {
    const speaker = speakerOf(candidate.quote);
    const isUnknown = speaker === undefined || (speaker === "User" && !wasSentAsTurns);
    attributed.push(isUnknown ? candidate : { ...candidate, speaker });
    if (slice.isSpent()) await slice.renew();
  }
  return attributed;
}
