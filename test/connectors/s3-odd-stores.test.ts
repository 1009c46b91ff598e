import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createS3Connector } from "../../src/connectors/s3/s3.js";
import { readListing } from "../../src/lib/s3-listing.js";
import { yieldTurn } from "../../src/lib/time.js";
import { useCleanups } from "../support/cleanups.js";
import { connect, lastRun, ONLINE } from "../support/connection.js";
import { openCore } from "../support/open-core.js";
import { S3_KEYS, type ScriptedS3, startS3 } from "../support/scripted-s3.js";
import { itemsOf, pagesOf, sourceAccess } from "../support/source-access.js";

const BUCKET = "papers";
const cleanups = useCleanups();

async function start(): Promise<ScriptedS3> {
  const store = await startS3(BUCKET);
  cleanups.push(() => store.close());
  return store;
}

const metadataFor = ({ url }: ScriptedS3) => ({ ...S3_KEYS, bucket: BUCKET, endpoint: url });
const pagesAt = (store: ScriptedS3) => {
  const connector = createS3Connector();
  return pagesOf(connector, sourceAccess(connector, { metadata: metadataFor(store) }));
};
const listed = (key: string, tag = "1"): string =>
  `<Contents><Key>${key}</Key><ETag>"${tag}"</ETag><Size>1</Size><StorageClass>STANDARD</StorageClass></Contents>`;

const ATTRIBUTES = Array.from({ length: 1_000 }, (_, index) => `a${index}="1"`).join(" ");

test.each([
  ["more objects than requested", listed("k").repeat(1_001), /more objects than the 1000 requested/],
  ["a key that no object can have", listed("k".repeat(1_025)), /a key, a tag or a class of more than 1024 bytes/],
  ["an endless tag", listed("k", "1".repeat(2_000)), /a key, a tag or a class of more than 1024 bytes/],
  ["endless attributes", `<Owner ${ATTRIBUTES}/>`, /did not answer with a complete list/],
  ["megabytes of unrelated data", `<Owner>${"&amp;".repeat(900_000)}</Owner>`, /more than 4194304 bytes for one page/],
])("a store that lists %s is not followed, and the reason is reported", async (_what, contents, message) => {
  const store = await start();
  store.spoil = (xml) => xml.replace("</ListBucketResult>", `${contents}</ListBucketResult>`);
  await expect(pagesAt(store)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(message),
  });
});

test("a full page of the longest keys is listed", async () => {
  const store = await start();
  for (let index = 0; index < 1_000; index += 1) store.put(`${"文".repeat(340)}${String(index).padStart(4, "0")}`, "x");
  expect(itemsOf(await pagesAt(store)).size).toBe(1_000);
});

test("reading a large page lets others have their turn", async () => {
  let isRead = false;
  let turns = 0;
  const noise = `<Owner>${"&amp;".repeat(800_000)}</Owner>`;
  const reading = readListing(`<ListBucketResult><IsTruncated>false</IsTruncated>${noise}</ListBucketResult>`).finally(
    () => (isRead = true),
  );
  for (; !isRead; turns += 1) await yieldTurn();
  expect(await reading).toMatchObject({ objects: [], isTruncated: false });
  expect(turns).toBeGreaterThan(50);
});

test("an archived object is read once it is restored, even with the same content", async () => {
  const store = await start();
  store.put("old.txt", "The orchard had forty trees.", "text/plain", "GLACIER");
  const connected = await connect({ provider: "s3", metadata: metadataFor(store) });
  cleanups.push(() => connected.close());
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0, skipped: 0, unchanged: 1 });
  store.put("old.txt", "The orchard had forty trees.", "text/plain", "STANDARD");
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1 });
  expect(await connected.texts()).toEqual({ "old.txt": expect.stringContaining("forty trees") });
});

test("an object that was too large is read once the limit is raised", async () => {
  const store = await start();
  store.put("long.txt", `The orchard had forty trees. ${"Each has a name. ".repeat(1_000)}`);
  store.put("empty.txt", "");
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-s3-"));
  cleanups.push(() => rm(dataDirectory, { recursive: true, force: true }));
  const settings = { RECOLLECT_MAX_FILE_BYTES: "10000" };
  const connected = await connect({ provider: "s3", metadata: metadataFor(store), dataDirectory, settings });
  const { id } = connected;
  try {
    expect(await lastRun(connected, id)).toMatchObject({ status: "done", read: 0, skipped: 2 });
    expect(await connected.sync()).toMatchObject({ skipped: 0, unchanged: 2 });
  } finally {
    await connected.close();
  }
  const again = await openCore({ dataDirectory, settings: { ...ONLINE, RECOLLECT_MAX_FILE_BYTES: "100000" } });
  cleanups.push(() => again.close());
  await again.core.syncOneConnection({ actor: again.actor }, { id });
  await again.settle();
  expect(await lastRun(again, id)).toMatchObject({ status: "done", read: 1, unchanged: 1 });
});
