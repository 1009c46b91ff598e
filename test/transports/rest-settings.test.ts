import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
const send: OpenedRest["send"] = (...request) => rest.send(...request);

beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const get = async (headers: Record<string, string> = {}) =>
  (await send("GET", "/v3/settings", undefined, headers)).body;

describe("GET and PATCH /v3/settings", () => {
  test("every field is present, null where nothing was set", async () => {
    const settings = await get();
    expect(settings).toMatchObject({ shouldLLMFilter: null, filterPrompt: null, profileBuckets: [], chunkSize: null });
    expect(Object.keys(settings)).toEqual(expect.arrayContaining(["workspacePrompt", "githubClientSecret"]));
  });

  test("a change returns the organisation as the session shows it, and all settings", async () => {
    const { org } = (await send("GET", "/v3/session")).body;
    const changed = await send("PATCH", "/v3/settings", { workspacePrompt: "We sell honey.", chunkSize: 512 });
    expect(changed).toMatchObject({ status: 200, body: { orgId: org.id, orgSlug: org.slug } });
    expect(changed.body.updated).toMatchObject({ workspacePrompt: "We sell honey.", chunkSize: 512 });
    expect(await get()).toEqual(changed.body.updated);
  });

  test("settings may be sent back unchanged; an unknown one is refused, with everything sent with it", async () => {
    await send("PATCH", "/v3/settings", { notionClientSecret: "notion-secret-1234", shouldLLMFilter: true });
    const settings = await get();
    expect(settings.notionClientSecret).toBe("••••1234");
    const echoed = await send("PATCH", "/v3/settings", settings);
    expect(echoed.body.updated).toEqual(settings);
    for (const unknown of ["someNewField", "chunksize", "overlap", "maxMemories"]) {
      const refused = await send("PATCH", "/v3/settings", { chunkSize: 700, [unknown]: 1 });
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(unknown)]);
    }
    expect(await get()).toEqual(settings);
  });

  test.each([
    [{ filterPrompt: "bees" }, "filterPrompt: has no effect: send shouldLLMFilter: true with it"],
    [{ shouldLLMFilter: true, filterPrompt: "x".repeat(751) }, "filterPrompt: must have at most 750 characters"],
    [{ chunkSize: 1.5 }, "chunkSize: must be a whole number"],
    [{ profileBuckets: [{ key: "A" }] }, "profileBuckets.0.key: must contain only lower-case letters"],
  ])("refuses %j", async (change, message) => {
    const answer = await send("PATCH", "/v3/settings", change);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });
});

describe("a coding plugin that writes settings at every start", () => {
  const written = { shouldLLMFilter: true, filterPrompt: "Remember code only." };

  test("affects no other clients when its header names it", async () => {
    const before = await get();
    const headers = { "x-sm-source": "opencode" };
    const answer = await send("PATCH", "/v3/settings", written, headers);
    expect(answer.body.updated).toMatchObject(written);
    expect(await get(headers)).toMatchObject(written);
    expect(await get()).toEqual(before);
    expect(await get({ "x-sm-source": "cursor" })).toEqual(before);
  });

  test("affects no other clients when its key was made for it, whatever its header says", async () => {
    const call = { actor: rest.actor };
    const keyOf = async (client?: string) => (await rest.core.createKey(call, { name: "k", client })).secret;
    const plugin = { authorization: `Bearer ${await keyOf("opencode")}` };
    const other = { authorization: `Bearer ${await keyOf()}` };
    await send("PATCH", "/v3/settings", written, { ...plugin, "x-sm-source": "something-else" });
    expect(await get(plugin)).toMatchObject(written);
    for (const headers of [other, { ...other, "x-sm-source": "something-else" }])
      expect(await get(headers)).toMatchObject({ shouldLLMFilter: null, filterPrompt: null });
  });
});

describe("POST /v3/settings/suggest-buckets", () => {
  test("requires a stored prompt, and no body", async () => {
    const refused = await send("POST", "/v3/settings/suggest-buckets");
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatch(/^No organization context configured/);
    await send("PATCH", "/v3/settings", { shouldLLMFilter: true, filterPrompt: "A fitness app: workouts and diet" });
    const { status, body } = await send("POST", "/v3/settings/suggest-buckets");
    expect(status).toBe(200);
    expect(body.suggestions.length).toBeGreaterThanOrEqual(3);
    expect(body.suggestions[0]).toEqual({ key: "health", description: expect.any(String) as string });
    expect((await get()).profileBuckets).toEqual([]);
  });
});

describe("POST /v3/settings/reset", () => {
  test("deletes everything once the name is confirmed, and reports how much", async () => {
    await send("POST", "/v3/documents", { content: "Ada keeps bees.", containerTag: "a" });
    await send("POST", "/v3/documents", { content: "Ben lives in Berlin." });
    await send("PATCH", "/v3/settings", { workspacePrompt: "We sell honey." });
    await rest.settle();
    const { org } = (await send("GET", "/v3/session")).body;
    expect(await send("POST", "/v3/settings/reset", { confirmation: org.name })).toMatchObject({
      status: 200,
      body: {
        success: true,
        deletedConnections: 0,
        deletedDocumentsApprox: 2,
        deletedMemoryRows: 2,
        deletedExtraSpaces: 1,
        clearedDefaultSpaceContext: false,
        clearedBrainMemoryRegistry: false,
        settingsReset: true,
      },
    });
    expect((await send("POST", "/v3/documents/list", {})).body.pagination.totalItems).toBe(0);
    expect((await send("GET", "/v3/container-tags/list")).body).toMatchObject([{ containerTag: "sm_project_default" }]);
    expect((await get()).workspacePrompt).toBeNull();
    expect(await send("POST", "/v3/settings/reset", { confirmation: org.slug })).toMatchObject({ status: 200 });
  });

  test.each([undefined, {}, { confirmation: "" }, { confirmation: "yes" }, { confirmation: 1 }])(
    "is refused with %j",
    async (body) => {
      await send("POST", "/v3/documents", { content: "Ada keeps bees." });
      expect(await send("POST", "/v3/settings/reset", body)).toMatchObject({ status: 400 });
      expect((await send("POST", "/v3/documents/list", {})).body.pagination.totalItems).toBe(1);
    },
  );

  test("names the accepted confirmations after a wrong one", async () => {
    const { body } = await send("POST", "/v3/settings/reset", { confirmation: "yes" });
    expect(body.message).toContain(
      `the name of the organisation, Recollect, or its slug, ${rest.actor.organizationId}`,
    );
  });
});
