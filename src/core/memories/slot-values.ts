import { fold, NUMBER_WORDS } from "../../language/words.js";
import { datePartsOf } from "./statement.js";
import { CITIES, JOB_MODIFIERS, OCCUPATIONS, PHASES, REGIONS } from "./slot-words.js";

/** How two values of a slot are compared. */
export type ValueKind = "words" | "place" | "job" | "date" | "number" | "exact" | "phase";

const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the", "of"]);

/** The words that identify a value, folded, in order. */
export function valueWords(value: string): string[] {
  return (fold(value).match(/[\p{L}\p{N}+#]+(?:['.&-][\p{L}\p{N}]+)*/gu) ?? [])
    .filter((word) => !ARTICLES.has(word))
    .map((word) => (word.length > 3 && /[^suix]s$/.test(word) ? word.slice(0, -1) : word));
}

/** True when both are the same apart from form. */
export function isSameValue(kind: ValueKind, one: string, other: string): boolean {
  if (kind === "exact") return compact(one) === compact(other);
  if (kind === "number") return numberIn(one) === numberIn(other);
  return valueWords(one).join(" ") === valueWords(other).join(" ");
}

/** True when `whole` says at least what `part` says. */
export function includesValue(kind: ValueKind, whole: string, part: string): boolean {
  if (kind === "exact" || kind === "number") return isSameValue(kind, whole, part);
  const words = new Set(valueWords(whole));
  return valueWords(part).every((word) => words.has(word));
}

const PART_OF_A_PLACE = /^(?:north|south|east|west|central|downtown|greater)$/;

/**
 * True when a place is the other or lies in it, judging by its name: "East Berlin" and "Lyon, France" do, but "New York" is not
 * in York.
 */
export function liesIn(place: string, other: string): boolean {
  const named = valueWords(other).join(" ");
  return place.split(/,| in /).some((part) => {
    const words = valueWords(part);
    const name = words
      .slice(PART_OF_A_PLACE.test(words[0] ?? "") && !named.startsWith(words[0] ?? "") ? 1 : 0)
      .join(" ");
    return name === named || name.startsWith(`${named} `);
  });
}

/** True when only one of the two can hold. Values that cannot be compared do not contradict. */
export function contradicts(kind: ValueKind, one: string, other: string): boolean {
  switch (kind) {
    case "exact":
      return compact(one) !== compact(other);
    case "number":
      return numberIn(one) !== numberIn(other);
    case "date":
      return datesDiffer(one, other);
    case "job":
      return !includesValue(kind, one, other) && !includesValue(kind, other, one) && !mayBeOneJob(one, other);
    case "place":
      return !includesValue(kind, one, other) && !includesValue(kind, other, one) && isRegion(one) === isRegion(other);
    case "phase":
      return phaseOf(one) !== phaseOf(other);
    case "words":
      return !includesValue(kind, one, other) && !includesValue(kind, other, one);
  }
}

function phaseOf(value: string): number {
  return PHASES.findIndex((phase) => phase.has(fold(value).trim()));
}

function compact(value: string): string {
  return fold(value).replace(/[\s()/-]/g, "");
}

function numberIn(value: string): number {
  const digits = /\d+(?:\.\d+)?/.exec(value.replace(/,(?=\d{3}(?!\d))/g, ""))?.[0];
  return Number(digits ?? NUMBER_WORDS.get(fold(value).trim()) ?? Number.NaN);
}

function datesDiffer(one: string, other: string): boolean {
  const [first, second] = [datePartsOf(one), datePartsOf(other)];
  for (const part of ["year", "month", "day", "quarter", "weekday"] as const) {
    const [left, right] = [first[part], second[part]];
    // A weekday recurs every week: beside a date it adds nothing.
    if (part === "weekday" && (first.day !== undefined || second.day !== undefined)) continue;
    if (left !== undefined && right !== undefined && left !== right) return true;
  }
  return false;
}

function isRegion(value: string): boolean {
  return REGIONS.has(placeNamed(value));
}

/** True for the name of a country or a large town that the rules know. */
export function isPlace(value: string): boolean {
  return isRegion(value) || CITIES.has(placeNamed(value));
}

function placeNamed(value: string): string {
  return fold(value).replace(/^the /, "").trim();
}

function mayBeOneJob(one: string, other: string): boolean {
  const groups = new Set(jobGroups(one));
  return jobGroups(other).some((group) => groups.has(group));
}

function jobGroups(value: string): readonly number[] {
  const folded = fold(value).trim();
  return OCCUPATIONS.get(folded) ?? OCCUPATIONS.get(folded.split(" ").at(-1) ?? "") ?? [];
}

/** True for the name of a job that the rules know, alone or with a specialisation: a `careful driver` is not a job. */
export function isJob(value: string): boolean {
  const words = fold(value).trim().split(" ");
  return jobGroups(value).length > 0 && words.slice(0, -1).every((word) => JOB_MODIFIERS.has(word));
}
