import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/faces/rest/app.js";
import { bodyLimits } from "../../src/faces/rest/read-request.js";
import { type Operation, readOperations } from "../support/api-requests.js";
import { type Bystander, peakMegabytesOf, watchHealth } from "../support/bystander.js";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";
import type { JsonSchema } from "../support/schema-arbitrary.js";
import { exampleOf, worstBodies } from "../support/worst-requests.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";
/** What the service promises whoever asks beside the attacker, on a machine that does nothing else. */
const SLOWEST_MS = 250;
const MOST_MEGABYTES = 400;
/** A refusal says what was wrong, not what was sent. */
const LONGEST_REFUSAL = 16_384;
/** What another program of this machine delays is not delayed again. */
const ATTEMPTS = 3;
const SIZES = {
  maxTextBytes: 1_048_576,
  maxMetadataBytes: 65_536,
  maxBatchBytes: 33_554_432,
  maxFileBytes: 52_428_800,
};
const LIMITS = bodyLimits(SIZES);
/** As large as it is taken over MCP: see `mountMcp`. */
const MCP_BYTES = 4 * 1024 * 1024 + 6 * SIZES.maxTextBytes;

interface Attack {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: () => Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

let serve: ServeProcess;
let bystander: Bystander;
let scopedKey = "";
let api: { readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } };
let operations: readonly Operation[];
/** How long health takes while nobody attacks. */
let idleMs = 0;
let done: () => void;
let ended: Promise<void>;

beforeAll(async () => {
  const ready = new Promise<void>((resolveReady, reject) => {
    ended = withDataDirectory(async (dataDirectory) => {
      serve = await startServe(dataDirectory, { RECOLLECT_API_KEY: KEY });
      resolveReady();
      await new Promise<void>((resolve) => (done = resolve));
      await serve.stop();
    });
    ended.catch(reject);
  });
  await ready;
  const made = await send(
    { what: "", method: "POST", path: "/v3/auth/scoped-key", body: json({ containerTag: "mia" }) },
    KEY,
  );
  scopedKey = JSON.parse(made.text).key;
  api = (await (await fetch(`${serve.url}/v3/openapi`)).json()) as typeof api;
  operations = readOperations(api);
  bystander = watchHealth(serve.url);
  idleMs = await bystander.during(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
}, 60_000);
afterAll(async () => {
  await bystander.stop();
  done();
  await ended;
});

function json(value: unknown): () => Buffer {
  return () => Buffer.from(JSON.stringify(value));
}

interface Answer {
  /** 0 where the server ended the connection before the body was out. */
  readonly status: number;
  readonly text: string;
}

async function send({ method, path, body, headers }: Attack, key: string): Promise<Answer> {
  try {
    const answer = await fetch(`${serve.url}${path}`, {
      method,
      ...(body && { body: new Uint8Array(body()) }),
      headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: 0, text: String(Object(error).cause ?? error) };
  }
}

/** What is wrong with how the service bears an attack, or nothing. */
async function objectionsTo(attack: Attack): Promise<string[]> {
  const slowest: number[] = [];
  const body = attack.body?.();
  const ready = { ...attack, ...(body && { body: () => body }) };
  let answer: Answer = { status: 0, text: "" };
  do {
    const begun = performance.now();
    slowest.push(
      await bystander.during(async () => {
        answer = await send(ready, scopedKey);
      }),
    );
    if (
      process.env["VERBOSE"] &&
      (slowest.at(-1)! > 80 || answer.status === 0 || answer.text.length > 16000 || performance.now() - begun > 700)
    )
      console.log(
        `${attack.method} ${attack.path.slice(0, 60)} ${attack.what}: ${slowest.at(-1)} ms; took ${Math.round(performance.now() - begun)}; ${answer.status} ${answer.text.length} ${answer.text.slice(0, 120)}; ${peakMegabytesOf(serve.child.pid ?? 0)} MB`,
      );
  } while (Math.min(...slowest) > SLOWEST_MS + idleMs && slowest.length < ATTEMPTS);
  const what = `${attack.method} ${attack.path.slice(0, 100)} ${attack.what}`;
  const objections: string[] = [];
  if (Math.min(...slowest) > SLOWEST_MS + idleMs) objections.push(`${what}: health took ${slowest.join(", ")} ms`);
  if (answer.status >= 500 && answer.status !== 501)
    objections.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
  if (answer.status >= 400 && answer.text.length > LONGEST_REFUSAL)
    objections.push(`${what}: it is refused in ${answer.text.length} characters`);
  return objections;
}

async function expectBorne(attacks: Iterable<Attack>): Promise<void> {
  const objections: string[] = [];
  for (const attack of attacks) objections.push(...(await objectionsTo(attack)));
  expect(objections).toEqual([]);
  expect(bystander.failed()).toBe(0);
  expect(peakMegabytesOf(serve.child.pid ?? 0)).toBeLessThanOrEqual(MOST_MEGABYTES);
}

const pathOf = ({ path }: Operation): string => path.replace(/\{\w+\}/g, "mia");

function* bodiesTo(operation: Operation): Generator<Attack> {
  const { method, body } = operation;
  if (body?.type !== "application/json") return;
  const carries = ENDPOINTS.find((one) => one.method === method.toLowerCase() && one.path === operation.path)?.carries;
  const { components } = { components: api.components.schemas };
  const example = {
    ...Object(exampleOf(body.schema, components)),
    ...(JSON.stringify(body.schema).includes('"containerTag"') && { containerTag: "mia" }),
  };
  const worst = worstBodies({
    schema: body.schema,
    components,
    example,
    maxBytes: LIMITS[carries ?? "document"].bytes,
    maxTextBytes: SIZES.maxTextBytes - 100,
  });
  for (const { what, bytes } of worst) yield { what, method, path: pathOf(operation), body: bytes };
}

describe("whoever asks for health is answered in time, and the service stays small, while a scoped key sends", () => {
  test("the worst bodies to every operation", { timeout: 300_000 }, async () => {
    await expectBorne(operations.flatMap((operation) => [...bodiesTo(operation)]));
  });

  test("long queries and headers to every operation", { timeout: 300_000 }, async () => {
    const long = "x".repeat(12_000);
    await expectBorne(
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

  test("the worst arguments to every tool", { timeout: 300_000 }, async () => {
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
    const call = (method: string, params: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
    const mcp = (what: string, text: () => string): Attack => ({
      what,
      method: "POST",
      path: "/mcp?tools=all",
      headers,
      body: () => Buffer.from(text()),
    });
    const listed = await send(
      mcp("list", () => call("tools/list", "{}")),
      scopedKey,
    );
    const { tools } = JSON.parse(/^data: (.*)$/m.exec(listed.text)?.[1] ?? "{}").result as {
      tools: { name: string; inputSchema: JsonSchema }[];
    };
    expect(tools.length).toBeGreaterThan(6);
    const attacks = tools.flatMap(({ name, inputSchema }) =>
      worstBodies({
        schema: inputSchema,
        components: {},
        example: { ...Object(exampleOf(inputSchema, {})) },
        maxBytes: MCP_BYTES,
        maxTextBytes: SIZES.maxTextBytes - 100,
        wrap: (body) => call("tools/call", `{"name":"${name}","arguments":${body}}`),
      }).map(({ what, bytes }) => ({ ...mcp(`${name} ${what}`, String), body: bytes })),
    );
    const long = "x".repeat(MCP_BYTES - 1_000);
    await expectBorne([
      ...attacks,
      mcp("a long name of a tool", () => call("tools/call", `{"name":"${long}"}`)),
      mcp("a long method", () => call(long, "{}")),
      mcp("a long id", () => call("ping", "{}").replace("1,", `"${long}",`)),
      mcp("many messages", () => `[${Array.from({ length: 9_000 }, () => call("ping", "{}")).join()}]`),
      mcp(
        "a batch of calls",
        () =>
          `[${Array.from({ length: 100 }, () => call("tools/call", '{"name":"search","arguments":{"query":"bees"}}')).join()}]`,
      ),
    ]);
  });

  test("the largest files", { timeout: 300_000 }, async () => {
    const boundary = "limit";
    const upload = (what: string, type: string, bytes: () => Buffer, parts = ""): Attack => ({
      what,
      method: "POST",
      path: "/v3/documents/file",
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      body: () =>
        Buffer.concat([
          Buffer.from(
            `${parts}--${boundary}\r\ncontent-disposition: form-data; name="containerTag"\r\n\r\nmia\r\n--${boundary}\r\n` +
              `content-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: ${type}\r\n\r\n`,
          ),
          bytes(),
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]),
    });
    const field = (name: string, value: string): string =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    await expectBorne([
      upload("a text", "text/plain", () => Buffer.alloc(SIZES.maxFileBytes, "Mia keeps bees. ")),
      upload("a text of one document", "text/plain", () => Buffer.alloc(SIZES.maxTextBytes - 100, "Mia keeps bees. ")),
      upload("no text", "application/octet-stream", () => Buffer.alloc(SIZES.maxFileBytes, 0xff)),
      upload("line ends", "text/plain", () => Buffer.alloc(SIZES.maxFileBytes, "\r\n--")),
      upload("half boundaries", "text/plain", () => Buffer.alloc(SIZES.maxFileBytes, `\r\n--${boundary}x`)),
      upload("many fields", "text/plain", () => Buffer.from("Mia"), field("n", "1").repeat(9_000)),
      upload(
        "long metadata",
        "text/plain",
        () => Buffer.from("Mia"),
        field("metadata", `[${"1,".repeat(5_000_000)}1]`),
      ),
      upload("deep metadata", "text/plain", () => Buffer.from("Mia"), field("metadata", "[".repeat(5_000_000))),
      upload(
        "many tags",
        "text/plain",
        () => Buffer.from("Mia"),
        field("containerTags", `["a"${',"a"'.repeat(90_000)}]`),
      ),
    ]);
  });

  test("forms and JSON to the pages for signing in", { timeout: 300_000 }, async () => {
    const paths = [
      "/oauth/register",
      "/oauth/token",
      "/auth/device/code",
      "/auth/device/token",
      "/auth/sign-in",
      "/internal/call/search",
    ];
    await expectBorne(
      paths.flatMap((path): Attack[] =>
        ["application/json", "application/x-www-form-urlencoded"].flatMap((type) =>
          [`[${"1,".repeat(900_000)}1]`, "[".repeat(2_000_000), "a=1&".repeat(500_000)].map((text) => ({
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

  test("as much as is taken, until all of it is processed", { timeout: 300_000 }, async () => {
    const text = "Mia keeps bees on the roof of her house in Porto. She moved there in May 2024 with Tom. ";
    const containerTag = "mia";
    const documents = Array.from({ length: 600 }, (_, index) => `${index}. ${text.repeat(25)}`);
    const messages = Array.from({ length: 9_999 }, (_, index) => ({
      role: "user",
      content: `Number ${index}: ${text}`,
    }));
    await expectBorne([
      { what: "documents", method: "POST", path: "/v3/documents/batch", body: json({ documents, containerTag }) },
      {
        what: "messages",
        method: "POST",
        path: "/v4/conversations",
        body: json({ conversationId: "long", messages, containerTags: [containerTag] }),
      },
    ]);
    let slowest = 0;
    await waitFor(
      async () => {
        slowest = Math.max(slowest, await bystander.during(() => new Promise((resolve) => setTimeout(resolve, 500))));
        const { text: list } = await send({ what: "", method: "GET", path: "/v3/documents/processing" }, scopedKey);
        if (process.env["VERBOSE"]) console.log(slowest, list.slice(0, 150), peakMegabytesOf(serve.child.pid ?? 0));
        return JSON.parse(list).totalCount === 0;
      },
      "the end of processing",
      200,
    );
    expect(slowest).toBeLessThanOrEqual(SLOWEST_MS + idleMs);
    expect(peakMegabytesOf(serve.child.pid ?? 0)).toBeLessThanOrEqual(MOST_MEGABYTES);
  });
});
