import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { openDatabase } from "../support/store-folder.js";

/* What a stranger may have written is marked in rows by `isMail`, as it was when only mails were marked. */

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-mark-"));
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

async function withCore<T>(work: (opened: OpenedCore) => Promise<T>): Promise<T> {
  const opened = await openCore({ dataDirectory });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

const addBerths = (name: string, text: string) =>
  withCore(async (opened) => {
    const { core, actor } = opened;
    const bytes = Buffer.from(text).toString("base64");
    const { id } = await core.addFile({ actor }, { bytes, name, document: { containerTags: ["port"] } });
    await opened.settle();
    return id;
  });

const trustIn = (id: string) =>
  withCore(async ({ core, actor }) => {
    const { results } = await core.search({ actor }, { q: "ship Aurora", containerTags: ["port"], threshold: 0 });
    const { trust } = await core.fetch({ actor }, { id });
    return { document: trust, passages: results.filter(({ kind }) => kind === "chunk").map((found) => found.trust) };
  });

test("a reading stored under the old name still counts as a stranger's, and so do its passages", async () => {
  const id = await addBerths("berths.csv", "berth,ship\nquay seven,Aurora\n");
  expect(await trustIn(id)).toEqual({ document: "trusted", passages: ["trusted"] });
  const database = await openDatabase(join(dataDirectory, "recollect.db"));
  database.exec("update document_readings set outcome = json_set(outcome, '$.isMail', json('true'))");
  database.exec("update chunks set metadata = json_set(coalesce(metadata, '{}'), '$.isMail', json('true'))");
  database.close();
  expect(await trustIn(id)).toEqual({ document: "unverified", passages: ["unverified"] });
});

test("a new reading has it as well, and an earlier version can read it", async () => {
  const id = await addBerths(
    "berth.eml",
    "From: ann@example.com\r\nSubject: Berth\r\n\r\nThe ship Aurora is at quay seven.",
  );
  expect(await trustIn(id)).toEqual({ document: "unverified", passages: ["unverified"] });
  const database = await openDatabase(join(dataDirectory, "recollect.db"), { readOnly: true });
  const rows = database.prepare("select outcome from document_readings union all select metadata from chunks").all();
  database.close();
  expect(JSON.stringify(rows).match(/isMail|isByStranger/g)).toEqual(["isMail", "isMail", "isMail"]);
});
