import * as z from "zod";
import { truncate } from "../../../lib/truncate.js";
import { oneLine } from "../../../lib/one-line.js";

/** Replaces the title of a document that has none. */
export const UNTITLED = "without a title";
const LONGEST_TITLE = 120;

/** Older memories that a new one may be meant to replace. */
export const closeTo = z.array(z.object({ id: z.string(), text: z.string() })).optional();

/** Documents whose text still states what is no longer remembered. */
export const statedIn = z.array(z.object({ id: z.string(), title: z.string().nullable(), isLeftOut: z.boolean() }));

/** A line for each memory close to a new one. */
export function describeCloseTo(memories: z.output<typeof closeTo> = []): string[] {
  return memories.map(
    ({ id, text }) => `  close to [${id}] ${oneLine(text)}; pass updates with that id if it replaces it`,
  );
}

/** A line for each document whose text still states what was replaced. */
export function describeStatedIn(documents: z.output<typeof statedIn> = []): string[] {
  return documents.map(({ id, title, isLeftOut }) => {
    const told = isLeftOut ? "" : ", where searches may still show it";
    return `  the old one is still in the document [${id}] ${truncate(oneLine(title ?? UNTITLED), LONGEST_TITLE)}${told}`;
  });
}
