import { expect, test } from "vitest";
import { ItemSkipped } from "../../src/core/connections/connector-errors.js";
import { createS3Connector } from "../../src/connectors/s3/s3.js";
import { readListing } from "../../src/lib/s3-listing.js";
import { useCleanups } from "../support/cleanups.js";
import { type ConnectOptions, connect, type Connected, lastRun } from "../support/connection.js";
import { S3_KEYS, type ScriptedS3, startS3 } from "../support/scripted-s3.js";
import { itemsOf, pagesOf, sourceAccess } from "../support/source-access.js";

const BUCKET = "papers";
const cleanups = useCleanups();

async function start(): Promise<ScriptedS3> {
  const store = await startS3(BUCKET);
  cleanups.push(() => store.close());
  return store;
}

async function connectTo(
  { url }: ScriptedS3,
  metadata: ConnectOptions["metadata"] = {},
  create?: ConnectOptions["create"],
): Promise<Connected> {
  const given = { ...S3_KEYS, bucket: BUCKET, endpoint: url, ...metadata };
  const connected = await connect({ provider: "s3", metadata: given, ...(create && { create }) });
  cleanups.push(() => connected.close());
  return connected;
}

test("objects are imported with names, types and paths; folders and empty objects are not", async () => {
  const store = await start();
  store.put("reports/2026/first report.md", "# First\n\nRevenue grew by twelve percent.", "text/markdown");
  store.put("reports/ümläut+plus.txt", "Names of all kinds are read.");
  store.put("reports/", "");
  store.put("reports/empty.txt", "");
  const connected = await connectTo(store);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", read: 2, skipped: 1 });
  const found = await connected.texts();
  expect(found["first report.md"]).toContain("twelve percent");
  expect(found["ümläut+plus.txt"]).toContain("all kinds");
  const { documents } = await connected.core.listDocuments({ actor: connected.actor }, { limit: 10 });
  expect(documents.map(({ customId }) => customId)).toContain("s3://papers/reports/2026/first report.md");
});

test("a second run reads only objects with another ETag, and removes those missing from a complete listing", async () => {
  const store = await start();
  for (let index = 0; index < 5; index += 1) store.put(`n/${index}.txt`, `Number ${index} stays as it is.`);
  const connected = await connectTo(store);
  store.put("n/1.txt", "Number 1 is another one now.");
  store.objects.delete("n/4.txt");
  const before = store.requests.length;
  expect(await connected.sync()).toMatchObject({ status: "done", read: 1, unchanged: 3, removed: 1 });
  expect(store.requests.length - before).toBe(2);
});

test("more than one page is listed in pages", async () => {
  const store = await start();
  for (let index = 0; index < 1_203; index += 1) store.put(`big/${String(index).padStart(5, "0")}.txt`, "");
  const connected = await connectTo(store);
  expect(await lastRun(connected, connected.id)).toMatchObject({ listed: 1_203, skipped: 1_203 });
  expect(store.requests.filter((one) => one.includes("list-type"))).toHaveLength(3);
});

test("an interrupted listing removes nothing", async () => {
  const store = await start();
  for (let index = 0; index < 3; index += 1) store.put(`${index}.txt`, `Object ${index}.`);
  const connected = await connectTo(store);
  store.objects.delete("0.txt");
  store.fail(500, 100);
  const { core, actor, id } = connected;
  await core.syncOneConnection({ actor }, { id });
  await connected.settle();
  expect((await lastRun(connected, id)).removed).toBe(0);
  expect(Object.keys(await connected.texts())).toHaveLength(3);
});

test.each([
  ["is truncated within an object", (xml: string) => xml.slice(0, xml.lastIndexOf("<Size>"))],
  ["is truncated between objects", (xml: string) => xml.slice(0, xml.lastIndexOf("<Contents>"))],
  [
    "claims that there is more without a continuation",
    (xml: string) => more(xml.replace(/<Contents>.*<\/Contents>/s, "")),
  ],
  ["does not say whether there is more", (xml: string) => xml.replace(/<IsTruncated>.*<\/IsTruncated>/, "")],
  ["is not a list", () => "<html><body>Sign in to the network first.</body></html>"],
  ["is empty", () => ""],
  ["declares entities", (xml: string) => xml.replace("<ListB", '<!DOCTYPE a [<!ENTITY b "b">]><ListB')],
])("a listing that %s removes nothing", async (_what, spoil) => {
  const store = await start();
  for (let index = 0; index < 3; index += 1) store.put(`${index}.txt`, `Object ${index}.`);
  const connected = await connectTo(store);
  store.spoil = spoil;
  const { core, actor, id } = connected;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await core.syncOneConnection({ actor }, { id });
    await connected.settle();
  }
  expect(Object.keys(await connected.texts())).toHaveLength(3);
  store.spoil = (xml) => xml;
  await core.syncOneConnection({ actor }, { id });
  await connected.settle();
  expect(await lastRun(connected, id)).toMatchObject({ status: "done", unchanged: 3, removed: 0 });
});

test("an ETag that a proxy has made weak is the same version", async () => {
  const store = await start();
  store.put("a.txt", "An object behind a proxy.");
  const connected = await connectTo(store);
  store.spoil = (xml) => xml.replaceAll("<ETag>", "<ETag>W/");
  expect(await connected.sync()).toMatchObject({ status: "done", read: 0, unchanged: 1 });
});

test("a page of maximum size with hostile text is read quickly", async () => {
  const object = `<Contents><Key>${"a".repeat(1_000)}</Key><ETag>&quot;1&quot;</ETag><Size>1</Size></Contents>`;
  const noise = "<Contents><Owner>".repeat(50_000);
  const xml = `<ListBucketResult><IsTruncated>false</IsTruncated>${object.repeat(5_000)}`;
  expect((await readListing(`${xml}</ListBucketResult>`))?.objects).toHaveLength(5_000);
  expect(await readListing(`${xml}${noise}</ListBucketResult>`)).toBeNull();
});

function more(xml: string): string {
  return xml.replace("<IsTruncated>false", "<IsTruncated>true");
}

test("a prefix limits the listing, and a pattern assigns each user a container", async () => {
  const store = await start();
  store.put("users/mia/a.txt", "Mia plays the cello.");
  store.put("users/tom/b.txt", "Tom plays chess.");
  store.put("other/c.txt", "Nobody reads this.");
  const connected = await connectTo(store, { prefix: "users/", containerTagRegex: "^users/(?<userId>[a-z]+)/" });
  const titles = async (tag: string) =>
    (await connected.core.listDocuments({ actor: connected.actor }, { containerTags: [tag] })).documents.map(
      ({ title }) => title,
    );
  expect(await titles("mia")).toEqual(["a.txt"]);
  expect(await titles("tom")).toEqual(["b.txt"]);
  expect(await lastRun(connected, connected.id)).toMatchObject({ listed: 2 });
});

test("wrong keys, buckets and patterns are refused before anything is stored, without showing the keys", async () => {
  const store = await start();
  const cases: readonly [ConnectOptions["metadata"], RegExp][] = [
    [{ accessKeyId: "AKIDOTHER" }, /InvalidAccessKeyId/],
    [{ secretAccessKey: "wrong" }, /SignatureDoesNotMatch/],
    [{ bucket: "nobody" }, /NoSuchBucket/],
    [{ containerTagRegex: "(a+)+(?<userId>x)" }, /repetitions/],
    [{ containerTagRegex: "users/(.+)" }, /userId/],
    [{ containerTagRegex: `${"a".repeat(250)}(?<userId>x)` }, /fewer than 200/],
    [{ endpoint: "ftp://x" }, /must be an address/],
  ];
  for (const [metadata, message] of cases) {
    const refused = connectTo(store, metadata);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/wJalr/);
  }
});

function accessTo({ url }: ScriptedS3, metadata: ConnectOptions["metadata"] = {}) {
  const connector = createS3Connector();
  return {
    connector,
    access: sourceAccess(connector, { metadata: { ...S3_KEYS, bucket: BUCKET, endpoint: url, ...metadata } }),
  };
}

test("a listing stopped after each page lists every object once", async () => {
  const store = await start();
  for (let index = 0; index < 2_500; index += 1) store.put(`ü/${String(index).padStart(5, "0")}+ (a).txt`, `${index}`);
  const { connector, access } = accessTo(store);
  const pages = await pagesOf(connector, access, { stops: true });
  expect(pages.map(({ isFirst, isLast, items }) => [isFirst, isLast, items.length])).toEqual([
    [true, false, 1_000],
    [false, false, 1_000],
    [false, true, 500],
  ]);
  expect(itemsOf(pages).size).toBe(2_500);
  expect(store.requests).toHaveLength(3);
});

test("a store that repeats its pages ends the run", async () => {
  const store = await start();
  store.put("a.txt", "first");
  const { connector, access } = accessTo(store);
  // Like a store that does not support start-after.
  store.repeats = true;
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/does not lead to a next page/),
  });
  expect(store.requests).toHaveLength(2);
});

test("no key refers outside the bucket", async () => {
  const store = await start();
  const key = "notes/../../secrets/salaries.txt";
  store.put(key, "Nobody may bring this in.");
  const { connector, access } = accessTo(store);
  const change = itemsOf(await pagesOf(connector, access)).get(`s3://${BUCKET}/${key}`);
  if (!change) throw new Error("The object was not listed.");
  const before = store.requests.length;
  await expect(connector.read(access, change.item)).rejects.toBeInstanceOf(ItemSkipped);
  expect(store.requests).toHaveLength(before);
});

test("a pattern that takes exponential time ends the run, and is named", async () => {
  const store = await start();
  store.put(`${"a".repeat(60)}.txt`, "It is long.");
  const { connector, access } = accessTo(store, { containerTagRegex: "^(?:a|a)*(?<userId>b)$" });
  await expect(pagesOf(connector, access)).rejects.toMatchObject({
    kind: "invalid",
    message: expect.stringMatching(/containerTagRegex takes too long/),
  });
});

test("archived objects are skipped with a reason, and not requested", async () => {
  const store = await start();
  store.put("old.txt", "It lies deep.", "text/plain", "DEEP_ARCHIVE");
  const connected = await connectTo(store);
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", listed: 1, skipped: 1 });
  expect(store.requests.length).toBeGreaterThan(0);
  expect(store.requests.filter((one) => one.includes("old.txt"))).toEqual([]);
});

test.each([
  ["papers", "https://papers.s3.eu-central-1.amazonaws.com/"],
  ["my.papers", "https://s3.eu-central-1.amazonaws.com/my.papers/"],
])("the bucket %s is requested at %s", async (bucket, address) => {
  const asked: string[] = [];
  const connector = createS3Connector();
  const access = {
    ...sourceAccess(connector, { metadata: { ...S3_KEYS, bucket } }),
    request: ({ url }: { readonly url: string }) => {
      asked.push(url);
      return Promise.reject(new Error("Nothing is asked for here."));
    },
  };
  await expect(connector.check(access)).rejects.toThrow("Nothing is asked for here.");
  expect(asked).toEqual([expect.stringContaining(`${address}?list-type=2`)]);
});
