import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { knownContent } from "../../src/adapters/fetch/places/index.js";
import { AppError } from "../../src/core/errors.js";
import { openScriptedPlaces, type ScriptedPlaces, videoPage } from "../support/scripted-places.js";

const LARGEST = 18_000_000;

let places: ScriptedPlaces;
beforeEach(async () => {
  places = await openScriptedPlaces(LARGEST);
});
afterEach(() => places.close());

async function fetchText(address: string): Promise<string> {
  const { bytes } = await places.fetcher.fetch(address, new AbortController().signal);
  return Buffer.from(bytes).toString();
}

async function refusalOf(address: string): Promise<AppError> {
  const error: unknown = await fetchText(address).then(
    () => new Error(`${address} was fetched`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

test.each([
  "https://github.com/ada/keeper/issues/7",
  "https://github.com/ada",
  "https://github.com/ada/keeper?tab=license",
  "https://github.com.evil.example/ada/keeper",
  "https://arxiv.org/list/cs.CL/recent",
  "https://example.org/abs/1706.03762",
  "https://www.youtube.com/@harbour",
  "https://www.youtube.com/watch?v=short",
  "https://www.youtube.com/watch?v=abcdefghij%2F",
  "https://youtube.com.evil.example/watch?v=abcdefghijk",
  "https://x.com/adakeeper",
  "https://x.com.evil.example/ada/status/20",
  "https://x.com/ada/status/20/analytics",
])("%s is read as an ordinary page", (address) => {
  expect(knownContent(new URL(address))).toBeNull();
});

describe("GitHub", () => {
  test.each([
    ["https://github.com/ada/keeper/blob/main/docs/a%20plan.md#L3", "ada/keeper/main/docs/a%20plan.md"],
    ["https://github.com/ada/keeper/blob/v1.2/src/app.ts?plain=1", "ada/keeper/v1.2/src/app.ts"],
    ["https://github.com/ada/keeper", "ada/keeper/HEAD/README.md"],
    ["https://github.com/ada/keeper?tab=readme-ov-file", "ada/keeper/HEAD/README.md"],
    ["https://github.com/ada/keeper/tree/next/docs/", "ada/keeper/next/docs/README.md"],
  ])("returns what %s shows, from %s", async (address, path) => {
    places.answers.set(`raw.githubusercontent.com/${path}`, { type: "text/plain", body: "as it is" });
    expect(await fetchText(address)).toBe("as it is");
    expect(places.asked).toEqual([`raw.githubusercontent.com/${path}`]);
  });

  test("fetches gists from the address of their raw text", async () => {
    places.answers.set("gist.githubusercontent.com/ada/0123456789abcdef/raw", { type: "text/plain", body: "a gist" });
    expect(await fetchText("https://gist.github.com/ada/0123456789abcdef")).toBe("a gist");
  });

  test("returns a repository's README under its actual file name", async () => {
    const content = Buffer.from("= The keeper").toString("base64");
    places.answers.set("api.github.com/repos/ada/keeper/readme", {
      type: "application/json",
      body: JSON.stringify({ name: "README.adoc", encoding: "base64", content }),
    });
    const file = await places.fetcher.fetch("https://github.com/ada/keeper", new AbortController().signal);
    expect([file.name, Buffer.from(file.bytes).toString()]).toEqual(["README.adoc", "= The keeper"]);
  });

  test.each([
    { status: 403, body: "rate limit exceeded" },
    { body: "<html>not JSON" },
    { type: "application/json", body: JSON.stringify({ name: "README", encoding: "none", content: "" }) },
    { body: "x".repeat(5_000_000) },
  ])("returns the page when no README is found", async (answer) => {
    places.answers.set("api.github.com/repos/ada/keeper/readme", answer);
    places.answers.set("github.com/ada/keeper", { body: "<p>The page" });
    expect(await fetchText("https://github.com/ada/keeper")).toBe("<p>The page");
  });

  test("follows Git LFS pointers to the file itself", async () => {
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    places.answers.set("raw.githubusercontent.com/ada/keeper/main/report.pdf", { body: pointer });
    places.answers.set("media.githubusercontent.com/media/ada/keeper/main/report.pdf", { body: "%PDF-1.4" });
    expect(await fetchText("https://github.com/ada/keeper/blob/main/report.pdf")).toBe("%PDF-1.4");
  });

  test("is asked again later when it fails, instead of reading the page", async () => {
    places.answers.set("raw.githubusercontent.com/ada/keeper/main/a.md", { status: 503 });
    places.answers.set("github.com/ada/keeper/blob/main/a.md", { body: "<p>The page" });
    expect(await refusalOf("https://github.com/ada/keeper/blob/main/a.md")).toMatchObject({ kind: "unavailable" });
  });

  test("does not follow redirects to forbidden addresses", async () => {
    places.answers.set("raw.githubusercontent.com/ada/keeper/main/a.md", { location: "http://169.254.169.254/secret" });
    expect(await refusalOf("https://github.com/ada/keeper/blob/main/a.md")).toMatchObject({ kind: "forbidden" });
  });
});

describe("arXiv", () => {
  test.each([
    { what: "names nothing", body: "<html><head></head><body>An abstract" },
    { what: "never ends its tags", body: '<meta name="citation_title" content="'.repeat(20_000) },
    { what: "is not a page", body: Buffer.alloc(100_000, 0xff) },
  ])("returns the paper when its abstract page $what", async ({ body }) => {
    places.answers.set("arxiv.org/abs/1706.03762", { body });
    places.answers.set("arxiv.org/pdf/1706.03762", { type: "application/pdf", body: "%PDF-1.4" });
    expect(await fetchText("https://arxiv.org/abs/1706.03762")).toBe("%PDF-1.4");
  });

  test("returns the PDF when the HTML version is not HTML", async () => {
    places.answers.set("arxiv.org/abs/1706.03762", { body: "<p>An abstract" });
    places.answers.set("arxiv.org/html/1706.03762", { type: "image/png", body: "\u0089PNG" });
    places.answers.set("arxiv.org/pdf/1706.03762", { type: "application/pdf", body: "%PDF-1.4" });
    expect(await fetchText("https://arxiv.org/abs/1706.03762")).toBe("%PDF-1.4");
  });

  test("names the first of many authors, and the number of others", async () => {
    const authors = Array.from({ length: 500 }, (_, at) => `<meta name="citation_author" content="Keeper, A${at}">`);
    places.answers.set("arxiv.org/abs/1706.03762", { body: authors.join("") });
    places.answers.set("arxiv.org/pdf/1706.03762", { body: "%PDF-1.4" });
    const { told } = await places.fetcher.fetch("https://arxiv.org/abs/1706.03762", new AbortController().signal);
    expect(told?.author).toMatch(/^A0 Keeper, A1 Keeper, .*, A29 Keeper, 470 more$/);
  });
});

describe("YouTube", () => {
  const ADDRESS = "https://www.youtube.com/watch?v=abcdefghijk";
  const VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nAhoy\n";
  const track = (lang: string, more: Record<string, unknown> = {}) => ({
    baseUrl: `/api/timedtext?v=abcdefghijk&lang=${lang}${more["kind"] === "asr" ? "&kind=asr" : ""}`,
    languageCode: lang,
    ...more,
  });
  const heard = (lang: string) => track(lang, { kind: "asr" });

  function answerPage(tracks: readonly Readonly<Record<string, unknown>>[]): void {
    places.answers.set("www.youtube.com/watch", { body: videoPage({ tracks }) });
  }

  test.each([
    {
      what: "captions that people wrote in its language",
      tracks: [track("de"), heard("en"), track("en-GB")],
      asked: "lang=en-GB",
    },
    { what: "captions that people wrote in another language", tracks: [heard("en"), track("de")], asked: "lang=de" },
    { what: "captions from speech recognition", tracks: [heard("en")], asked: "lang=en&kind=asr" },
  ])("returns $what", async ({ tracks, asked }) => {
    answerPage(tracks);
    places.answers.set("www.youtube.com/api/timedtext", { type: "text/vtt", body: VTT });
    expect(await fetchText(ADDRESS)).toBe(VTT);
    expect(places.asked[1]).toBe(`www.youtube.com/api/timedtext?v=abcdefghijk&${asked}&fmt=vtt`);
  });

  test.each([
    { what: "nothing", answer: { type: "text/vtt", body: "" } },
    { what: "a page", answer: { body: "<html>Sorry" } },
    { what: "a refusal", answer: { status: 403 } },
  ])("reports that captions were not provided when it answers with $what instead", async ({ answer }) => {
    answerPage([track("en")]);
    places.answers.set("www.youtube.com/api/timedtext", answer);
    expect(await refusalOf(ADDRESS)).toMatchObject({
      kind: "invalid",
      message: expect.stringContaining("did not provide them"),
    });
  });

  test("is not asked for captions at addresses elsewhere", async () => {
    answerPage([
      track("en", { baseUrl: "https://evil.example/api/timedtext" }),
      track("en", { baseUrl: "http://127.0.0.1/" }),
      track("en", { baseUrl: "/logout" }),
    ]);
    expect((await refusalOf(ADDRESS)).message).toContain("offers no captions");
    expect(places.asked).toEqual(["www.youtube.com/watch?v=abcdefghijk"]);
  });

  test.each([
    { what: "asks for consent", body: "<html><form action='https://consent.youtube.com/save'>" },
    { what: "never ends", body: `<script>var ytInitialPlayerResponse = ${'{"a":'.repeat(50_000)}` },
    { what: "contains something else", body: "<script>var ytInitialPlayerResponse = {1}</script>" },
  ])("fails with a reason when its page $what", async ({ body }) => {
    places.answers.set("www.youtube.com/watch", { body });
    expect((await refusalOf(ADDRESS)).message).toContain("its page does not describe the video");
  });

  test("may not answer with more than such a page needs", async () => {
    places.answers.set("www.youtube.com/watch", { body: Buffer.alloc(17_000_000, 0x20) });
    expect(await refusalOf(ADDRESS)).toMatchObject({
      kind: "too_large",
      message: expect.stringContaining("more than such an answer needs"),
    });
  });
});
