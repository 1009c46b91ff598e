import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { initial } from "../../src/adapters/store/migrations/0001-initial.js";
import { MIGRATIONS } from "../../src/adapters/store/migrations/index.js";
import type { Upgrade } from "../../src/adapters/store/open.js";
import { APPLICATION_ID } from "../../src/adapters/store/refusals.js";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { openDatabase } from "../support/store-folder.js";

async function folderWithStore(schema: 0 | 1): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-upgrade-"));
  if (schema === 0) return folder;
  const connection = await openDatabase(join(folder, STORE_FILE));
  connection.exec(`${initial}; pragma application_id = ${APPLICATION_ID}; pragma user_version = 1`);
  connection.exec("insert into meta (key, value) values ('organization_id', 'lighthouse')");
  connection.close();
  return folder;
}

async function open(dataDirectory: string) {
  const upgrades: Upgrade[] = [];
  const onUpgrade = (upgrade: Upgrade) => upgrades.push(upgrade);
  const clock = { now: () => new Date() };
  const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock, onUpgrade });
  return { store, upgrades };
}

test("the store is copied before its schema is changed, and only the last copy is kept", async () => {
  const folder = await folderWithStore(1);
  writeFileSync(join(folder, `${STORE_FILE}.schema-0`), "an earlier copy");
  const { store, upgrades } = await open(folder);
  await store.close();
  const copy = join(folder, `${STORE_FILE}.schema-1`);
  expect(upgrades).toEqual([{ from: 1, to: MIGRATIONS.length, copy }]);
  expect(readdirSync(folder).filter((name) => name.includes(".schema-"))).toEqual([`${STORE_FILE}.schema-1`]);
  expect(statSync(copy).mode & 0o077).toBe(0);
  const connection = await openDatabase(copy);
  expect(connection.prepare("pragma user_version").all()).toEqual([{ user_version: 1 }]);
  expect(connection.prepare("select value from meta").all()).toEqual([{ value: "lighthouse" }]);
  connection.close();
});

test("a new store, and one with the current schema, are not copied", async () => {
  const folder = await folderWithStore(0);
  for (const _ of [1, 2]) {
    const { store, upgrades } = await open(folder);
    await store.close();
    expect(upgrades).toEqual([]);
  }
  expect(readdirSync(folder).filter((name) => name.includes(".schema-"))).toEqual([]);
});

test("a scrub removes such a copy", async () => {
  const folder = await folderWithStore(1);
  const { store } = await open(folder);
  expect(existsSync(join(folder, `${STORE_FILE}.schema-1`))).toBe(true);
  await store.scrub();
  expect(existsSync(join(folder, `${STORE_FILE}.schema-1`))).toBe(false);
  await store.close();
});
