import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCommand } from "../support/command-line.js";
import { encodeForm } from "../support/forms.js";
import { connectionOf, createClient, type McpConnection } from "../support/mcp-client.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let mcp: McpConnection;
/** One document per container, under a new customId each time that both containers use. */
let ids: Record<"hr" | "att", string>;
let name: string;
let round = 0;

beforeAll(async () => {
  rest = await openRest();
  const client = createClient("v2 auto");
  const { url } = await rest.listen();
  await (client as { connect(to: unknown): Promise<void> }).connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`)),
  );
  mcp = connectionOf(client);
});
afterAll(async () => {
  await mcp.close();
  await rest.close();
});
beforeEach(async () => {
  round += 1;
  name = `payroll-${round}`;
  const upload = async (containerTag: string): Promise<string> => {
    const file = new File([`Salaries of ${containerTag}, ${round}.`], "salaries.txt", { type: "text/plain" });
    const { bytes, headers } = await encodeForm({ file, containerTag, customId: name });
    const { body } = await rest.send("POST", "/v3/documents/file", bytes, headers);
    return body.id;
  };
  ids = { hr: await upload("hr"), att: await upload("att") };
  await rest.settle();
});

const contentOf = async (id: string) => (await rest.send("GET", `/v3/documents/${id}`)).body.content as string;
const isThere = async (id: string) => (await rest.send("GET", `/v3/documents/${id}`)).status === 200;

describe("a customId used in two containers", () => {
  test.each([
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["GET", "/chunks"],
    ["GET", "/file-url"],
  ])("%s %s is refused without a container, and answers 404 for a container without it", async (method, suffix) => {
    const path = `/v3/documents/${name}${suffix}`;
    const body = method === "PATCH" ? { content: "Another text." } : undefined;
    const refused = await rest.send(method, path, body);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(`${ids.hr} in hr`)]);
    expect((await rest.send(method, `${path}?containerTag=elsewhere`, body)).status).toBe(404);
    expect(await contentOf(ids.hr)).toBe(`Salaries of hr, ${round}.`);
    expect(await contentOf(ids.att)).toBe(`Salaries of att, ${round}.`);
  });

  test.each(["hr", "att"] as const)("means the document in %s with ?containerTag", async (tag) => {
    const at = (suffix = "") => `/v3/documents/${name}${suffix}?containerTag=${tag}`;
    expect((await rest.send("GET", at())).body.id).toBe(ids[tag]);
    expect((await rest.send("GET", at("/chunks"))).body.documentId).toBe(ids[tag]);
    const { url: file } = (await rest.send("GET", at("/file-url"))).body;
    expect(file).toBe((await rest.send("GET", `/v3/documents/${ids[tag]}/file-url`)).body.url);
    expect((await rest.send("PATCH", at(), { content: "Changed." })).body.id).toBe(ids[tag]);
    expect((await rest.send("DELETE", at())).status).toBe(204);
    const other = tag === "hr" ? "att" : "hr";
    expect([await isThere(ids[tag]), await contentOf(ids[other])]).toEqual([false, `Salaries of ${other}, ${round}.`]);
  });

  test("is moved from the container in the query to the one in the body", async () => {
    const { status } = await rest.send("PATCH", `/v3/documents/${name}?containerTag=hr`, { containerTag: "archive" });
    expect(status).toBe(200);
    expect((await rest.send("GET", `/v3/documents/${ids.hr}`)).body.containerTags).toEqual(["archive"]);
    expect((await rest.send("GET", `/v3/documents/${ids.att}`)).body.containerTags).toEqual(["att"]);
  });

  test("is hidden from a key for one container in the other", async () => {
    const { secret } = await rest.core.createKey(
      { actor: rest.actor },
      { kind: "scoped", grants: [{ containerTag: "att" }] },
    );
    const shown = { authorization: `Bearer ${secret}` };
    const ask = (tag: string) => rest.send("GET", `/v3/documents/${name}?containerTag=${tag}`, undefined, shown);
    expect((await ask("att")).body.id).toBe(ids.att);
    const refused = await Promise.all(["hr", "nowhere"].map(async (tag) => [tag, await ask(tag)] as const));
    for (const [tag, { status, body }] of refused)
      expect([status, body.message.replace(tag, "…")]).toEqual([403, refused[0]?.[1].body.message.replace("hr", "…")]);
  });

  test("is fetched, read, forgotten and deleted over MCP in the named container", async () => {
    const ask = async (tool: string, args: Record<string, unknown>) => (await mcp.call(tool, args)).text;
    expect(await ask("fetch", { id: name })).toContain("its container");
    expect(await ask("fetch", { id: name, containerTag: "hr" })).toContain(ids.hr);
    for (const place of [{ containerTag: "att" }, { namespace: "att" }])
      expect(await ask("getDocument", { documentId: name, ...place })).toContain(ids.att);
    expect(await ask("forget", { ids: [name], containerTag: "hr" })).toContain(ids.hr);
    expect([await isThere(ids.hr), await isThere(ids.att)]).toEqual([false, true]);
    expect((await mcp.call("delete_document", { documentId: ids.att, containerTag: "hr" })).isError).toBe(true);
    expect((await mcp.call("delete_document", { documentId: name, containerTag: "att" })).isError).toBe(false);
    expect(await isThere(ids.att)).toBe(false);
  });

  test("is deleted on the command line in the named container", async () => {
    const openDoor = () => Promise.resolve({ ...rest, close: () => Promise.resolve() });
    const options = { starters: { openDoor } };
    const refused = await runCommand(rest.dataDirectory, ["forget", name], options);
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining("its container")]);
    const { code } = await runCommand(rest.dataDirectory, ["forget", name, "--container", "att"], options);
    expect([code, await isThere(ids.hr), await isThere(ids.att)]).toEqual([0, true, false]);
  });
});

describe("an id with a container", () => {
  test("is not found, changed or deleted if the document is not in that container", async () => {
    for (const [method, path, body] of [
      ["GET", ids.hr],
      ["GET", `${ids.hr}/chunks`],
      ["GET", `${ids.hr}/file-url`],
      ["PATCH", ids.hr, { title: "x" }],
      ["DELETE", ids.hr],
    ] as const)
      expect([path, (await rest.send(method, `/v3/documents/${path}?containerTag=att`, body)).status]).toEqual([
        path,
        404,
      ]);
    expect((await rest.send("GET", `/v3/documents/${ids.hr}?containerTag=hr`)).body.id).toBe(ids.hr);
  });

  test("of a memory forgets that memory in its own container only", async () => {
    const memories = [{ content: `The cellar key is under stone ${round}.` }];
    const { body } = await rest.send("POST", "/v4/memories", { containerTag: "hr", memories });
    const { id } = body.memories[0];
    expect((await rest.send("DELETE", `/v3/documents/${id}?containerTag=att`)).status).toBe(404);
    expect((await mcp.call("fetch", { id, containerTag: "att" })).isError).toBe(true);
    expect((await mcp.call("fetch", { id, containerTag: "hr" })).text).toContain("cellar key");
    expect((await rest.send("DELETE", `/v3/documents/${id}?containerTag=hr`)).status).toBe(204);
  });
});

test("the OpenAPI description says when a document is refused with 409", async () => {
  const { paths } = (await rest.send("GET", "/v3/openapi")).body;
  for (const path of ["/v3/documents/{id}", "/v3/documents/{id}/chunks", "/v3/documents/{id}/file-url"])
    for (const [method, { responses, parameters }] of Object.entries<any>(paths[path])) {
      expect([method, path, responses["409"]?.description]).toEqual([
        method,
        path,
        expect.stringContaining("containerTag"),
      ]);
      expect(parameters.map((one: any) => one.name)).toEqual(["id", "containerTag"]);
    }
});
