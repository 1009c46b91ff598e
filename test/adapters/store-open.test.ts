import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import type { Store } from "../../src/core/ports.js";
import { buildDocumentDraft, buildDocumentQuery } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { fingerprintFolder, letGoOfFiles, openDatabase } from "../support/store-folder.js";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-open-"));
  file = join(folder, STORE_FILE);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (dataDirectory = folder): Promise<Store> =>
  createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: new ManualClock(), patienceMs: 100 });
const add = (store: Store, values: Parameters<typeof buildDocumentDraft>[0] = {}) =>
  store.documents.insert(store.organizationId, buildDocumentDraft(values));
const count = async (store: Store) =>
  (await store.documents.list(store.organizationId, buildDocumentQuery({ limit: 1 }))).total;

/** A store with some documents, closed. */
async function makeStore(documents = 3, content = "text"): Promise<void> {
  const store = await open();
  for (let number = 0; number < documents; number++) await add(store, { content });
  await store.close();
  await letGoOfFiles(folder);
}

/** The folder as a killed process leaves it: the store with a log that is not checkpointed yet. */
async function leaveLog(work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await open();
  await work(store);
  const after = [readFileSync(file), readFileSync(`${file}-wal`)] as const;
  await store.close();
  await letGoOfFiles(folder);
  writeFileSync(file, after[0]);
  writeFileSync(`${file}-wal`, after[1]);
}

/** Opening must fail in this way, name the file, and leave every byte in the folder unchanged. */
async function expectRefusal(kind: string, text: RegExp, allowed: readonly string[] = []): Promise<void> {
  const before = fingerprintFolder(folder);
  const error: unknown = await open().then(
    (store) => store.close(),
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: "AppError", kind });
  expect(String(error)).toContain(file);
  expect(String(error)).toMatch(text);
  const after = fingerprintFolder(folder);
  for (const name of allowed) delete after[name];
  expect(after).toEqual(before);
}

describe("opening", () => {
  test("creates the folder, for its owner alone, and a store that the next opening finds", async () => {
    const deep = join(folder, "a", "b");
    const store = await open(deep);
    const { id } = await add(store);
    await store.close();
    expect(statSync(deep).mode & 0o777).toBe(0o700);
    const again = await open(deep);
    expect(again.organizationId).toBe(store.organizationId);
    expect(await again.documents.byId(again.organizationId, id)).not.toBeNull();
    await again.close();
  });

  test("sets the organisation id once", async () => {
    const named = (organizationId: string) =>
      createSqliteStore({ dataDirectory: folder, maxMegabytes: 0, clock: new ManualClock(), organizationId });
    const first = await named("acme");
    await first.close();
    const second = await named("other");
    expect([first.organizationId, second.organizationId]).toEqual(["acme", "acme"]);
    await second.close();
  });

  test("again changes nothing", async () => {
    await makeStore();
    const before = readFileSync(file);
    for (let round = 0; round < 2; round++) await (await open()).close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("a store of realistic size is fast", async () => {
    const store = await open();
    for (let start = 0; start < 2_000; start += 200)
      await store.transaction(async (repositories) => {
        for (let number = 0; number < 200; number++)
          await repositories.documents.insert(
            store.organizationId,
            buildDocumentDraft({ content: `text ${number} `.repeat(300) }),
          );
      });
    await store.close();
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      const again = await open();
      times.push(performance.now() - started);
      expect(await count(again)).toBe(2_000);
      await again.close();
    }
    const size = Math.round(statSync(file).size / 1024 / 1024);
    console.info(`opening a store of ${size} MB: ${times.map((time) => `${time.toFixed(1)} ms`).join(", ")}`);
  });

  test("recovers what a killed process left in the log", async () => {
    await makeStore(2);
    await leaveLog((store) => add(store));
    const store = await open();
    expect(await count(store)).toBe(3);
    expect((await store.health({ deep: true })).problems).toEqual([]);
    await store.close();
  });

  test("recovers a log that was being checkpointed", async () => {
    await makeStore(1);
    const size = statSync(file).size;
    await leaveLog(async (store) => {
      for (let number = 0; number < 20; number++) await add(store, { content: "long ".repeat(2_000) });
    });
    // The first page is written first, and refers to pages that do not exist yet.
    const copy = join(folder, "copy.db");
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    const whole = await openDatabase(copy);
    whole.exec("pragma wal_checkpoint(truncate)");
    whole.close();
    const firstPage = readFileSync(copy).subarray(0, 4_096);
    const bytes = readFileSync(file);
    firstPage.copy(bytes);
    writeFileSync(file, bytes);
    expect(statSync(file).size).toBe(size);

    const store = await open();
    expect(await count(store)).toBe(21);
    expect((await store.health({ deep: true })).problems).toEqual([]);
    await store.close();
  });

  test("after a crash at the very first moment starts with an empty store", async () => {
    writeFileSync(file, "");
    for (const name of ["owner.lock", `${STORE_FILE}-journal`, ".DS_Store"]) writeFileSync(join(folder, name), "");
    mkdirSync(join(folder, "lost+found"));
    const store = await open();
    await add(store);
    await store.close();
    expect(statSync(file).size).toBeGreaterThan(0);
  });

  test("reads a store from which everything was deleted", async () => {
    const store = await open();
    const { id } = await add(store);
    await store.documents.remove(store.organizationId, id);
    await store.close();
    const again = await open();
    expect(await count(again)).toBe(0);
    await again.close();
  });
});

describe("a store of a newer version", () => {
  test("is refused and left unchanged", async () => {
    await makeStore();
    const connection = await openDatabase(file);
    const { user_version: version } = connection.prepare("pragma user_version").all()[0] as { user_version: number };
    connection.exec(`pragma user_version = ${version + 1}`);
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
    await rm(`${file}-wal`, { force: true });
    await rm(`${file}-shm`, { force: true });
    await expectRefusal(
      "unavailable",
      new RegExp(
        `newer version of Recollect \\(schema ${version + 1}; this version knows ${version}\\).*Install the newer`,
      ),
    );
  });

  test("is refused also when only the log shows the version", async () => {
    await makeStore();
    const connection = await openDatabase(file);
    connection.exec("pragma user_version = 99");
    const log = readFileSync(`${file}-wal`);
    const bytes = readFileSync(file);
    connection.close();
    writeFileSync(file, bytes);
    writeFileSync(`${file}-wal`, log);
    await expectRefusal("unavailable", /newer version of Recollect \(schema 99/, [`${STORE_FILE}-shm`]);
  });
});

describe("a damaged or foreign file", () => {
  test("text", async () => {
    writeFileSync(file, "These are my notes, and they are longer than one hundred bytes. ".repeat(5));
    await expectRefusal("corrupt", /not a SQLite database/);
  });

  test("a few bytes", async () => {
    writeFileSync(file, "hello");
    await expectRefusal("corrupt", /not a SQLite database/);
  });

  test("random bytes after a valid beginning", async () => {
    await makeStore();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 100);
    writeFileSync(file, bytes);
    await expectRefusal("corrupt", /damaged/);
  });

  test("a destroyed header", async () => {
    await makeStore();
    const bytes = readFileSync(file);
    bytes.fill(0, 0, 16);
    writeFileSync(file, bytes);
    await expectRefusal("corrupt", /not a SQLite database|beginning is damaged/);
  });

  test.each([17, 20, 47, 59])("a wrong byte %i in the header", async (offset) => {
    await makeStore();
    const bytes = readFileSync(file);
    bytes[offset] = 0x7b;
    writeFileSync(file, bytes);
    await expectRefusal("corrupt", /Nothing was written/);
  });

  test("a destroyed page in the middle", async () => {
    await makeStore(200, "text ".repeat(500));
    const bytes = readFileSync(file);
    const middle = Math.floor(bytes.length / 2 / 4_096) * 4_096;
    bytes.fill(0xff, middle, middle + 4_096);
    writeFileSync(file, bytes);
    await expectRefusal("corrupt", /damaged/);
  });

  test("a destroyed page, with a log that is not checkpointed yet", async () => {
    await makeStore(50, "text ".repeat(500));
    await leaveLog((store) => add(store));
    const bytes = readFileSync(file);
    bytes.fill(0xff, 20 * 4_096, 21 * 4_096);
    writeFileSync(file, bytes);
    await expectRefusal("corrupt", /damaged/, [`${STORE_FILE}-shm`]);
  });

  test.each([1, 4_096, 10_000])("truncated by %i bytes", async (missing) => {
    await makeStore(50, "text ".repeat(500));
    truncateSync(file, statSync(file).size - missing);
    await expectRefusal("corrupt", /truncated: it has \d+ bytes instead of \d+/);
  });

  test("truncated to nothing, with a log", async () => {
    await leaveLog((store) => add(store));
    truncateSync(file, 0);
    await expectRefusal("corrupt", /empty, but its log is not/);
  });

  test.each(["files", "chroma", "keys.txt", "service.log", `${STORE_FILE}-shm`])(
    "truncated to nothing, from an earlier version, with %s of the service beside it",
    async (name) => {
      await makeStore();
      await rm(join(folder, `${STORE_FILE}.marker.txt`));
      truncateSync(file, 0);
      writeFileSync(join(folder, "owner.lock"), "");
      writeFileSync(join(folder, name), "");
      await expectRefusal("corrupt", new RegExp(`it is empty, but beside it is ${name}.*move it away to start afresh`));
    },
  );

  test("truncated to nothing, with only what a clean shutdown leaves beside it", async () => {
    await makeStore();
    expect(readdirSync(folder).filter((name) => name !== STORE_FILE)).toEqual([`${STORE_FILE}.marker.txt`]);
    expect(statSync(join(folder, `${STORE_FILE}.marker.txt`)).mode & 0o777).toBe(0o600);
    truncateSync(file, 0);
    await expectRefusal("corrupt", new RegExp(`it is empty, but beside it is ${STORE_FILE}.marker.txt`));
  });

  test("missing, with only what a clean shutdown leaves beside it, or an uploaded file", async () => {
    await makeStore();
    await rm(file);
    await expectRefusal("corrupt", new RegExp(`it is gone, but beside it is ${STORE_FILE}.marker.txt.*start afresh`));
    await rm(join(folder, `${STORE_FILE}.marker.txt`));
    mkdirSync(join(folder, "files"));
    writeFileSync(join(folder, "files", "one"), "text");
    await expect(open()).rejects.toThrow(/it is gone, but beside it is files: a service was here before/);
    expect(readdirSync(folder)).toEqual(["files"]);
  });

  test.each(["secret.key", "keys.txt", "owner.lock", "models", "service.log"])(
    "is not assumed when %s was put into the folder before the first start",
    async (name) => {
      writeFileSync(join(folder, name), "");
      mkdirSync(join(folder, "files"), { recursive: true });
      await (await open()).close();
    },
  );

  test("truncated to nothing, from an earlier version that was opened once by this one", async () => {
    await makeStore();
    await rm(join(folder, `${STORE_FILE}.marker.txt`));
    await (await open()).close();
    truncateSync(file, 0);
    await expectRefusal("corrupt", /it is empty, but beside it is/);
  });

  test("missing, with a log", async () => {
    await leaveLog((store) => add(store));
    await rm(file);
    await expectRefusal("corrupt", /gone, but its log is not/);
  });

  test.each([
    ["an application id", "pragma application_id = 12345; create table theirs (x)"],
    ["no application id", "create table theirs (x); pragma user_version = 1"],
    ["no application id and a high version", "create table theirs (x); pragma user_version = 400"],
    ["only a view", "create view theirs as select 1"],
  ])("the database of another program with %s", async (_name, sql) => {
    const connection = await openDatabase(file);
    connection.exec(sql);
    connection.close();
    await expectRefusal("corrupt", /belongs to another program.*Choose another data folder/);
  });

  test("a folder in its place", async () => {
    mkdirSync(file);
    await expect(open()).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(file) as string,
    });
  });

  test.each([
    ["to a store", true],
    ["to nothing", false],
  ])("a link %s in its place", async (_name, isThere) => {
    const real = join(folder, "real", STORE_FILE);
    if (isThere) await (await open(join(folder, "real"))).close();
    symlinkSync(real, file);
    await expect(open()).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(`${file} is a symbolic link to ${real}`) as string,
    });
    expect(readdirSync(folder).filter((name) => name !== "real")).toEqual([STORE_FILE]);
  });

  test("a file in place of the data folder", async () => {
    const place = join(folder, "data");
    writeFileSync(place, "x");
    await expect(open(place)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(join(place, STORE_FILE)) as string,
    });
    await expect(open(join(place, "deeper"))).rejects.toMatchObject({ kind: "unavailable" });
    expect(readFileSync(place, "utf8")).toBe("x");
  });
});

describe("a read-only place", () => {
  afterEach(() => {
    chmodSync(folder, 0o700);
  });

  test("the file", async () => {
    await makeStore();
    chmodSync(file, 0o444);
    await expectRefusal("unavailable", /read-only.*write permission/);
  });

  test("the folder with a store", async () => {
    await makeStore();
    chmodSync(folder, 0o555);
    await expectRefusal("unavailable", /read-only.*write permission/);
  });

  test("the folder without one", async () => {
    chmodSync(folder, 0o555);
    await expectRefusal("unavailable", /read-only.*write permission/);
    expect(existsSync(file)).toBe(false);
  });
});

test("a store damaged while in use says so and names the file", async () => {
  const store = await open();
  for (let number = 0; number < 50; number++) await add(store, { content: "text ".repeat(2_000) });
  await store.close();
  const again = await open();
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4_096);
  writeFileSync(file, bytes);
  await expect(
    again.documents.list(again.organizationId, buildDocumentQuery({ includeContent: true })),
  ).rejects.toMatchObject({
    kind: "corrupt",
    message: expect.stringContaining(file) as string,
  });
  await again.close();
});

test("statistics of few rows do not determine how a grown store is read", async () => {
  const statistics = async (): Promise<number> => {
    const connection = await openDatabase(file);
    const found = connection.prepare("select name from sqlite_schema where name like 'sqlite_stat%'").all().length;
    connection.close();
    return found;
  };
  await makeStore();
  expect(await statistics()).toBe(0);
  const connection = await openDatabase(file);
  connection.exec("analyze");
  connection.close();
  expect(await statistics()).toBeGreaterThan(0);
  await (await open()).close();
  await letGoOfFiles(folder);
  expect(await statistics()).toBe(0);
});

test("extra bytes at the end do no harm", async () => {
  await makeStore();
  appendFileSync(file, "x".repeat(5_000));
  const store = await open();
  expect(await count(store)).toBe(3);
  await store.close();
});
