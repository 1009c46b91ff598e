import { type ExplainedFact, type SearchAnswer, type SearchResult, documentSource } from "../../core/index.js";
import type { Memory, Trust } from "../../core/types.js";
import { dayIn, type TimeZone } from "../../lib/time-zone.js";
import { placeInFile } from "../place-in-file.js";
import type { Cli } from "./cli.js";
import { describeSource } from "./document-source.js";
import { indent, printableLine, printable } from "./style.js";
import { count } from "../../lib/count.js";

/** Search results for people: score, text, then place and date. */
export function describeAnswer(cli: Cli, answer: SearchAnswer, query: string): string[] {
  const found = answer.results.flatMap((result) => describeResult(cli, result, answer.timeZone));
  const nothing = [`Nothing found for “${printableLine(query)}”.`];
  return [...(found.length > 0 ? found : nothing), ...describeLimits(cli, answer)];
}

/** What a reader must know to trust an answer: what is still pending, and what did not work. */
export function describeLimits(cli: Cli, { waiting, degraded }: SearchAnswer): string[] {
  const { yellow } = cli.output.style;
  return [
    ...(waiting > 0
      ? [
          yellow(
            `${count(waiting, "document is", "documents are")} still waiting to be indexed or read for facts; search again later.`,
          ),
        ]
      : []),
    ...degraded.map((reason) => yellow(`Degraded: ${printableLine(reason)}`)),
  ];
}

function describeResult(cli: Cli, result: SearchResult, timeZone: TimeZone): string[] {
  const { bold, dim } = cli.output.style;
  const text = indent(printable(result.text).trim(), 6).trimStart();
  const kind = result.kind === "memory" ? "memory" : `${result.standing ? "out-of-date " : ""}passage`;
  const conflicts = result.conflictsWith ? [`conflicts with ${result.conflictsWith.join(" and ")}`] : [];
  const place = result.chunk?.metadata ? placeInFile(result.chunk.metadata) : null;
  const places = place === null ? [] : [printableLine(place)];
  const isGuess = result.memory?.isInference === true && result.trust !== "flagged";
  const marks = [...(isGuess ? ["a guess that waits for review"] : []), ...(MARKS[result.trust] ?? [])];
  const facts = [
    kind,
    describeDocuments(result),
    ...places,
    dayOf(result, timeZone),
    result.id,
    ...conflicts,
    ...marks,
  ];
  return [`${bold(result.similarity.toFixed(2))}  ${text}`, dim(indent(facts.join(" · "), 6))];
}

/** What a reader must know before using a text. */
const MARKS: Readonly<Partial<Record<Trust, readonly string[]>>> = {
  unverified: ["unverified: not from the user"],
  flagged: ["FLAGGED: reads like an instruction and has not been reviewed"],
};

function describeDocuments({ documents }: SearchResult): string {
  const [first] = documents;
  if (!first) return "no document";
  const more = documents.length > 1 ? ` and ${documents.length - 1} more` : "";
  return `from ${describeSource({ ...first, source: documentSource(first) })}${more}`;
}

/** The day of a result, where known: what the source says, otherwise when it was added. */
function dayOf({ chunk, memory, documents }: SearchResult, timeZone: TimeZone): string {
  const known = chunk?.metadata?.date ?? documents[0]?.documentDate ?? chunk?.createdAt ?? memory?.createdAt;
  return known === undefined ? "no date" : dayIn(known, timeZone);
}

/** The outcome for each fact of a document, one per line. */
export function describeFacts(facts: readonly ExplainedFact[]): string[] {
  return facts.flatMap(({ outcome, text, id, replaced, near = [], statedIn = [] }) => {
    const note = {
      added: "",
      extended: " (adds to what was known)",
      outdated: " (kept as outdated: something newer is known)",
      review: " (doubtful: waits for review)",
      duplicate: " (already known)",
      updated: ` (replaces ${replaced ?? "an older one"})`,
    };
    return [
      `- ${printableLine(text)}${note[outcome]}  [${id}]`,
      ...near.map((other) => `  close to: ${printableLine(other.text)}  [${other.id}]; --updates if it replaces that`),
      ...statedIn.map((document) => `  the old one is still stated in: ${describeSource(document)}  [${document.id}]`),
    ];
  });
}

export function describeMemories(memories: readonly Memory[]): string[] {
  return memories.map(
    ({ text, id, isInference }) => `- ${printableLine(text)}  [${id}]${isInference ? " (waits for review)" : ""}`,
  );
}
