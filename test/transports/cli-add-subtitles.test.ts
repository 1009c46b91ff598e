import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findSidecars } from "../../src/transports/cli/files/sidecars.js";
import { runCommand } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";

let folder: string;
let data: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-sidecars-"));
  data = join(folder, "data");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, "talks", name);

async function put(name: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(at(name)), { recursive: true });
  await writeFile(at(name), content);
}

const cues = (text: string) => `1\n00:00:01,000 --> 00:00:04,000\n${text}\n`;
/** Starts like a video file, but cannot be decoded. */
const FILM = Buffer.concat([Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "latin1"), Buffer.alloc(2_000)]);

/** The content of each document, by title. */
async function contents(): Promise<Readonly<Record<string, string>>> {
  const opened = await openCore({ dataDirectory: data });
  try {
    const { documents } = await opened.core.listDocuments({ actor: opened.actor }, {});
    const entries = documents.map(async ({ id, title }): Promise<[string, string]> => {
      const { document } = await opened.core.getDocument({ actor: opened.actor }, { id });
      return [title ?? "", document.status === "done" ? document.content : document.status];
    });
    return Object.fromEntries(await Promise.all(entries));
  } finally {
    await opened.close();
  }
}

const add = (...argv: readonly string[]) => runCommand(data, ["add", ...argv, "--json"]);

describe("recollect add with a recording and subtitles beside it", () => {
  test("uses the subtitles as the recording's text, and updates it when they change", async () => {
    await put("film.mp4", FILM);
    await put("film.srt", cues("Torvald lights the green lantern."));
    expect(JSON.parse((await add(at("film.mp4"))).stdout)).toMatchObject({ status: "done" });
    expect(await contents()).toEqual({ "film.mp4": "Torvald lights the green lantern." });
    await put("film.srt", cues("Ada lights the red lantern."));
    expect(JSON.parse((await add(at("film.mp4"))).stdout)).toMatchObject({ isUpdate: true });
    expect(await contents()).toEqual({ "film.mp4": "Ada lights the red lantern." });
  });

  test("in a folder, makes one document of both, whatever the languages, and adds other subtitles separately", async () => {
    await put("film.mp4", FILM);
    await put("film.de.vtt", `WEBVTT\n\n00:01.000 --> 00:04.000\nTorvald zündet die grüne Laterne an.\n`);
    await put("film.en.vtt", `WEBVTT\n\n00:01.000 --> 00:04.000\nTorvald lights the green lantern.\n`);
    await put("other.srt", cues("The pier is empty."));
    const told = JSON.parse((await add(join(folder, "talks"))).stdout);
    expect(told).toMatchObject({ added: 2, skipped: 0, failed: 0 });
    expect(await contents()).toEqual({
      "film.mp4": "Torvald lights the green lantern.",
      "other.srt": "The pier is empty.",
    });
  });

  test("accepts a recording larger than the file limit", async () => {
    await put("film.mp4", Buffer.concat([FILM, Buffer.alloc(60_000_000)]));
    await put("film.srt", cues("Torvald lights the green lantern."));
    await add(at("film.mp4"));
    expect(await contents()).toEqual({ "film.mp4": "Torvald lights the green lantern." });
  });

  test("falls back to the recording when the subtitles have no cue", async () => {
    await put("film.mp4", FILM);
    await put("film.srt", "to be written");
    await add(at("film.mp4"));
    expect(await contents()).toEqual({ "film.mp4": "failed" });
  });

  test("adds the subtitles alone when they are named", async () => {
    await put("film.mp4", FILM);
    await put("film.srt", cues("Torvald lights the green lantern."));
    await add(at("film.srt"));
    expect(await contents()).toEqual({ "film.srt": "Torvald lights the green lantern." });
  });
});

describe("recollect add --watch with a recording", { timeout: 60_000 }, () => {
  test("replaces a subtitle document when its recording arrives, and updates it with the subtitles", async () => {
    await put("talk.srt", cues("The pier is empty."));
    let text = "";
    const write = (chunk: Buffer, _encoding: string, done: () => void) => {
      text += chunk.toString();
      done();
    };
    const io = { stdout: new Writable({ write }), stderr: new Writable({ write }) };
    const ended = runCommand(data, ["add", join(folder, "talks"), "--watch"], { io });
    const sees = (line: RegExp) => vi.waitFor(() => expect(text).toMatch(line), { timeout: 20_000, interval: 50 });
    await sees(/Following/);
    await put("talk.mp3", Buffer.concat([Buffer.from("ID3\x03\0\0\0\0\0\0", "latin1"), Buffer.alloc(2_000)]));
    await sees(/added: .*talk\.mp3/);
    await sees(/deleted: .*talk\.srt/);
    await put("talk.srt", cues("The pier is full of people."));
    await sees(/updated: .*talk\.mp3/);
    process.emit("SIGHUP", "SIGHUP");
    await ended;
    expect(await contents()).toEqual({ "talk.mp3": "The pier is full of people." });
  });
});

describe("subtitles of a recording", () => {
  test.each([
    ["a.mp4", ["a.srt", "a.en.srt"], "a.srt", 2],
    ["a.mp4", ["a.de.srt", "a.en.vtt", "a.pt-BR.srt"], "a.en.vtt", 3],
    ["a.b.mkv", ["a.b.fr.sdh.vtt"], "a.b.fr.sdh.vtt", 1],
    ["a.mp4", ["ab.srt", "a.part2.srt", "a.txt"], undefined, 0],
    ["a.md", ["a.srt"], undefined, 0],
  ])("for %s, out of %j, come from %s", (recording, others, chosen, count) => {
    const sidecars = findSidecars([recording, ...others, `elsewhere/${recording}`].map((name) => join("/t", name)));
    expect(sidecars.chosen.get(join("/t", recording))).toBe(chosen && join("/t", chosen));
    expect(sidecars.all.size).toBe(count);
  });

  test("are found among 60,000 files within five seconds", () => {
    const names = Array.from({ length: 30_000 }, (_, at) => [`/t/${at}.mp4`, `/t/${at}.en.srt`]).flat();
    const began = performance.now();
    expect(findSidecars(names).chosen.size).toBe(30_000);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
