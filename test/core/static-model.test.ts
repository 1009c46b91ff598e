import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { captureLog } from "../support/captured-log.js";
import { startModelHub, type ModelHub } from "../support/model-hub.js";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { modelFiles, PIECES, rowsFor, safetensorsOf, writeModel } from "../support/static-model.js";

const CONTAINER = "kitchen";
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const WAITS = { timeout: 20_000, interval: 20 };

/** Large enough to arrive in several pieces. */
const files = modelFiles({
  tensors: { embeddings: { type: "F32", shape: [PIECES.length, 512], numbers: rowsFor(PIECES, 512) } },
});

let dataDirectory: string;
let hub: ModelHub;
let opened: OpenedCore;
let log: ReturnType<typeof captureLog>;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-static-model-"));
  hub = await startModelHub();
  hub.publish("acme/words", { files, commit: COMMIT });
});
afterEach(async () => {
  await opened.close();
  await hub.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

const fromHub = (): Record<string, string> => ({
  RECOLLECT_EMBEDDER: "static",
  RECOLLECT_EMBEDDING_MODEL: "acme/words",
  RECOLLECT_OFFLINE: "0",
  RECOLLECT_LLM: "off",
  HF_ENDPOINT: hub.url,
});
const fromFolder = (folder: string): Record<string, string> => ({
  RECOLLECT_EMBEDDER: "static",
  RECOLLECT_EMBEDDING_MODEL: folder,
});

async function open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  log = captureLog();
  opened = await openCore({ dataDirectory, settings, log });
}

/** How many bytes of the model have arrived. */
async function arrivedBytes(): Promise<number> {
  const paths = await readdir(dataDirectory, { recursive: true });
  const parts = paths.filter((path) => /model\.safetensors.*\.part$/.test(path));
  const sizes = await Promise.all(parts.map(async (path) => (await stat(join(dataDirectory, path))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function reopen(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  await opened.close();
  await open(settings);
}

const embeddings = () => opened.core.getEmbeddings({ actor: opened.actor });
const activeName = async (): Promise<string> => (await embeddings()).active.name;
const problem = async (): Promise<string | null | undefined> => (await embeddings()).next?.problem;

const add = (...contents: readonly string[]) =>
  opened.core.createMemories(
    { actor: opened.actor },
    { containerTag: CONTAINER, memories: contents.map((content) => ({ content })) },
  );

async function best(q: string): Promise<string | null | undefined> {
  const { results } = await opened.core.search(
    { actor: opened.actor },
    { q, containerTags: [CONTAINER], threshold: 0 },
  );
  return results[0]?.text;
}

describe("the first start", () => {
  test("uses the built-in embedder until the model is downloaded, and then reports the model", async () => {
    hub.fail("cdn GET", { kind: "stall", after: 100_000 });
    await open(fromHub());
    await expect.poll(arrivedBytes, WAITS).toBeGreaterThan(0);
    expect(await embeddings()).toMatchObject({ active: { name: "builtin", isAnswering: true } });
    await add("Mia drinks coffee in the morning.", "The train leaves at nine.");
    expect(await best("coffee morning")).toBe("Mia drinks coffee in the morning.");

    await reopen(fromHub());
    await expect.poll(activeName, WAITS).toBe("static acme/words");
    await opened.settle();
    expect(await best("When does the train leave?")).toBe("The train leaves at nine.");
    expect(
      log.lines.filter(({ embedder }) => embedder === "static acme/words").map(({ event }) => event),
    ).toContainEqual(expect.stringMatching(/another embedder is now in use/));
    expect(hub.requests.filter(({ server }) => server === "cdn").at(-1)?.headers.range).toMatch(/^bytes=\d+-$/);
  }, 60_000);

  test("with a local model needs no hub, then or later", async () => {
    const folder = join(dataDirectory, "own-model");
    await writeModel(folder);
    await open(fromFolder(folder));
    await expect.poll(activeName, WAITS).toBe("static own-model");
    await add("Mia drinks coffee in the morning.");
    await reopen(fromFolder(folder));
    expect(await embeddings()).toMatchObject({ active: { name: "static own-model", isAnswering: true } });
    expect(await best("coffee morning")).toBe("Mia drinks coffee in the morning.");
  }, 60_000);

  test("offline and without the model uses the built-in embedder, and reports why", async () => {
    await open({ ...fromHub(), RECOLLECT_OFFLINE: "1" });
    await expect.poll(problem, WAITS).toMatch(/nothing is fetched while RECOLLECT_OFFLINE is set/);
    expect(hub.requests).toEqual([]);
    await add("Mia drinks coffee in the morning.");
    expect(await best("coffee morning")).toBe("Mia drinks coffee in the morning.");
  }, 60_000);
});

test("a downloaded model is used without the hub from then on", async () => {
  await open(fromHub());
  await expect.poll(activeName, WAITS).toBe("static acme/words");
  const asked = hub.requests.length;
  await reopen({ ...fromHub(), RECOLLECT_OFFLINE: "1" });
  expect(await embeddings()).toMatchObject({ active: { name: "static acme/words", isAnswering: true } });
  expect(hub.requests).toHaveLength(asked);
}, 60_000);

const table = files["model.safetensors"]!;
test.each<[string, Readonly<Record<string, Buffer>>, RegExp]>([
  ["truncated", { ...files, "model.safetensors": table.subarray(0, 5_000) }, /model\.safetensors is truncated/],
  ["truncated within its header", { ...files, "model.safetensors": table.subarray(0, 20) }, /ends within its header/],
  [
    "with a header of 2^60 bytes",
    { ...files, "model.safetensors": safetensorsOf("{}", new Uint8Array(8), 2n ** 60n) },
    /states that its header has 1152921504606846976 bytes/,
  ],
  [
    "with an impossibly large shape",
    {
      ...files,
      "model.safetensors": safetensorsOf(
        '{"embeddings":{"dtype":"F32","shape":[4503599627370496,4503599627370496],"data_offsets":[0,8]}}',
        new Uint8Array(8),
      ),
    },
    /impossible shape/,
  ],
  ["with an invalid tokenizer", { ...files, "tokenizer.json": Buffer.from("<html>") }, /tokenizer\.json is not JSON/],
  ["without a tokenizer", { "model.safetensors": table }, /lacks tokenizer\.json or model\.safetensors/],
])(
  "a model %s leaves the old embedder in service, with a clear error",
  async (_what, broken, message) => {
    await open();
    await add("Mia drinks coffee in the morning.");
    await opened.settle();
    const folder = join(dataDirectory, "broken-model");
    await writeModel(folder, broken);
    await reopen(fromFolder(folder));
    await expect.poll(problem, WAITS).toMatch(message);
    expect(await problem()).toContain(folder);
    expect(await embeddings()).toMatchObject({ active: { name: "builtin", isAnswering: true } });
    expect(await best("coffee morning")).toBe("Mia drinks coffee in the morning.");

    await rm(folder, { recursive: true });
    await writeModel(folder, files);
    await reopen(fromFolder(folder));
    await expect.poll(activeName, WAITS).toBe("static broken-model");
  },
  60_000,
);

test("the service starts even if its model is missing or broken: words find results, and the status says why", async () => {
  const folder = join(dataDirectory, "own-model");
  await writeModel(folder);
  await open(fromFolder(folder));
  await expect.poll(activeName, WAITS).toBe("static own-model");
  await add("Mia drinks coffee in the morning.");
  await opened.settle();
  await writeFile(join(folder, "model.safetensors"), "broken");
  await reopen(fromFolder(folder));
  expect(await best("coffee morning")).toBe("Mia drinks coffee in the morning.");
  expect((await embeddings()).active.isAnswering).toBe(false);
}, 60_000);
