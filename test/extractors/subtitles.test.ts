import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { ExtractedContent } from "../../src/core/documents/content-ports.js";
import { extractSubtitles } from "../../src/extractors/subtitles/subtitles.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { survive, surviveHostileBytes } from "../support/hostile-bytes.js";
import { textOf, wordRecall } from "../support/word-recall.js";

function read(text: string): Promise<ExtractedContent> {
  return extractSubtitles(sourceFile(Buffer.from(text)), extractionTools());
}

const SRT = `1
00:00:01,000 --> 00:00:03,500
<i>The harbour</i> opens at six.

2
00:00:04,000 --> 00:00:06,000
{\\an8}- Who says so?
- The captain.

Nobody else.

3
01:02:03,250 --> 01:02:05,000
It is late &amp; cold.
`;

test("SubRip: cues become paragraphs with times, tags and numbers are dropped", async () => {
  const { parts, type } = await read(SRT);
  expect(type).toBe("text");
  expect(parts).toEqual([
    { text: "The harbour opens at six.\n- Who says so?\n- The captain. Nobody else.", place: { time: [1, 6] } },
    { text: "It is late & cold.", place: { time: [3723.25, 3725] } },
  ]);
});

test("WebVTT: title, notes and speakers are kept, styles and identifiers are not", async () => {
  const { title, parts } = await read(`WEBVTT - Board meeting

NOTE Recorded in Oslo

STYLE
::cue { color: red }

intro
00:01.000 --> 00:04.000 align:start position:0%
<v Ada Byron>We <c.loud>start</c> now.</v>

00:04.500 --> 00:06.000
<v Ada Byron>Is <00:05.000>everybody here?

00:06.500 --> 00:08.000
<v.quiet Bob>Yes.
`);
  expect(title).toBe("Board meeting");
  expect(parts).toEqual([
    { text: "Recorded in Oslo", place: {} },
    { text: "Ada Byron: We start now. Is everybody here?\nBob: Yes.", place: { time: [1, 8] } },
  ]);
});

test("a note continued after an empty line is not taken for speech", async () => {
  const { parts } = await read(`WEBVTT

00:01.000 --> 00:02.000
We start now.

NOTE Names are to be checked.

Ask Ada for them.

second
00:03.000 --> 00:04.000
Is everybody here?
`);
  expect(parts).toEqual([
    { text: "Names are to be checked.\nAsk Ada for them.", place: {} },
    { text: "We start now. Is everybody here?", place: { time: [1, 4] } },
  ]);
});

test("character references are decoded", async () => {
  const { parts } = await read("1\n00:01,000 --> 00:02,000\nLe gar&ccedil;on &amp;&nbsp;&#233;l&egrave;ve&lrm;.\n");
  expect(parts[0]?.text).toBe("Le garçon & élève.");
});

test("rolling captions are joined once", async () => {
  const { parts } = await read(`WEBVTT
Kind: captions

00:00:00.000 --> 00:00:02.000
so<00:00:00.500><c> today</c> we talk

00:00:02.000 --> 00:00:02.010
so today we talk

00:00:02.010 --> 00:00:04.000
so today we talk
about<00:00:02.500><c> sailing</c>

00:00:04.000 --> 00:00:04.010
about sailing

00:00:04.010 --> 00:00:06.000
about sailing
and the sea

00:00:06.000 --> 00:00:07.000
and the sea is cold
`);
  expect(parts.map(({ text }) => text)).toEqual(["so today we talk about sailing and the sea is cold"]);
});

test("the same words by another speaker are not a repetition", async () => {
  const said = ["<v Ada>Yes.", "<v Ben>Yes.", "<v Cleo>No", "<v Dan>No way, I am for it."];
  const cues = said.map((line, second) => `00:0${second}.000 --> 00:0${second + 1}.000\n${line}\n`);
  const { parts } = await read(`WEBVTT\n\n${cues.join("\n")}`);
  expect(parts[0]?.text).toBe("Ada: Yes.\nBen: Yes.\nCleo: No\nDan: No way, I am for it.");
});

test("words said twice at different times are kept twice", async () => {
  const { parts } = await read("1\n00:01,000 --> 00:02,000\nNo.\n\n2\n00:05,000 --> 00:06,000\nNo.\n");
  expect(parts[0]?.text).toBe("No. No.");
});

test("an hour becomes about sixty paragraphs, each with its time", async () => {
  const time = (second: number) => new Date(second * 1_000).toISOString().slice(11, 23).replace(".", ",");
  const cues = Array.from(
    { length: 1_200 },
    (_, index) => `${index + 1}\n${time(index * 3)} --> ${time(index * 3 + 2)}\nThis is sentence ${index}.\n`,
  );
  const { parts } = await read(cues.join("\n"));
  expect(parts.length).toBeGreaterThan(45);
  expect(parts.length).toBeLessThan(85);
  for (const [index, { place, text }] of parts.entries()) {
    const [start = 0, end = 0] = place.time ?? [];
    expect(start).toBe(Number(/\d+/.exec(text)?.[0]) * 3);
    expect(end - start).toBeLessThan(80);
    expect(start).toBeGreaterThanOrEqual(parts[index - 1]?.place.time?.[1] ?? 0);
  }
});

test("a file without cues is kept as text", async () => {
  const { parts, notes } = await read("Just some words.");
  expect(parts[0]?.text).toBe("Just some words.");
  expect(notes).toHaveLength(1);
});

const FFMPEG = "ffmpeg";
const hasFfmpeg = spawnSync(FFMPEG, ["-version"]).status === 0;

test.skipIf(!hasFfmpeg)(
  "SubRip converted to WebVTT by ffmpeg has the same words and times (missing: ffmpeg)",
  async () => {
    const options = ["-hide_banner", "-loglevel", "error", "-f", "srt", "-i", "pipe:0", "-f", "webvtt", "pipe:1"];
    const { stdout } = spawnSync(FFMPEG, options, { input: SRT.replace("\n\nNobody", "\nNobody") });
    const [ours, theirs] = [await read(SRT), await read(stdout.toString())];
    expect(wordRecall(textOf(ours), textOf(theirs))).toBe(1);
    expect(theirs.parts.map(({ place }) => place.time)).toEqual(ours.parts.map(({ place }) => place.time));
  },
);

test("empty, truncated, changed and endless files end in a result or a reason", async () => {
  await expect(read("")).rejects.toMatchObject({ reason: "empty" });
  await surviveHostileBytes(extractSubtitles, Buffer.from(SRT.repeat(10)));
  await survive(extractSubtitles, Buffer.from("00:00:01,000 --> 00:00:02,000\n".repeat(200_000)));
  await survive(extractSubtitles, Buffer.from(`WEBVTT\n\n00:01.000 --> 00:02.000\n${"<v ".repeat(500_000)}`));
  await survive(extractSubtitles, Buffer.from("-->".repeat(1_000_000)));
});
