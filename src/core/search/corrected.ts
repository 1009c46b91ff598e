import { sentenceSpans } from "../../language/sentences.js";
import { fold } from "../../language/words.js";
import { isBefore } from "../memories/relate.js";
import { readStatement } from "../memories/statement.js";
import { saidAt } from "./conflicts.js";
import type { SearchResult } from "./search.js";
import { TRUST } from "../types.js";

/** Of a longer passage the first sentences are looked at. */
const MOST_SENTENCES = 40;
const SPEAKER = /^[^:\n]{1,40}: (?=\S)/;
const SAYING = /^(.{2,80}?) (?:is|are) (.{1,120})$/u;
const NEWER = /\b(?:new|current) /g;

/** What a sentence says of something. */
interface Said {
  /** What it is said of. */
  readonly of: string;
  readonly value: string;
  /** The words themselves say that it was different before. */
  readonly isChange: boolean;
}

/**
 * Puts passages behind a result that corrects them by its own words ("The wifi name is now AtticNet", "We no longer use Slack"),
 * was said later and is trusted as much. For what rules made no facts of, which would have told that already.
 */
export function behindCorrections(results: readonly SearchResult[]): readonly SearchResult[] {
  const said = results.map((result) => ({ result, sayings: sayingsOf(result) }));
  const changes = new Map<string, { readonly result: SearchResult; readonly value: string }[]>();
  for (const { result, sayings } of said)
    for (const { of, value, isChange } of sayings) {
      if (!isChange || result.standing) continue;
      const known = changes.get(of);
      if (known) known.push({ result, value });
      else changes.set(of, [{ result, value }]);
    }
  if (changes.size === 0) return results;
  const ordered = [...results];
  for (const { result: older, sayings } of said) {
    if (older.kind !== "chunk") continue;
    const newer = sayings
      .filter(({ isChange }) => !isChange)
      .flatMap(({ of, value }) => (changes.get(of) ?? []).filter((change) => change.value !== value))
      .map(({ result }) => result)
      .find((result) => corrects(result, older));
    if (newer) moveBefore(ordered, newer.id, older.id);
  }
  return ordered;
}

function corrects(newer: SearchResult, older: SearchResult): boolean {
  if (newer.id === older.id || TRUST.indexOf(newer.trust) > TRUST.indexOf(older.trust)) return false;
  if (containerOf(newer) !== containerOf(older)) return false;
  const [mine, theirs] = [saidAt(newer), saidAt(older)];
  if (isBefore(theirs, mine)) return true;
  if (isBefore(mine, theirs)) return false;
  const [now, before] = [newer.chunk, older.chunk];
  return now?.documentId === before?.documentId && (now?.position ?? 0) > (before?.position ?? 0);
}

function containerOf({ memory, documents }: SearchResult): string | undefined {
  return memory?.containerTag ?? documents[0]?.containerTags[0];
}

/** A result is never more similar than one before it. */
function moveBefore(results: SearchResult[], newer: string, older: string): void {
  const [from, to] = [newer, older].map((wanted) => results.findIndex(({ id }) => id === wanted)) as [number, number];
  if (to === -1 || from <= to) return;
  const [moved] = results.splice(from, 1);
  if (moved) results.splice(to, 0, { ...moved, similarity: results[to]!.similarity });
}

function sayingsOf({ text, aggregated }: SearchResult): readonly Said[] {
  if (aggregated) return [];
  const spans = sentenceSpans(text).slice(0, MOST_SENTENCES);
  return spans.flatMap(({ start, end }) => sayingsIn(text.slice(start, end).trim().replace(SPEAKER, "")));
}

function sayingsIn(sentence: string): readonly Said[] {
  const statement = readStatement(sentence);
  if (!statement) return [];
  const { dated, isNegative, isChange, scope } = statement;
  const whole = { of: `all ${fold(dated)} ${scope}`, value: String(isNegative), isChange: isNegative && isChange };
  const found = isNegative ? null : SAYING.exec(dated);
  if (!found) return [whole];
  const [, subject = "", value = ""] = found;
  const of = fold(subject)
    .replace(/^(?:the|our) /, "")
    .replace(NEWER, "");
  const isNew = /\bnew\b/i.test(subject) || isChange;
  return [whole, { of: `one ${of} ${scope}`, value: fold(value), isChange: isNew }];
}
