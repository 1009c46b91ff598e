import * as z from "zod";
import type { TimeZone } from "../../lib/time-zone.js";
import { requireContainer } from "../auth.js";
import type { CoreContext, Limits } from "../context.js";
import { endUserOfAddition, withEndUser } from "../access/end-user.js";
import { contextFilterSchema } from "./context-filter.js";
import {
  checkMetadataSize,
  checkSize,
  containerTagSchema,
  MOST_CONTAINERS_OF_DOCUMENT,
  customIdSchema,
  dateSchema,
  filepathSchema,
  metadataSchema,
  noteSchema,
  parseInput,
  refusePast,
  textSchema,
} from "../input.js";
import { soleAddress } from "./web-address.js";
import { statedFactSchema } from "../memories/stated-facts.js";
import type { Actor, Document } from "../types.js";

const MAX_WAIT_SECONDS = 120;

export const addDocumentSchema = z.object({
  content: textSchema(),
  containerTags: z.array(containerTagSchema).max(MOST_CONTAINERS_OF_DOCUMENT).optional(),
  customId: customIdSchema.optional(),
  title: noteSchema(1_000).optional(),
  metadata: metadataSchema.optional(),
  endUserId: endUserOfAddition,
  /** Which memories may serve as context when facts are extracted; does not affect what is stored. */
  filterByMetadata: contextFilterSchema.optional(),
  /** Guidance for extraction, stored on each container of the document. */
  entityContext: noteSchema(1_500).optional(),
  taskType: z.enum(["memory", "superrag"]).optional(),
  dreaming: z.enum(["dynamic", "instant"]).optional(),
  filepath: filepathSchema.optional(),
  documentDate: dateSchema.optional(),
  /** When it expires, immediately if that has passed; null for never. */
  forgetAfter: dateSchema.nullish(),
  origin: z.enum(["user", "agent", "connector", "web"]).optional(),
  facts: z.array(statedFactSchema).max(100).optional(),
  rememberAsIs: z.boolean().optional(),
  /** Seconds to wait until the document is searchable and its facts are resolved. */
  wait: z.number().min(0).max(MAX_WAIT_SECONDS).optional(),
});
export type AddDocumentInput = z.input<typeof addDocumentSchema>;

/** What the service itself knows about a document it adds; never read from a request. */
export interface SubmissionFacts {
  /** The document's type, such as `pdf`; `text` by default. */
  readonly type?: string;
  /** Where it came from, or `/files/{key}`. Content that is a single web address brings its own. */
  readonly url?: string;
  /** The turns of a conversation; the content is their transcript. */
  readonly turns?: Document["turns"];
  /** Its text is still to be read from what `url` names; until then it is empty, or that of the known document. */
  readonly isUnread?: boolean;
  /** SHA-256 of the file to read it from. */
  readonly digest?: string;
}

const unreadSchema = addDocumentSchema.extend({ content: z.literal("") });

/** A validated submission, ready to be written: see `writeDocument`. */
export interface PreparedDocument {
  readonly input: Omit<z.output<typeof addDocumentSchema>, "containerTags" | "endUserId">;
  /** Null when the sender named none: an existing document then stays where it is. */
  readonly containerTags: readonly string[] | null;
  readonly known: SubmissionFacts;
  readonly limits: Limits;
  /** The server's time zone, for whatever names no other. */
  readonly timeZone: TimeZone;
  readonly now: Date;
}

/**
 * Validates a submission of a document; touches no store.
 * @throws AppError `invalid`, `too_large` or `forbidden`
 */
export function prepareDocument(
  { limits, clock, timeZone }: Pick<CoreContext, "limits" | "clock" | "timeZone">,
  actor: Actor,
  raw: unknown,
  known: SubmissionFacts = {},
): PreparedDocument {
  const { containerTags, endUserId, ...fields } = parseInput(known.isUnread ? unreadSchema : addDocumentSchema, raw);
  const address = known.url === undefined && !known.turns ? soleAddress(fields.content) : null;
  const sent = { ...fields, metadata: withEndUser(fields.metadata, endUserId) };
  const input = address === null ? sent : { ...sent, ...fetchedFrom(address) };
  checkSize("content", input.content, limits);
  checkMetadataSize("metadata", input.metadata, limits);
  checkMetadataSize("filterByMetadata", input.filterByMetadata, limits);
  const now = clock.now();
  refusePast("facts", input.facts ?? [], now);
  const tags = containerTags?.length ? [...new Set(containerTags)] : null;
  for (const tag of tags ?? []) requireContainer(actor, tag);
  const facts = address === null ? known : { ...known, url: address, type: "webpage" };
  return { input, containerTags: tags, known: facts, limits, timeZone, now };
}

/** Whoever names a page has not written it: its content is the web's, and never its sender's own word. */
function fetchedFrom(address: string) {
  return { content: address, origin: "web", rememberAsIs: false } as const;
}
