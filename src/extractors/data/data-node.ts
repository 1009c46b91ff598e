import { singleSpaced } from "../../lib/single-spaced.js";

/** A value in a data file. Numbers, booleans and null are kept as written. */
export type DataNode = string | DataList | DataObject;

export interface DataList {
  readonly kind: "list";
  readonly items: readonly DataNode[];
}

export interface DataObject {
  readonly kind: "object";
  /** In order; names may repeat. */
  readonly fields: readonly (readonly [name: string, value: DataNode])[];
}

/** More values than anyone reads; a file with more is kept as plain text. */
export const MOST_VALUES = 1_000_000;
/** Maximum nesting of objects and lists, so that walking them never overflows the stack. */
export const DEEPEST = 256;

/** The text of the first of these fields that has a short one, ignoring case; otherwise null. */
export function textField(node: DataNode | undefined, names: readonly string[]): string | null {
  if (typeof node !== "object" || node.kind !== "object") return null;
  for (const name of names) {
    const value = node.fields.find(([own]) => own.toLowerCase() === name)?.[1];
    if (typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_TITLE) return singleSpaced(value);
  }
  return null;
}

const LONGEST_TITLE = 200;
