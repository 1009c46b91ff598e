import { singleSpaced } from "../../lib/single-spaced.js";

/** A value of a data file. Numbers, truth values and null are kept as they are written. */
export type DataNode = string | DataList | DataObject;

export interface DataList {
  readonly kind: "list";
  readonly items: readonly DataNode[];
}

export interface DataObject {
  readonly kind: "object";
  /** In order; names may come twice. */
  readonly fields: readonly (readonly [name: string, value: DataNode])[];
}

/** More values than people read; what has more is kept as it stands. */
export const MOST_VALUES = 1_000_000;
/** Objects and lists in each other, so that walking them never fills the stack. */
export const DEEPEST = 256;

/** The text of the first of some fields, without regard to case; null where none says anything short. */
export function textField(node: DataNode | undefined, names: readonly string[]): string | null {
  if (typeof node !== "object" || node.kind !== "object") return null;
  for (const name of names) {
    const value = node.fields.find(([own]) => own.toLowerCase() === name)?.[1];
    if (typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_TITLE) return singleSpaced(value);
  }
  return null;
}

const LONGEST_TITLE = 200;
