import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { check, type Diagnostics } from "recheck";
import { afterAll, expect, test } from "vitest";

const SOURCE = join(import.meta.dirname, "..", "src");

/**
 * What bounds the texts that a file's patterns are matched against, or why untrusted users do not write them. Time then
 * grows with the square of something small. A file that needs no such bound any more has to be removed.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  "adapters/embed/static/duplicate-key.ts": "the header of a model that the owner chose, whose length is checked",
  "adapters/facts/": "a sentence of at most 500 characters, or a note of at most 2,000",
  "config/": "settings of the owner",
  "core/embeddings/choice.ts": "an address that the owner chose",
  "core/memories/ending-patterns.ts": "a statement of at most 240 characters",
  "core/memories/read-claim.ts": "a statement of at most 240 characters",
  "core/memories/slot-words.ts": "a value of such a statement",
  "core/memories/statement.ts": "at most 240 characters",
  "core/memories/tails.ts": "a statement of at most 240 characters",
  "core/memories/trust-signs.ts": "windows of a few thousand characters",
  "core/profile/preset-cues.ts": "a memory of at most 10,000 characters",
  "core/search/event-times.ts": "the first characters of a question",
  "core/search/query-dates.ts": "what stands right before a date",
  "core/search/rewrite.ts": "a question of at most 1,000 characters",
  "core/search/text-words.ts": "the last 400 characters of a text",
  "core/access/app-grants.ts": "a name of at most 200 characters",
  "transports/auth.ts": "a header, which has no line break: the pattern always matches",
  "transports/cli/": "what the owner types, or files of the owner",
  "connectors/s3/s3.ts": "settings of a connection, of at most 2,048 characters",
  "extractors/markdown.ts": "a value of at most 500 characters",
  "extractors/own-title.ts": "lines that are cut to 1,000 characters",
  "extractors/open-xml/number-format.ts": "a number format, which is cut to 255 characters",
  "ingest/check-description.ts": "a title or a summary that was cut",
  "ingest/chunk-kind.ts": "lines that are cut to 300 characters",
  "ingest/chunk-markdown.ts": "a heading that was cut",
  "lib/ip-address.ts": "an address in a header, which has no line break: the pattern always matches",
  "lib/time-zone.ts": "a date that has the shape of one",
  "language/title.ts": "lines that are cut to 500 characters",
  "lib/toml-text.ts": "files of the owner",
  "main.ts": "what the owner types",
};

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const patterns = filesIn(SOURCE).flatMap(patternsOf);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function patternsOf(path: string): Pattern[] {
  const file = relative(SOURCE, path).split(sep).join("/");
  const found: Pattern[] = [];
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  new Visitor({
    Literal(node) {
      if ("regex" in node) found.push({ file, source: node.regex.pattern, flags: node.regex.flags });
    },
  }).visit(program);
  return found;
}

/** An analysis without an answer in time proves nothing: the pattern is measured instead. */
const PATIENCE_MS = 3_000;

/** The analysis result: `safe`, the texts that make the pattern slow, or null without an answer. */
type Verdict = "safe" | null | { readonly pumps: readonly { prefix: string; pump: string }[]; readonly suffix: string };

/**
 * Earlier results, by the hash of a pattern, since analysing all of them takes a minute. Written by
 * `UPDATE_VERDICTS=1 npx vitest run test/pattern-growth.test.ts`; a pattern without a result is analysed here, all of them
 * if the file is missing.
 */
const VERDICTS = join(import.meta.dirname, "fixtures", "pattern-verdicts.json");
const isUpdate = process.env["UPDATE_VERDICTS"] === "1";
const known: Readonly<Record<string, Verdict>> = existsSync(VERDICTS) ? JSON.parse(readFileSync(VERDICTS, "utf8")) : {};
const verdicts = new Map<string, Verdict>();

function keyOf({ source, flags }: Pattern): string {
  return createHash("sha256").update(`${flags} ${source}`).digest("base64url").slice(0, 16);
}

async function verdictOn(pattern: Pattern): Promise<Verdict> {
  const key = keyOf(pattern);
  const before = key in known ? known[key] : verdicts.get(key);
  if (before !== undefined) return before;
  const verdict = await analyse(pattern);
  verdicts.set(key, verdict);
  return verdict;
}

async function analyse({ source, flags }: Pattern, timeout = PATIENCE_MS): Promise<Verdict> {
  const found: Diagnostics = await check(source, flags, { timeout });
  if (found.status === "safe") return "safe";
  if (found.status === "unknown") return null;
  const { pumps, suffix } = found.attack;
  return { pumps: pumps.map(({ prefix, pump }) => ({ prefix, pump })), suffix };
}

/** Texts that make the pattern slow, by size; none if it is linear. */
async function attacksOn(pattern: Pattern): Promise<readonly ((size: number) => string)[]> {
  const verdict = await verdictOn(pattern);
  if (verdict === "safe") return [];
  if (verdict === null) return pumpsFrom(pattern.source);
  const { pumps, suffix } = verdict;
  const length = pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  return [
    (size) =>
      pumps.map(({ prefix, pump }) => prefix + pump.repeat(Math.ceil(size / Math.max(1, length)))).join("") + suffix,
  ];
}

/** Every literal part of the pattern, repeated. */
function pumpsFrom(source: string): ((size: number) => string)[] {
  const pieces = new Set([" ", "a ", "0", "!", ...(source.match(/[\p{L}\p{N}]+|[^\\()[\]{}|?*+^$]/gu) ?? [])]);
  return [...pieces].map((piece) => (size) => `${piece.repeat(Math.ceil(size / piece.length))}\u0000`);
}

/** Milliseconds of processor time: wall-clock time includes other programs on a busy machine. */
function timeOf(pattern: RegExp, text: string): number {
  const times = Array.from({ length: 3 }, () => {
    pattern.lastIndex = 0;
    const began = process.cpuUsage();
    pattern.test(text);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

const LARGEST = 64_000;
/** Milliseconds; less is indistinguishable from chance. */
const TELLING = 10;

/** Twice the text takes about twice as long; less than three times, or a few milliseconds, does not count as growth. */
function grows({ source, flags }: Pattern, attack: (size: number) => string): boolean {
  const pattern = new RegExp(source, flags);
  for (let size = 250; size <= LARGEST; size *= 2) {
    const isMoreThanTwice = () => timeOf(pattern, attack(size)) > 3 * timeOf(pattern, attack(size / 2));
    // Other work on the machine may prolong one measurement, but hardly two in a row.
    if (timeOf(pattern, attack(size)) > TELLING) return isMoreThanTwice() && isMoreThanTwice();
  }
  return false;
}

/** The place in `BOUNDED` to which a pattern belongs. */
function boundOf({ file }: Pattern): string | undefined {
  return Object.keys(BOUNDED).find((place) => file.startsWith(place));
}

/** The check for each pattern that is matched against unbounded texts, once if several files share it. */
async function findSlow(): Promise<readonly Pattern[]> {
  const unbounded = patterns.filter((one) => boundOf(one) === undefined);
  const left = [...new Map(unbounded.map((one) => [`${one.flags} ${one.source}`, one])).values()];
  const suspected: [pattern: Pattern, attacks: Awaited<ReturnType<typeof attacksOn>>][] = [];
  const work = async (): Promise<void> => {
    for (let pattern = left.pop(); pattern; pattern = left.pop()) suspected.push([pattern, await attacksOn(pattern)]);
  };
  await Promise.all([work(), work()]);
  // Measured after the analysis, whose processes would distort the measurements.
  return suspected
    .filter(([pattern, attacks]) => attacks.some((attack) => grows(pattern, attack)))
    .map(([pattern]) => pattern);
}

/** Places with a bound in which the analysis finds every pattern safe. One that it does not find safe justifies a place. */
async function findNeedless(): Promise<readonly string[]> {
  const left = Object.keys(BOUNDED);
  const needless: string[] = [];
  const isNeeded = async (place: string): Promise<boolean> => {
    for (const pattern of patterns)
      if (boundOf(pattern) === place && (await attacksOn(pattern)).length > 0) return true;
    return false;
  };
  const work = async (): Promise<void> => {
    for (let place = left.pop(); place !== undefined; place = left.pop())
      if (!(await isNeeded(place))) needless.push(place);
  };
  await Promise.all([work(), work()]);
  return needless;
}

const MINUTES = { timeout: 300_000 };

test(
  "every pattern takes time in proportion to the text, or meets texts whose length is bounded",
  MINUTES,
  async () => {
    expect(patterns.length).toBeGreaterThan(900);
    expect(await findSlow()).toEqual([]);
  },
);

test("every bound is needed by a pattern", MINUTES, async () => {
  expect(await findNeedless()).toEqual([]);
});

test("what was said of patterns before is what the analysis says", MINUTES, async () => {
  const sample = patterns.filter((pattern, index) => index % 50 === 0 && known[keyOf(pattern)] === "safe");
  if (Object.keys(known).length > 0) expect(sample.length).toBeGreaterThan(10);
  for (const pattern of sample) expect(await analyse(pattern, 10 * PATIENCE_MS)).toBe("safe");
});

test("nothing is said of patterns that are gone", () => {
  const there = new Set(patterns.map(keyOf));
  if (!isUpdate) expect(Object.keys(known).filter((key) => !there.has(key))).toEqual([]);
});

afterAll(() => {
  if (!isUpdate) return;
  const all = new Map([...Object.entries(known), ...verdicts]);
  const keys = [...new Set(patterns.map(keyOf))].filter((key) => all.has(key)).toSorted();
  writeFileSync(VERDICTS, `${JSON.stringify(Object.fromEntries(keys.map((key) => [key, all.get(key)])), null, 1)}\n`);
});
