import { AppError } from "../core/errors.js";
import { judgeText } from "../core/memories/trust.js";
import type { Document } from "../core/types.js";
import { sentenceSpans } from "../language/sentences.js";
import { truncate } from "../lib/truncate.js";
import type { DescribedByModel } from "./prompts/describe-document.js";
import { lineOfModel } from "./line-of-model.js";

const LONGEST_TITLE = 80;
/** What is longer was not meant as a title. */
const NO_TITLE = 160;
const LONGEST_SUMMARY = 600;
const MOST_SENTENCES = 3;
const ADDRESS = /(?:\b[a-z][a-z0-9+.-]*:\/\/|\bwww\.)[^\s<>"')\]]+/giu;

/** What a document is called and what it says in short, as far as a model's word can be used; null where it cannot. */
export interface Description {
  readonly title: string | null;
  readonly summary: string | null;
}

/**
 * What of a model's description may be shown: plain text on one line, of a sane length, that gives no orders to an assistant
 * and names no address that the document does not.
 */
export function checkDescription(
  described: DescribedByModel,
  document: Pick<Document, "content" | "origin">,
): Description {
  const isHarmless = (text: string) =>
    /[\p{L}\p{N}]/u.test(text) &&
    judgeText(text, undefined, { origin: document.origin }).trust !== "flagged" &&
    [...text.matchAll(ADDRESS)].every(([address]) => document.content.includes(address.replace(/[.,;:!?]+$/u, "")));
  const title = titleIn(lineOfModel(described.title));
  const summary = summaryIn(lineOfModel(described.summary));
  return { title: isHarmless(title) ? title : null, summary: isHarmless(summary) ? summary : null };
}

/** Characters and sentences of what is said of a picture; a model that says more goes on and on. */
const LONGEST_OF_PICTURE = 1_000;
const MOST_OF_PICTURE = 12;

/**
 * What a model says of a picture as it may be shown: plain text on one line, of a sane length, without addresses. Whoever made the
 * picture may have written into it what a model is to say.
 * @throws AppError `invalid` where nothing is left, or it gives orders to an assistant
 */
export function checkPictureDescription(text: string): string {
  const line = lineOfModel(text).replace(ADDRESS, "").replace(/ {2,}/gu, " ").trim();
  const description = wholeSentences(line, { most: MOST_OF_PICTURE, longest: LONGEST_OF_PICTURE });
  if (!/[\p{L}\p{N}]/u.test(description))
    throw new AppError("invalid", "The language model said nothing of the picture that can be used.");
  if (judgeText(description, undefined, { origin: "web" }).trust === "flagged")
    throw new AppError("invalid", "What the language model said of the picture gives orders to an assistant.");
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

/** As many whole sentences as there is room for. */
function wholeSentences(text: string, { most, longest }: { readonly most: number; readonly longest: number }): string {
  const spans = sentenceSpans(text).slice(0, most);
  const end = spans.findLast((span) => span.end <= longest)?.end ?? 0;
  return text.slice(0, end);
}
