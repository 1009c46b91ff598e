import { unzipSync, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import type { ExtractionTools, FormatExtractor } from "../../src/extractors/format-extractor.js";
import { extractionTools, sourceFile } from "./extraction-tools.js";

const MUTATIONS = 200;
const PATIENCE_MS = 5_000;

/** Numbers from 0 to below the bound, the same in every run. */
export function seededNumbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** The outcome for a file: it is read, or refused for a reason. Anything else fails the test. */
export async function outcomeOf(
  extract: FormatExtractor,
  bytes: Uint8Array,
  tools: ExtractionTools = extractionTools(),
): Promise<string> {
  const began = performance.now();
  try {
    await extract(sourceFile(bytes), tools);
    return "read";
  } catch (error) {
    if (error instanceof ExtractionError) return error.reason;
    throw error;
  } finally {
    expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  }
}

/** Files broken in many ways are read or refused, in time. */
export function describeHostileFiles(name: string, { load, fixture, magic, tools }: HostileFormat): void {
  describe(`hostile ${name}`, () => {
    test("an empty file, a truncated one, and random bytes are refused or read", async () => {
      const [extract, whole] = [await load(), fixture()];
      expect(await outcomeOf(extract, new Uint8Array(), tools)).toBe("empty");
      for (let part = 1; part < 12; part += 1)
        await outcomeOf(extract, whole.subarray(0, Math.floor((whole.length * part) / 12)), tools);
      const next = seededNumbers(5);
      for (let size = 1; size < 200_000; size *= 3) {
        const noise = Uint8Array.from({ length: size }, (_, index) => magic.charCodeAt(index) || next(256));
        await outcomeOf(extract, noise, tools);
      }
    });

    test(`${MUTATIONS} changed files are refused or read`, { timeout: 120_000 }, async () => {
      const [extract, whole] = [await load(), fixture()];
      const next = seededNumbers(11);
      const outcomes = new Map<string, number>();
      for (let count = 0; count < MUTATIONS; count += 1) {
        const isInside = magic === ZIP_MAGIC && count % 4 !== 0;
        const outcome = await outcomeOf(extract, isInside ? changeInside(whole, next) : change(whole, next), tools);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      expect(outcomes.size).toBeGreaterThan(0);
    });

    test("a picture, a web page and a text under its name are refused", async () => {
      const extract = await load();
      const others = ["\x89PNG\r\n\x1a\n1234", "<!doctype html><p>Page", "Just a text.", "%PDF-1.7\n", "PK\x03\x04"];
      const outcomes = others.map((content) => outcomeOf(extract, Buffer.from(content, "latin1"), tools));
      expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["damaged"]));
    });

    if (magic !== ZIP_MAGIC) return;
    test("a decompression bomb and an archive with too many entries are refused", async () => {
      const [extract, entries] = [await load(), unzipSync(fixture())];
      const zeros = new Uint8Array(3 * 2 ** 20).fill(0x20);
      const bomb = Object.fromEntries(
        Object.keys(entries).map((entry) => [entry, /xml$|rels$/.test(entry) ? zeros : (entries[entry] ?? zeros)]),
      );
      const limits = { ...(tools ?? extractionTools()).limits, maximumUnpackedBytes: 2 ** 20 };
      const tight = { ...(tools ?? extractionTools()), limits };
      expect(await outcomeOf(extract, zipSync(bomb, { level: 9 }), tight)).toBe("too_large");
      const few = { ...tight, limits: { ...limits, maximumEntries: 2 } };
      expect(await outcomeOf(extract, fixture(), few)).toBe("too_large");
    });
  });
}

export const ZIP_MAGIC = "PK\x03\x04";

interface HostileFormat {
  readonly load: () => Promise<FormatExtractor>;
  readonly fixture: () => Uint8Array;
  /** The beginning of its files, as latin-1. */
  readonly magic: string;
  readonly tools?: ExtractionTools;
}

type Numbers = (bound: number) => number;

/** Changes some bytes, removes a piece, or duplicates one. */
function change(whole: Uint8Array, next: Numbers): Uint8Array {
  const copy = Uint8Array.from(whole);
  const kind = next(3);
  const [from, length] = [next(copy.length), next(200)];
  if (kind === 1) return new Uint8Array(Buffer.concat([copy.subarray(0, from), copy.subarray(from + length)]));
  if (kind === 2) return new Uint8Array(Buffer.concat([copy.subarray(0, from + length), copy.subarray(from)]));
  for (let count = 1 + next(20); count > 0; count -= 1) copy[next(copy.length)] = next(256);
  return copy;
}

/** The same in one file of an archive. */
function changeInside(whole: Uint8Array, next: Numbers): Uint8Array {
  const entries = unzipSync(whole);
  const names = Object.keys(entries).filter((name) => /xml$|rels$|opf$|ncx$|html$/.test(name));
  const name = names[next(names.length)] ?? "";
  const content = entries[name];
  return content ? zipSync({ ...entries, [name]: changeText(content, next) }, { level: 1 }) : whole;
}

/** Numbers are changed most often, since that breaks more than invalid XML does. */
function changeText(content: Uint8Array, next: Numbers): Uint8Array {
  if (next(3) === 0) return change(content, next);
  const odd = ["-1", "0", "99999999999", "1e400", "NaN", "", "&#x1F600;", "../../x", "0.5", "__proto__"];
  const text = new TextDecoder().decode(content);
  const changed = text.replace(/"([^"<>]{1,12})"/g, (match) =>
    next(12) === 0 ? `"${odd[next(odd.length)] ?? ""}"` : match,
  );
  return new TextEncoder().encode(changed);
}
