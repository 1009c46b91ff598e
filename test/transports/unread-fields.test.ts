import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import { NARROWING } from "../../src/transports/unknown-fields.js";
import { encodeForm } from "../support/forms.js";
import { parseRaw, sendRaw } from "../support/raw-http.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
let url: string;
let port: number;
let key: Record<string, string>;
let api: any;
beforeAll(async () => {
  rest = await openRest({ settings: { RECOLLECT_RATE_LIMIT: "0" } });
  ({ url, port } = await rest.listen());
  key = await rest.ownerKey();
  api = await (await fetch(`${url}/v3/openapi`)).json();
});
afterAll(() => rest.close());

async function send(method: string, path: string, body?: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, {
    method: method.toUpperCase(),
    headers: { ...key, ...(typeof body === "string" && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : Buffer.from(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
}

/** One operation of the API description. */
function described(method: string, path: string) {
  const operation = api.paths[path][method];
  const parameters = (operation.parameters ?? []).filter((one: any) => one.in === "query").map(({ name }: any) => name);
  const content = operation.requestBody?.content;
  const { $ref } = (content?.["application/json"] ?? content?.["multipart/form-data"])?.schema ?? {};
  const schema =
    $ref === undefined ? Object.values<any>(content ?? {})[0]?.schema : api.components.schemas[$ref.split("/").at(-1)];
  return { parameters: parameters as string[], isForm: content?.["multipart/form-data"] !== undefined, schema };
}

const pathOf = (path: string) => path.replace(/\{\w+\}/g, "x");
const refusedOf = (body: any): string[] => (body?.issues ?? []).map(({ path }: any) => path.join("."));
const NO_BODY = /accepts no body/;
const WEBHOOKS = "/v3/connections/webhooks/{connection}";

/** An answer names at most 20 fields. */
const HALVES = [NARROWING.slice(0, NARROWING.length / 2), NARROWING.slice(NARROWING.length / 2)];

const operations = ENDPOINTS.map(({ method, path }) => [method, path] as const);

test("covers every operation of the description", () => {
  const all = Object.entries<any>(api.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(all.sort()).toEqual(operations.map(([method, path]) => `${method} ${path}`).sort());
});

describe.each(operations)("%s %s", (method, path) => {
  test("refuses each scoping parameter it does not read; a change refuses every unknown parameter", async () => {
    const { parameters } = described(method, path);
    for (const half of HALVES) {
      const unread = half.filter((name) => !parameters.includes(name));
      const { status, body } = await send(method, `${pathOf(path)}?${unread.map((name) => `${name}=mia`).join("&")}`);
      expect([status, refusedOf(body)]).toEqual([400, unread]);
    }
    if (method === "get") return;
    const other = await send(method, `${pathOf(path)}?colour=red`);
    expect([other.status, refusedOf(other.body)]).toEqual([400, ["colour"]]);
  });

  test("refuses each scoping body field it does not read", async () => {
    const { schema, isForm } = described(method, path);
    if (schema === undefined) {
      if (method === "get") return expectNoBodyOfGet(path);
      // A source decides what it sends: none of it is trusted, and without proof the address answers 404.
      if (path === WEBHOOKS) {
        for (const text of ['{"containerTag":"mia"}', "[]", "x"])
          expect((await send(method, pathOf(path), text)).status).toBe(404);
        return;
      }
      for (const text of ['{"containerTag":"mia"}', '{"dryRun":true}', "[]", "x", `{"x":"${"y".repeat(2_000)}"}`]) {
        const { status, body } = await send(method, pathOf(path), text);
        expect([text, status, body.message]).toEqual([text, 400, expect.stringMatching(NO_BODY)]);
      }
      for (const text of [undefined, "", "{}", " { }\n"])
        expect(String((await send(method, pathOf(path), text)).body?.message)).not.toMatch(NO_BODY);
      return;
    }
    // Endpoints that accept a body of any fields are those that this server only acknowledges.
    const isOpen = schema.properties === undefined;
    for (const half of HALVES) {
      const unread = half.filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
      const fields = Object.fromEntries(unread.map((name) => [name, "mia"]));
      const form = isForm ? await encodeForm({ file: new File(["x"], "x.txt"), ...fields }) : undefined;
      const { status, body } = await send(method, pathOf(path), form?.bytes ?? JSON.stringify(fields), form?.headers);
      if (isOpen) expect(status).toBeGreaterThanOrEqual(400);
      else expect([status, refusedOf(body)]).toEqual([400, unread]);
    }
  });
});

async function expectNoBodyOfGet(path: string) {
  const head = `GET ${pathOf(path)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\nauthorization: ${key["authorization"]}`;
  const text = '{"containerTag":"mia"}';
  for (const framed of [
    `content-length: ${text.length}\r\n\r\n${text}`,
    `transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ]) {
    const { status, body } = parseRaw(await sendRaw(port, `${head}\r\n${framed}`));
    expect([status, body["message"]]).toEqual([400, expect.stringMatching(NO_BODY)]);
  }
  for (const framed of [
    "\r\n",
    "content-length: 0\r\n\r\n",
    "content-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
  ])
    expect(await sendRaw(port, `${head}\r\n${framed}`)).not.toMatch(NO_BODY);
}
