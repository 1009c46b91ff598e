import * as z from "zod";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import type { Endpoint } from "../../src/transports/rest/endpoint.js";
import { toolsFor } from "../../src/transports/mcp/tool-list.js";
import { encodeForm } from "../support/forms.js";
import { connectionOf, createClient, type McpConnection } from "../support/mcp-client.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
let url: string;
let mcp: McpConnection;
beforeAll(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
  for (const containerTag of ["mia", "tom"])
    await send("POST", "/v3/documents", { content: `The password of ${containerTag} is rosebud.`, containerTag });
  await rest.settle();
  mcp = await connect();
});
afterAll(async () => {
  await mcp.close();
  await rest.close();
});

async function connect(): Promise<McpConnection> {
  const client = createClient("v2 auto");
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  await (client as { connect(to: unknown): Promise<void> }).connect(transport);
  return connectionOf(client);
}

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, {
    method: method.toUpperCase(),
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? undefined : JSON.parse(text) };
}

const stored = async () => (await send("POST", "/v3/documents/list", {})).body.pagination.totalItems as number;

test("an error for a missing field also names the unknown fields", async () => {
  const { status, body } = await send("POST", "/v4/search", { query: "Where is the key?", containerTag: "mia" });
  expect([status, body.error]).toEqual([400, "q: is missing; query: is not known"]);
  const added = await send("POST", "/v3/documents", { text: "The key is under the mat.", containerTag: "mia" });
  expect([added.status, added.body.error]).toEqual([400, "content: is missing; text: is not known"]);
});

/** Names that clients have used for the container. */
const MISSPELT = [
  "container_tag",
  "containertag",
  "ContainerTag",
  "container-tag",
  "contanerTag",
  "containrTag",
  "containerTga",
  "containrTags",
  "container_tags",
  "userId",
  "user_id",
  "namespace",
  "project",
  "group_id",
  "session_id",
  "spaceId",
  "tags",
  "tag",
  "customerId",
  "accountId",
  "graphId",
  "uid",
  "containerTagList",
  "containerName",
  "group",
  "session",
  "scope",
  "bank_id",
  "dataset_name",
  "entity_id",
  "namespaceId",
];

const shapeOf = (schema: z.ZodType | undefined) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

describe("a misspelt field that should narrow a request is refused with the right name", () => {
  test.each(MISSPELT)("%s on a search returns nothing of another container", async (name) => {
    const { status, body, text } = await send("POST", "/v4/search", { q: "password", [name]: "mia" });
    expect([status, body.issues]).toEqual([
      400,
      [{ path: [name], message: expect.stringMatching(/^is not known; write containerTags?$/) }],
    ]);
    expect(text).not.toContain("rosebud");
  });

  test.each(MISSPELT)("%s on an addition stores nothing", async (name) => {
    const before = await stored();
    for (const [path, body] of [
      ["/v3/documents", { content: "x", [name]: "mia" }],
      ["/v3/documents/batch", { documents: [{ content: "x", [name]: "mia" }] }],
      ["/v4/conversations", { conversationId: "c", messages: [{ role: "user", content: "x" }], [name]: "mia" }],
    ] as const)
      expect([path, (await send("POST", path, body)).status]).toEqual([path, 400]);
    const form = await encodeForm({ file: new File(["x"], "x.txt", { type: "text/plain" }), [name]: "mia" });
    expect((await send("POST", "/v3/documents/file", form.bytes, form.headers)).status).toBe(400);
    expect(await stored()).toBe(before);
  });

  test.each([
    [{ filter: { AND: [{ key: "topic", value: "x" }] } }, "filters"],
    [{ Filters: { AND: [{ key: "topic", value: "x" }] } }, "filters"],
    [{ filters: { AND: [{ key: "topic", value: "x", Negate: true }] } }, "negate"],
    [{ filters: { AND: [], or: [{ key: "topic", value: "x" }] } }, "OR"],
    [{ filters: { AND: [{ OR: [{ key: "a", value: "b", ignore_case: true }] }] } }, "ignoreCase"],
    [{ filters: JSON.stringify({ AND: [{ key: "topic", value: "x", filter_type: "numeric" }] }) }, "filterType"],
    [{ documentId: "payroll" }, "docId"],
    [{ doc_id: "payroll" }, "docId"],
    [{ filePath: "/a/" }, "filepath"],
    [{ enduserid: "mia" }, "endUserId"],
    [{ filtr: { AND: [] } }, "filters"],
    [{ metadata_filter: { topic: "x" } }, "filters"],
    [{ metadata: { topic: "x" } }, "filters"],
    [{ documentIds: ["payroll"] }, "docId"],
    [{ path: "/a/" }, "filepath"],
  ])("%j on a search", async (fields, right) => {
    const { status, body } = await send("POST", "/v4/search", { q: "password", ...fields });
    expect([status, body.message]).toEqual([400, expect.stringContaining(`write ${right}`)]);
  });

  test("does not create an unlimited or writing key, or turn a dry run into a deletion", async () => {
    for (const fields of [{ container_tags: ["mia"] }, { permissions: "read" }, { userId: "mia" }])
      expect((await send("POST", "/v3/auth/agent-key", { name: "a", ...fields })).status).toBe(400);
    expect(
      (await send("POST", "/v4/memories/forget-matching", { containerTag: "mia", query: "x", dry_run: true })).status,
    ).toBe(400);
  });

  test.each(["scoped-key", "agent-key"])(
    "no %s is created when a field is unknown or names no container",
    async (kind) => {
      const keys = async () => (await send("GET", "/v3/auth/keys", undefined, await rest.ownerKey())).body.keys.length;
      const before = await keys();
      for (const fields of [
        { containerTags: [] },
        ...[
          "readOnly",
          "read_only",
          "expires",
          "expires_in_days",
          "expiresInDay",
          "ttl",
          "rateLimit",
          "rate_limit_max",
        ].map((name) => ({ containerTag: "mia", [name]: 1 })),
        ...["grants", "tags", "tag", "scope", "scopes", "containerName", "allowedContainers"].map((name) => ({
          [name]: ["mia"],
        })),
      ]) {
        const body = { name: "narrow", ...fields };
        const { status } = await send("POST", `/v3/auth/${kind}`, body, await rest.ownerKey());
        expect([fields, status]).toEqual([fields, 400]);
      }
      expect(await keys()).toBe(before);
    },
  );

  test.each([
    ["POST", "/v4/search", { q: "password", containerTags: [] }],
    ["POST", "/v3/search", { q: "password", containerTags: [] }],
    ["POST", "/v3/documents/list", { containerTags: [] }],
    ["POST", "/v3/documents/documents", { containerTags: [] }],
    ["POST", "/v4/memories/list", { containerTags: [] }],
    ["POST", "/v3/documents", { content: "x", containerTags: [] }],
    ["GET", "/v3/documents?containerTags=", undefined],
    ["GET", "/v3/documents?containerTag=", undefined],
    ["GET", "/v3/documents?containerTags=,", undefined],
  ])("%s %s refuses an empty list of containers", async (method, path, body) => {
    const { status, text } = await send(method, path, body);
    expect([status, text]).toEqual([400, expect.stringMatching(/must not be empty|must name at least one container/)]);
  });

  const REMOVES = /purge|forget|merge|reset|undo|-key$/;
  const destructive = ENDPOINTS.filter(
    ({ method, path }) => method === "delete" || (method !== "get" && REMOVES.test(path)),
  );

  test("routes that delete data or create keys refuse every unknown field", async () => {
    expect(destructive.length).toBeGreaterThan(12);
    const before = await stored();
    for (const { method, path, body, example } of destructive) {
      const given = body ? Object(example) : {};
      for (const name of ["dryRun", "status", "max_forget", "treshold", "memoryid", "operators", "colour"]) {
        const sent = { ...given, [name]: "x" };
        const answer = await send(method, path.replace(/\{\w+\}/g, "x"), sent, await rest.ownerKey());
        if (!shapeOf(body).includes(name))
          expect([method, path, name, answer.status]).toEqual([method, path, name, 400]);
      }
    }
    expect(await stored()).toBe(before);
  });

  test("nothing is deleted and no key revoked by a request with fields that its route does not read", async () => {
    const made = await send("POST", "/v3/auth/agent-key", { name: "agent" }, await rest.ownerKey());
    const doc = await send("POST", "/v3/documents", { content: "Rain.", containerTag: "mia", customId: "rain" });
    const before = await stored();
    for (const [path, body] of [
      ["/v3/container-tags/mia?dryRun=true", undefined],
      ["/v3/container-tags/mia", { dryRun: true }],
      [`/v3/documents/${doc.body.id}?dryRun=true`, undefined],
      [`/v3/documents/${doc.body.id}`, { containerTag: "tom" }],
      [`/v3/auth/scoped-key/${made.body.id}?containerTag=mia`, undefined],
      [`/v3/auth/scoped-key/${made.body.id}?dry_run=1`, undefined],
      [`/v3/auth/scoped-key/${made.body.id}`, { containerTag: "mia" }],
    ] as const)
      expect([path, (await send("DELETE", path, body, await rest.ownerKey())).status]).toEqual([path, 400]);
    expect(await stored()).toBe(before);
    const shown = { authorization: `Bearer ${made.body.key}` };
    expect((await send("GET", "/v3/session", undefined, shown)).status).toBe(200);
  });

  const takes = (names: readonly string[]) => names.includes("containerTag") || names.includes("containerTags");
  const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
  const pathOf = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, "x");
  const withBody = ENDPOINTS.filter(({ body, carries }) => takes(shapeOf(body)) && carries !== "file");
  const withQuery = ENDPOINTS.filter(({ query }) => takes(shapeOf(query)));

  test("routes of both kinds exist", () => {
    expect(withBody.length).toBeGreaterThan(12);
    expect(withQuery.length).toBeGreaterThan(3);
  });

  test.each(withBody.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    "in the body of %s",
    async (_, endpoint) => {
      for (const name of ["container_tag", "contanerTag", "user_id", "namespace"].filter(
        (one) => !shapeOf(endpoint.body).includes(one),
      )) {
        const { status, body } = await send(endpoint.method, pathOf(endpoint), { [name]: "mia" });
        expect([name, status, body.message]).toEqual([
          name,
          400,
          expect.stringMatching(/is not known; write containerTag/),
        ]);
      }
      const { status, body } = await send(endpoint.method, `${pathOf(endpoint)}?containerTag=mia`, {});
      if (!shapeOf(endpoint.query).includes("containerTag"))
        expect([status, body.message]).toEqual([400, expect.stringMatching(/send containerTags? in the body/)]);
    },
  );

  test.each(withQuery.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    "in the query of %s",
    async (_, endpoint) => {
      for (const name of ["container_tag", "contanerTag", "user_id"]) {
        const { status, body } = await send(endpoint.method, `${pathOf(endpoint)}?${name}=mia`);
        expect([name, status, body.message]).toEqual([name, 400, expect.stringMatching(/write containerTag/)]);
      }
    },
  );
});

describe("a misspelt header or parameter that should pin a container is refused", () => {
  test.each(["x-sm-project", "x-sm-projects", "x_sm_project", "x-container-tag"])("%s over REST", async (name) => {
    const { status, body } = await send("POST", "/v4/search", { q: "password" }, { [name]: "mia" });
    expect([status, body.message]).toEqual([400, expect.stringContaining("containerTag")]);
  });
  test.each(["x-sm-projects", "x-sm-porject", "x_sm_project", "x-container-tag"])("%s over MCP", async (name) => {
    const { status, text } = await send("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, { [name]: "mia" });
    expect([status, text]).toEqual([400, expect.stringContaining("write x-sm-project")]);
  });
  test.each(["x-sm-namespace", "x-sm-space", "x-sm-proj", "x-supermemory-project", "x-sm-user-id"])(
    "%s over MCP and REST",
    async (name) => {
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      expect((await send("POST", "/mcp", ping, { [name]: "mia" })).status).toBe(400);
      expect((await send("POST", "/v4/search", { q: "password" }, { [name]: "mia" })).status).toBe(400);
    },
  );
  test.each(["", "mia smith", "mia,tom", "x".repeat(101)])(
    "x-sm-project: %j, which is not a container tag",
    async (tag) => {
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const { status, text } = await send("POST", "/mcp", ping, { "x-sm-project": tag });
      expect([status, text]).toEqual([400, expect.stringContaining("It names one container")]);
    },
  );
  test.each(["containerTag", "container_tag", "userId", "project", "tag"])("?%s=mia over MCP", async (name) => {
    const { status, text } = await send("POST", `/mcp?tools=all&${name}=mia`, {
      jsonrpc: "2.0",
      id: 1,
      method: "ping",
    });
    expect([status, text]).toEqual([400, expect.stringContaining("in the header x-sm-project")]);
  });
});

describe("MCP tools of every generation", () => {
  const tools = toolsFor({ mayWrite: true }).filter(({ input }) => "containerTag" in input.shape);

  test.each(tools.map(({ name, input }) => [name, Object.keys(input.shape)] as const))("%s", async (name, known) => {
    for (const wrong of ["container_tag", "contanerTag", "userId", "namespace"].filter((one) => !known.includes(one))) {
      const required = {
        query: "password",
        content: "x",
        informationToGet: "password",
        thingToRemember: "x",
        id: "x",
        documentId: "x",
      };
      const { isError, text } = await mcp.call(name, { ...pick(required, known), [wrong]: "mia" }).catch(told);
      expect([isError, text]).toEqual([true, expect.stringContaining("containerTag")]);
      expect(text).not.toContain("rosebud");
    }
  });

  test("refuse an argument that narrows other calls", async () => {
    for (const [name, args] of [
      ["forget", { query: "password", containerTag: "mia", dryRun: true }],
      ["forget", { query: "password", containerTag: "mia", filters: { AND: [] } }],
      ["add_memory", { content: "x", containerTag: "mia", customId: "x", dry_run: true }],
    ] as const) {
      const { isError, text } = await mcp.call(name, args).catch(told);
      expect([isError, text]).toEqual([true, expect.stringContaining("leave it out")]);
    }
    expect((await send("POST", "/v4/search", { q: "password", containerTag: "mia" })).text).toContain("rosebud");
  });

  test("name unknown arguments beside the result", async () => {
    const answer = await mcp.call("search", { query: "password", containerTag: "mia", colour: "red" });
    expect(answer.isError).toBe(false);
    expect(answer.texts.at(-1)).toBe("Warning: colour: is not known and was ignored.");
  });

  test("also name them in the data, with the similar known name", async () => {
    const asked = { content: "I own a boat.", containerTag: "boats", forget_after: "2030-01-01", colour: "red" };
    const { isError, texts, structured } = await mcp.call("add-memory", asked);
    expect(isError).toBe(false);
    const warnings = [
      "forget_after: is not known and was ignored; did you mean forgetAfter?",
      "colour: is not known and was ignored",
    ];
    expect(structured).toMatchObject({ warnings });
    expect(texts.at(-1)).toBe(`Warning: ${warnings.join("; ")}.`);
    const alone = await mcp.call("add-memory", { content: "I own a kite.", forget_after: "2030-01-01" });
    expect(alone.texts.at(-1)).toBe(`Warning: ${warnings[0]}`);
  });

  const pick = (from: Readonly<Record<string, unknown>>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
  const told = (error: unknown) => ({ isError: true, text: String(error) });
});

describe("other unknown fields", () => {
  test("are named in a warning, and the response is otherwise the same", async () => {
    const asked = { q: "password", containerTag: "mia" };
    const { body: plain } = await send("POST", "/v4/search", asked);
    const { status, body } = await send("POST", "/v4/search", { ...asked, shape: 1, include: { smells: true } });
    expect(status).toBe(200);
    const { warnings, timing: _one, ...same } = body;
    expect(warnings).toEqual(["shape", "include.smells"].map((name) => `${name}: is not known and was ignored`));
    const { timing: _other, ...expected } = plain;
    expect(same).toEqual(expected);
    expect(plain.warnings).toBeUndefined();
  });

  test("are named in a warning where they are parameters of a read", async () => {
    const { status, body } = await send("GET", "/v3/documents?containerTag=mia&colour=red");
    expect([status, body.warnings]).toEqual([200, ["colour: is not known and was ignored"]]);
  });

  test("are refused where the response is a list, which has no room for warnings", async () => {
    const listed = await send("POST", "/v3/connections/list", { colour: "red" });
    expect([listed.status, listed.body.issues[0].path]).toEqual([400, ["colour"]]);
    const asked = await send("GET", "/v3/connections?colour=red");
    expect([asked.status, asked.body.issues[0].path]).toEqual([400, ["colour"]]);
  });

  test("are refused in the settings, with the similar known name", async () => {
    const { status, body } = await send("PATCH", "/v3/settings", { chunksize: 500, colour: "red" });
    expect([status, body.issues]).toEqual([
      400,
      [
        expect.objectContaining({ path: ["chunksize"], message: expect.stringContaining("write chunkSize") as string }),
        expect.objectContaining({
          path: ["colour"],
          message: expect.stringMatching(/unknown fields are not ignored here: leave it out$/),
        }),
      ],
    ]);
  });

  test("are limited to twenty warnings, and shortened", async () => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${"z".repeat(200)}${index}`, 1]));
    const { body } = await send("POST", "/v4/search", { q: "password", ...fields });
    expect(body.warnings.length).toBeLessThanOrEqual(20);
    expect(JSON.stringify(body.warnings).length).toBeLessThan(3_000);
  });

  test("do not include the keys of metadata, which are the caller's own", async () => {
    const metadata = { container_tag: "mia", userId: "u1", whatever: true };
    const { status, body } = await send("POST", "/v3/documents", { content: "Rain.", containerTag: "mia", metadata });
    expect([status, body.warnings]).toEqual([200, undefined]);
  });

  test("of another API without a value only cause a warning", async () => {
    const { status, body } = await send("POST", "/v4/search", { q: "password", containerTag: "mia", user_id: null });
    expect([status, body.warnings]).toEqual([200, ["user_id: is not known and was ignored"]]);
  });
});
