import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { encodeForm } from "../support/forms.js";
import { connectionOf, createClient } from "../support/mcp-client.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let folder: string;
let rest: OpenedRest;
let url: string;
let key: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-paths-"));
});
afterEach(async () => {
  await rest.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  rest = await openRest({ dataDirectory: folder, settings });
  ({ url } = await rest.listen());
}

async function makeKey(): Promise<void> {
  const grants = [{ containerTag: "alpha" }];
  key = (await rest.core.createKey({ actor: rest.actor }, { kind: "scoped", grants })).secret;
}

type Caller = "owner" | "scoped key" | "full key";

async function send(caller: Caller, method: string, path: string, body?: unknown, type = "application/json") {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(caller !== "owner" && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": type }),
    },
    ...(body !== undefined && { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const logged = () => JSON.stringify(rest.log, (_, value: unknown) => (value instanceof Error ? value.message : value));

async function callTool(caller: Caller, name: string, args: Record<string, unknown>) {
  const client = createClient("v2 auto");
  const requestInit = { headers: caller === "owner" ? {} : { authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await (client as { connect(to: unknown): Promise<void> }).connect(transport);
  const connection = connectionOf(client);
  const { text, isError } = await connection.call(name, args);
  await connection.close();
  return { text, isError };
}

describe("errors reveal server paths to the owner and the log only", () => {
  test("when the disk is full", async () => {
    await start({ RECOLLECT_MAX_STORE_MEGABYTES: "2" });
    await makeKey();
    const document = (index: number) => ({
      content: `${index} ${"bees and honey ".repeat(20_000)}`,
      containerTag: "alpha",
    });
    let answer = await send("scoped key", "POST", "/v3/documents", document(0));
    for (let index = 1; answer.status === 200 && index < 40; index++)
      answer = await send("scoped key", "POST", "/v3/documents", document(index));
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([
      507,
      "The store cannot grow: the disk is full or its quota is reached. Nothing was changed. Free some space and try again.",
    ]);
    expect(logged()).toContain(folder);
    const batch = await send("scoped key", "POST", "/v3/documents/batch", { documents: [document(50), document(51)] });
    expect(batch.text).not.toContain(folder);
    const tool = await callTool("scoped key", "add-memory", { ...document(52) });
    expect([tool.isError, tool.text.includes(folder)]).toEqual([true, false]);
    const owners = await send("owner", "POST", "/v3/documents", document(99));
    expect([owners.status, owners.text.includes(join(folder, STORE_FILE))]).toEqual([507, true]);
    expect((await callTool("owner", "add-memory", document(98))).text).toContain(folder);
  });

  test("when files cannot be stored or are missing", async () => {
    await start();
    await makeKey();
    const form = await encodeForm({
      file: new File(["The oven."], "oven.txt", { type: "text/plain" }),
      containerTag: "alpha",
    });
    const upload = (caller: Caller) =>
      send(caller, "POST", "/v3/documents/file", form.bytes, form.headers["content-type"]);
    const { id } = JSON.parse((await upload("scoped key")).text) as { id: string };
    await rest.settle();
    const blobs = await findBlobs(folder);
    for (const file of blobs.files) await unlink(join(blobs.directory, file));
    const { url: link } = JSON.parse((await send("scoped key", "GET", `/v3/documents/${id}/file-url`)).text) as {
      url: string;
    };
    const gone = await send("scoped key", "GET", new URL(link).pathname);
    expect(gone.text).not.toContain(folder);
    await rm(blobs.directory, { recursive: true });
    await writeFile(blobs.directory, "in the way");
    const other = await encodeForm({
      file: new File(["Another."], "b.txt", { type: "text/plain" }),
      containerTag: "alpha",
    });
    const again = (caller: Caller) =>
      send(caller, "POST", "/v3/documents/file", other.bytes, other.headers["content-type"]);
    const refused = await again("scoped key");
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      503,
      expect.stringMatching(/^The file was not stored: the folder cannot be written \(E\w+\)\.$/),
    ]);
    expect((await again("owner")).text).toContain(blobs.directory);
    expect(logged()).toContain(blobs.directory);
  });

  test("when the store is damaged", async () => {
    await start();
    await makeKey();
    for (let index = 0; index < 50; index++)
      await send("scoped key", "POST", "/v3/documents", {
        content: `Note ${index}. ${"bees ".repeat(500)}`,
        containerTag: "alpha",
      });
    await rest.settle();
    await rest.close();
    await start();
    // Damaged after opening, because a store that is damaged when opened is not served at all.
    await damage(join(folder, STORE_FILE));
    const paths = ["/v3/documents/list", "/v4/memories/list"];
    const answers = await Promise.all(
      paths.map((path) =>
        send("scoped key", "POST", path, { containerTags: ["alpha"], limit: 200, includeContent: true }),
      ),
    );
    expect(answers.some(({ status }) => status === 500)).toBe(true);
    for (const { text } of answers) expect(text).not.toContain(folder);
    const owners = await send("owner", "POST", "/v3/documents/list", {
      containerTags: ["alpha"],
      limit: 200,
      includeContent: true,
    });
    expect([owners.status, owners.text.includes(folder)]).toEqual([500, true]);
  });

  test("when the folder of the embedding model is missing", async () => {
    const model = join(folder, "no-such-model");
    await start({ RECOLLECT_EMBEDDER: "static", RECOLLECT_EMBEDDING_MODEL: model });
    await makeKey();
    const added = await send("scoped key", "POST", "/v3/documents", { content: "Bees.", containerTag: "alpha" });
    const { id } = JSON.parse(added.text) as { id: string };
    for (const [method, path, body] of [
      ["POST", "/v4/search", { q: "bees" }],
      ["POST", "/v3/search", { q: "bees" }],
      ["POST", "/v4/profile", { q: "bees", containerTag: "alpha" }],
      ["GET", `/v3/documents/${id}`, undefined],
    ] as const)
      expect([path, (await send("scoped key", method, path, body)).text.includes(folder)]).toEqual([path, false]);
    expect((await callTool("scoped key", "search", { query: "bees" })).text).not.toContain(folder);
  });
});

test("every error that contains a path declares it", () => {
  const root = join(import.meta.dirname, "../../src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const calls = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/new AppError\([\s\S]*?\);/g)].map(([call]) => ({
      file,
      call,
    })),
  );
  const withPath = calls.filter(
    ({ file, call }) =>
      !file.startsWith("transports") && /\$\{(file|path|folder|directory|dataDirectory|modelsDirectory)\}/.test(call),
  );
  expect(withPath.length).toBeGreaterThan(15);
  expect(withPath.filter(({ call }) => !call.includes("paths:"))).toEqual([]);
});

async function findBlobs(folder: string): Promise<{ directory: string; files: string[] }> {
  for (const name of await readdir(folder)) {
    const directory = join(folder, name);
    if (!(await stat(directory)).isDirectory()) continue;
    const files = await readdir(directory);
    if (files.some((file) => /^\w{22}$/.test(file))) return { directory, files };
  }
  throw new Error("There is no folder of files");
}

/** Overwrites the database pages that hold document texts. */
async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  for (let at = 4096; at < bytes.length; at += 4096)
    if (bytes.subarray(at, at + 4096).includes("bees bees")) bytes.fill(0xa5, at, at + 4096);
  await writeFile(file, bytes);
}
