import * as z from "zod";
import { containerTagSchema, MOST_CONTAINERS_OF_DOCUMENT, searchSchema } from "../../core/index.js";
import { DOCUMENT_STATUSES } from "../../core/types.js";

/** Pieces that several endpoints share. The rules for inputs are the core's, under the names of the wire contract. */

export const containerTag = containerTagSchema;
/** An empty list is more likely a mistake than a wish for everything. */
const containerTags = z.array(containerTag).min(1, "must name at least one container, or be left out");

/** Both spellings of contract 1.7. */
export const containerFields = {
  containerTag: containerTag.optional(),
  containerTags: containerTags.max(100).optional(),
};

/** The same for the containers that hold a document or conversation. */
export const documentContainerFields = {
  ...containerFields,
  containerTags: containerTags.max(MOST_CONTAINERS_OF_DOCUMENT).optional(),
};

/** The tags of a request, the singular one first; undefined when it names none. */
export function tagsOf(input: {
  containerTag?: string | undefined;
  containerTags?: readonly string[] | undefined;
}): string[] | undefined {
  const tags = [...(input.containerTag === undefined ? [] : [input.containerTag]), ...(input.containerTags ?? [])];
  return tags.length > 0 ? [...new Set(tags)] : undefined;
}

/** The filter language of contract 1.13, as an object or as its JSON text; the core parses it. */
export const filters = z.union([z.record(z.string(), z.unknown()), z.string()], "must be an object with AND or OR");
export const endUser = searchSchema.shape.endUserId.unwrap();
export const threshold = searchSchema.shape.threshold;
export const filepath = searchSchema.shape.filepath;
/** How several tags are combined. */
export const operator = z
  .string("must be AND or OR")
  .regex(/^(and|or)$/i, "must be AND or OR")
  .optional();

/** A wire operator in the core's terms. */
export function operatorOf(text: string | undefined): "all" | "any" {
  return text?.toUpperCase() === "AND" ? "all" : "any";
}

export const dateTime = z.iso.datetime({ precision: 3 });
export const anyMetadata = z.record(z.string(), z.unknown()).nullable();

const DOCUMENT_TYPES = [
  "text",
  "pdf",
  "tweet",
  "google_doc",
  "google_slide",
  "google_sheet",
  "image",
  "video",
  "audio",
  "notion_doc",
  "webpage",
  "onedrive",
  "github_markdown",
  "granola",
] as const;
export const documentType = z.enum(DOCUMENT_TYPES);
export const documentStatus = z.enum(DOCUMENT_STATUSES);

/** The type in terms of the wire contract; types it has no name for count as text. */
export function documentTypeOf(type: string): z.infer<typeof documentType> {
  return DOCUMENT_TYPES.find((known) => known === type) ?? "text";
}

export const errorSchema = z.object({
  error: z.string(),
  details: z.string().optional(),
  message: z.string(),
  success: z.literal(false).optional(),
  issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).optional(),
});
