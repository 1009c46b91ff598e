import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mayFollow } from "../../src/adapters/embed/hub/hub-request.js";
import { fetchModel, type FetchModelOptions } from "../../src/adapters/embed/hub/model-hub.js";
import { prepareStaticEmbedder } from "../../src/adapters/embed/static.js";
import type { Download } from "../../src/core/ports.js";
import { isPrivateAddress } from "../../src/lib/ip-address.js";
import { captureLog } from "../support/captured-log.js";
import { startModelHub, type HubFault, type ModelHub } from "../support/model-hub.js";
import { modelFiles, PIECES, rowsFor } from "../support/static-model.js";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const NEXT_COMMIT = "fedcba9876543210fedcba9876543210fedcba98";
const MODEL = "acme/words";
const PAUSES = { first: 1, silence: 60_000 };

/** A table of about 256 KB, so that it arrives in pieces. */
const files = modelFiles({
  tensors: { embeddings: { type: "F32", shape: [PIECES.length, 512], numbers: rowsFor(PIECES, 512) } },
});
const table = files["model.safetensors"]!;
const total = Object.values(files).reduce((sum, { length }) => sum + length, 0);

let root: string;
let hub: ModelHub;
let models: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "recollect-hub-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

beforeEach(async () => {
  hub = await startModelHub();
  hub.publish(MODEL, { files, commit: COMMIT });
  models = join(root, `models-${(count += 1)}`);
});
afterEach(() => hub.close());

const options = (changes: Partial<FetchModelOptions> = {}): FetchModelOptions => ({
  model: MODEL,
  modelsDirectory: models,
  offline: false,
  hub: { baseUrl: hub.url, token: undefined },
  log: captureLog(),
  pauses: PAUSES,
  ...changes,
});

const ranges = (): (string | undefined)[] =>
  hub.requests.filter(({ server, method }) => server === "cdn" && method === "GET").map(({ headers }) => headers.range);

async function expectComplete(folder: string, expected: Readonly<Record<string, Uint8Array>> = files): Promise<void> {
  for (const [name, bytes] of Object.entries(expected))
    expect((await readFile(join(folder, name))).equals(bytes), name).toBe(true);
  expect((await readdir(folder)).sort()).toEqual([...Object.keys(expected), "source.json"].sort());
  expect(await readdir(models)).toEqual([expect.stringMatching(/^acme--words@/)]);
}

describe("a download", () => {
  test("fetches all files of one commit and reports progress", async () => {
    const log = captureLog();
    const steps: Download[] = [];
    const folder = await fetchModel(options({ log }), { onProgress: (step) => steps.push(step) });
    expect(folder).toBe(join(models, "acme--words@main"));
    await expectComplete(folder);
    expect(JSON.parse(await readFile(join(folder, "source.json"), "utf8"))).toMatchObject({
      hub: hub.url,
      model: MODEL,
      revision: "main",
      commit: COMMIT,
    });
    const fetched = hub.requests.filter(({ method, server }) => method === "GET" && server === "hub");
    expect(fetched.length).toBeGreaterThan(0);
    for (const { path } of fetched) expect(path).toContain(`/resolve/${COMMIT}/`);
    expect(steps.at(-1)).toEqual({ bytes: total, total });
    expect(steps.every(({ bytes }, at) => bytes >= (steps[at - 1]?.bytes ?? 0))).toBe(true);
    expect(log.lines.map(({ event }) => event)).toEqual([
      "downloading the embedding model, once",
      "the embedding model was downloaded",
    ]);
  });

  test("happens only once", async () => {
    await fetchModel(options());
    const before = hub.requests.length;
    await hub.close();
    expect(await fetchModel(options())).toBe(join(models, "acme--words@main"));
    expect(await fetchModel(options({ offline: true }))).toBe(join(models, "acme--words@main"));
    expect(hub.requests).toHaveLength(before);
  });

  test("happens only once for concurrent callers", async () => {
    const folders = await Promise.all([fetchModel(options()), fetchModel(options()), fetchModel(options())]);
    expect(new Set(folders).size).toBe(1);
    expect(ranges()).toHaveLength(1);
    await expectComplete(folders[0]!);
  });

  test("results in a working embedder", async () => {
    const embedder = await prepareStaticEmbedder(options());
    expect(embedder.name).toBe("static acme/words");
    const [vector] = await embedder.embed(["the cat sat"], "query");
    expect(vector).toHaveLength(512);
    await embedder.close();
  });

  test("uses the revision that was named", async () => {
    hub.publish(MODEL, { files, commit: COMMIT, revisions: ["v1", "refs/pr/2"] });
    await expectComplete(await fetchModel(options({ model: `${MODEL}@v1` })));
    expect(await fetchModel(options({ model: `${MODEL}@refs/pr/2` }))).toBe(join(models, "acme--words@refs--pr--2"));
  });

  test("finds models in Sentence Transformers folders", async () => {
    const { "tokenizer.json": tokenizer, "model.safetensors": tensors } = files;
    const nested = { "0_StaticEmbedding/tokenizer.json": tokenizer!, "0_StaticEmbedding/model.safetensors": tensors! };
    hub.publish(MODEL, { files: nested, commit: COMMIT });
    const embedder = await prepareStaticEmbedder(options());
    await embedder.embed(["coffee"], "query");
    await embedder.close();
  });

  test("sends the token to the hub and to no other server", async () => {
    await hub.close();
    hub = await startModelHub({ token: "hf_secret" });
    hub.publish(MODEL, { files, commit: COMMIT });
    await fetchModel(options({ hub: { baseUrl: hub.url, token: "hf_secret" } }));
    const seen = { hub: new Set<unknown>(), cdn: new Set<unknown>() };
    for (const { server, headers } of hub.requests) seen[server].add(headers.authorization);
    expect(seen).toEqual({ hub: new Set(["Bearer hf_secret"]), cdn: new Set([undefined]) });
  });
});

describe("an interrupted download", () => {
  test("resumes where it was cut off", async () => {
    hub.fail("cdn GET", { kind: "cut", after: 100_000 });
    hub.fail("cdn GET", { kind: "cut", after: 50_000 });
    const log = captureLog();
    await expectComplete(await fetchModel(options({ log })));
    expect(ranges()).toHaveLength(3);
    expect(ranges()[0]).toBeUndefined();
    const starts = ranges().map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? "bytes=0-")?.[1]));
    expect(starts[2]).toBeGreaterThan(0);
    expect(starts[2]).toBeGreaterThanOrEqual(starts[1]!);
    expect(log.lines.filter(({ level }) => level === "warn")).toHaveLength(2);
  });

  test("is resumed by the next process", async () => {
    const stop = new AbortController();
    hub.fail("cdn GET", { kind: "slow", ms: 20 });
    const onProgress = ({ bytes }: Download): void => {
      if (bytes > total - table.length + 60_000) stop.abort(new Error("the service ends"));
    };
    await expect(fetchModel(options(), { signal: stop.signal, onProgress })).rejects.toThrow("the service ends");
    expect(existsSync(join(models, "acme--words@main"))).toBe(false);
    await expectComplete(await fetchModel(options()));
    expect(ranges()[1]).toMatch(/^bytes=\d{5,}-$/);
  });

  test("starts over when the hub ignores ranges", async () => {
    hub.fail("cdn GET", { kind: "cut", after: 100_000 });
    hub.fail("cdn GET", { kind: "ignore range" });
    await expectComplete(await fetchModel(options()));
    expect(ranges()[1]).toMatch(/^bytes=/);
  });

  test("starts over when the hub refuses the range", async () => {
    hub.fail("cdn GET", { kind: "cut", after: 100_000 });
    hub.fail("cdn GET", { kind: "status", status: 416 });
    await expectComplete(await fetchModel(options()));
    expect(ranges()).toEqual([undefined, expect.stringMatching(/^bytes=/), undefined]);
  });

  test("resumes after a silence", async () => {
    hub.fail("cdn GET", { kind: "stall", after: 70_000 });
    await expectComplete(await fetchModel(options({ pauses: { first: 1, silence: 300 } })));
    expect(ranges()).toHaveLength(2);
  });

  test("reuses nothing from an older version of the model", async () => {
    hub.fail("cdn GET", { kind: "cut", after: 100_000 });
    hub.fail("cdn GET", { kind: "cut", after: 0 }, 20);
    await expect(fetchModel(options())).rejects.toMatchObject({ kind: "unavailable" });
    const changed = modelFiles({
      tensors: {
        embeddings: { type: "F32", shape: [PIECES.length, 512], numbers: rowsFor([...PIECES].reverse(), 512) },
      },
    });
    await hub.close();
    hub = await startModelHub();
    hub.publish(MODEL, { files: changed, commit: NEXT_COMMIT });
    await expectComplete(await fetchModel(options()), changed);
    expect(ranges()).toEqual([undefined]);
  });

  test("starts over when its partial file is too long", async () => {
    const part = join(models, "acme--words@main.part");
    await mkdir(part, { recursive: true });
    const sha256 = createHash("sha256").update(table).digest("hex");
    await writeFile(join(part, `model.safetensors.${sha256.slice(0, 16)}.part`), Buffer.alloc(table.length + 1));
    await expectComplete(await fetchModel(options()));
  });

  test("discards a partial file with other bytes", async () => {
    const part = join(models, "acme--words@main.part");
    await mkdir(part, { recursive: true });
    const sha256 = createHash("sha256").update(table).digest("hex");
    await writeFile(join(part, `model.safetensors.${sha256.slice(0, 16)}.part`), Buffer.alloc(1_000));
    await writeFile(join(part, "tokenizer.json"), "{}");
    await expectComplete(await fetchModel(options()));
    expect(ranges()).toEqual(["bytes=1000-", undefined]);
  });
});

describe("temporary failures are retried", () => {
  test.each<[string, string, HubFault]>([
    ["a failing hub", "hub HEAD", { kind: "status", status: 503 }],
    ["a hub that hangs up", "hub HEAD", { kind: "cut", after: -1 }],
    ["a failing file host", "cdn GET", { kind: "status", status: 500 }],
    ["a hub that asks to wait", "hub GET", { kind: "status", status: 429, headers: { "retry-after": "0" } }],
    ["an expired file address", "cdn GET", { kind: "status", status: 403 }],
    ["a small truncated file", "hub GET /api", { kind: "cut", after: 10 }],
    ["a file with wrong bytes", "cdn GET", { kind: "wrong content" }],
  ])("%s", async (_what, matching, fault) => {
    hub.fail(matching, fault);
    await expectComplete(await fetchModel(options()));
  });

  test("but not forever", async () => {
    hub.fail("hub HEAD", { kind: "status", status: 502 }, 100);
    await expect(fetchModel(options())).rejects.toMatchObject({
      kind: "unavailable",
      message: `The model hub ${hub.url} reported a server error (status 502).`,
    });
    expect(hub.requests).toHaveLength(5);
  });

  test("but not before the time that the hub asks for", async () => {
    hub.fail("hub HEAD", { kind: "status", status: 429, headers: { "retry-after": "3600" } });
    await expect(fetchModel(options())).rejects.toMatchObject({ kind: "unavailable", retryAfter: 3_600 });
    expect(hub.requests).toHaveLength(1);
  });

  test("as often as needed while bytes arrive", async () => {
    hub.fail("cdn GET", { kind: "cut", after: 20_000 }, 8);
    await expectComplete(await fetchModel(options()));
    expect(ranges().length).toBeGreaterThan(5);
  });

  test("but not when nothing listens", async () => {
    const { url } = hub;
    await hub.close();
    await expect(fetchModel(options({ hub: { baseUrl: url, token: undefined } }))).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("refused the connection. Start it, or check HF_ENDPOINT.") as string,
    });
  });
});

describe("problems that only a person can fix are reported immediately", () => {
  const refusal = async (changes: Partial<FetchModelOptions> = {}): Promise<string> => {
    const refused = fetchModel(options(changes));
    await expect(refused).rejects.toMatchObject({ name: "AppError", kind: "invalid" });
    expect(existsSync(join(models, "acme--words@main"))).toBe(false);
    return refused.then(
      () => "",
      (error: Error) => error.message,
    );
  };

  test("an unknown model", async () => {
    expect(await refusal({ model: "acme/nothing" })).toBe(
      `There is no public model acme/nothing at the model hub ${hub.url}. Correct RECOLLECT_EMBEDDING_MODEL, or set HF_TOKEN if it is private.`,
    );
    const message = await refusal({ model: "acme/nothing", hub: { baseUrl: hub.url, token: "hf_secret" } });
    expect(message).toContain("or HF_TOKEN may not read it");
    expect(message).not.toContain("hf_secret");
  });

  test("an unknown revision", async () => {
    expect(await refusal({ model: `${MODEL}@v9` })).toContain("has no such revision");
  });

  test("a gated model", async () => {
    await hub.close();
    hub = await startModelHub({ token: "hf_secret" });
    hub.publish(MODEL, { files, commit: COMMIT, isGated: true });
    expect(await refusal()).toContain("Accept its conditions there, and set HF_TOKEN");
  });

  test("a model of another kind", async () => {
    hub.publish(MODEL, {
      files: { "config.json": Buffer.from("{}"), "pytorch_model.bin": Buffer.alloc(10) },
      commit: COMMIT,
    });
    expect(await refusal()).toContain("has no tokenizer.json with a model.safetensors, so it is not a static model");
  });

  test("a hub that states no checksum", async () => {
    hub.fail("hub HEAD", { kind: "headers", headers: { "x-linked-etag": null, etag: '"5f3b"' } }, 9);
    expect(await refusal()).toContain("names no checksum for tokenizer.json of acme/words");
  });

  test("an oversized file, before any of it is fetched", async () => {
    hub.fail("model.safetensors", { kind: "headers", headers: { "x-linked-size": String(2 ** 40) } });
    expect(await refusal()).toContain(`model.safetensors of acme/words has ${2 ** 40} bytes, more than the`);
    expect(ranges()).toEqual([]);
  });

  test("a file that is longer than announced", async () => {
    hub.fail("cdn GET", { kind: "too much" });
    expect(await refusal()).toContain(
      `sends more than the ${table.length} bytes that model.safetensors of acme/words has`,
    );
  });

  test("a file that has wrong content twice", async () => {
    hub.fail("cdn GET", { kind: "wrong content" }, 2);
    expect(await refusal()).toContain("did not match the checksum that");
    expect(await readdir(join(models, "acme--words@main.part"))).not.toContain("model.safetensors");
  });

  test("a model that is not downloaded, when offline", async () => {
    expect(await refusal({ offline: true })).toContain("nothing is fetched while RECOLLECT_OFFLINE is set");
    expect(hub.requests).toEqual([]);
    expect(existsSync(models)).toBe(false);
  });

  test.each([
    "",
    "words",
    "a/b/c",
    "../../etc",
    "acme/..",
    "acme/words@../x",
    "acme--x/words",
    "acme/words@",
    "a b/c",
    "https://x/y",
    "acme/words\n",
    `a/${"b".repeat(200)}`,
  ])("%j is not a model name", async (model) => {
    expect(await refusal({ model })).toContain("neither the path of a folder nor a model of the hub");
    expect(hub.requests).toEqual([]);
  });
});

describe("a folder that cannot be written is reported", () => {
  test("because a file is in its place", async () => {
    await writeFile(models, "in the way");
    await expect(fetchModel(options())).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(`cannot be written to the folder ${models}`) as string,
    });
  });

  test.skipIf(!existsSync("/dev/full"))("because the disk is full", async () => {
    const part = join(models, "acme--words@main.part");
    await mkdir(part, { recursive: true });
    const sha256 = createHash("sha256").update(table).digest("hex");
    const path = join(part, `model.safetensors.${sha256.slice(0, 16)}.part`);
    await symlink("/dev/full", path);
    await expect(fetchModel(options())).rejects.toMatchObject({
      kind: "storage_full",
      message: "There is no space for the embedding model acme/words (1 MB). Free some space in the data folder.",
    });
    await rm(path);
    await expectComplete(await fetchModel(options()));
  });
});

describe("redirects", () => {
  test("that loop are stopped", async () => {
    hub.fail(
      "hub HEAD",
      { kind: "status", status: 302, headers: { location: `${hub.url}/${MODEL}/resolve/main/tokenizer.json` } },
      1_000,
    );
    await expect(fetchModel(options())).rejects.toThrow(/redirects in circles/);
  });

  test.each(["file:///etc/passwd", "ftp://127.0.0.1/x", "http://", "javascript:1"])(
    "to %s are not followed",
    async (location) => {
      hub.fail("hub GET", { kind: "status", status: 302, headers: { location } }, 1_000);
      await expect(fetchModel(options())).rejects.toThrow(/redirects to an address that is not followed/);
    },
  );

  const addresses: Readonly<Record<string, readonly string[]>> = {
    "huggingface.co": ["18.155.173.76"],
    "cdn.example": ["8.8.4.4", "2606:4700::1111"],
    "inside.example": ["8.8.4.4", "10.0.0.5"],
    "hub.internal": ["192.168.1.4"],
    "storage.internal": ["fd00::7"],
    "169.254.169.254": ["169.254.169.254"],
    "[::1]": ["::1"],
  };
  const resolve = async (host: string): Promise<readonly string[]> => addresses[host] ?? [];

  test.each([
    ["https://huggingface.co", "https://cdn.example/file", true],
    ["https://huggingface.co", "https://huggingface.co/other", true],
    ["https://huggingface.co", "http://cdn.example/file", false],
    ["https://huggingface.co", "https://inside.example/file", false],
    ["https://huggingface.co", "https://169.254.169.254/latest/meta-data", false],
    ["https://huggingface.co", "https://[::1]/file", false],
    ["https://hub.internal", "https://storage.internal/file", true],
    ["https://hub.internal", "https://cdn.example/file", true],
    ["http://hub.internal", "http://storage.internal/file", true],
  ])("from %s to %s: %j", async (from, to, allowed) => {
    expect(await mayFollow(new URL(from), new URL(to), resolve)).toBe(allowed);
  });
});

test.each([
  ["127.0.0.1", true],
  ["10.1.2.3", true],
  ["172.16.0.1", true],
  ["172.32.0.1", false],
  ["192.168.0.1", true],
  ["169.254.169.254", true],
  ["100.64.0.1", true],
  ["0.0.0.0", true],
  ["255.255.255.255", true],
  ["8.8.8.8", false],
  ["::1", true],
  ["::", true],
  ["fe80::1", true],
  ["fd12::1", true],
  ["::ffff:127.0.0.1", true],
  ["::ffff:8.8.8.8", false],
  ["2606:4700::1111", false],
  ["localhost", false],
  ["", false],
])("the address %j is private: %j", (text, expected) => {
  expect(isPrivateAddress(text)).toBe(expected);
});
