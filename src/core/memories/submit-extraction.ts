import * as z from "zod";
import { sha256 } from "../../lib/crypto.js";
import { createId } from "../../lib/ids.js";
import { prepareQuoteFinder, type Place } from "../../language/find-quote.js";
import { parseIso } from "../../lib/time.js";
import { dayIn, type TimeZone } from "../../lib/time-zone.js";
import { maySee } from "../auth.js";
import { refuseMerging } from "../containers/merge.js";
import { timeZoneOf } from "../containers/time-zone.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, type Issue } from "../errors.js";
import { customIdSchema, dateSchema, invalid, noteSchema, parseInput, refusePast, momentIn } from "../input.js";
import { type Warned, withSecretWarnings } from "./secret-warnings.js";
import { runOnce } from "../operations.js";
import type { ContainerRow, ExtractionTask, Repositories } from "../ports.js";
import type { Document, Origin, StatedRelation } from "../types.js";
import { checkEntities } from "./entities.js";
import { explainFacts, type ExplainedFact } from "./explain-facts.js";
import { tellNotTakenIn } from "./not-taken-in.js";
import { handleOf, MOST_COUNTED } from "./pending-extractions.js";
import { resolveFacts, type Resolution, type StatedCandidate } from "./resolve-facts.js";
import { factShape } from "./stated-facts.js";
import { withoutPast } from "./read-again.js";
import { prepareSpeakerFinder } from "./speakers.js";
import { isOutsideOrigin } from "./trust.js";
import { unsaidYears } from "./unsaid-years.js";
import { writeFacts } from "./write-facts.js";
import { singleSpaced } from "../../lib/single-spaced.js";

const relationSchema = z
  .object({
    kind: z.enum(
      ["new", "duplicate", "updates", "extends", "derives"],
      "must be new, duplicate, updates, extends or derives",
    ),
    /** Names of known memories of the task, such as `m1`. */
    ids: z
      .array(z.string("must be a string").max(20, "must have at most 20 characters"), "must be an array of ids")
      .max(20, "must have at most 20 entries")
      .nullish(),
  })
  .superRefine(({ kind, ids }, context) => {
    const named = new Set(ids ?? []).size;
    const complain = (message: string) => context.addIssue({ code: "custom", path: ["ids"], message });
    if ((kind === "duplicate" || kind === "extends") && named !== 1) complain(`must name exactly one id for ${kind}`);
    if (kind === "updates" && named === 0) complain("must name at least one id for updates");
    if (kind === "derives" && named < 2) complain("must name at least two ids for derives");
  });

const submittedFactSchema = z.object({
  text: factShape.text,
  kind: factShape.kind.nullish(),
  isStatic: factShape.isStatic.nullish(),
  forgetAfter: factShape.forgetAfter.nullish(),
  /** Days of the events that the fact is about. */
  eventDates: z.array(dateSchema, "must be an array of dates").max(10, "must have at most 10 entries").nullish(),
  quote: factShape.quote.nullish(),
  /** Names of the people and things it is about. */
  entities: z.array(noteSchema(200), "must be an array of names").max(20, "must have at most 20 entries").nullish(),
  relation: relationSchema.nullish(),
});
type SubmittedFact = z.output<typeof submittedFactSchema>;

export const submitExtractionSchema = z.object({
  taskId: customIdSchema,
  /** Empty when there is nothing to remember. */
  facts: z.array(submittedFactSchema, "must be an array").max(100, "must have at most 100 entries"),
});

/** The outcome for the facts of a task. */
export interface SubmittedExtraction extends Warned {
  readonly documentId: string;
  readonly containerTag: string;
  /** Under this id, everything that was written can be undone. */
  readonly batchId: string;
  /**
   * In the order of the submission; without derived facts that were known or have lost their sources, without what was
   * forgotten or replaced before, and without what found no room: `warnings` lists those.
   */
  readonly facts: readonly ExplainedFact[];
  /** At least how many tasks of the container are unanswered; up to 1,000. */
  readonly remaining: number;
}

/**
 * Stores the facts that an agent found in a task, as one undoable batch. Quotes are verified: a fact whose quote is not in the
 * document becomes a guess that waits for review. Earlier findings stay. Repeating the same submission returns the same answer.
 * @throws AppError `not_found` for a task that does not exist, or no longer does; `invalid` that names an id which the task did
 * not show; `conflict` for a different submission of an answered task. Nothing is written then.
 */
export async function submitExtraction(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<SubmittedExtraction> {
  const input = parseInput(submitExtractionSchema, raw);
  const { actor } = call;
  const { organizationId } = actor;
  const task = await findTask(context.store, call, input.taskId);
  const prepared = task.doneAt === null ? await prepare(context, task, input.facts, organizationId) : null;
  const digest = sha256(JSON.stringify(input.facts));
  const same = { ...call, operationId: `${task.id} ${digest}` };
  const submitted = await runOnce(context, same, "submitExtraction", async (repositories) => {
    const current = await findTask(repositories, call, task.id);
    if (current.doneAt !== null || !prepared) throw alreadyAnswered(task.id);
    const { container, document, resolution, timeZone, past } = prepared;
    await refuseMerging(repositories, actor, [container.tag]);
    const { forgetAfter, factsLeftOut } = await findDocument(repositories, organizationId, current);
    const batchId = createId();
    const { facts, restated, leftOut } = await writeFacts(repositories, {
      actor,
      client: document.client,
      container,
      documentId: document.id,
      documentEnd: forgetAfter,
      origin: originOf(document),
      resolution,
      now: context.clock.now(),
      statedAt: document.documentDate,
      timeZone,
      maxSuperseded: context.limits.maxSuperseded,
      readAgain: { batchId, cause: "read by an agent" },
    });
    if (leftOut > factsLeftOut)
      await repositories.documents.update(organizationId, document.id, { factsLeftOut: leftOut });
    await repositories.extractionTasks.finish(organizationId, task.id);
    const remaining = await repositories.extractionTasks.countOpen(organizationId, container.id, MOST_COUNTED);
    const receipt = {
      documentId: document.id,
      containerTag: container.tag,
      batchId,
      facts: [...facts, ...restated],
      remaining,
    };
    const groundless = input.facts.length - facts.length - past.length - leftOut;
    const warnings = tellNotTakenIn({ past, noRoom: leftOut, groundless });
    return warnings.length > 0 ? { ...receipt, warnings } : receipt;
  });
  context.wakeJobs();
  const reader = { repositories: context.store, actor, now: context.clock.now() };
  const explained = { ...submitted, facts: await explainFacts(reader, submitted.documentId, submitted.facts) };
  return withSecretWarnings<SubmittedExtraction>(
    explained,
    input.facts.map(({ text }) => text),
  );
}

async function findTask(
  { extractionTasks }: Pick<Repositories, "extractionTasks">,
  { actor }: AuthorizedCall,
  id: string,
): Promise<ExtractionTask> {
  const task = await extractionTasks.byId(actor.organizationId, id);
  if (!task || !maySee(actor, [task.containerTag])) throw noSuchTask(id);
  return task;
}

function noSuchTask(id: string): AppError {
  return new AppError(
    "not_found",
    `There is no extraction task ${id}: its document was changed or deleted, or it expired and another agent has it. Ask for pending extractions again. Nothing was written.`,
  );
}

function alreadyAnswered(id: string): AppError {
  return new AppError(
    "conflict",
    `The extraction task ${id} was already answered, with other facts. Add what is missing with add-memory. Nothing was written.`,
  );
}

/** The document of a task as it was handed out. @throws AppError `not_found` when it has been changed, moved or deleted since */
async function findDocument(
  { documents }: Pick<Repositories, "documents">,
  organizationId: string,
  task: ExtractionTask,
): Promise<Document> {
  const document = await documents.byId(organizationId, task.documentId);
  if (document?.revision !== task.revision || !document.containerTags.includes(task.containerTag))
    throw noSuchTask(task.id);
  return document;
}

interface Prepared {
  readonly container: ContainerRow;
  readonly document: Document;
  readonly resolution: Resolution;
  /** Time zone of the document. */
  readonly timeZone: TimeZone;
  /** Texts of facts that were forgotten or replaced before. */
  readonly past: readonly string[];
}

/** Slow: run outside the transaction. */
async function prepare(
  context: CoreContext,
  task: ExtractionTask,
  facts: readonly SubmittedFact[],
  organizationId: string,
): Promise<Prepared> {
  const document = await findDocument(context.store, organizationId, task);
  const [container] = await context.store.containers.find(organizationId, [task.containerTag]);
  if (!container) throw noSuchTask(task.id);
  const timeZone = await timeZoneOf(context, document);
  const relations = relationsOf(facts, task.handles ?? []);
  const find = await quoteFinderOf(document, task);
  const speakerOf = await prepareSpeakerFinder(document.turns ?? []);
  const candidates = facts.map((fact, index): StatedCandidate => {
    const candidate = candidateOf(fact, relations[index], {
      content: document.content,
      find,
      timeZone,
    });
    const speaker = speakerOf(candidate.quote);
    return speaker === undefined ? candidate : { ...candidate, speaker };
  });
  refusePast("facts", candidates, context.clock.now());
  const place = { organizationId, container, origin: originOf(document), source: document };
  const now = context.clock.now();
  const lasting = await withoutPast(context.store, { organizationId, documentId: document.id }, candidates, now);
  const past = candidates.filter((candidate) => !lasting.includes(candidate));
  const resolution = await resolveFacts(context, place, lasting);
  return { container, document, resolution, timeZone, past: past.map(({ text }) => text) };
}

/**
 * The stated relations of each fact to known memories, by their ids.
 * @throws AppError `invalid` that names each id which was not shown
 */
function relationsOf(
  facts: readonly SubmittedFact[],
  shown: readonly string[],
): readonly (StatedRelation | undefined)[] {
  const known = new Map(shown.map((id, index) => [handleOf(index), id]));
  const issues: Issue[] = [];
  const relations = facts.map(({ relation }, index) => {
    if (!relation) return undefined;
    const ids = [...(relation.ids ?? [])].map((handle, place) => {
      const id = known.get(handle);
      if (id === undefined)
        issues.push({
          path: ["facts", index, "relation", "ids", place],
          message: `the task shows no memory ${JSON.stringify(handle)}; it shows ${namesOf(shown.length)}`,
        });
      return id ?? "";
    });
    return relationOf(relation.kind, [...new Set(ids)]);
  });
  if (issues.length > 0) throw invalid(issues);
  return relations;
}

function namesOf(count: number): string {
  return count === 0 ? "none" : count === 1 ? handleOf(0) : `${handleOf(0)} to ${handleOf(count - 1)}`;
}

function relationOf(kind: StatedRelation["kind"], ids: readonly string[]): StatedRelation {
  const [first = ""] = ids;
  if (kind === "new") return { kind };
  return kind === "duplicate" || kind === "extends" ? { kind, id: first } : { kind, ids };
}

/** Looks first in the part that was read, then in the rest of the document. */
async function quoteFinderOf({ content }: Document, { window }: ExtractionTask): Promise<PlaceFinder> {
  const inPart = await prepareQuoteFinder(content.slice(window.start, window.end));
  const anywhere = await prepareQuoteFinder(content);
  return (quote) => {
    const place = inPart(quote);
    return place ? { start: place.start + window.start, end: place.end + window.start } : anywhere(quote);
  };
}

type PlaceFinder = (words: string) => Place | null;

/** The document of a task, with a finder for words in it. */
interface ReadTask {
  readonly content: string;
  readonly find: PlaceFinder;
  readonly timeZone: TimeZone;
}

function candidateOf(
  fact: SubmittedFact,
  relation: StatedRelation | undefined,
  { content, find, timeZone }: ReadTask,
): StatedCandidate {
  // Declining a guess means that the text does not say so: a guessed place for it would hide a true sentence.
  const place = fact.quote ? find(fact.quote) : null;
  const eventDates = [
    ...new Set((fact.eventDates ?? []).filter((date) => parseIso(date)).map((date) => dayIn(date, timeZone))),
  ];
  const entities = checkEntities(fact.entities ?? []);
  const quote = place ? content.slice(place.start, place.end) : undefined;
  // A guess replaces nothing; it may only be derived from what is known.
  const holds = place !== null || relation?.kind === "derives";
  return {
    text: singleSpaced(fact.text),
    kind: fact.kind ?? "fact",
    isStatic: place !== null && fact.isStatic === true,
    ...(fact.forgetAfter && { forgetAfter: momentIn(fact.forgetAfter, timeZone) }),
    ...(eventDates.length > 0 && { eventDates }),
    ...(entities.length > 0 && { entities }),
    ...unsaidYears(eventDates, quote),
    ...(place && quote !== undefined ? { quote, quoteAt: place } : { isInference: true }),
    ...(relation && holds && { relation }),
  };
}

/** A page that an agent reads for the user is not the user's own word. */
function originOf({ origin }: Document): Origin {
  return isOutsideOrigin(origin) ? origin : "agent";
}
