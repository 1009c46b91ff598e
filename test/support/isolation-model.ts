/**
 * Who may be told what, described independently of the service: by where a thing is now, and where it was. Everything in
 * the world of the isolation test is registered here when it is created.
 */

/** A container that none of the callers may use, their own, and one that they could use until it was merged into the first. */
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

/** A thing with an id that requests may name. */
export interface Thing {
  readonly kind: Kind;
  /** What was done to it, such as `moved`. */
  readonly state: string;
  readonly id: string;
  /** Containers that it is in; none for things of the organisation. */
  readonly liesIn: readonly string[];
  /** Containers whose journal mentions it, from when it was there. */
  readonly wasIn: readonly string[];
}

/** A word that only callers who may see one of the containers may receive. */
export interface Secret {
  readonly word: string;
  readonly liesIn: readonly string[];
  readonly wasIn: readonly string[];
}

/** A caller. */
export interface IsolationKey {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sees: readonly string[];
  readonly writes: readonly string[];
}

/** Whether an operation returns the past as well as the present: a container's journal stays when things leave it. */
export function tellsHistory(operation: string): boolean {
  return /\bjournal\b/.test(operation);
}

/** Whether an operation may reveal a word, or the id of a thing, to a caller. */
export function mayBeTold(
  { sees }: Pick<IsolationKey, "sees">,
  { liesIn, wasIn }: Pick<Secret, "liesIn" | "wasIn">,
  operation: string,
): boolean {
  const places = tellsHistory(operation) ? [...liesIn, ...wasIn] : liesIn;
  return places.some((tag) => sees.includes(tag));
}

/** Whether a thing must not exist for a caller: responses about it are then the same as about nothing. */
export function isNothingTo({ sees }: Pick<IsolationKey, "sees">, thing: Thing, operation: string): boolean {
  const { liesIn, wasIn } = thing;
  return ![...liesIn, ...(tellsHistory(operation) ? wasIn : [])].some((tag) => sees.includes(tag));
}

const NO_ID = "1111111111111111111111";
const NO_CONTAINER = "nowherexqzv";

/** Names nothing, but looks like an id: some fields accept names of certain lengths only. */
export function nothingLike({ kind, id }: Thing): string {
  if (kind === "container") return NO_CONTAINER;
  return /^[1-9A-Za-z]{22}$/.test(id) ? NO_ID : "nothing".padEnd(id.length, "-").slice(0, id.length);
}

/** Words in a response that a caller may not be told, except those that they sent. */
export function leaksIn(
  told: string,
  secrets: readonly Secret[],
  { key, operation, sent }: { readonly key: IsolationKey; readonly operation: string; readonly sent: string },
): string[] {
  return secrets
    .filter((secret) => told.includes(secret.word) && !sent.includes(secret.word) && !mayBeTold(key, secret, operation))
    .map(({ word }) => word);
}

/** A response without its variable parts: ids, times, the progress of a document, and what the caller sent. */
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
