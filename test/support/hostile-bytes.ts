import { expect } from "vitest";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import type { FormatExtractor } from "../../src/extractors/format-extractor.js";
import { extractionTools, sourceFile } from "./extraction-tools.js";

const MUTATIONS = 200;
/** Processor time, so that other load on the machine does not count. */
const LONGEST_MS = 5_000;

/** Numbers from 0 up to but not including 1, the same in every run. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A file truncated at several places, changed at random places, and random bytes after its beginning. */
function* hostileForms(sample: Uint8Array): Generator<Uint8Array> {
  const random = seededRandom(7);
  const place = () => Math.floor(random() * sample.length);
  for (const part of [0, 0.01, 0.1, 0.5, 0.9, 0.99]) yield sample.subarray(0, Math.floor(sample.length * part));
  yield Buffer.concat([sample.subarray(0, 12), Buffer.from(Array.from({ length: 4_096 }, () => random() * 256))]);
  for (let round = 0; round < MUTATIONS; round += 1) {
    const changed = Buffer.from(sample);
    for (let count = 0; count < 1 + random() * 12; count += 1) changed[place()] = random() * 256;
    const from = place();
    yield round % 3 === 0 ? Buffer.concat([changed.subarray(0, from), changed.subarray(place())]) : changed;
  }
}

/** Every variant ends in a result or an `ExtractionError` within five seconds of processor time, with text that can be stored. */
export async function surviveHostileBytes(extract: FormatExtractor, sample: Uint8Array): Promise<void> {
  for (const bytes of hostileForms(sample)) await survive(extract, bytes);
}

/** One file ends in a result or an `ExtractionError` within five seconds of processor time. Returns the text. */
export async function survive(extract: FormatExtractor, bytes: Uint8Array): Promise<string> {
  const began = process.cpuUsage();
  const text = await extract(sourceFile(bytes), extractionTools()).then(
    ({ parts }) => parts.map((part) => part.text).join("\n"),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ExtractionError);
      return "";
    },
  );
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1_000).toBeLessThan(LONGEST_MS);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/[^\P{Cc}\n\t\f]/u);
  return text;
}
