import { cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { McpLines } from "../support/mcp-lines.js";
import { startServe, withDataDirectory } from "../support/recollect-process.js";
import { openDatabase } from "../support/store-folder.js";

interface Places {
  readonly parent: string;
  readonly data: string;
}

/** A way to take the folder from a running service, and the folder that contains everything acknowledged before. */
interface Harm {
  readonly name: string;
  readonly act: (places: Places) => Promise<void>;
  readonly keptIn?: (places: Places) => string;
}

const HARMS: readonly Harm[] = [
  { name: "the folder is removed", act: ({ data }) => remove(data) },
  {
    name: "the folder is moved away",
    act: ({ data, parent }) => rename(data, join(parent, "away")),
    keptIn: ({ parent }) => join(parent, "away"),
  },
  {
    name: "a copy replaces the folder",
    async act({ data, parent }) {
      await cp(data, join(parent, "copy"), { recursive: true });
      await rename(data, join(parent, "away"));
      await rename(join(parent, "copy"), data);
    },
    keptIn: ({ parent }) => join(parent, "away"),
  },
  {
    name: "a backup is restored over the folder",
    async act({ data, parent }) {
      await cp(data, join(parent, "backup"), { recursive: true });
      await remove(data);
      await cp(join(parent, "backup"), data, { recursive: true });
    },
    keptIn: ({ data }) => data,
  },
  {
    name: "another file replaces the database",
    async act({ data, parent }) {
      await cp(join(data, "recollect.db"), join(parent, "restored.db"));
      await rename(join(parent, "restored.db"), join(data, "recollect.db"));
    },
  },
  {
    name: "the log of the database is removed",
    act: ({ data }) => rm(join(data, "recollect.db-wal")),
    keptIn: ({ data }) => data,
  },
];

/** Reads a folder that may still be written to. */
const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5 });

const REASON = /was removed, moved or replaced while this process served it/;

test.each(HARMS)(
  "nothing more is acknowledged, and the service exits: $name",
  async ({ act, keptIn }) =>
    withDataDirectory(async (parent) => {
      const places = { parent, data: join(parent, "data") };
      await mkdir(places.data, { mode: 0o700 });
      const { url, ended } = await startServing(places.data);
      const before = [await add(url, "before 1"), await add(url, "before 2")];
      expect(before.map(({ status }) => status)).toEqual([200, 200]);

      await act(places);
      const found = await contentsOf(places.data);
      const health = await statusOf(`${url}/health`);
      const answers = await addUntilGone(url);
      const { code, errors } = await ended;

      expect(health === 503 || health === "gone").toBe(true);
      expect(answers).not.toEqual([]);
      expect(answers.filter(({ status }) => status !== 503)).toEqual([]);
      for (const { message } of answers) expect(message).toMatch(REASON);
      expect(code).toBe(1);
      expect(errors).toMatch(/ERROR .*the data folder/);
      expect(errors).toMatch(REASON);
      expect(errors).toContain(places.data);
      // What took the folder's place is unchanged.
      expect(await contentsOf(places.data)).toEqual(keptIn?.(places) === places.data ? expect.anything() : found);
      if (keptIn) expect(await documentsIn(keptIn(places))).toBeGreaterThanOrEqual(before.length);
    }),
  60_000,
);

test("an agent's process that owns the folder exits too", () =>
  withDataDirectory(async (parent) => {
    const data = join(parent, "data");
    await mkdir(data, { mode: 0o700 });
    const agent = new McpLines(data);
    await agent.initialize();
    await agent.call(1, "search", { query: "anything" });
    await rename(data, join(parent, "away"));
    expect((await agent.ended()).code).toBe(1);
    expect(agent.errors).toMatch(REASON);
    expect(await readdir(parent)).toEqual(["away"]);
  }));

interface Serving {
  readonly url: string;
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

async function startServing(data: string): Promise<Serving> {
  const { child, url } = await startServe(data);
  let errors = "";
  child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  return { url, ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, errors }))) };
}

interface Answer {
  readonly status: number | "gone";
  readonly message: string;
}

async function add(url: string, content: string): Promise<Answer> {
  try {
    const response = await fetch(`${url}/v3/documents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content, containerTag: "lost" }),
    });
    const { message = "" } = (await response.json()) as { message?: string };
    return { status: response.status, message };
  } catch {
    return { status: "gone", message: "" };
  }
}

/** The answers of the service until it no longer responds. */
async function addUntilGone(url: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let attempt = 1; ; attempt++) {
    const answer = await add(url, `after ${attempt}`);
    if (answer.status === "gone") return answers;
    answers.push(answer);
    if (answer.status === 200) return answers;
    await sleep(10);
  }
}

async function statusOf(url: string): Promise<number | "gone"> {
  return fetch(url).then(
    ({ status }) => status,
    () => "gone",
  );
}

/** The database and its log; null when there is no folder. */
async function contentsOf(folder: string): Promise<object | null> {
  const names = await readdir(folder).catch(() => null);
  if (names === null) return null;
  const read = async (name: string) => (await readFile(join(folder, name)).catch(() => null))?.toString("base64") ?? "";
  return { database: await read("recollect.db"), log: await read("recollect.db-wal") };
}

async function documentsIn(data: string): Promise<number> {
  const store = await openDatabase(join(data, "recollect.db"));
  try {
    return (store.prepare("select count(*) as count from documents").all() as { count: number }[])[0]?.count ?? 0;
  } finally {
    store.close();
  }
}
