import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGuardedFetch } from "../../src/adapters/fetch/guarded-fetch.js";
import { createWatchedModel } from "../../src/adapters/llm/watched.js";
import type { ContentExtractor } from "../../src/core/documents/content-ports.js";
import { extracted } from "../../src/extractors/extracted.js";
import { createModelRetrial } from "../../src/ingest/model-retrial.js";
import { NO_PLACES, readAllowedPlaces } from "../../src/lib/allowed-places.js";
import { ManualClock } from "../support/clock.js";
import { type ManualCore, type ManualCoreOptions, openManualCore } from "../support/manual-core.js";
import { silentLog } from "../support/open-core.js";
import { scriptedLanguageModel, type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

const fixture = (name: string) => readFileSync(join(import.meta.dirname, "../fixtures/extractors", name));
const SIGN = dataAddress(fixture("sign.png"));
const PHOTO = dataAddress(fixture("photo-exiftool.jpg"), "image/jpeg");
const SEEN = "A heron stands on a wooden sign.";
const DESCRIPTION = `Picture description by a language model: ${SEEN}`;

let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

function dataAddress(bytes: Uint8Array, type = "image/png"): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

async function reopen(options: ManualCoreOptions): Promise<void> {
  await opened.close();
  opened = await openManualCore(options);
}

const image = (url: string) => ({ type: "image_url", image_url: { url } });
const showing = (...urls: string[]) => ({
  role: "user",
  content: [{ type: "text", text: "Look at my sign:" }, ...urls.map(image)],
});
const NICE = { role: "assistant", content: "How nice!" };

async function send(messages: readonly object[], more: object = {}) {
  const input = { conversationId: "talk", messages, containerTags: ["a"], ...more };
  const receipt = await opened.core.addConversation(opened.call(), input);
  await opened.settle();
  return receipt;
}
const get = () => opened.core.getDocument(opened.call(), { id: "talk", within: "a" });
const notes = async () => (await get()).pictureNotes.map(({ note }) => note);
const content = async () => (await get()).document.content;

describe("a picture in a message", () => {
  test("is read, and its text becomes a turn without a speaker after the message", async () => {
    expect((await send([showing(SIGN), NICE])).warnings).toEqual([]);
    const { document } = await get();
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", revision: 1 });
    const [message, picture, answer, ...more] = document.content.split("\n\n");
    expect(message).toBe("user: Look at my sign:\n[image]");
    expect(picture).toMatch(/^tool: picture → \S/);
    expect(answer).toBe("assistant: How nice!");
    expect(more).toEqual([]);
  });

  test("is found by its text, but not by its bytes", async () => {
    await send([showing(SIGN)]);
    const said = (await content()).split("→ ")[1] ?? "";
    const { results } = await opened.core.search(opened.call(), {
      q: said,
      containerTags: ["a"],
      searchMode: "hybrid",
    });
    expect(JSON.stringify(results)).toContain(said.split("\n")[0]);
    expect(await opened.everything()).not.toContain(fixture("sign.png").toString("base64").slice(0, 60));
    expect(await opened.everything()).not.toContain(fixture("sign.png").toString("hex").slice(0, 60));
  });

  test("is read once, however often the conversation is sent", async () => {
    await send([showing(SIGN), NICE]);
    const first = await get();
    await send([showing(SIGN), NICE]);
    expect((await get()).document).toEqual(first.document);
    const more = { role: "user", content: "It hangs at the harbour." };
    await send([showing(SIGN), NICE, more]);
    expect(await content()).toBe(`${first.document.content}\n\nuser: It hangs at the harbour.`);
    await send([more, { role: "assistant", content: "Where the ferries are?" }]);
    expect(await content()).toContain(
      `${first.document.content}\n\nuser: It hangs at the harbour.\n\nassistant: Where`,
    );
    expect((await get()).document.revision).toBe(3);
    expect(await opened.rowCounts()).toMatchObject({ message_pictures: 1 });
  });

  test("makes a message with the same words but another picture a different message", async () => {
    await send([showing(SIGN), NICE]);
    await send([showing(PHOTO)]);
    expect((await content()).match(/tool: picture →/g)).toHaveLength(2);
    expect((await content()).match(/user: Look/g)).toHaveLength(2);
  });

  test("is also read before another text that arrives while it waits", async () => {
    await opened.hold();
    const input = { conversationId: "talk", containerTags: ["a"] };
    await opened.core.addConversation(opened.call(), { ...input, messages: [showing(SIGN)] });
    await opened.core.addConversation(opened.call(), { ...input, messages: [showing(SIGN)] });
    expect((await get()).document.revision).toBe(1);
    await opened.core.addConversation(opened.call(), { ...input, messages: [showing(SIGN), NICE] });
    await opened.settle();
    expect((await content()).split("\n\n")).toEqual([
      "user: Look at my sign:\n[image]",
      expect.stringMatching(/^tool: picture → /),
      "assistant: How nice!",
    ]);
    expect((await get()).document).toMatchObject({ status: "done", revision: 2 });
  });

  test("does not change what was sent before it was read", async () => {
    await opened.hold();
    const input = { conversationId: "talk", containerTags: ["a"] };
    const more = { role: "user", content: "It hangs at the harbour." };
    const { id } = await opened.core.addConversation(opened.call(), { ...input, messages: [showing(SIGN), NICE] });
    await opened.core.addConversation(opened.call(), { ...input, messages: [showing(SIGN), NICE, more] });
    await opened.settle();
    const { organizationId, documents } = opened.store;
    expect(await documents.revisionText(organizationId, id, 1)).toBe(
      "user: Look at my sign:\n[image]\n\nassistant: How nice!",
    );
    expect(await content()).toMatch(/tool: picture → [^]*\n\nassistant: How nice!\n\nuser: It hangs at the harbour\.$/);
    expect((await get()).document).toMatchObject({ status: "done", dreamingStatus: "done", revision: 2 });
  });

  test("used twice in a conversation appears once", async () => {
    await send([showing(SIGN, SIGN), NICE, showing(SIGN)]);
    expect((await content()).match(/tool: picture →/g)).toHaveLength(1);
  });

  test.each([
    ["of the AI SDK as a data URL", { type: "image", image: SIGN }],
    ["of the AI SDK in base64", { type: "image", image: SIGN.split(",")[1], mediaType: "image/png" }],
    ["of Anthropic", { type: "image", source: { type: "base64", media_type: "image/png", data: SIGN.split(",")[1] } }],
    ["of OpenAI as a text", { type: "image_url", image_url: SIGN }],
    ["labelled as another picture format", image(SIGN.replace("image/png", "image/jpeg"))],
    ["with parameters", image(SIGN.replace("image/png;", "image/png;name=a.png;"))],
  ])("%s is read", async (_what, part) => {
    expect((await send([{ role: "user", content: [part] }])).warnings).toEqual([]);
    expect(await content()).toMatch(/^user: \[image\]\n\ntool: picture → \S/);
  });

  /** Takes four minutes per picture, partly waiting for the files of others. */
  function slowExtractor(clock: ManualClock, waitingMinutes: number) {
    const queues: (string | undefined)[] = [];
    const extractor: ContentExtractor = {
      endings: [],
      programs: () => Promise.resolve([]),
      accepts: () => Promise.resolve(true),
      close: () => Promise.resolve(),
      extract(_file, { queue, onTurn }) {
        queues.push(queue);
        clock.advance(waitingMinutes * 60_000);
        onTurn?.();
        clock.advance((4 - waitingMinutes) * 60_000);
        return Promise.resolve(extracted("image", [{ text: `Picture ${queues.length}`, place: {} }]));
      },
    };
    return { extractor, queues };
  }

  test("reached after three minutes of reading is left out, and a note says so", async () => {
    const clock = new ManualClock();
    await reopen({ clock, extractor: slowExtractor(clock, 0).extractor });
    await send([showing(SIGN, PHOTO), NICE]);
    expect(await content()).toContain("tool: picture → Picture 1");
    expect(await notes()).toEqual([expect.stringContaining("took longer than three minutes")]);
    expect((await get()).document.status).toBe("done");
  });

  test("loses nothing by waiting for the files of others, and takes turns within its container", async () => {
    const clock = new ManualClock();
    const { extractor, queues } = slowExtractor(clock, 3.5);
    await reopen({ clock, extractor });
    await send([showing(SIGN, PHOTO), NICE]);
    expect(await content()).toContain("tool: picture → Picture 2");
    expect(await notes()).toEqual([]);
    expect(queues).toEqual([expect.stringMatching(/\ba$/), queues[0]]);
  });

  test("is removed with its conversation, read or not", async () => {
    const { id } = await send([showing(SIGN)]);
    await opened.hold();
    await opened.core.addConversation(opened.call(), { conversationId: "b", messages: [showing(PHOTO)] });
    expect(await opened.rowCounts()).toMatchObject({ message_pictures: 2 });
    await opened.core.deleteDocument(opened.call(), { id });
    await opened.core.deleteDocument(opened.call(), { id: "b" });
    await opened.settle();
    expect(await opened.rowCounts()).toMatchObject({ message_pictures: 0, documents: 0, chunks: 0 });
  });

  test("is removed together with an edited message", async () => {
    const talk = [NICE, { role: "user", content: "It hangs at the harbour." }, { role: "assistant", content: "Ah." }];
    await send([showing(SIGN), ...talk]);
    await send([{ role: "user", content: "Look at my sign: it is gone" }, ...talk]);
    expect(await content()).not.toContain("picture →");
  });
});

describe("a hostile picture in a message", () => {
  const GIF = Buffer.from("GIF89a");
  test.each<[string, string, RegExp]>([
    ["empty", "data:image/png;base64,", /is empty/],
    ["not a picture", dataAddress(Buffer.from("#!/bin/sh\nrm -rf /")), /not a picture/],
    ["labelled as something else", SIGN.replace("image/png", "text/html"), /not a picture/],
    ["a PDF", dataAddress(fixture("small-latex.pdf"), "application/pdf"), /not a picture/],
    ["not base64", "data:image/png;base64,%%%%", /is not base64/],
    ["written as text", "data:image/svg+xml,<svg/>", /not a base64 data URL/],
    ["too large", `data:image/png;base64,${"iVBORw0KGgoA".repeat(1_200_000)}`, /more than 10 MB/],
    ["a file of the server", "file:///etc/passwd", /neither http nor https/],
    ["a script", "javascript:alert(1)", /neither http nor https/],
  ])("that is %s is not stored, and a warning says so", async (_what, url, warning) => {
    const { warnings } = await send([showing(url), NICE]);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect((await get()).document).toMatchObject({ status: "done", errorReason: null });
    expect(await opened.rowCounts()).toMatchObject({ message_pictures: 0 });
    expect((await content()).length).toBeLessThan(200);
  });

  test.each([
    ["truncated", dataAddress(fixture("sign.png").subarray(0, 60))],
    ["only a header", dataAddress(GIF, "image/gif")],
    ["too large for memory", dataAddress(hugePng())],
    [
      "in a phone's format",
      dataAddress(Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from("ftypheic"), Buffer.alloc(99)]), "image/heic"),
    ],
  ])("that is %s leaves a note, and the conversation is completed", async (_what, url) => {
    await send([showing(url), NICE]);
    expect((await get()).document).toMatchObject({ status: "done", errorReason: null });
    expect(await notes()).toEqual([expect.stringMatching(/^A picture could not be read: /)]);
    expect(await content()).toBe("user: Look at my sign:\n[image]\n\nassistant: How nice!");
  });

  test("is ignored beyond the maximum number", async () => {
    const plain = fixture("sign.gif");
    // Bytes appended to a picture change its digest, but not what it shows.
    const many = Array.from({ length: 103 }, (_, index) =>
      dataAddress(Buffer.concat([plain, Buffer.from(String(index))]), "image/gif"),
    );
    await opened.hold();
    const input = { conversationId: "talk", messages: [showing(...many)], containerTags: ["a"] };
    const { warnings } = await opened.core.addConversation(opened.call(), input);
    expect(warnings).toEqual(["messages: 3 images are not read, because at most 100 are read per conversation"]);
    expect(await opened.rowCounts()).toMatchObject({ message_pictures: 100 });
    await opened.core.deleteDocument(opened.call(), { id: "talk" });
  });
});

describe("a picture at an address", () => {
  let server: Server;
  let asked: string[];
  let base: string;
  let answer: (path: string, response: ServerResponse) => void;
  beforeEach(async () => {
    asked = [];
    answer = (_path, response) => response.writeHead(200, { "content-type": "image/png" }).end(fixture("sign.png"));
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      answer(request.url ?? "", response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await reopen({ fetcher: fetcher(["127.0.0.1"]) });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const fetcher = (allowed: string[], isOffline = false) =>
    createGuardedFetch({
      allowed: readAllowedPlaces(allowed) ?? NO_PLACES,
      isOffline,
      userAgent: "Recollect/test",
      maximumBytes: 1e6,
    });

  test("is fetched and read once", async () => {
    await send([showing(`${base}/sign.png`)]);
    await send([showing(`${base}/sign.png`), NICE]);
    expect(await content()).toMatch(
      /^user: Look at my sign:\n\[image: http:\S+\]\n\ntool: picture → \S[^]*\n\nassistant: How/,
    );
    expect(asked).toEqual(["/sign.png"]);
  });

  test.each<[string, (path: string, response: ServerResponse) => void, RegExp]>([
    ["does not exist", (_path, response) => response.writeHead(404).end(), /could not be fetched: .*404/],
    [
      "is a page",
      (_path, response) => response.writeHead(200).end("<html>Hi</html>"),
      /not a picture of a supported kind/,
    ],
    [
      "is too large",
      (_path, response) => response.writeHead(200).end(Buffer.alloc(2e6, 137)),
      /could not be fetched: .*large/i,
    ],
    [
      "redirects to cloud metadata",
      (_path, response) => response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end(),
      /could not be fetched: /,
    ],
  ])("that %s leaves a note", async (_what, reply, note) => {
    answer = reply;
    await send([showing(`${base}/sign.png`), NICE]);
    expect(await notes()).toEqual([expect.stringMatching(note)]);
    expect((await get()).document).toMatchObject({ status: "done", errorReason: null });
    expect(await content()).not.toContain("picture →");
  });

  test("in a private network, or in offline mode, is not fetched", async () => {
    for (const options of [{ fetcher: fetcher([]) }, { fetcher: fetcher(["127.0.0.1"], true) }]) {
      await reopen(options);
      await send([showing(`${base}/sign.png`), NICE]);
      expect(await notes()).toEqual([expect.stringMatching(/^A picture could not be fetched: /)]);
    }
    expect(asked).toEqual([]);
  });
});

describe("a picture in a message, with a language model", () => {
  let provider: ScriptedModel;
  let clock: ManualClock;
  beforeEach(async () => {
    provider = await startScriptedModel();
    clock = new ManualClock();
    await reopen({ clock, model: createWatchedModel(scriptedLanguageModel(provider, silentLog), { clock }) });
  });
  afterEach(() => provider.close());
  const NO_FACTS = JSON.stringify({ facts: [], summary: "", relations: [], derived: [] });
  const isLook = (request: object) => JSON.stringify(request).includes("image_url");

  test("is also described, once", async () => {
    provider.always((request) => (isLook(request) ? JSON.stringify({ sees: true, description: SEEN }) : NO_FACTS));
    await send([showing(SIGN)]);
    await send([showing(SIGN), NICE]);
    expect(await content()).toContain(`\n${DESCRIPTION}\n\nassistant: How nice!`);
    expect(provider.requests.filter(isLook)).toHaveLength(1);
  });

  test("yields nothing that is attributed to the user", async () => {
    let quote = "";
    provider.always((request) => {
      if (isLook(request)) return JSON.stringify({ sees: true, description: SEEN });
      quote = /picture → ([^\\"]+)/.exec(JSON.stringify(request.body.messages))?.[1] ?? "";
      const fact = { text: "User lives in Lisbon.", kind: "fact", isStatic: true, eventDates: [], forgetAfter: null };
      const facts = [{ ...fact, entities: [], buckets: [], quote }];
      return JSON.stringify({ facts, summary: "", relations: [], derived: [] });
    });
    await send([showing(SIGN), NICE]);
    const { memories } = await get();
    expect(quote).not.toBe("");
    expect(memories).toMatchObject([{ isStatic: false, metadata: { trust: "unverified" } }]);
    const profile = await opened.core.profile(opened.call(), { containerTag: "a" });
    expect(JSON.stringify(profile.static)).not.toContain("Lisbon");
  });

  test("that cannot be described keeps its text, and a note says why", async () => {
    provider.always((request) => (isLook(request) ? { fault: "status", status: 503 } : NO_FACTS));
    await send([showing(SIGN)]);
    expect(await content()).toMatch(/tool: picture → \S/);
    expect(await notes()).toEqual([expect.stringMatching(/^A picture has no description: .*503/)]);
    expect((await get()).document).toMatchObject({ status: "done", errorReason: null });
  });

  const MINUTE = 60_000;
  /** Advances the clock, and runs the retries of the service now and then. */
  const pass = async (ms: number) => {
    const retry = createModelRetrial(opened.context);
    for (let passed = 0; passed < ms; passed += 5 * MINUTE) {
      clock.advance(5 * MINUTE);
      await retry();
      await opened.settle();
    }
  };
  const reply = (answer: unknown) => provider.always((request) => (isLook(request) ? (answer as string) : NO_FACTS));
  const AWAY = { fault: "status", status: 503 };
  const DESCRIBED = JSON.stringify({ sees: true, description: SEEN });

  test("that cannot be described is described once the model is back, next to its text", async () => {
    reply(AWAY);
    await send([showing(SIGN)]);
    await send([showing(SIGN), NICE]);
    reply(DESCRIBED);
    await pass(30 * MINUTE);
    const text = await content();
    expect(text).toContain(`\n${DESCRIPTION}\n\nassistant: How nice!`);
    expect(text).toMatch(/tool: picture → \S[^]*\nPicture description/);
    expect(await notes()).toEqual([]);
    expect(await get()).toMatchObject({ document: { status: "done" }, modelFailures: [] });
    const { results } = await opened.core.search(opened.call(), { q: "a heron on a wooden sign", containerTag: "a" });
    expect(results[0]?.text).toContain("heron");
    const before = provider.requests.filter(isLook).length;
    await pass(24 * 60 * MINUTE);
    await send([showing(SIGN), NICE]);
    expect(provider.requests.filter(isLook)).toHaveLength(before);
    expect(await content()).toBe(text);
  });

  test("that can never be described is given up, and its note stays", async () => {
    reply("no JSON at all");
    await send([showing(SIGN)]);
    for (const hours of [2, 7, 25, 25]) await pass(hours * 60 * MINUTE);
    const { modelFailures } = await get();
    expect(modelFailures).toMatchObject([]);
    expect(await notes()).toEqual([expect.stringMatching(/^A picture has no description/)]);
    const before = provider.requests.filter(isLook).length;
    reply(DESCRIBED);
    await pass(48 * 60 * MINUTE);
    expect(provider.requests.filter(isLook)).toHaveLength(before);
  });

  test("removed from its message before its description is not shown to the model", async () => {
    reply(AWAY);
    await send([showing(SIGN), NICE, { role: "user", content: "Thank you. I painted it in May." }]);
    const before = provider.requests.filter(isLook).length;
    const edited = { role: "user", content: "Look at my sign:" };
    await send([edited, NICE, { role: "user", content: "Thank you. I painted it in May." }]);
    reply(DESCRIBED);
    await pass(30 * MINUTE);
    expect(await content()).not.toContain("heron");
    expect(provider.requests.filter(isLook)).toHaveLength(before);
  });
});

/** A picture that claims to be 60,000 pixels wide and high. */
function hugePng(): Uint8Array {
  const bytes = Buffer.from(fixture("sign.png"));
  bytes.writeUInt32BE(60_000, 16);
  bytes.writeUInt32BE(60_000, 20);
  return bytes;
}
