import { AppError } from "../core/errors.js";
import { judgeText } from "../core/memories/trust.js";
import type { Document } from "../core/types.js";
import { sentenceSpans } from "../language/sentences.js";
import { truncate } from "../lib/truncate.js";
import type { DescribedByModel } from "./prompts/describe-document.js";
import { lineOfModel } from "./line-of-model.js";

const LONGEST_TITLE = 80;
/** Anything longer was not meant as a title. */
const NO_TITLE = 160;
const LONGEST_SUMMARY = 600;
const MOST_SENTENCES = 3;
const ADDRESS = /(?:\b[a-z][a-z0-9+.-]*:\/\/|\bwww\.)[^\s<>"')\]]+/giu;

/** A document's title and summary, as far as the model's answer is usable; null where it is not. */
export interface CheckedDescription {
  readonly title: string | null;
  readonly summary: string | null;
}

/**
 * The part of a model's description that may be shown: plain text on one line, of a reasonable length, that gives no
 * orders to an assistant and contains no address that is not in the document.
 */
export function checkDescription(
  described: DescribedByModel,
  document: Pick<Document, "content" | "origin">,
): CheckedDescription {
  const isHarmless = (text: string) =>
    /[\p{L}\p{N}]/u.test(text) &&
    judgeText(text, undefined, { origin: document.origin }).trust !== "flagged" &&
    [...text.matchAll(ADDRESS)].every(([address]) => document.content.includes(address.replace(/[.,;:!?]+$/u, "")));
  const title = titleIn(lineOfModel(described.title));
  const summary = summaryIn(lineOfModel(described.summary));
  return { title: isHarmless(title) ? title : null, summary: isHarmless(summary) ? summary : null };
}

/** Limits in characters and sentences for the description of a picture; a model that exceeds them is rambling. */
const LONGEST_OF_PICTURE = 1_000;
const MOST_OF_PICTURE = 12;

/**
 * A model's description of a picture, fit to be shown: plain text on one line, of a reasonable length, without
 * addresses. Whoever made the picture may have put text into it that tells the model what to say.
 * @throws AppError `invalid` when nothing is left, or it gives orders to an assistant
 */
export function checkPictureDescription(text: string): string {
  const line = lineOfModel(text).replace(ADDRESS, "").replace(/ {2,}/gu, " ").trim();
  const description = wholeSentences(line, { most: MOST_OF_PICTURE, longest: LONGEST_OF_PICTURE });
  if (!/[\p{L}\p{N}]/u.test(description))
    throw new AppError("invalid", "The language model gave no usable description of the picture.");
  if (judgeText(description, undefined, { origin: "web" }).trust === "flagged")
    throw new AppError("invalid", "The language model's description of the picture gives orders to an assistant.");
  return description;
}

function titleIn(text: string): string {
  if (text.length > 2 * NO_TITLE) return "";
  const bare = text.replace(/^["“”„«»'`]+(?=\S)|["“”«»'`]+$/gu, "").trim();
  if (bare.length > NO_TITLE) return "";
  if (bare.length <= LONGEST_TITLE) return bare;
  const head = truncate(bare, LONGEST_TITLE - 1);
  return `${head.replace(/\s+\S*$/u, "")}…`;
}

function summaryIn(text: string): string {
  return wholeSentences(text, { most: MOST_SENTENCES, longest: LONGEST_SUMMARY });
}

/** As many whole sentences as fit. */
function wholeSentences(text: string, { most, longest }: { readonly most: number; readonly longest: number }): string {
  const spans = sentenceSpans(text).slice(0, most);
  const end = spans.findLast((span) => span.end <= longest)?.end ?? 0;
  return text.slice(0, end);
}
