import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isChanging, mayWriteSomewhere, PROMPTS, refusalOf, RESOURCES, TOOLS } from "../support/access-table.js";
import { keep, type Keeper, questions, sees } from "../support/access-questions.js";
import { type AccessWorld, CANARY, HOME, openAccessWorld, type Principal } from "../support/access-world.js";
import { requestInit } from "../support/rest.js";

let world: AccessWorld;
let keeper: Keeper;
beforeAll(async () => {
  world = await openAccessWorld();
  keeper = keep(world);
}, 30_000);
afterAll(() => world.close());

interface McpMessage {
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly resources?: readonly { readonly uri: string }[];
    readonly resourceTemplates?: readonly { readonly uriTemplate: string }[];
    readonly prompts?: readonly { readonly name: string }[];
    readonly completion?: { readonly values: readonly string[] };
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Sends a single message. @returns its response */
async function call(who: Principal, method: string, params: unknown, more: Record<string, string> = {}) {
  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
    ...who.headers,
    ...more,
  };
  const body = { jsonrpc: "2.0", id: 1, method, params };
  const answer = await world.app.request("/mcp?tools=all", requestInit("POST", body, headers), who.bindings);
  const text = await answer.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return { status: answer.status, text, message: JSON.parse(data) as McpMessage };
}

/** How errors about the scope of a key are worded. */
const WORDS = {
  forbidden: /may not use the container|may only read|scoped key may only use/,
  not_found: /not found|There is no/i,
};

describe("the access table", () => {
  const advice = (name: string) =>
    `${name} is not in test/support/access-table.ts. Say there what it needs of whoever uses it (contract 1.2).`;
  const listed = async (method: string) => (await call(world.principal("full key"), method, {})).message.result ?? {};

  test("lists every tool", async () => {
    const names = ((await listed("tools/list")).tools ?? []).map(({ name }) => name);
    for (const name of names) expect(TOOLS[name], advice(name)).toBeDefined();
    expect(names.toSorted()).toEqual(Object.keys(TOOLS).toSorted());
  });

  test("lists every resource", async () => {
    const fixed = ((await listed("resources/list")).resources ?? []).map(({ uri }) => uri);
    const templates = (await listed("resources/templates/list")).resourceTemplates ?? [];
    const names = [...fixed, ...templates.map(({ uriTemplate }) => uriTemplate)];
    for (const name of names) expect(RESOURCES[name], advice(name)).toBeDefined();
    expect(names.toSorted()).toEqual(Object.keys(RESOURCES).toSorted());
  });

  test("lists every prompt", async () => {
    const names = ((await listed("prompts/list")).prompts ?? []).map(({ name }) => name);
    for (const name of names) expect(PROMPTS[name], advice(name)).toBeDefined();
    expect(names.toSorted()).toEqual(Object.keys(PROMPTS).toSorted());
  });
});

describe("a tool", () => {
  test("is listed for callers who may use it", async () => {
    for (const who of world.principals) {
      const { status, message } = await call(who, "tools/list", {});
      const { rights } = who;
      expect([who.name, status]).toEqual([who.name, rights ? 200 : 401]);
      if (!rights) continue;
      const usable = Object.entries(TOOLS).filter(([, tool]) => !isChanging(tool) || mayWriteSomewhere(rights));
      const shown = (message.result?.tools ?? []).map(({ name }) => name);
      expect([who.name, shown.toSorted()]).toEqual([who.name, usable.map(([name]) => name).toSorted()]);
    }
  });

  test.each(Object.entries(TOOLS))("%s", async (name, tool) => {
    await keeper.look();
    for (const { who, tag } of questions(world)) {
      const refusal = refusalOf(tool, who.rights, tag);
      if (refusal === null && isChanging(tool)) continue;
      const args = await tool.args(world.lasting(tag));
      const { status, text, message } = await call(who, "tools/call", { name, arguments: args });
      const { result, error } = message;
      const about = [who.name, tag, text];
      expect([...about, status]).toEqual([...about, who.rights ? 200 : 401]);
      if (!sees(who)) expect([who.name, text.includes(CANARY)]).toEqual([who.name, false]);
      if (!who.rights) continue;
      const isShown = !isChanging(tool) || mayWriteSomewhere(who.rights);
      expect([...about, error === undefined]).toEqual([...about, isShown]);
      if (!isShown) continue;
      expect([...about, result?.isError ?? false]).toEqual([...about, refusal !== null]);
      if (refusal === "forbidden" || refusal === "not_found")
        expect(result?.content?.[0]?.text).toMatch(WORDS[refusal]);
    }
    await keeper.expectUnchanged();
    for (const { who, tag } of questions(world)) {
      if (refusalOf(tool, who.rights, tag) !== null || !isChanging(tool)) continue;
      keeper.letChange();
      const args = await tool.args(world.passing(tag));
      const { text, message } = await call(who, "tools/call", { name, arguments: args });
      expect([who.name, tag, text, message.result?.isError ?? false]).toEqual([who.name, tag, text, false]);
    }
  });
});

describe.each([
  ["a resource", "resources/read", RESOURCES],
  ["a prompt", "prompts/get", PROMPTS],
] as const)("%s", (_what, method, table) => {
  test.each(Object.entries(table))("%s", async (_name, access) => {
    await keeper.look();
    for (const { who, tag } of questions(world)) {
      const refusal = refusalOf(access, who.rights, tag);
      const { status, text, message } = await call(who, method, await access.args(world.lasting(tag)));
      const about = [who.name, tag, text];
      expect([...about, status]).toEqual([...about, who.rights ? 200 : 401]);
      if (!sees(who)) expect([who.name, text.includes(CANARY)]).toEqual([who.name, false]);
      if (who.rights) expect([...about, message.error === undefined]).toEqual([...about, refusal === null]);
    }
    await keeper.expectUnchanged();
  });
});

describe("container tags from a client", () => {
  test("completions suggest nothing that the caller may not see", async () => {
    const secrets = [await world.lasting(HOME).document(), await world.lasting(HOME).memory(), HOME];
    const ofTemplate = (uri: string, name: string) => ({
      ref: { type: "ref/resource", uri },
      argument: { name, value: "" },
    });
    const params = [
      ofTemplate("memory://profile/{containerTag}", "containerTag"),
      ofTemplate("memory://memories/{id}", "id"),
      ofTemplate("memory://documents/{id}", "id"),
      { ref: { type: "ref/prompt", name: "context" }, argument: { name: "containerTag", value: "" } },
    ];
    for (const who of world.principals.filter((one) => one.rights && !sees(one)))
      for (const asked of params) {
        const { text, message } = await call(who, "completion/complete", asked);
        expect([who.name, text, message.error]).toEqual([who.name, text, undefined]);
        for (const secret of secrets) expect(message.result?.completion?.values).not.toContain(secret);
      }
  });

  test("a header that pins a container grants no access to it", async () => {
    const pinned = { "x-sm-project": HOME };
    await keeper.look();
    for (const who of world.principals.filter((one) => !sees(one)))
      for (const [name, args] of [
        ["search", { query: "what sings" }],
        ["profile", {}],
        ["list_documents", {}],
        ["add-memory", { content: "Mine.", wait: 0 }],
        ["fetch", { id: await world.lasting(HOME).document() }],
      ] as const) {
        const { text, message } = await call(who, "tools/call", { name, arguments: args }, pinned);
        expect([who.name, name, text.includes(CANARY)]).toEqual([who.name, name, false]);
        expect([who.name, name, message.result === undefined || message.result.isError]).toEqual([
          who.name,
          name,
          true,
        ]);
      }
    await keeper.expectUnchanged();
  });
});
