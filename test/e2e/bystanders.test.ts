import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import { bodyLimits } from "../../src/transports/rest/read-request.js";
import { type Operation, readOperations, requestsTo } from "../support/api-requests.js";
import { type Attack, type AttackedService, startAttackedService } from "../support/attacked-service.js";
import type { JsonSchema } from "../support/schema-arbitrary.js";
import { exampleOf, HARD_TEXTS, type WorstBody, worstBodies, worstOfAll } from "../support/worst-requests.js";

const SIZES = {
  maxTextBytes: 1_048_576,
  maxMetadataBytes: 65_536,
  maxBatchBytes: 16_777_216,
  maxFileBytes: 52_428_800,
};
const LIMITS = bodyLimits(SIZES);
/** The size limit of a body over MCP. */
const MCP_BYTES = 4 * 1024 * 1024 + 6 * SIZES.maxTextBytes;
const maxTextBytes = SIZES.maxTextBytes - 100;
/** Choose another seed with `FUZZ_SEED=…`. */
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_126);
const FUZZED = 500;
const KNOWN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  containerTag: fc.constant("mia"),
  containerTags: fc.constant(["mia"]),
};
const MINUTES = { timeout: 300_000 };

let service: AttackedService;
let components: Readonly<Record<string, JsonSchema>>;
let operations: readonly Operation[];

beforeAll(async () => {
  service = await startAttackedService();
  const { text } = await service.send({ what: "the description", method: "GET", path: "/v3/openapi" });
  const api = JSON.parse(text);
  components = api.components.schemas;
  operations = readOperations(api);
}, 60_000);
afterAll(() => service.close());

const pathOf = ({ path }: Operation): string => path.replace(/\{\w+\}/g, "mia");
const json = (value: unknown) => () => Buffer.from(JSON.stringify(value));

function carriesOf({ method, path }: Operation): keyof typeof LIMITS {
  const endpoint = ENDPOINTS.find((one) => one.method === method.toLowerCase() && one.path === path);
  return endpoint?.carries ?? "document";
}

function* bodiesTo(operation: Operation, tried: Set<string>): Generator<Attack> {
  const { method, body } = operation;
  if (body?.type !== "application/json") return;
  const { schema } = body;
  const example = {
    ...Object(exampleOf(schema, components)),
    ...(JSON.stringify(schema).includes('"containerTag"') && { containerTag: "mia" }),
  };
  const maxBytes = LIMITS[carriesOf(operation)].bytes;
  for (const { what, bytes } of worstBodies({ schema, components, example, maxBytes, maxTextBytes, tried }))
    yield { what, method, path: pathOf(operation), body: bytes };
}

describe("health checks are answered in time, and the process stays small, while a scoped key sends", () => {
  test(`${FUZZED} valid and invalid requests generated from the OpenAPI document (seed ${SEED})`, MINUTES, async () => {
    const source = { components, known: (name: string) => KNOWN[name], always: new Set(Object.keys(KNOWN)) };
    const any = fc.oneof(...operations.map((operation) => requestsTo(operation, source)));
    const made = fc.sample(any, { seed: SEED, numRuns: FUZZED });
    await service.expectBorne(
      made.flatMap(({ fault, method, path, headers, body }) =>
        body instanceof FormData
          ? []
          : [{ what: fault, method, path, headers, ...(body !== undefined && { body: () => Buffer.from(body) }) }],
      ),
    );
  });

  test("the worst fields to every operation", MINUTES, async () => {
    const tried = new Set<string>();
    await service.expectBorne(operations.flatMap((operation) => [...bodiesTo(operation, tried)]));
  });

  test("millions of keys", MINUTES, async () => {
    const keys = Array.from({ length: 3_000_000 }, (_, index) => `"${index.toString(36)}":1`).join();
    const body = Buffer.from(`{"documents":[{"content":"Mia","containerTag":"mia","metadata":{${keys}}}]}`);
    await service.expectBorne([{ what: "metadata", method: "POST", path: "/v3/documents/batch", body: () => body }]);
  });

  test.each(["/v3/documents", "/v3/documents/batch"])("the worst bodies of all to %s", MINUTES, async (path) => {
    const { bytes: maxBytes } = LIMITS[path === "/v3/documents" ? "document" : "batch"];
    const bodies = worstOfAll({ maxBytes });
    await service.expectBorne(bodies.map(({ what, bytes }) => ({ what, method: "POST", path, body: bytes })));
  });

  test("long queries and headers to every operation", MINUTES, async () => {
    const long = "x".repeat(12_000);
    await service.expectBorne(
      operations.flatMap((operation): Attack[] => {
        const { method, parameters } = operation;
        const path = pathOf(operation);
        const queries = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => `${name}=${long}`);
        return [...queries, "a=1&".repeat(3_000), `${long}=1`]
          .map((query): Attack => ({ what: "query", method, path: `${path}?${query}` }))
          .concat({ what: "header", method, path, headers: { "x-sm-source": long } });
      }),
    );
  });

  test("the worst arguments to every tool", MINUTES, async () => {
    const list = overMcp({ what: "list", bytes: () => Buffer.from(message("tools/list", "{}")) });
    // The attacks before this one may have used up the key's rate limit.
    const listed = await vi.waitFor(
      async () => {
        const answer = await service.send(list);
        expect(answer.status).toBe(200);
        return answer;
      },
      { timeout: 60_000, interval: 1_000 },
    );
    const { result } = JSON.parse(/^data: (.*)$/m.exec(listed.text)?.[1] ?? "{}") as {
      result: { tools: { name: string; inputSchema: JsonSchema }[] };
    };
    expect(result.tools.length).toBeGreaterThan(6);
    const tried = new Set<string>();
    const attacks = result.tools.flatMap(({ name, inputSchema: schema }) =>
      worstBodies({
        schema,
        components: {},
        example: { ...Object(exampleOf(schema, {})) },
        maxBytes: MCP_BYTES,
        maxTextBytes,
        tried,
        wrap: (body) => message("tools/call", `{"name":"${name}","arguments":${body}}`),
      }).map(({ what, bytes }) => ({ what: `${name} ${what}`, bytes })),
    );
    await service.expectBorne(attacks.map(overMcp));
  });

  test("the worst messages", MINUTES, async () => {
    const long = "x".repeat(MCP_BYTES - 1_000);
    const search = message("tools/call", '{"name":"search","arguments":{"query":"bees"}}');
    const text = (what: string, make: () => string): WorstBody => ({ what, bytes: () => Buffer.from(make()) });
    const wrap = (body: string): string => message("tools/call", body);
    await service.expectBorne(
      [
        ...worstOfAll({ maxBytes: MCP_BYTES, wrap }),
        text("a long name of a tool", () => wrap(`{"name":"${long}"}`)),
        text("a long method", () => message(long, "{}")),
        text("a long id", () => message("ping", "{}").replace("1,", `"${long}",`)),
        text("many messages", () => `[${Array.from({ length: 9_000 }, () => message("ping", "{}")).join()}]`),
        text("many calls at once", () => `[${Array.from({ length: 100 }, () => search).join()}]`),
      ].map(overMcp),
    );
  });

  test("the largest files", MINUTES, async () => {
    const field = (name: string, value: string): string =>
      `--limit\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const mia = (): Buffer => Buffer.from("Mia");
    await service.expectBorne([
      upload("a text", () => Buffer.alloc(SIZES.maxFileBytes, "Mia keeps bees. ")),
      upload("a text of one document", () => Buffer.alloc(maxTextBytes, "Mia keeps bees. ")),
      upload("no text", () => Buffer.alloc(SIZES.maxFileBytes, 0xff)),
      upload("half of UTF-16", () => Buffer.alloc(SIZES.maxFileBytes, Buffer.from("fffe4100", "hex"))),
      upload("line ends", () => Buffer.alloc(SIZES.maxFileBytes, "\r\n--")),
      upload("half boundaries", () => Buffer.alloc(SIZES.maxFileBytes, "\r\n--limitx")),
      upload("many fields", mia, field("n", "1").repeat(9_000)),
      upload("long metadata", mia, field("metadata", `[${"1,".repeat(5_000_000)}1]`)),
      upload("deep metadata", mia, field("metadata", "[".repeat(5_000_000))),
      upload("many tags", mia, field("containerTags", `["a"${',"a"'.repeat(90_000)}]`)),
    ]);
  });

  test("forms and JSON to the sign-in pages and the internal interface between processes", MINUTES, async () => {
    const paths = [
      "/oauth/register",
      "/oauth/token",
      "/oauth/authorize",
      "/auth/sign-in",
      "/auth/device/code",
      "/auth/device/token",
      "/internal/call/search",
    ];
    const types = ["application/json", "application/x-www-form-urlencoded"];
    const texts = [`[${"1,".repeat(900_000)}1]`, "[".repeat(2_000_000), "a=1&".repeat(500_000)];
    await service.expectBorne(
      paths.flatMap((path) =>
        types.flatMap((type) =>
          texts.map((text) => ({
            what: `${type} ${text.slice(0, 6)}`,
            method: "POST",
            path,
            headers: { "content-type": type },
            body: () => Buffer.from(text),
          })),
        ),
      ),
    );
  });

  test("the most expensive texts, until they are searchable", MINUTES, async () => {
    await service.expectBorne(
      Object.entries(HARD_TEXTS).map(([what, piece]) => ({
        what,
        method: "POST",
        path: "/v3/documents",
        headers: { prefer: "wait=60" },
        body: (attempt) => {
          const content = `Number ${attempt}. ${piece.repeat(maxTextBytes / Buffer.byteLength(piece))}`;
          return json({ content, containerTag: "mia" })();
        },
      })),
    );
  });

  test("many documents and messages in one request, until the last one is searchable", MINUTES, async () => {
    const text = HARD_TEXTS["prose"] ?? "";
    const mia = { containerTags: ["mia"] };
    const documents = Array.from({ length: 600 }, (_, index) => `${index}. ${text.repeat(15)}`);
    const messages = Array.from({ length: 9_999 }, (_, index) => ({ role: "user", content: `${index}. ${text}` }));
    const post = { method: "POST", headers: { prefer: "wait=60" } };
    await service.expectBorne([
      {
        ...post,
        what: "messages",
        path: "/v4/conversations",
        body: json({ conversationId: "long", messages, ...mia }),
      },
      { ...post, what: "documents", path: "/v3/documents/batch", body: json({ documents, ...mia }) },
      {
        ...post,
        what: "the one after them",
        path: "/v3/documents",
        body: (attempt) => json({ content: `The last of them, ${attempt}.`, ...mia })(),
      },
    ]);
  });

  test("the worst filters, over the largest metadata", MINUTES, async () => {
    const list = Array.from({ length: 9_900 }, (_, index) => index.toString(36).padStart(3, "x"));
    const large = [{ list }, { long: "a".repeat(65_000) }, { digits: `0.${"1".repeat(65_000)}` }];
    const documents = Array.from({ length: 150 }, (_, index) => ({
      content: index < 120 ? "Boris lives in Ghent." : `Anna keeps ${index} bees.`,
      customId: `filtered ${index}`,
      metadata: large[index % 3],
    }));
    const nearly = `${"a".repeat(390)}b`;
    const filters = {
      "entries of lists": Array.from({ length: 10 }, () => condition("list", "none", "array_contains")),
      "many entries of lists": Array.from({ length: 200 }, () => condition("list", "none", "array_contains")),
      "nearly the same": Array.from({ length: 50 }, () => condition("long", nearly, "string_contains")),
      "long and nearly the same": Array.from({ length: 18 }, () =>
        condition("long", nearly.repeat(2), "string_contains"),
      ),
      numbers: Array.from({ length: 200 }, () => condition("digits", "1", "numeric")),
    };
    const reads = [
      ["/v3/documents/list", { containerTags: ["mia"], limit: 1_000 }],
      ["/v4/memories/list", { containerTags: ["mia"], limit: 100 }],
      ["/v4/search", { q: "Where does Boris live?", containerTag: "mia" }],
      ["/v4/profile", { containerTag: "mia" }],
    ] as const;
    // The attacks before this one may have used up the key's rate limit.
    const fresh = await startAttackedService();
    onTestFinished(() => fresh.close());
    await fresh.expectBorne([
      // One request has room for so many values.
      ...Array.from({ length: 15 }, (_, part) => part * 10).map((from) => ({
        what: "documents",
        method: "POST",
        path: "/v3/documents/batch",
        headers: { prefer: "wait=60" },
        body: json({ documents: documents.slice(from, from + 10), containerTags: ["mia"] }),
      })),
      ...reads.flatMap(([path, rest]) =>
        Object.entries(filters).map(([what, OR]) => ({
          what,
          method: "POST",
          path,
          body: json({ ...rest, filters: { OR } }),
        })),
      ),
    ]);
    const [path, rest] = reads[0];
    const { text } = await fresh.send({ what: "all", method: "POST", path, body: json(rest) });
    expect(JSON.parse(text)).toMatchObject({ pagination: { totalItems: documents.length } });
  });

  test("three of the largest batches at the same time, to a freshly started service", MINUTES, async () => {
    const text = HARD_TEXTS["prose"] ?? "";
    const documents = Array.from({ length: 15 }, (_, index) => `${index} 👍 ${text.repeat(980_000 / text.length)}`);
    const body = Buffer.from(JSON.stringify({ documents, containerTag: "mia", taskType: "superrag" }));
    const one = { what: "batches", method: "POST", path: "/v3/documents/batch", body: () => body };
    const fresh = await startAttackedService();
    onTestFinished(() => fresh.close());
    await fresh.expectBorne([{ ...one, times: 3 }]);
  });
});

function condition(key: string, value: string, filterType: string): Record<string, unknown> {
  return { key, value, filterType, ignoreCase: true };
}

function message(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
}

function overMcp({ what, bytes }: WorstBody): Attack {
  const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
  return { what, method: "POST", path: "/mcp?tools=all", headers, body: bytes };
}

/** A form with a file, preceded by other fields. */
function upload(what: string, bytes: () => Buffer, fields = ""): Attack {
  const tag = '--limit\r\ncontent-disposition: form-data; name="containerTag"\r\n\r\nmia\r\n';
  const file =
    '--limit\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n';
  return {
    what,
    method: "POST",
    path: "/v3/documents/file",
    headers: { "content-type": "multipart/form-data; boundary=limit" },
    body: () => Buffer.concat([Buffer.from(fields + tag + file), bytes(), Buffer.from("\r\n--limit--\r\n")]),
  };
}
