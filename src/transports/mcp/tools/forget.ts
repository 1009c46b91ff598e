import * as z from "zod";
import type { Core } from "../../../core/index.js";
import { AppError } from "../../../core/errors.js";
import type { Actor, Document } from "../../../core/types.js";
import { createId } from "../../../lib/ids.js";
import { hitTitle } from "../hits.js";
import { fence, NOTICE } from "../recalled.js";
import { count } from "../../../lib/count.js";
import { oneLine } from "../../../lib/one-line.js";
import { writingPlace } from "../places.js";
import { defineTool } from "../tool.js";
import { anyId, containerTag } from "./arguments.js";
import { statedIn, UNTITLED } from "./told-beside.js";

const input = z.object({
  id: anyId.optional().describe("Id of the memory or document to forget"),
  ids: z.array(anyId).min(1).max(500).optional().describe("Several together: all, or none if one is wrong"),
  content: z.string().min(1).max(10_000).optional().describe("The exact text of a memory in the container"),
  query: z.string().min(1).max(1_000).optional().describe("Lists candidates and forgets nothing"),
  containerTag,
  reason: z.string().max(1_000).optional().describe("Why, for the record"),
});
type Arguments = z.output<typeof input>;

const output = z.object({
  forgotten: z.array(z.object({ id: z.string(), text: z.string() })),
  documents: z.array(z.object({ id: z.string(), title: z.string() })).describe("Removed with what only they stated"),
  statedIn: statedIn.describe(
    "Documents whose text still states it, or matches query; call again with an id to remove one",
  ),
  saidBy: z
    .array(z.object({ id: z.string(), text: z.string() }))
    .optional()
    .describe("Other memories that still say it"),
  candidates: z
    .array(z.object({ id: z.string(), text: z.string(), similarity: z.number() }))
    .describe("What query could mean; not forgotten"),
  batchId: z.string().nullable().describe("For undo: brings back the memories that were forgotten"),
  notice: z.string(),
});
type Outcome = Omit<z.output<typeof output>, "notice">;

interface Asker {
  readonly core: Core;
  readonly actor: Actor;
}

export const forgetTool = defineTool({
  name: "forget",
  title: "Forget",
  description:
    "Makes memories unfindable, by id or by exact text. By query it only lists candidates: show them to the user, then call " +
    "again with the ids. The id of a document removes the document and what only it stated.",
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run({ core, actor, defaultContainer }, args) {
    const outcome = await forget({ core, actor }, args, () =>
      writingPlace({ actor, defaultContainer }, args.containerTag),
    );
    return { text: describe(outcome, args) + warningOf(outcome, args), structured: { ...outcome, notice: NOTICE } };
  },
});

/** Only the memories that were forgotten keep the reason. */
function warningOf({ documents }: Outcome, { query, reason }: Arguments): string {
  if (reason === undefined) return "";
  if (query !== undefined) return "\nWarning: reason has no effect with query, which forgets nothing.";
  return documents.length > 0 ? "\nWarning: reason has no effect on a document, whose removal records none." : "";
}

async function forget(asker: Asker, args: Arguments, placeOf: () => string): Promise<Outcome> {
  const { id, content, query, reason } = args;
  const named = [args.ids ?? id, content, query].filter((selector) => selector !== undefined);
  if (named.length !== 1 || (args.ids && id !== undefined))
    throw new AppError(
      "invalid",
      "Name exactly one of id, ids, content (the exact text) and query. Nothing was changed.",
    );
  const because = reason === undefined ? {} : { reason };
  if (query !== undefined)
    return memoriesOnly(await asker.core.forget({ actor: asker.actor }, { query, containerTag: placeOf() }));
  if (content !== undefined)
    return memoriesOnly(await asker.core.forget(writing(asker), { content, containerTag: placeOf(), ...because }));
  return forgetIds(asker, args.ids ?? [id ?? ""], { containerTag: args.containerTag, ...because });
}

type Forgotten = Awaited<ReturnType<Core["forget"]>>;

function memoriesOnly({ forgotten, candidates, statedIn: stating, saidBy, batchId }: Forgotten): Outcome {
  const said = saidBy && { saidBy: [...saidBy] };
  return {
    forgotten: [...forgotten],
    candidates: [...candidates],
    statedIn: [...stating],
    ...said,
    documents: [],
    batchId,
  };
}

function writing({ actor }: Asker) {
  return { actor, operationId: createId() };
}

interface Limits {
  readonly containerTag?: string | undefined;
  readonly reason?: string;
}

/** Ids usually name memories. If one does not, each is looked up, and nothing is forgotten unless all are known. */
async function forgetIds(asker: Asker, ids: readonly string[], limits: Limits): Promise<Outcome> {
  const { containerTag: tag, ...because } = limits;
  const where = tag === undefined ? {} : { containerTag: tag };
  try {
    return memoriesOnly(await asker.core.forget(writing(asker), { ids: [...ids], ...where, ...because }));
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
    const documents = await findDocuments(asker, ids, tag);
    if (documents.length === 0) throw error;
    const known = new Set(
      documents.map((document) => document.id).concat(documents.map(({ customId }) => customId ?? "")),
    );
    const memoryIds = ids.filter((one) => !known.has(one));
    const forgotten =
      memoryIds.length > 0 ? await asker.core.forget(writing(asker), { ids: memoryIds, ...where, ...because }) : null;
    for (const document of documents) await asker.core.deleteDocument(writing(asker), { id: document.id });
    return {
      forgotten: [...(forgotten?.forgotten ?? [])],
      candidates: [],
      batchId: forgotten?.batchId ?? null,
      statedIn: (forgotten?.statedIn ?? []).filter(({ id }) => !known.has(id)),
      ...(forgotten?.saidBy && { saidBy: [...forgotten.saidBy] }),
      documents: documents.map((document) => ({ id: document.id, title: hitTitle(document, document.content) })),
    };
  }
}

/** The documents among the ids. @throws AppError `not_found` for an id that is unknown, or is in another container */
async function findDocuments(
  { core, actor }: Asker,
  ids: readonly string[],
  within: string | undefined,
): Promise<Document[]> {
  const found = new Map<string, Document>();
  for (const id of new Set(ids)) {
    const { document } = await core.fetch({ actor }, { id, within }).catch((error: unknown) => {
      throw error instanceof AppError && error.kind === "not_found" ? unknownId(id, within) : error;
    });
    if (document) found.set(document.id, document);
  }
  return [...found.values()];
}

function unknownId(id: string, tag?: string): AppError {
  const place = tag === undefined ? "" : ` in ${tag}`;
  return new AppError("not_found", `There is no memory or document ${id}${place}. Nothing was forgotten.`);
}

function describe(
  { forgotten, documents, candidates, statedIn: stating, saidBy = [], batchId }: Outcome,
  { query }: Arguments,
): string {
  if (query !== undefined) {
    if (candidates.length + stating.length === 0) return "Nothing matches the query. Nothing was forgotten.";
    const lines = [
      ...candidates.map(({ id, text, similarity }) => `[${id}] (similarity ${similarity.toFixed(2)}) ${oneLine(text)}`),
      ...stating.map(({ id, title }) => `passages in the document [${id}] ${oneLine(title ?? UNTITLED)}`),
    ];
    return `Nothing was forgotten yet. ${whatCouldBeMeant(candidates.length, stating.length)}\n${fence(lines.join("\n"))}`;
  }
  const lines = [
    ...forgotten.map(({ id, text }) => `forgotten [${id}] ${oneLine(text)}`),
    ...saidBy.map(({ id, text }) => `another memory still says it [${id}] ${oneLine(text)}`),
    ...stating.map(({ id, title }) => `still stated in the document [${id}] ${oneLine(title ?? UNTITLED)}`),
    ...documents.map(
      ({ id, title }) => `document removed, with the memories that only it stated [${id}] ${oneLine(title)}`,
    ),
  ];
  const parts = [
    ...(forgotten.length > 0 ? [`${count(forgotten.length, "memory", "memories")} forgotten`] : []),
    ...(documents.length > 0
      ? [`${count(documents.length, "document")} removed with ${documents.length === 1 ? "its" : "their"} memories`]
      : []),
  ];
  const takeBack = batchId === null ? "" : ` To bring the memories back: undo with batch ${batchId}.`;
  return `${parts.join(", ")}.${offerOf(stating)}${takeBack}\n${fence(lines.join("\n"))}`;
}

function whatCouldBeMeant(memories: number, documents: number): string {
  const meant = `${count(memories, "memory", "memories")} could be meant; call forget again with the ids of those that are.`;
  const stated = `Passages of ${count(documents, "document")} match too, which search finds whether or not memories are forgotten: call forget with the id of a document to remove all of it.`;
  return [...(memories > 0 ? [meant] : []), ...(documents > 0 ? [stated] : [])].join(" ");
}

function offerOf(stating: Outcome["statedIn"]): string {
  if (stating.length === 0) return "";
  const where = `the text of ${count(stating.length, "document")} still states it`;
  const told = stating.every(({ isLeftOut }) => isLeftOut)
    ? `Searches leave it out, but ${where}`
    : `But ${where}, and searches may still show that`;
  return ` ${told}: ask the user whether to remove that too, then call forget with the id of the document, which removes it with the memories that only it states.`;
}
