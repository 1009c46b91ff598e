import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import { createApiDescription } from "../../src/transports/rest/description/openapi.js";
import { encodeForm } from "../support/forms.js";
import { LOOPBACK, openRest, type OpenedRest, requestInit } from "../support/rest.js";

let rest: OpenedRest;
let api: any;

beforeAll(async () => {
  rest = await openRest({ asOwner: true });
  api = (await rest.send("GET", "/v3/openapi")).body;
});
afterAll(() => rest.close());

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: any;
}

function operations(): Operation[] {
  const listed = Object.entries<any>(api.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  expect(listed).not.toEqual([]);
  return listed;
}

/** The JSON bodies of an operation: that of the request, and those of the responses with their status. */
function bodiesOf({ requestBody, responses }: any): [string, any][] {
  const answers = Object.entries<any>(responses);
  return [["request", requestBody ?? {}], ...answers].flatMap(([of, { content }]) => {
    const schema = content?.["application/json"]?.schema;
    return schema === undefined ? [] : [[of, schema] as [string, any]];
  });
}

/** A schema, followed to the component that it names. */
function resolved(schema: any): any {
  return "$ref" in schema ? api.components.schemas[schema.$ref.split("/").at(-1)] : schema;
}

/** Every object in a value, with its path. */
function* objectsIn(value: unknown, at = "#"): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>];
  for (const [key, part] of Object.entries(value)) yield* objectsIn(part, `${at}/${key}`);
}

describe("the OpenAPI document", () => {
  test("states the API's name, version, server and authentication", () => {
    expect(api).toMatchObject({
      openapi: "3.1.0",
      info: { title: "Recollect API", version: "0.0.0-test" },
      servers: [{ url: "http://localhost" }],
      security: [{ bearerAuth: [] }],
      components: { securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } } },
    });
  });

  test("is the same under /v4, and needs no key, not even for a web page", async () => {
    expect((await rest.send("GET", "/v4/openapi")).body).toEqual(api);
    const { status, headers } = await rest.send("GET", "/v3/openapi", undefined, { origin: "https://page.example" });
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test("names the server by the host that the client used", async () => {
    for (const host of ["http://one.example", "https://two.example:8443"]) {
      const answer = await rest.app.request(`${host}/v3/openapi`, requestInit("GET", undefined), LOOPBACK);
      expect(((await answer.json()) as any).servers).toEqual([{ url: host }]);
    }
  });

  test("is built once, whatever the host, because building is expensive and needs no key", async () => {
    const description = createApiDescription(() => ENDPOINTS);
    const [one, other] = [
      await description.at("http://one.example", "1.0.0"),
      await description.at("http://two.example", "1.0.0"),
    ];
    expect([one.servers, other.servers]).toEqual([[{ url: "http://one.example" }], [{ url: "http://two.example" }]]);
    expect(other.paths).toBe(one.paths);
  });

  test("contains each served operation once", () => {
    const served = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(served).size).toBe(served.length);
    expect(operations().map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(served));
    expect(operations()).toHaveLength(served.length);
  });

  test("contains the operations of the contract", () => {
    const known = new Set(
      operations().map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")}`),
    );
    const wanted = `POST /v3/documents, POST /v3/documents/batch, POST /v3/documents/file, GET /v3/documents/{},
      PATCH /v3/documents/{}, DELETE /v3/documents/{}, DELETE /v3/documents/bulk, POST /v3/documents/list,
      GET /v3/documents, GET /v3/documents/processing, GET /v3/documents/{}/chunks, GET /v3/documents/{}/file-url,
      POST /v4/search, POST /v3/search, POST /v4/memories, PATCH /v4/memories, DELETE /v4/memories,
      POST /v4/memories/forget-matching, POST /v4/memories/list, POST /v4/profile, POST /v4/profile/buckets,
      GET /v3/container-tags/list, GET /v3/container-tags/{}, PATCH /v3/container-tags/{},
      DELETE /v3/container-tags/{}, POST /v3/container-tags/merge, GET /v3/container-tags/merge/{},
      GET /v3/container-tags/{}/inferred, POST /v3/container-tags/{}/inferred/{}/review,
      GET /v3/container-tags/{}/profile, GET /v3/settings, PATCH /v3/settings, POST /v3/settings/reset,
      POST /v3/settings/suggest-buckets, POST /v3/connections/list, POST /v3/connections/{},
      DELETE /v3/connections/{}, GET /v3/connections/{}, POST /v3/connections/{}/connection,
      POST /v3/connections/{}/documents, POST /v3/connections/{}/import, GET /v3/connections/{}/resources,
      POST /v3/connections/{}/configure, GET /v3/connections, GET /v3/connections/{}/sync-runs,
      POST /v3/connections/{}/google-drive/hosted-picker, POST /v4/conversations, GET /v3/session,
      POST /v3/auth/scoped-key, DELETE /v3/auth/scoped-key/{}, GET /v3/auth/keys, PUT /v3/auth/keys/{}/toggle,
      POST /v3/auth/agent-key, GET /v3/auth/plugins, GET /v3/oauth/grants, DELETE /v3/oauth/grants/{},
      GET /v3/auth/team/members, GET /v3/auth/billing, GET /v3/analytics/usage, GET /v3/analytics/errors,
      GET /v3/analytics/logs, GET /v3/analytics/requests, GET /v3/analytics/memory, GET /v3/analytics/chat,
      GET /v3/projects, POST /v3/projects, DELETE /v3/projects/{}, POST /v3/documents/documents,
      POST /v3/documents/documents/by-ids, POST /v3/documents/documents/facets, POST /v3/documents/migrate-mcp,
      GET /v3/mcp/has-login, GET /v3/waitlist/status, GET /v3/digests, GET /files/{}, GET /v3/openapi, GET /,
      GET /v3/journal, POST /v3/journal/{}/undo, POST /v3/extractions/pending, POST /v3/extractions/{}`;
    expect(wanted.split(/,\s+/).filter((operation) => !known.has(operation))).toEqual([]);
  });
});

describe("is valid OpenAPI 3.1:", () => {
  test("every reference resolves", () => {
    const broken = [...objectsIn(api)].flatMap(([at, object]) => {
      const reference = object["$ref"];
      if (typeof reference !== "string") return [];
      const target = reference
        .slice(2)
        .split("/")
        .reduce<any>((value, key) => value?.[key], api);
      return target === undefined ? [`${at}: ${reference}`] : [];
    });
    expect(broken).toEqual([]);
    expect([...objectsIn(api)].filter(([, object]) => "$ref" in object).length).toBeGreaterThan(100);
  });

  test("every path parameter is declared, and no other", () => {
    for (const { path, operation } of operations()) {
      const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      const declared = (operation.parameters ?? []).filter((parameter: any) => parameter.in === "path");
      expect(new Set(declared.map(({ name }: any) => name)), path).toEqual(inPath);
      expect(declared).toHaveLength(inPath.size);
      for (const { required } of declared) expect(required).toBe(true);
    }
  });

  test("no two paths differ only in their parameter names", () => {
    const shapes = Object.keys(api.paths).map((path) => path.replace(/\{\w+\}/g, "{}"));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  test("operation ids are unique and are not paths; tags are declared", () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z]+)*$/);
    expect(ids.filter((id) => /V\d|By(?:Id|Container)/.test(id))).toEqual([]);
    const tags = api.tags.map(({ name }: any) => name);
    for (const { operation } of operations()) expect(tags).toContain(operation.tags[0]);
  });

  test("schemas use JSON Schema 2020-12 keywords only, with known types", () => {
    const types = ["array", "boolean", "integer", "null", "number", "object", "string"];
    for (const [at, object] of objectsIn(api)) {
      const { type } = object;
      if (
        /\/(properties|parameters|paths|responses|info|securitySchemes|tags)$/.test(at) ||
        at.includes("/securitySchemes/")
      )
        continue;
      if (typeof type === "string" || Array.isArray(type))
        for (const one of [type].flat()) expect(types, `${at}: ${one}`).toContain(one);
      expect(object, at).not.toHaveProperty("nullable");
      expect(object, at).not.toHaveProperty("_def");
      if (typeof object["pattern"] === "string")
        expect(() => new RegExp(object["pattern"] as string, "u"), at).not.toThrow();
      if (typeof object["pattern"] === "string") expect(object["pattern"], at).not.toMatch(/\/[a-z]$/);
    }
  });

  test("the document is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(api))).toEqual(api);
    expect(JSON.stringify(api)).not.toMatch(/undefined|\[object|function/);
  });
});

describe("is complete enough to work with:", () => {
  test("every operation has a description, and its example is a valid body", () => {
    for (const { path, method, description, body, example } of ENDPOINTS) {
      expect(description, `${method} ${path}`).toMatch(/\.$/);
      if (example !== undefined) expect(body?.safeParse(example).error, `${method} ${path}`).toBeUndefined();
    }
  });

  test("every operation has a summary, a success answer and its possible errors", () => {
    for (const { path, method, operation } of operations()) {
      const where = `${method} ${path}`;
      expect(operation.summary?.length, where).toBeGreaterThan(5);
      const statuses = Object.keys(operation.responses);
      const expected = ENDPOINTS.find((endpoint) => endpoint.method === method && endpoint.path === path);
      expect(
        statuses.filter((status) => /^[23]/.test(status)),
        where,
      ).toEqual(
        [String(expected?.status), ...Object.keys(expected?.otherAnswers ?? {})]
          .filter((status) => /^[23]/.test(status))
          .toSorted(),
      );
      // With one schema for all other statuses, generated clients could not tell answers from errors by status.
      expect(statuses, where).not.toContain("default");
      expect(statuses, where).toEqual(expect.arrayContaining(["500", "503"]));
      if (operation.requestBody) expect(statuses, where).toEqual(expect.arrayContaining(["400", "413", "415"]));
      if (operation.security?.length !== 0)
        expect(statuses, where).toEqual(expect.arrayContaining(["401", "403", "429"]));
      if (path.includes("{") && operation.security?.length !== 0) expect(statuses, where).toContain("404");
    }
  });

  test("it lists the status codes of open, partial-file and connection endpoints", async () => {
    const ask = async (method: string, path: string, init: RequestInit = {}) =>
      (await rest.app.request(`http://localhost${path}`, { method, ...init }, LOOPBACK)).status;
    const form = await encodeForm({ file: new File(["Ada likes green tea."], "tea.txt", { type: "text/plain" }) });
    const { id } = (await rest.send("POST", "/v3/documents/file", form.bytes, { ...form.headers })).body;
    const { url } = (await rest.send("GET", `/v3/documents/${id}/file-url`)).body;
    const { pathname, search } = new URL(url);
    const part = (range: string) => ask("GET", pathname + search, { headers: { range } });
    const hook = "/v3/connections/webhooks/nobody";
    const given: [number, string, string][] = [
      [await ask("GET", "/?containerTag=mia"), "/", "get"],
      [await ask("GET", "/v3/openapi?containerTag=mia"), "/v3/openapi", "get"],
      [await ask("GET", "/reference?containerTag=mia"), "/reference", "get"],
      [await part("bytes=4-8"), "/files/{key}", "get"],
      [await part("bytes=4000-"), "/files/{key}", "get"],
      [await ask("POST", hook, { body: "x".repeat(1_100_000) }), "/v3/connections/webhooks/{connection}", "post"],
    ];
    for (let sent = 0; given.at(-1)?.[0] !== 429 && sent < 200; sent++)
      given.push([await ask("POST", hook, { body: "x" }), "/v3/connections/webhooks/{connection}", "post"]);
    expect([...new Set(given.map(([status]) => status))]).toEqual([400, 206, 416, 413, 404, 429]);
    for (const [status, path, method] of given)
      expect(Object.keys(api.paths[path][method].responses), `${method} ${path}`).toContain(String(status));
    const ofConnection = api.paths["/v3/connections/{connection}/google-drive/hosted-picker"].post;
    expect(Object.keys(ofConnection.responses)).toContain("501");
    const afterSignIn = api.paths["/v3/connections/auth/callback/{connection}"].get;
    expect(Object.keys(afterSignIn.responses)).toEqual(expect.arrayContaining(["200", "302", "400"]));
  });

  test("every parameter has a description", () => {
    const silent = operations().flatMap(({ method, path, operation }) =>
      (operation.parameters ?? [])
        .filter(({ name, description }: any) => !description || description === name)
        .map(({ name }: any) => `${method} ${path} ${name}`),
    );
    expect(silent).toEqual([]);
  });

  test("every body field has a description", () => {
    const fields = operations().flatMap(({ method, path, operation }) =>
      Object.values<any>(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        Object.entries<any>(resolved(schema).properties ?? {}).map(
          ([name, { description }]) => [`${method} ${path} ${name}`, description] as const,
        ),
      ),
    );
    expect(fields.length).toBeGreaterThan(150);
    const silent = fields.filter(([, description]) => !description).map(([name]) => name);
    const advice = "say what they mean with `describe`, or in src/transports/rest/description/field-words.ts";
    expect(silent, advice).toEqual([]);
  });

  test("every JSON body is a named schema, or an array of one, so that generated clients can name its type", () => {
    const bodies = operations().flatMap(({ operation }) =>
      bodiesOf(operation).map(([of, schema]) => [`${operation.operationId} ${of}`, schema.items ?? schema] as const),
    );
    expect(bodies.length).toBeGreaterThan(150);
    expect(bodies.filter(([, schema]) => Object.keys(schema).join() !== "$ref").map(([body]) => body)).toEqual([]);
  });

  test("a body has the name of its operation; equal bodies share the name of the first in the alphabet", () => {
    const namesOf = (id: string) =>
      operations()
        .filter(({ operation }) => operation.operationId === id)
        .flatMap(({ operation }) => bodiesOf(operation))
        .map(([, schema]) => (schema.items ?? schema).$ref.replace("#/components/schemas/", ""))
        .filter((name) => name !== "Error");
    expect(namesOf("addDocument")).toEqual(["AddDocumentRequest", "AddDocumentResponse"]);
    expect(namesOf("updateDocument")).toEqual(["UpdateDocumentRequest", "AddDocumentResponse"]);
    expect(namesOf("listDocumentsByQuery")).toEqual(["ListDocumentsResponse"]);
    expect(namesOf("listContainerTags")).toEqual(["ListedContainerTag"]);
    expect(namesOf("listConnections")).toEqual(["ListConnectionsRequest", "Connection"]);
    expect(namesOf("deleteConnection")[0]).toBe("ContainerSelection");
    expect(namesOf("inviteMember")).toEqual(["UnusedRequest", "TeamChangeResponse"]);
    const schemas = Object.values(api.components.schemas).map((schema) => JSON.stringify(schema));
    expect(schemas.length).toBeGreaterThan(100);
    expect(new Set(schemas).size).toBe(schemas.length);
  });

  test("clients generated from an earlier document find their types under the same names", async () => {
    const named = operations().map(({ operation }) => {
      const types = bodiesOf(operation).map(([, schema]) => (schema.items ?? schema).$ref?.split("/").at(-1) ?? "-");
      return `${operation.operationId}: ${types.filter((type) => type !== "Error").join(", ")}`;
    });
    await expect(named.sort().join("\n")).toMatchFileSnapshot("../fixtures/api-type-names.txt");
  });

  test("every JSON answer has a specific schema", () => {
    const answers = operations().flatMap(({ path, method, operation }) =>
      bodiesOf(operation).map(([of, schema]) => [`${method} ${path} ${of}`, resolved(schema)] as const),
    );
    expect(answers.length).toBeGreaterThan(150);
    for (const [at, schema] of answers) expect(Object.keys(schema), at).not.toEqual([]);
  });

  test("answers may carry warnings wherever a request may have unknown fields", () => {
    const answerOf = (path: string, method: string) =>
      resolved(api.paths[path][method].responses["200"].content["application/json"].schema);
    expect(answerOf("/v3/documents/list", "post").properties.warnings).toMatchObject({ type: "array" });
    const [named, warned] = answerOf("/v4/search", "post").allOf;
    expect(named).toEqual({ $ref: "#/components/schemas/SearchAnswer" });
    expect(warned.properties).toHaveProperty("warnings");
    expect(JSON.stringify(answerOf("/v3/container-tags/list", "get"))).not.toContain("warnings");
  });

  test("shared schemas are named components", () => {
    for (const name of ["Error", "Pagination", "Document", "SearchAnswer", "Filters", "MemoryEntry"])
      expect(api.components.schemas).toHaveProperty(name);
    expect(JSON.stringify(api)).not.toContain('"id":"Pagination"');
    const list = api.paths["/v3/documents/list"].post;
    expect(resolved(list.responses["200"].content["application/json"].schema).properties).toMatchObject({
      memories: { items: { $ref: "#/components/schemas/ListedDocument" } },
      pagination: { $ref: "#/components/schemas/Pagination" },
    });
    expect(list.responses["400"]).toEqual({ $ref: "#/components/responses/Invalid" });
  });

  test("a file upload is a form with binary content", () => {
    const { content } = api.paths["/v3/documents/file"].post.requestBody;
    expect(content["multipart/form-data"].schema.properties.file).toMatchObject({ type: "string", format: "binary" });
  });
});

describe("the reference page", () => {
  async function readPage(path = "/reference", host = "http://localhost") {
    const answer = await rest.app.request(host + path, requestInit("GET", undefined), LOOPBACK);
    return { answer, text: await answer.text() };
  }

  test("is one HTML page without a key, also at /docs", async () => {
    const { answer, text } = await readPage();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect((await readPage("/docs")).text).toBe(text);
  });

  test("shows every operation and every named schema, and all its links resolve", async () => {
    const { text } = await readPage();
    for (const { path, operation } of operations()) {
      expect(text).toContain(`<article id="${operation.operationId}">`);
      expect(text).toContain(`<code>${path}</code>`);
    }
    for (const name of Object.keys(api.components.schemas))
      expect(text).toMatch(new RegExp(`<article id="schema-${name}">|<h4>[^<]+, ${name}, application/json</h4>`));
    expect(/<article id="addDocument">[^]*?<\/article>/.exec(text)?.[0]).toContain(`href="#schema-DocumentReceipt"`);
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links).not.toEqual([]);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
  });

  test("runs and loads nothing: no script, no external resource, only its own style, allowed by hash", async () => {
    const { answer, text } = await readPage();
    expect(text).not.toMatch(
      /<script|<img|<link(?! rel="icon" href="data:," )|<iframe|javascript:| on[a-z]+=| style=/i,
    );
    const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(text).toContain(`<link rel="icon" href="data:," />`);
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("is well-formed: every opened element is closed", async () => {
    const { text } = await readPage();
    const open: string[] = [];
    for (const [, slash, name = "", rest = ""] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^>"])*)>/g)) {
      if (name === "meta" || rest.endsWith("/")) continue;
      if (slash === "") open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });

  test("escapes what it shows, and does not repeat an odd host name", async () => {
    const { text } = await readPage("/reference", "http://a&b.example");
    expect(text).toContain("http://127.0.0.1:6767");
    expect(text).not.toMatch(/a&(?:amp;)?b.example/);
    expect(text).toContain("&quot;AND&quot;");
  });

  test("has curl examples that this server accepts", async () => {
    const { text } = await readPage();
    const examples = [...text.matchAll(/<pre><code>([^<]+)<\/code>/g)].map(([, code = ""]) => unescape(code));
    expect(examples).toHaveLength(operations().length);
    for (const example of examples.filter((one) => one.includes("-X POST") && one.includes(" -d "))) {
      const [, url = "", body = ""] = /'(http[^']+)'[^]* -d '([^]*)'$/.exec(example) ?? [];
      if (/reset|purge|embeddings|merge$|connection|inferred|journal|taskId/.test(url)) continue;
      const { status, body: answer } = await rest.send("POST", url.replace("http://localhost", ""), JSON.parse(body));
      expect([status < 300, url, answer?.issues], url).toEqual([true, url, undefined]);
    }
  });
});

function unescape(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_entity, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? "",
  );
}
