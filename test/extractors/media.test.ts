import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { extractFile } from "../../src/extractors/extract-file.js";
import { extractMedia } from "../../src/extractors/media/media.js";
import { extractionTools, sourceFile, USUAL_LIMITS } from "../support/extraction-tools.js";
import { canRecord, INPUTS, listen, record, unlessRecording } from "../support/recordings.js";

const SPEECH = ["-i", INPUTS.speech];
const PICTURE = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=6"];
const SUBTITLES = ["-i", INPUTS.subtitles];

const read = (bytes: Uint8Array, name: string) =>
  extractFile(sourceFile(bytes, { name }), {
    limits: USUAL_LIMITS,
    password: null,
    languages: "eng",
    report: () => undefined,
  });

const leftOvers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("recollect-media-"));

test("missing programs are named, with how to install them on each system", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nowhere";
  try {
    await expect(extractMedia(sourceFile(Buffer.from("RIFF"), "a.wav"), extractionTools())).rejects.toMatchObject({
      reason: "missing_program",
      message: expect.stringMatching(/apt install ffmpeg.*brew install ffmpeg.*winget install /),
    });
  } finally {
    process.env["PATH"] = path;
  }
});

describe.skipIf(!canRecord)(`recordings and videos${unlessRecording}`, () => {
  let spoken: ReturnType<typeof listen>;
  beforeAll(() => {
    spoken = listen(record(SPEECH, "wav"));
  });

  test.each<[ending: string, codec: readonly string[]]>([
    ["mp3", []],
    ["wav", []],
    ["m4a", []],
    ["ogg", ["-c:a", "libvorbis"]],
    ["opus", []],
    ["flac", []],
    ["webm", []],
    ["aac", []],
    ["mka", []],
  ])("the sound of %s is extracted as one small recording", async (ending, codec) => {
    const content = await read(record([...SPEECH, ...codec], ending), `speech.${ending}`);
    expect(content).toMatchObject({ type: "audio", parts: [], notes: [] });
    const [recording, ...others] = content.recordings ?? [];
    expect(others).toEqual([]);
    expect(recording).toMatchObject({ start: 0, mimeType: "audio/mpeg", name: "recording-1.mp3" });
    const after = listen(recording?.bytes ?? new Uint8Array());
    expect(after.seconds).toBeCloseTo(spoken.seconds, 0);
    expect(after.seconds).toBeCloseTo(recording?.end ?? 0, 0);
    expect(after.loudest).toBeGreaterThan(spoken.loudest / 3);
  });

  test.each<[ending: string, codec: readonly string[]]>([
    ["mp4", []],
    ["mov", []],
    ["webm", ["-c:v", "libvpx"]],
    ["mkv", []],
    ["avi", []],
  ])("the sound of a video without subtitles is extracted from %s", async (ending, codec) => {
    const content = await read(record([...SPEECH, ...PICTURE, ...codec], ending), `video.${ending}`);
    expect(content).toMatchObject({ type: "video", parts: [], notes: [] });
    expect(content.metadata["duration"]).toBeGreaterThan(5);
    expect(content.recordings).toHaveLength(1);
  });

  test.each<[ending: string, codec: readonly string[]]>([
    ["mp4", ["-c:s", "mov_text"]],
    ["mov", ["-c:s", "mov_text"]],
    ["mkv", ["-c:s", "srt"]],
    ["mkv", ["-c:s", "ass"]],
    ["webm", ["-c:v", "libvpx", "-c:s", "webvtt"]],
  ])("the subtitles of a video are extracted from %s %j, with their times", async (ending, codec) => {
    const maps = ["-map", "0", "-map", "1", "-map", "2", "-metadata:s:s:0", "language=eng"];
    const content = await read(record([...SPEECH, ...PICTURE, ...SUBTITLES, ...maps, ...codec], ending), `a.${ending}`);
    expect(content.recordings).toBeUndefined();
    expect(content.notes).toEqual(["Its subtitles were read (language eng), not its audio."]);
    expect(content).toMatchObject({
      type: "video",
      parts: [
        {
          text: "The ferry Aurora berths at quay seven. Torvald lights the green lantern.",
          place: { time: [expect.closeTo(1, 1), expect.closeTo(5, 1)] },
        },
      ],
    });
  });

  test("metadata of the container is kept", async () => {
    const tags = ["title=Harbour news", "artist=Sigrid Holm", "date=2024-05-06"];
    const bytes = record([...SPEECH, ...tags.flatMap((tag) => ["-metadata", tag])], "mp3");
    const { title, author, date, metadata } = await read(bytes, "news.mp3");
    expect({ title, author, date }).toEqual({ title: "Harbour news", author: "Sigrid Holm", date: "2024-05-06" });
    expect(metadata["duration"]).toBeCloseTo(spoken.seconds, 0);
  });

  test("a long recording is split into ten-minute sections that overlap by five seconds", async () => {
    const sweep = ["-f", "lavfi", "-i", "sine=frequency=300:duration=1300"];
    const bytes = record([...sweep, "-ar", "8000", "-b:a", "16k"], "mp3");
    const recordings = (await read(bytes, "long.mp3")).recordings ?? [];
    expect(recordings.map(({ start }) => Math.round(start))).toEqual([0, 600, 1200]);
    expect(recordings.map(({ end }) => Math.round(end))).toEqual([605, 1205, 1300]);
    for (const { bytes: part, start, end } of recordings) {
      expect(listen(part).seconds).toBeCloseTo(end - start, 0);
      expect(part.length).toBeLessThan(2_500_000);
    }
  }, 60_000);

  test("sound that begins after the picture keeps its times", async () => {
    const late = record([...PICTURE, "-itsoffset", "4", ...SPEECH, "-map", "0", "-map", "1"], "mkv");
    const [recording] = (await read(late, "late.mkv")).recordings ?? [];
    expect(recording?.end).toBeGreaterThan(8);
  });

  test("a video without sound is refused with a reason", async () => {
    await expect(read(record(PICTURE, "mp4"), "silent.mp4")).rejects.toMatchObject({
      reason: "empty",
      message: "The video has neither audio nor text subtitles.",
    });
  });
});

describe.skipIf(!canRecord)(`hostile recordings${unlessRecording}`, () => {
  let video: Uint8Array;
  let sound: Uint8Array;
  beforeAll(() => {
    video = record([...SPEECH, ...PICTURE], "mp4");
    sound = record(SPEECH, "mp3");
  });

  test("a damaged one is refused, or read up to the damage, and nothing is left behind", async () => {
    const before = leftOvers();
    await expect(read(new Uint8Array(), "a.mp4")).rejects.toMatchObject({ reason: "empty" });
    for (const share of [0.01, 0.3, 0.7, 0.99])
      await expect(read(video.subarray(0, share * video.length), "a.mp4")).rejects.toMatchObject({ reason: "damaged" });
    const half = await read(sound.subarray(0, sound.length / 2), "a.mp3");
    expect(half.recordings?.at(-1)?.end).toBeCloseTo(listen(sound).seconds / 2, 0);
    const random = Uint8Array.from({ length: 20_000 }, (_, index) => (index * 7_919 * (index % 97)) % 251);
    await expect(read(random, "a.wav")).rejects.toMatchObject({ reason: "damaged" });
    expect(leftOvers()).toEqual(before);
  }, 60_000);

  test("a file of another type is read as what it is", async () => {
    expect(await read(sound, "notes.pdf")).toMatchObject({
      type: "audio",
      notes: ["The file is labelled .pdf, but is actually audio/mpeg and was read as such."],
    });
    expect(await read(Buffer.from("WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n"), "a.mp4")).toMatchObject({
      type: "text",
    });
  });

  test("playlists and lists of files are not followed", async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      response.end(sound);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const folder = mkdtempSync(join(tmpdir(), "recollect-secret-"));
    try {
      const secret = join(folder, "secret.mp3");
      writeFileSync(secret, sound);
      const web = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.ts`;
      const places = [`file://${secret}`, "file:///etc/passwd", secret, web, `concat:${secret}|${secret}`];
      const texts = places.flatMap((place) => [
        `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${place}\n#EXT-X-ENDLIST\n`,
        `ffconcat version 1.0\nfile '${place}'\n`,
        `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${place}</BaseURL></MPD>`,
      ]);
      texts.push(`v=0\r\nc=IN IP4 127.0.0.1\r\nm=audio ${(server.address() as AddressInfo).port} RTP/AVP 0\r\n`);
      for (const text of texts)
        await expect(extractMedia(sourceFile(Buffer.from(text), "a.mp4"), extractionTools())).rejects.toMatchObject({
          reason: "damaged",
        });
      expect(calls).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
      server.close();
    }
  }, 60_000);
});
