import * as z from "zod";
import type { ExplainedFact, ExplainedReceipt } from "../../../core/index.js";
import { createId } from "../../../lib/ids.js";
import { fence, NOTICE } from "../recalled.js";
import { oneLine } from "../../../lib/one-line.js";
import { unreadContentWarnings } from "../../unread-content.js";
import { writingPlace } from "../places.js";
import { defineTool } from "../tool.js";
import { anyId, containerTag } from "./arguments.js";
import { closeTo, describeCloseTo, describeStatedIn, statedIn } from "./told-beside.js";

/** Clients give up on a call after a minute. */
const LONGEST_WAIT_SECONDS = 50;
const DEFAULT_WAIT_SECONDS = 5;

const fact = z.object({
  text: z.string().min(1).max(2_000).describe("One fact: a short sentence in the third person, clear on its own"),
  kind: z.enum(["fact", "preference", "episode"]).optional(),
  isStatic: z.boolean().optional().describe("True for what hardly ever changes, such as a birthday"),
  forgetAfter: z.string().optional().describe("ISO 8601 date-time when it stops being true"),
  updates: anyId.optional().describe("Id of the memory that it replaces; search with mode memories finds it"),
  quote: z
    .string()
    .max(2_000)
    .optional()
    .describe("Copy the words of content that say this; with other words it waits for review"),
});

const input = z.object({
  content: z.string().min(1).describe("A statement, note, conversation or document; or one URL, whose page is fetched"),
  containerTag,
  facts: z
    .array(fact)
    .max(100)
    .optional()
    .describe(
      "What is worth remembering from content. Fill this in: without it, only simple statements are recognised",
    ),
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional()
    .describe("Flat values to filter by later: string, number, boolean, list of strings"),
  customId: anyId.optional().describe("Your own id for this text; sending it again replaces the text"),
  forgetAfter: z.string().optional().describe("ISO 8601 date-time when the text and what only it says are forgotten"),
  date: z.string().optional().describe("ISO 8601 date of the text, to resolve `yesterday` in it"),
  wait: z
    .number()
    .min(0)
    .max(LONGEST_WAIT_SECONDS)
    .default(DEFAULT_WAIT_SECONDS)
    .describe("Seconds to wait until it is searchable; 0: return once it is stored"),
});

const memorySchema = z.object({
  id: z.string(),
  text: z.string().optional().describe("Left out if it is what was sent"),
  searchableAt: z.string().optional(),
});

const output = z.object({
  documentId: z.string(),
  status: z.string(),
  containerTag: z.string(),
  searchable: z.boolean().describe("True if search finds the text and its facts now"),
  added: z.array(memorySchema.extend({ closeTo })),
  updated: z.array(memorySchema.extend({ replaced: z.string().nullable(), statedIn: statedIn.optional() })),
  duplicates: z.array(memorySchema).describe("Memories that already said this"),
  outdated: z.array(memorySchema).describe("Kept only as past: something newer is known"),
  review: z
    .array(memorySchema)
    .describe("Doubtful until a person reviews it: it reads like an instruction, or the text does not say it"),
  error: z.string().nullable(),
  warnings: z.array(z.string()).optional().describe("What the user should know, such as that it contains a secret"),
  notice: z.string(),
});
type Receipt = z.output<typeof output>;

export const addMemoryTool = defineTool({
  name: "add-memory",
  title: "Add to memory",
  description:
    "Stores a text and the facts in it for all later conversations. Call it when the user states a preference, a fact about " +
    "people or projects, a decision or a plan, or asks you to remember. Pass the facts yourself, with updates for what " +
    "replaces an older memory.",
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ core, actor, defaultContainer }, args) {
    const container = writingPlace({ actor, defaultContainer }, args.containerTag);
    const { content, facts, metadata, customId, forgetAfter, date, wait } = args;
    const receipt = await core.addDocument(
      { actor, operationId: createId() },
      {
        content,
        containerTags: [container],
        origin: "agent",
        dreaming: "instant",
        rememberAsIs: true,
        ...(facts && facts.length > 0 && { facts }),
        ...(metadata && { metadata }),
        ...(customId !== undefined && { customId }),
        ...(forgetAfter !== undefined && { forgetAfter }),
        ...(date !== undefined && { documentDate: date }),
        ...(wait > 0 && { wait }),
      },
    );
    const isExpired = receipt.forgetAfter !== undefined && receipt.forgetAfter <= new Date().toISOString();
    const sent = new Set([content, ...(facts ?? []).map(({ text }) => text)].map(oneLine));
    const warnings = [...(receipt.warnings ?? []), ...unreadContentWarnings(content)];
    const warned = { ...receipt, ...(warnings.length > 0 && { warnings }) };
    const structured = present(warned, { containerTag: container, isExpired, sent });
    return { text: describe(structured, { isResolved: receipt.facts !== null, isExpired, forgetAfter }), structured };
  },
});

interface Presenting {
  readonly containerTag: string;
  /** True when it had expired before it was added. */
  readonly isExpired: boolean;
  /** Texts that the caller knows, having sent them. */
  readonly sent: ReadonlySet<string>;
}

function present(
  { id, status, dreamingStatus, facts, errorReason, warnings }: ExplainedReceipt,
  { containerTag, isExpired, sent }: Presenting,
): Receipt {
  const with_ = (outcome: ExplainedFact["outcome"]) => (facts ?? []).filter((known) => known.outcome === outcome);
  const brief = ({ id: memoryId, text, searchableAt }: ExplainedFact) => ({
    id: memoryId,
    ...(!sent.has(oneLine(text)) && { text }),
    ...(searchableAt !== undefined && { searchableAt }),
  });
  return {
    documentId: id,
    status,
    containerTag,
    searchable: status === "done" && dreamingStatus === "done" && !isExpired,
    added: [...with_("added"), ...with_("extended")].map((known) => ({
      ...brief(known),
      ...(known.near && { closeTo: [...known.near] }),
    })),
    updated: with_("updated").map((known) => ({
      ...brief(known),
      replaced: known.replaced ?? null,
      ...(known.statedIn && { statedIn: [...known.statedIn] }),
    })),
    duplicates: with_("duplicate").map(brief),
    outdated: with_("outdated").map(brief),
    review: with_("review").map(brief),
    error: errorReason,
    ...(warnings && { warnings: [...warnings] }),
    notice: NOTICE,
  };
}

interface Describing {
  readonly isResolved: boolean;
  readonly isExpired: boolean;
  readonly forgetAfter: string | undefined;
}

/** One line with ids alone, since the reader has just sent the rest; and what concerns other memories, each on a line below. */
function describe(receipt: Receipt, describing: Describing): string {
  const { documentId, containerTag, added, updated, duplicates, outdated, review } = receipt;
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ["added", added.map(({ id }) => `[${id}]`)],
    ["updated", updated.map(({ id, replaced }) => `[${replaced ?? "?"}] -> [${id}]`)],
    ["already known", duplicates.map(({ id }) => `[${id}]`)],
    ["kept as past, since something newer is known", outdated.map(({ id }) => `[${id}]`)],
    ["doubtful, waits for review", review.map(({ id }) => `[${id}]`)],
  ];
  const told = groups.flatMap(([what, ids]) => (ids.length > 0 ? [`${ids.length} ${what} ${ids.join(" ")}`] : []));
  const facts = describing.isResolved
    ? `${told.length > 0 ? `Memories: ${told.join(", ")}` : "No lasting fact was recognised in it; pass facts to state them"}.`
    : receipt.status === "failed"
      ? "No facts were extracted from it."
      : "Its facts are still being extracted.";
  const beside = [
    ...added.flatMap(({ closeTo: near }) => describeCloseTo(near)),
    ...updated.flatMap(({ statedIn: documents }) => describeStatedIn(documents)),
  ];
  const warned = (receipt.warnings ?? []).map((warning) => ` Warning: ${warning}`).join("");
  const line = `Stored in ${containerTag} as document [${documentId}]. ${describeState(receipt, describing)} ${facts}${warned}`;
  return beside.length > 0 ? `${line}\n${fence(beside.join("\n"))}` : line;
}

function describeState({ status, searchable, error }: Receipt, { isExpired, forgetAfter }: Describing): string {
  if (status === "failed")
    return `It is stored, but could not be processed and is not searchable: ${oneLine(error ?? "no reason is known").replace(/\.$/, "")}.`;
  if (isExpired) return "It is not searchable.";
  if (!searchable) return `It is safely stored and becomes searchable in a moment (status ${status}).`;
  return `It is searchable ${forgetAfter === undefined ? "now" : `until ${oneLine(forgetAfter)}`}.`;
}
