import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import type { Store } from "../../src/core/ports.js";
import { buildDocumentDraft } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";

let folder: string;
let here: Store;
/** Stands in for another process: it has its own connections. */
let elsewhere: Store;

const open = (): Promise<Store> =>
  createSqliteStore({ dataDirectory: folder, maxMegabytes: 0, clock: new ManualClock(), patienceMs: 100 });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-steady-"));
  here = await open();
  elsewhere = await open();
});
afterEach(async () => {
  await here.close();
  await elsewhere.close();
  await rm(folder, { recursive: true, force: true });
});

const addTo = (store: Store, containerTag: string) =>
  store.documents.insert(store.organizationId, buildDocumentDraft({ containerTags: [containerTag] }));
const find = async (tag: string) => (await here.containers.find(here.organizationId, [tag])).length;

describe("rarely changing data that every search needs", () => {
  test("is current immediately after a write by the same process", async () => {
    for (let round = 0; round < 20; round++) {
      const tag = `tag_${round}`;
      expect(await find(tag)).toBe(0);
      await addTo(here, tag);
      expect(await find(tag)).toBe(1);
    }
  });

  test("is current from the next turn of the event loop on after a write by another process", async () => {
    for (let round = 0; round < 20; round++) {
      const tag = `tag_${round}`;
      expect(await find(tag)).toBe(0);
      await addTo(elsewhere, tag);
      await nextTurn();
      expect(await find(tag)).toBe(1);
    }
  });
});
