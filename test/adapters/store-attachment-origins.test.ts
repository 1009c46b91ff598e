import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { attachmentOrigins } from "../../src/adapters/store/migrations/0027-attachment-origins.js";
import type { Store } from "../../src/core/ports.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { buildDocumentDraft } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { letGoOfFiles, openDatabase } from "../support/store-folder.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-attachments-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (): Promise<Store> =>
  createSqliteStore({ dataDirectory: folder, maxMegabytes: 0, clock: new ManualClock(), patienceMs: 100 });

test("migrates attachments stored with the origin of their mail to the origin mail, and changes nothing else", async () => {
  const before = await open();
  const add = (origin: "user" | "web") =>
    before.documents.insert(before.organizationId, buildDocumentDraft({ origin }));
  const [mail, attached, page] = [await add("user"), await add("user"), await add("web")];
  for (const { id } of [attached, page])
    await before.documents.attach(before.organizationId, id, { attachedTo: mail.id, digest: id });
  await before.close();
  await letGoOfFiles(folder);
  const connection = await openDatabase(join(folder, STORE_FILE));
  connection.exec(attachmentOrigins);
  connection.close();
  const after = await open();
  const origins = await Promise.all(
    [mail, attached, page].map(async ({ id }) => (await after.documents.byId(after.organizationId, id))?.origin),
  );
  await after.close();
  expect(origins).toEqual(["user", "mail", "web"]);
});
