import * as z from "zod";
import type { DocumentSearchAnswer } from "../../../core/index.js";
import { placeSchema, presentPlace } from "./present-place.js";
import { presentGaps, searchFigures } from "./present-search-result.js";
import { anyMetadata, dateTime, documentType, documentTypeOf } from "../schemas.js";

const score = z.number().min(0).max(1);

/** `POST /v3/search` (contract 3.2). */
export const documentSearchAnswer = z.object({
  results: z.array(
    z.object({
      documentId: z.string(),
      title: z.string().nullable(),
      type: documentType.nullable(),
      score,
      metadata: anyMetadata,
      createdAt: dateTime,
      updatedAt: dateTime,
      chunks: z.array(
        z.object({
          content: z.string(),
          isRelevant: z.boolean(),
          position: z.int(),
          score,
          place: placeSchema.optional(),
        }),
      ),
      /** Only on request. */
      content: z.string().optional(),
      summary: z.string().nullable().optional(),
    }),
  ),
  ...searchFigures,
});

/** An answer of document search (contract 3.2). */
export function presentDocumentSearch(
  answer: DocumentSearchAnswer,
  { withSummary }: { withSummary: boolean },
): z.infer<typeof documentSearchAnswer> {
  return {
    results: answer.results.map(({ document, content, score, chunks }) => ({
      documentId: document.id,
      title: document.title,
      type: documentTypeOf(document.type),
      score,
      metadata: document.metadata,
      createdAt: document.createdAt,
      updatedAt: document.updatedAt,
      chunks: chunks.map(({ metadata, ...chunk }) => ({ ...chunk, ...presentPlace(metadata) })),
      ...(content !== undefined && { content }),
      ...(withSummary && { summary: document.summary }),
    })),
    timing: answer.timing,
    total: answer.results.length,
    ...presentGaps(answer),
  };
}
