import { judgeText } from "../core/memories/trust.js";
import type { Document } from "../core/types.js";
import { sentenceSpans } from "../language/sentences.js";
import { truncate } from "../lib/truncate.js";
import type { DescribedByModel } from "./prompts/describe-document.js";

const LONGEST_TITLE = 80;
/** What is longer was not meant as a title. */
const NO_TITLE = 160;
const LONGEST_SUMMARY = 600;
const MOST_SENTENCES = 3;
/** Control characters, and marks that turn the direction of writing. */
const CONTROLS = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;
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
  const title = titleIn(onOneLine(described.title));
  const summary = summaryIn(onOneLine(described.summary));
  return { title: isHarmless(title) ? title : null, summary: isHarmless(summary) ? summary : null };
}

function onOneLine(text: string): string {
  return text.toWellFormed().replace(CONTROLS, " ").replace(/\s+/gu, " ").trim();
}

function titleIn(text: string): string {
  if (text.length > 2 * NO_TITLE) return "";
  const bare = text.replace(/^["“”„«»'`]+(?=\S)|["“”«»'`]+$/gu, "").trim();
  if (bare.length > NO_TITLE) return "";
  if (bare.length <= LONGEST_TITLE) return bare;
  const head = truncate(bare, LONGEST_TITLE - 1);
  return `${head.replace(/\s+\S*$/u, "")}…`;
}

/** As many whole sentences as there is room for. */
function summaryIn(text: string): string {
  const spans = sentenceSpans(text).slice(0, MOST_SENTENCES);
  const end = spans.findLast((span) => span.end <= LONGEST_SUMMARY)?.end ?? 0;
  return text.slice(0, end);
}
