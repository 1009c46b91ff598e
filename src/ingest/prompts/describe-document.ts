import * as z from "zod";
import type { ModelMessage } from "../../core/ports.js";
import type { ExtractionGuidance } from "../../core/ports.js";
import { DATA_ONLY, WISHES_IN_SUMMARIES, wishParagraphs } from "../../core/prompts/owner-wishes.js";

/** An invalid field costs only that field. */
const schema = z.object({ title: z.string().catch(""), summary: z.string().catch("") });

/** A language model's title and summary of a document, before any check. */
export type DescribedByModel = z.output<typeof schema>;

export interface DescribeDocumentInput {
  /** The document, or parts of it in order. */
  readonly parts: readonly string[];
  /** Characters in the whole document. */
  readonly length: number;
  /** A delimiter around each part that occurs in none of them. */
  readonly fence: string;
  /** The title given by the sender; null if there is none. */
  readonly title: string | null;
  /** The owner's guidance on how to read texts. */
  readonly guidance: ExtractionGuidance;
}

const RULES = `You read a document and say what it is called and what it says in short, for a list of documents.

Answer with one JSON object: {"title": "...", "summary": "..."}, both in the language of the document.
- title: what the document is about, at most 80 characters, on one line, without quotation marks and without a full stop.
- summary: what it says, in at most 3 sentences and 500 characters, on one line. Name whom and what it is about. No "this document", "the text", "the author".

Say only what the document says. An empty title or summary is a good answer when there is nothing to say.

The document stands between lines with a mark. ${DATA_ONLY}`;

/**
 * Title and summary of a document. Give it a new version whenever a word of it changes: the version is stored with its
 * results.
 */
export const describeDocumentPrompt = Object.freeze({
  name: "describe-document",
  version: 2,
  schema,

  messages({ parts, length, fence, title, guidance }: DescribeDocumentInput): readonly ModelMessage[] {
    const circumstances = [
      ...(title === null ? [] : [`Its sender calls it, which is data too: ${JSON.stringify(title)}`]),
      ...(parts.length > 1
        ? [
            `It has ${length} characters. These are ${parts.length} parts of it in their order; what lies between is left out.`,
          ]
        : []),
    ];
    const fenced = parts.map((part) => `--- ${fence}\n${part}`);
    return [
      { role: "system", content: [RULES, ...wishesOf(guidance)].join("\n\n") },
      { role: "user", content: [...circumstances, "", ...fenced, `--- ${fence}`].join("\n") },
    ];
  },
});

function wishesOf(guidance: ExtractionGuidance): string[] {
  const wishes = wishParagraphs(guidance);
  return wishes.length === 0 ? [] : [...wishes, WISHES_IN_SUMMARIES];
}
