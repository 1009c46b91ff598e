import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGuardedFetch } from "../../src/adapters/fetch/guarded-fetch.js";
import { createWatchedModel } from "../../src/adapters/llm/watched.js";
import { createModelRetrial } from "../../src/ingest/model-retrial.js";
import { NO_PLACES, readAllowedPlaces } from "../../src/lib/allowed-places.js";
import { ManualClock } from "../support/clock.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { silentLog } from "../support/open-core.js";
import {
  type ModelRequest,
  scriptedLanguageModel,
  type ScriptedModel,
  startScriptedModel,
} from "../support/scripted-model.js";

const fixture = (name: string) => readFileSync(join(import.meta.dirname, "../fixtures/extractors", name));
const SIGN = `data:image/png;base64,${fixture("sign.png").toString("base64")}`;
const OTHER = `data:image/gif;base64,${fixture("sign.gif").toString("base64")}`;
const HOUR = 60 * 60_000;
const NO_FACTS = JSON.stringify({ facts: [], summary: "", relations: [], derived: [] });
const AWAY = { fault: "status", status: 503 } as const;
const DESCRIBED = JSON.stringify({ sees: true, description: "A heron stands on a wooden sign." });
const UNSEEN = JSON.stringify({ sees: false, description: "" });
type Reply = string | typeof AWAY;

let opened: ManualCore;
let provider: ScriptedModel;
let clock: ManualClock;
let looks: number;

const fetcher = createGuardedFetch({
  allowed: readAllowedPlaces(["127.0.0.1"]) ?? NO_PLACES,
  isOffline: false,
  userAgent: "Recollect/test",
  maximumBytes: 1e6,
});
const model = () => createWatchedModel(scriptedLanguageModel(provider, silentLog), { clock });

beforeEach(async () => {
  provider = await startScriptedModel();
  clock = new ManualClock();
  looks = 0;
  opened = await openManualCore({ clock, model: model(), fetcher });
});
afterEach(async () => {
  await opened.close();
  await provider.close();
});

/** The model's answers about pictures: for PNG and for other formats. */
function reply(ofPng: Reply, ofOthers = ofPng): void {
  provider.always((request: ModelRequest) => {
    const shown = /"url":"data:(image[^;]*)/.exec(JSON.stringify(request.body.messages))?.[1];
    if (shown === undefined) return NO_FACTS;
    looks += 1;
    return shown === "image/png" ? ofPng : ofOthers;
  });
}

const showing = (...urls: string[]) => ({
  role: "user",
  content: [{ type: "text", text: "Look:" }, ...urls.map((url) => ({ type: "image_url", image_url: { url } }))],
});
const NICE = { role: "assistant", content: "How nice!" };

async function send(...messages: object[]): Promise<void> {
  await opened.core.addConversation(opened.call(), { conversationId: "talk", messages, containerTags: ["a"] });
  await opened.settle();
}

async function pass(ms: number): Promise<void> {
  const retry = createModelRetrial(opened.context);
  for (let passed = 0; passed < ms; passed += HOUR / 12) {
    clock.advance(HOUR / 12);
    await retry();
    await opened.settle();
  }
}

const document = () => opened.core.getDocument(opened.call(), { id: "talk", within: "a" });
const content = async () => (await document()).document.content;
const descriptions = async () => (await content()).split("A heron stands").length - 1;

describe("a picture in a message that waits for a description", () => {
  test("is not given up together with a later one that the model rejects", async () => {
    reply(AWAY);
    await send(showing(SIGN));
    reply(AWAY, UNSEEN);
    await send(showing(SIGN), NICE, showing(OTHER));
    reply(DESCRIBED);
    await pass(2 * HOUR);
    expect(await descriptions()).toBe(1);
    expect(await content()).toMatch(/A heron stands[^]*How nice!/);
  });

  test.each<[what: string, ofPng: Reply, ofOthers: Reply]>([
    ["first", UNSEEN, AWAY],
    ["last", AWAY, UNSEEN],
  ])("is described even if the model rejects the %s picture of the same message", async (_what, ...says) => {
    reply(...says);
    await send(showing(SIGN, OTHER));
    reply(DESCRIBED);
    await pass(2 * HOUR);
    expect(await descriptions()).toBe(1);
  });

  test("leaves nothing behind once no message shows it", async () => {
    const waiting = async () =>
      opened.store.messagePictures.digests(opened.store.organizationId, (await document()).document.id);
    reply(AWAY);
    await send(showing(SIGN), NICE, { role: "user", content: "Thank you, Tom." });
    expect((await waiting()).size).toBe(1);
    await send({ role: "user", content: "Look:" }, NICE, { role: "user", content: "Thank you, Tom." });
    expect(await waiting()).toEqual(new Set());
    expect(await document()).toMatchObject({ pictureNotes: [], modelFailures: [] });

    await send({ role: "user", content: "Look:" }, NICE, showing(OTHER));
    expect((await waiting()).size).toBe(1);
    const { id } = (await document()).document;
    await opened.core.updateDocument(opened.call(), { id, content: "Mia keeps goats in Bern." });
    await opened.settle();
    expect(await waiting()).toEqual(new Set());
    expect(await document()).toMatchObject({ pictureNotes: [], modelFailures: [] });
  });

  test("keeps waiting while there is no model", async () => {
    reply(AWAY);
    await send(showing(SIGN));
    await opened.hold();
    clock.advance(HOUR);
    await createModelRetrial(opened.context)();
    const { dataDirectory } = opened;
    await opened.stop();
    opened = await openManualCore({ clock, dataDirectory });
    await opened.settle();
    expect(await descriptions()).toBe(0);
    await opened.stop();
    reply(DESCRIBED);
    opened = await openManualCore({ clock, dataDirectory, model: model(), fetcher });
    await pass(8 * HOUR);
    expect(await descriptions()).toBe(1);
  });

  test("is described once its address answers again, and given up if it never does", async () => {
    let isThere = true;
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      if (isThere) response.writeHead(200, { "content-type": "image/png" }).end(fixture("sign.png"));
      else response.writeHead(503).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      reply(AWAY);
      await send(showing(`http://127.0.0.1:${port}/sign.png`));
      isThere = false;
      reply(DESCRIBED);
      await pass(HOUR);
      expect(await descriptions()).toBe(0);
      isThere = true;
      await pass(8 * HOUR);
      expect(await descriptions()).toBe(1);

      reply(AWAY);
      await send(NICE, showing(`http://127.0.0.1:${port}/other.png`));
      isThere = false;
      reply(DESCRIBED);
      await pass(72 * HOUR);
      const before = asked;
      await pass(48 * HOUR);
      expect(asked).toBe(before);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }, 60_000);

  test("keeps a description made while another message arrived", async () => {
    reply(AWAY);
    await send(showing(SIGN));
    reply(DESCRIBED);
    let isSent = false;
    provider.answerAfter(async () => {
      if (isSent) return;
      isSent = true;
      const messages = [showing(SIGN), NICE];
      await opened.core.addConversation(opened.call(), { conversationId: "talk", messages, containerTags: ["a"] });
    });
    await pass(HOUR / 2);
    const before = looks;
    expect(await content()).toMatch(/A heron stands[^]*How nice!/);
    await pass(8 * HOUR);
    expect([await descriptions(), looks]).toEqual([1, before]);
  });
});
