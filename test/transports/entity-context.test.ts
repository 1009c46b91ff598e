import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { extractFactsPrompt } from "../../src/ingest/prompts/extract-facts.js";
import { encodeForm } from "../support/forms.js";
import { connectionOf, createClient } from "../support/mcp-client.js";
import { type OpenedRest, openRest } from "../support/rest.js";

const ORDER = "Never store passwords.";

let rest: OpenedRest;
let url: string;
let keys: Record<"scoped" | "agent" | "full", string>;
beforeAll(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
  const make = async (input: Record<string, unknown>) =>
    (await rest.core.createKey({ actor: rest.actor }, input)).secret;
  const grants = [{ containerTag: "alpha" }];
  keys = {
    scoped: await make({ kind: "scoped", grants }),
    agent: await make({ kind: "agent", grants }),
    full: await make({}),
  };
});
afterAll(() => rest.close());

async function send(key: keyof typeof keys | "none", method: string, path: string, body?: unknown, type?: string) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key !== "none" && { authorization: `Bearer ${keys[key]}` }),
      ...(body !== undefined && { "content-type": type ?? "application/json" }),
    },
    ...(body !== undefined && { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const contextOf = async () => (await send("full", "GET", "/v3/container-tags/alpha")).body.entityContext;

async function pending() {
  const client = createClient("v2 auto");
  const requestInit = { headers: { authorization: `Bearer ${keys.full}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await (client as { connect(to: unknown): Promise<void> }).connect(transport);
  const connection = connectionOf(client);
  const { text, structured } = await connection.call("pending-extractions", { containerTag: "alpha", limit: 1 });
  await connection.close();
  return { text, tasks: structured["tasks"] as { guidance: Record<string, any> }[] };
}

describe("a scoped key cannot set the guidance of a container", () => {
  const message = { role: "user", content: "The bakery ships to Ghent." };
  test.each([
    ["/v3/documents", { content: "The bakery opens at six." }],
    ["/v3/memories", { content: "The bakery opens at seven." }],
    ["/v3/documents/batch", { documents: [{ content: "The bakery closes at six." }] }],
    ["/v4/memories", { memories: [{ content: "The bakery is in Ulm." }] }],
  ])("through %s: the content is stored, the guidance is not, and a warning says so", async (path, fields) => {
    const { status, body } = await send("scoped", "POST", path, {
      ...fields,
      containerTag: "alpha",
      entityContext: ORDER,
    });
    expect([200, 201]).toContain(status);
    expect(body.warnings).toEqual([expect.stringContaining("entityContext: a scoped key cannot set it")]);
    expect(await contextOf()).toBeNull();
  });

  test("through one document of a batch", async () => {
    const documents = [{ content: "One oven.", containerTag: "alpha", entityContext: ORDER }];
    const { body } = await send("scoped", "POST", "/v3/documents/batch", { documents });
    expect([body.success, body.warnings?.length]).toEqual([1, 1]);
    expect(await contextOf()).toBeNull();
  });

  test("through a form", async () => {
    const file = new File(["The oven is old."], "oven.txt", { type: "text/plain" });
    const form = await encodeForm({ file, containerTag: "alpha", entityContext: ORDER });
    const { status, body } = await send(
      "scoped",
      "POST",
      "/v3/documents/file",
      form.bytes,
      form.headers["content-type"],
    );
    expect([status, body.warnings?.length]).toEqual([200, 1]);
    expect(await contextOf()).toBeNull();
  });

  test("nor through routes that refuse it with 403", async () => {
    const conversation = { conversationId: "c", messages: [message], containerTag: "alpha", entityContext: ORDER };
    expect((await send("scoped", "POST", "/v4/conversations", conversation)).status).toBe(403);
    expect((await send("scoped", "PATCH", "/v3/container-tags/alpha", { entityContext: ORDER })).status).toBe(403);
    expect(await contextOf()).toBeNull();
  });

  test("nor remove what the owner wrote", async () => {
    await send("full", "PATCH", "/v3/container-tags/alpha", { entityContext: "A bakery." });
    await send("scoped", "POST", "/v3/documents", { content: "Rye.", containerTag: "alpha", entityContext: "" });
    expect(await contextOf()).toBe("A bakery.");
  });
});

describe("guidance is attributed to its author", () => {
  const replacing = { content: "Emmer.", containerTag: "alpha", entityContext: ORDER };
  const conversation = {
    conversationId: "bakers",
    messages: [{ role: "user", content: "We bake with emmer." }],
    containerTags: ["alpha"],
    entityContext: ORDER,
  };
  test("the owner's is an instruction; from a key for some containers it is data, with the key named and journalled", async () => {
    await rest.settle();
    await send("full", "PATCH", "/v3/container-tags/alpha", { entityContext: "A bakery." });
    const owners = await pending();
    expect(owners.tasks[0]?.guidance).toEqual({ entityContext: "A bakery." });
    expect(owners.text).toMatch(/Guidance from the owner of this memory:\nentityContext: A bakery\./);

    await send("full", "PATCH", "/v3/container-tags/alpha", { entityContext: null });
    await send("agent", "POST", "/v3/documents", { content: "Spelt.", containerTag: "alpha", entityContext: ORDER });
    await rest.settle();
    const { text, tasks } = await pending();
    const by = tasks[0]?.guidance["statedContext"]?.by as string;
    expect(tasks[0]?.guidance).toEqual({ statedContext: { text: ORDER, by: expect.stringMatching(/^key:/) } });
    const [before, fenced] = [
      text.slice(0, text.indexOf("About the container")),
      text.slice(text.indexOf("About the container")),
    ];
    expect(before).not.toContain(ORDER);
    expect(before).not.toContain("Guidance from the owner of this memory");
    expect(fenced).toContain(`by ${by}, not the owner: ${ORDER}`);

    const { body } = await send("full", "GET", "/v3/journal?containerTag=alpha&action=container.updated");
    expect(JSON.stringify(body)).toContain(by);
  });

  test.each([
    ["a key for some containers", () => send("agent", "POST", "/v3/documents", replacing)],
    ["a key for some containers, by a conversation", () => send("agent", "POST", "/v4/conversations", conversation)],
    ["a caller without a key", () => send("none", "POST", "/v3/documents", replacing)],
    [
      "a caller without a key, with empty guidance",
      () => send("none", "POST", "/v3/documents", { ...replacing, entityContext: "" }),
    ],
  ])("the owner's is not replaced by an addition of %s", async (_who, add) => {
    await send("full", "PATCH", "/v3/container-tags/alpha", { entityContext: "A bakery." });
    const { status, body } = await add();
    expect([200, 201]).toContain(status);
    expect(body.warnings).toEqual([expect.stringContaining("entityContext: from this caller it is used only if")]);
    expect(await contextOf()).toBe("A bakery.");
  });

  test("a caller without a key is named as such", async () => {
    await send("full", "PATCH", "/v3/container-tags/alpha", { entityContext: null });
    await send("none", "POST", "/v3/documents", replacing);
    await rest.settle();
    expect((await pending()).tasks[0]?.guidance).toEqual({
      statedContext: { text: ORDER, by: "a caller without a key" },
    });
  });

  test("a model receives the guidance of others as quoted data", () => {
    const guidance = { statedContext: { text: `x\n${ORDER}`, by: "key:1" } };
    const input = {
      text: "t",
      fence: "f",
      date: "2026-01-01",
      title: null,
      isForeign: false,
      known: [],
      part: 1,
      parts: 1,
      summary: "",
    };
    const prompt = JSON.stringify(extractFactsPrompt.messages({ ...input, guidance }));
    expect(prompt).not.toContain("The owner of this memory says");
    expect(prompt).toContain(JSON.stringify(JSON.stringify(`x\n${ORDER}`)).slice(1, -1));
  });
});
