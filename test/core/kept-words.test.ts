import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { fillBuckets } from "../../src/core/profile/buckets.js";
import { readText } from "../../src/core/search/text-words.js";
import { contentRoot } from "../../src/language/english/relations.js";
import { buildMemory } from "../support/build-memory.js";

setFlagsFromString("--expose_gc");
const collect: unknown = runInNewContext("gc");

const LONG = 100_000;
const MB = 1_048_576;

/** A text with its own memory, not a slice of another string. */
const longText = (letter: string, number: number): string =>
  Buffer.alloc(LONG, letter).toString("latin1") +
  number.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!);

function heapUsed(): number {
  if (typeof collect !== "function") throw new Error("there is no garbage collector to call");
  collect();
  return process.memoryUsage().heapUsed;
}

test.each<[string, (number: number) => void]>([
  [
    "verdicts on memories",
    (number) => fillBuckets([buildMemory(longText(" ", number))], [{ key: "tools", description: "Tools." }]),
  ],
  ["roots of words", (number) => contentRoot(longText("b", number))],
  ["words of texts", (number) => readText(`once ${longText("c", number)}`)],
])("%s that are cached take no more memory for long texts", (_, use) => {
  const before = heapUsed();
  for (let number = 0; number < 600; number += 1) use(number);
  expect((heapUsed() - before) / MB).toBeLessThan(40);
});
