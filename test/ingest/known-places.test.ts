import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import {
  abstractPage,
  embeddedPost,
  openScriptedPlaces,
  type ScriptedPlaces,
  videoPage,
} from "../support/scripted-places.js";
import { writtenLines, writtenPdf } from "../support/written-pdf.js";

let places: ScriptedPlaces;
let manual: ManualCore;

beforeEach(async () => {
  places = await openScriptedPlaces();
  manual = await openManualCore({ fetcher: places.fetcher });
});
afterEach(async () => {
  await manual.close();
  await places.close();
});

async function add(content: string) {
  const { id } = await manual.core.addDocument(manual.call(), { content });
  await manual.settle();
  const { document } = await manual.core.getDocument(manual.call(), { id });
  return document;
}

const PAPER = [
  "The light of Arkona is seen from a distance of twenty-four nautical miles in clear nights.",
  "We measured it on forty nights between the spring and the autumn, from three ships.",
];
const paperPage = `<!DOCTYPE html><html><head><title>Other</title></head><body><article><h1>Far light</h1><p>${PAPER.join("</p><p>")}</p></article></body></html>`;
const PDF = writtenPdf([writtenLines(PAPER, { x: 60, y: 90, size: 11 })]);
const ABSTRACT = abstractPage([
  ["citation_title", "Far light &amp; near ships"],
  ["citation_author", "Keeper, Ada"],
  ["citation_author", "Torvald, Jan"],
  ["citation_date", "2017/06/12"],
  ["citation_online_date", "2023/08/02"],
]);

describe("an arXiv paper", () => {
  test("is stored as its text, with title, authors and date from its abstract page", async () => {
    places.answers.set("arxiv.org/abs/1706.03762v7", { body: ABSTRACT });
    places.answers.set("arxiv.org/html/1706.03762v7", { body: paperPage });
    const document = await add("https://arxiv.org/abs/1706.03762v7");
    expect(document).toMatchObject({
      status: "done",
      url: "https://arxiv.org/abs/1706.03762v7",
      title: "Far light & near ships",
      metadata: { author: "Ada Keeper, Jan Torvald", dateFrom: "page" },
      documentDate: "2023-08-02",
    });
    for (const sentence of PAPER) expect(document.content).toContain(sentence);
  });

  test("without HTML is read from its PDF", async () => {
    places.answers.set("arxiv.org/abs/hep-th/9901001", { body: ABSTRACT });
    places.answers.set("arxiv.org/html/hep-th/9901001", { status: 404, body: "No HTML for this paper" });
    places.answers.set("arxiv.org/pdf/hep-th/9901001", { type: "application/pdf", body: PDF });
    const document = await add("https://arxiv.org/abs/hep-th/9901001");
    expect(document).toMatchObject({ status: "done", type: "pdf", title: "Far light & near ships" });
    expect(document.content).toContain("twenty-four nautical miles");
  });

  test("whose text is withheld is stored as its abstract, and says so", async () => {
    places.answers.set("arxiv.org/abs/1706.03762", { body: ABSTRACT });
    places.answers.set("arxiv.org/pdf/1706.03762", { status: 403 });
    const document = await add("https://arxiv.org/abs/1706.03762");
    expect(document).toMatchObject({ status: "done", title: "Far light & near ships" });
    expect(document.content).toContain("how far the light of Arkona is seen");
    const { reading } = await manual.core.getDocument(manual.call(), { id: document.id });
    expect(reading?.outcome?.notes).toEqual([expect.stringContaining("only the page with its abstract was read")]);
  });

  test("that does not exist is refused without requesting its text", async () => {
    expect(await add("https://arxiv.org/abs/9999.99999")).toMatchObject({
      status: "failed",
      errorReason: expect.stringContaining("there is no such page"),
    });
    expect(places.asked).toEqual(["arxiv.org/abs/9999.99999"]);
  });
});

const CAPTIONS = `WEBVTT
Kind: captions
Language: en

00:00:01.000 --> 00:00:04.000
The harbour opens at nine.

00:01:10.000 --> 00:01:14.000
Torvald lights the green lantern.
`;
const track = (languageCode: string, more: Record<string, unknown> = {}) => ({
  baseUrl: `https://www.youtube.com/api/timedtext?v=abcdefghijk&lang=${languageCode}`,
  languageCode,
  ...more,
});

describe("a YouTube video", () => {
  const page = {
    title: "A day at the harbour",
    author: "Harbour Channel",
    publishDate: "2024-05-01T12:00:00-07:00",
  };

  test.each([
    "https://www.youtube.com/watch?v=abcdefghijk&t=42s",
    "https://youtu.be/abcdefghijk?si=tracking",
    "https://youtube.com/shorts/abcdefghijk",
    "https://m.youtube.com/live/abcdefghijk",
  ])("at %s is stored as its captions with times, title, channel and date", async (address) => {
    places.answers.set("www.youtube.com/watch?v=abcdefghijk", { body: videoPage({ ...page, tracks: [track("en")] }) });
    places.answers.set("www.youtube.com/api/timedtext", { type: "text/vtt", body: CAPTIONS });
    const document = await add(address);
    expect(document).toMatchObject({
      status: "done",
      type: "video",
      url: address,
      title: page.title,
      metadata: { author: page.author },
      documentDate: "2024-05-01T19:00:00.000Z",
      content: "The harbour opens at nine.\n\nTorvald lights the green lantern.",
    });
    const { results } = await manual.core.search(manual.call(), { q: "Who lights the green lantern?" });
    const found = results.find(({ chunk }) => chunk?.content.includes("Torvald"));
    expect(found?.chunk?.metadata).toMatchObject({ time: [1, 74] });
  });

  test.each([
    { status: "OK", reason: "its page offers no captions" },
    { status: "LOGIN_REQUIRED", reason: "YouTube shows it only to signed-in users" },
    { status: "ERROR", reason: "YouTube says that the video does not exist" },
  ])("without captions fails with a reason (%j)", async ({ status, reason }) => {
    places.answers.set("www.youtube.com/watch", { body: videoPage({ ...page, status }) });
    expect(await add("https://youtu.be/abcdefghijk")).toMatchObject({
      status: "failed",
      errorReason: expect.stringContaining(reason),
    });
  });
});

describe("a post on X", () => {
  test("is stored as its text, with its author and the time encoded in its id", async () => {
    places.answers.set(
      "publish.twitter.com/oembed",
      embeddedPost("The lantern of the pier &amp; the light of Arkona <br>are out tonight."),
    );
    const document = await add("https://x.com/adakeeper/status/1774738474398646272?s=20");
    expect(document).toMatchObject({
      status: "done",
      type: "tweet",
      url: "https://x.com/adakeeper/status/1774738474398646272?s=20",
      metadata: { author: "Ada Keeper (@adakeeper)" },
      documentDate: expect.stringMatching(/^2024-04-01T/),
    });
    expect(document.content).toMatch(/^The lantern of the pier & the light of Arkona\s+are out tonight\.$/);
    expect(places.asked).toEqual([expect.stringContaining("url=https%3A%2F%2Ftwitter.com%2Fi%2Fstatus%2F17747384")]);
  });

  test.each([
    { answer: { status: 404, body: "{}" }, reason: "it was deleted" },
    { answer: { status: 403, body: "{}" }, reason: "signed-in users" },
    { answer: { body: "<html>Something went wrong" }, reason: "something other than a post" },
    { answer: embeddedPost("", { html: "<blockquote>nothing</blockquote>" }), reason: "something other than a post" },
    { answer: { type: "application/json", body: "[".repeat(500_000) }, reason: "something other than a post" },
  ])("that X does not show fails with a reason ($reason)", async ({ answer, reason }) => {
    places.answers.set("publish.twitter.com/oembed", answer);
    expect(await add("https://twitter.com/adakeeper/status/1774738474398646272")).toMatchObject({
      status: "failed",
      errorReason: expect.stringContaining(reason),
    });
  });

  test("contains no script", async () => {
    places.answers.set("publish.twitter.com/oembed", embeddedPost("Come aboard.<script>alert(1)</script>"));
    const { content } = await add("https://x.com/i/web/status/1774738474398646272");
    expect(content).toContain("Come aboard.");
    expect(content).not.toContain("alert");
  });
});

describe("a GitHub page", () => {
  test("is stored as the file that it shows, read in that file's format", async () => {
    places.answers.set("raw.githubusercontent.com/ada/keeper/main/ships.csv", {
      type: "text/plain; charset=utf-8",
      body: "name,quay\nAurora,7\nBoreas,3\n",
    });
    const document = await add("https://github.com/ada/keeper/blob/main/ships.csv");
    expect(document).toMatchObject({ status: "done", title: "ships.csv" });
    expect(document.content).toContain("| Aurora | 7 |");
  });
});
