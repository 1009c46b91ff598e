import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import type { SourceFile } from "../../src/core/documents/content-ports.js";
import { AppError } from "../../src/core/errors.js";
import { createExtractionProcess } from "../../src/extractors/extraction-process.js";
import { USUAL_LIMITS, sourceFile } from "../support/extraction-tools.js";
import { changedFile } from "../support/hostile/changed-file.js";
import { seededNumbers } from "../support/hostile-files.js";
import { silentLog } from "../support/open-core.js";

/** Number of files to change and read; `RECOLLECT_TEST_FUZZ=2000` takes some minutes. */
const FILES = Number(process.env["RECOLLECT_TEST_FUZZ"] ?? 150);
const SEED = Number(process.env["RECOLLECT_TEST_FUZZ_SEED"] ?? 1);
const MOST_SECONDS = FILES > 150 ? 1_500 : 60;
/** A file that takes longer than this is stopped and counts as hanging. */
const TIMEOUT_MS = 30_000;

const FOLDER = join(import.meta.dirname, "../fixtures/extractors");

/** Formats without a fixture from another program. */
const TEXTS: Readonly<Record<string, string>> = {
  "page.html":
    '<!doctype html><html lang="en"><title>Quay</title><main><h1>Quay</h1><p>The ferry <b>leaves</b> at noon &amp; six.</p><table><tr><th>A<th>B<tr><td colspan="2">1</table><ul><li>x<li>y</ul></main></html>',
  "table.csv": 'name,price\n"Rope, ""long""",12\nAnchor,85\n',
  "table.tsv": "name\tprice\nRope\t12\n",
  "data.json": '{"harbour":{"quays":[1,2.5,null,true],"name":"west \\u00fc"},"boats":[{"a":1},{"a":2}]}',
  "lines.jsonl": '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n',
  "data.xml": '<?xml version="1.0"?><harbour a="1"><quay n="7"><![CDATA[x < y]]></quay><!-- c --><quay/></harbour>',
  "drawing.svg":
    '<svg xmlns="http://www.w3.org/2000/svg"><title>Map</title><text x="1">Quay <tspan>seven</tspan></text></svg>',
  "week.ics":
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=Europe/Berlin:20260101T090000\r\nDURATION:PT1H\r\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=9\r\nSUMMARY:Meeting\\, long\r\nATTENDEE;CN=Ada:mailto:a@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
  "talk.vtt":
    "WEBVTT\n\n1\n00:00.000 --> 00:02.000 align:start\n<v Ada>Hello <i>there</i>\n\n00:03.000 --> 00:04.000\nBye\n",
  "talk.srt": "1\n00:00:00,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n",
  "all.mbox":
    "From a@example.org Thu Jan  1 00:00:00 2026\nFrom: a@example.org\nSubject: One\n\nFirst.\n\nFrom b@example.org Thu Jan  1 00:00:00 2026\nFrom: b@example.org\nSubject: Two\n\nSecond.\n",
};

function samples(): SourceFile[] {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "README.md")
    .map((entry) => sourceFile(readFileSync(join(entry.parentPath, entry.name)), basename(entry.name)));
  const texts = Object.entries(TEXTS).map(([name, text]) => sourceFile(Buffer.from(text), name));
  return [...files, ...texts].toSorted((one, other) => String(one.name).localeCompare(String(other.name)));
}

test(
  `${FILES} changed files of all formats are read or refused with a reason, each in time`,
  { timeout: (MOST_SECONDS + 60) * 1_000 },
  async () => {
    const originals = samples();
    const next = seededNumbers(SEED);
    const extractor = createExtractionProcess({
      limits: USUAL_LIMITS,
      timeoutMs: TIMEOUT_MS,
      memoryMegabytes: 512,
      languages: "eng",
      programFolders: [],
      log: silentLog,
    });
    const began = performance.now();
    const failures: string[] = [];
    let [done, read] = [0, 0];
    try {
      for (; done < FILES && performance.now() - began < MOST_SECONDS * 1_000; done += 1) {
        const original = originals[done % originals.length];
        if (!original) break;
        const file = { ...original, bytes: changedFile(original.bytes, next) };
        if (file.bytes.length === 0) continue;
        const started = performance.now();
        const outcome = await extractor.extract(file, { signal: new AbortController().signal }).then(
          () => "read",
          (error: unknown) => error,
        );
        const seconds = (performance.now() - started) / 1_000;
        if (outcome === "read") read += 1;
        const isToldWhy = outcome instanceof AppError && /\s.*\.$/s.test(outcome.message);
        const hasStopped =
          outcome instanceof AppError && /took longer|took more memory|crashed twice/.test(outcome.message);
        if (seconds > 10 || hasStopped || (outcome !== "read" && !isToldWhy))
          failures.push(`${original.name}, number ${done}: ${String(outcome)} after ${seconds.toFixed(1)} s`);
      }
    } finally {
      await extractor.close();
    }
    expect(failures).toEqual([]);
    expect(done).toBeGreaterThan(FILES / 10);
    expect(read).toBeGreaterThan(done / 10);
  },
);
