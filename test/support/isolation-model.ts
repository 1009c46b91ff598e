/**
 * Who may be told what, told apart from how the service does it: by where a thing lies now, and where it lay. Everything that
 * the world of the isolation test has is noted here when it is made.
 */

/** The container that none of the callers may use, theirs, and one that they could use until it was merged into the former. */
export const FOREIGN = "vaultxqzv";
export const OWN = "deskxqzv";
export const MERGED = "annexxqzv";

export const KINDS = [
  "document",
  "customId",
  "memory",
  "chunk",
  "batch",
  "task",
  "job",
  "file",
  "key",
  "merge",
  "container",
] as const;
export type Kind = (typeof KINDS)[number];

/** Something with an id that requests may name. */
export interface Thing {
  readonly kind: Kind;
  /** What was done to it, such as `moved`. */
  readonly state: string;
  readonly id: string;
  /** Containers that it lies in; none for what is the organisation's. */
  readonly liesIn: readonly string[];
  /** Containers whose journal speaks of it, from when it lay there. */
  readonly wasIn: readonly string[];
}

/** A word that an answer may have only for those who may see one of the containers. */
export interface Secret {
  readonly word: string;
  readonly liesIn: readonly string[];
  readonly wasIn: readonly string[];
}

/** Somebody who sends requests. */
export interface IsolationKey {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sees: readonly string[];
  readonly writes: readonly string[];
}

/** Whether an operation tells what was, besides what is: the journal of a container stays there when things leave it. */
export function tellsHistory(operation: string): boolean {
  return /\bjournal\b/.test(operation);
}

/** Whether somebody may be told a word by an operation, or the id of a thing. */
export function mayBeTold(
  { sees }: Pick<IsolationKey, "sees">,
  { liesIn, wasIn }: Pick<Secret, "liesIn" | "wasIn">,
  operation: string,
): boolean {
  const places = tellsHistory(operation) ? [...liesIn, ...wasIn] : liesIn;
  return places.some((tag) => sees.includes(tag));
}

/** Whether something is, to somebody, as if it were not there: then an answer about it is the one about nothing. */
export function isNothingTo({ sees }: Pick<IsolationKey, "sees">, thing: Thing, operation: string): boolean {
  const { liesIn, wasIn } = thing;
  return ![...liesIn, ...(tellsHistory(operation) ? wasIn : [])].some((tag) => sees.includes(tag));
}

const NO_ID = "1111111111111111111111";
const NO_CONTAINER = "nowherexqzv";

/** What is nothing, and looks like the id of a thing: some fields take names of some length only. */
export function nothingLike({ kind, id }: Thing): string {
  if (kind === "container") return NO_CONTAINER;
  return /^[1-9A-Za-z]{22}$/.test(id) ? NO_ID : "nothing".padEnd(id.length, "-").slice(0, id.length);
}

/** Words of an answer that somebody may not be told, but for what they sent themselves. */
export function leaksIn(
  told: string,
  secrets: readonly Secret[],
  { key, operation, sent }: { readonly key: IsolationKey; readonly operation: string; readonly sent: string },
): string[] {
  return secrets
    .filter((secret) => told.includes(secret.word) && !sent.includes(secret.word) && !mayBeTold(key, secret, operation))
    .map(({ word }) => word);
}

/** An answer without what differs by itself: ids, times, how far a document's processing is, and what the caller sent. */
export function shapeOf(told: string, sent: string): string {
  return told
    .replaceAll(sent, "<sent>")
    .replaceAll(encodeURIComponent(sent), "<sent>")
    .replaceAll(/\b[1-9A-HJ-NP-Za-km-z]{22}\b/g, "<id>")
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "<time>")
    .replaceAll(
      /"(?:status|dreamingStatus)":"(?:queued|extracting|chunking|embedding|indexing|dreaming|done)"/g,
      "<on its way>",
    )
    .replaceAll(/"(?:timing|searchTime|total|durationMs)":[\d.]+/g, "<measured>");
}
