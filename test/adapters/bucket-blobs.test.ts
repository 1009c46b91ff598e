import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/chroma.js";
import { createBucketAndFolderBlobs } from "../../src/adapters/blobs/bucket-and-folder.js";
import { createBucketBlobs } from "../../src/adapters/blobs/bucket.js";
import { createFileBlobs } from "../../src/adapters/blobs/files.js";
import { createId } from "../../src/lib/ids.js";
import { describeBlobs } from "../contract/blobs.js";
import { openWebServer } from "../support/web-server.js";
import { BUCKET_KEYS, startBucketServer, type BucketServer } from "../support/bucket-server.js";

const bucketOf = (server: BucketServer, prefix: string) => ({
  bucket: "memories",
  prefix,
  url: server.url,
  sessionToken: undefined,
  ...BUCKET_KEYS,
});

for (const prefix of ["", "team/recollect"])
  describeBlobs(`a bucket, ${prefix === "" ? "without a prefix" : "under a prefix"}`, async () => {
    const server = await startBucketServer({ pageSize: 2 });
    return { blobs: createBucketBlobs(bucketOf(server, prefix)), close: () => server.close() };
  });

describeBlobs("a bucket beside a folder with older files", async () => {
  const server = await startBucketServer({ pageSize: 2 });
  const folder = await mkdtemp(join(tmpdir(), "recollect-blobs-"));
  const blobs = createBucketAndFolderBlobs(createBucketBlobs(bucketOf(server, "")), createFileBlobs(folder));
  return {
    blobs,
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

test("files stored before the bucket was set can be read, and are removed from the folder", async () => {
  const server = await startBucketServer();
  const folder = await mkdtemp(join(tmpdir(), "recollect-blobs-"));
  try {
    const key = createId();
    await createFileBlobs(folder).put(key, Uint8Array.of(1, 2, 3));
    const blobs = createBucketAndFolderBlobs(createBucketBlobs(bucketOf(server, "")), createFileBlobs(folder));
    expect([...((await blobs.read(key, 1, 2)) ?? [])]).toEqual([2, 3]);
    expect((await blobs.list()).map((listed) => listed.key)).toEqual([key]);
    await blobs.remove(key);
    expect(await blobs.read(key, 0, 3)).toBeNull();
    expect(await createFileBlobs(folder).list()).toEqual([]);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

describe("a bucket", () => {
  let server: BucketServer;
  beforeEach(async () => {
    server = await startBucketServer();
  });
  afterEach(() => server.close());

  test("retries when the server asks for it or hangs up", async () => {
    const blobs = createBucketBlobs(bucketOf(server, ""));
    const key = createId();
    server.faults.push(503, "hang up");
    await blobs.put(key, Uint8Array.of(7));
    expect(server.requests.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"]);
    server.faults.push(500);
    expect(await blobs.read(key, 0, 1)).toEqual(Uint8Array.of(7));
  });

  test("says what to check when it keeps failing or refuses, without revealing its keys", async () => {
    const blobs = createBucketBlobs(bucketOf(server, ""));
    server.faults.push(503, 503, 503);
    const busy = await blobs.put(createId(), Uint8Array.of(1)).catch((error: unknown) => error);
    expect(busy).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("The file was not stored: the bucket memories answers 503 (SlowDown)."),
    });
    const stranger = createBucketBlobs({ ...bucketOf(server, ""), secretAccessKey: "another" });
    const refused = await stranger.read(createId(), 0, 1).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(
        "The file was not read: the bucket memories answers 403 (SignatureDoesNotMatch).",
      ),
    });
    expect(JSON.stringify(refused) + String(refused)).not.toContain("another");
  });

  test("takes a file for missing only when the bucket exists", async () => {
    const blobs = createBucketBlobs(bucketOf(server, ""));
    expect(await blobs.read(createId(), 0, 1)).toBeNull();
    const calls = [
      () => blobs.read(createId(), 0, 1),
      () => blobs.read(createId(), 0, 0),
      () => blobs.remove(createId()),
      () => blobs.list(),
    ];
    for (const call of calls) {
      server.faults.push(404);
      await expect(call()).rejects.toThrow(/the bucket memories answers 404 \(NoSuchBucket\)/);
    }
  });

  test("says why it cannot be used, until it can", async () => {
    const blobs = createBucketBlobs(bucketOf(server, "team"));
    expect(await blobs.problem()).toBeNull();
    server.faults.push(404);
    await blobs.put(createId(), Uint8Array.of(1)).catch(() => undefined);
    expect(await blobs.problem()).toMatch(/the bucket memories answers 404/);
    await eventually(async () => (await blobs.problem()) === null);
  });

  test.each(["PUT", "DELETE"])(
    "says that it refuses %s for as long as it does, even if it can be listed",
    async (method) => {
      const blobs = createBucketBlobs(bucketOf(server, "team"));
      const isList = ({ path }: { path: string }) => path.includes("list-type");
      const looks = () => server.requests.filter(isList).length;
      expect(await blobs.problem()).toBeNull();
      server.forbidden.add(method);
      const write = method === "PUT" ? blobs.put(createId(), Uint8Array.of(1)) : blobs.remove(createId());
      await expect(write).rejects.toThrow(/answers 403 \(AccessDenied\)/);
      await eventually(async () => (await blobs.problem(), looks() > 3));
      expect(await blobs.problem()).toMatch(/^The file was not (stored|removed): the bucket memories answers 403/);
      server.forbidden.clear();
      await eventually(async () => (await blobs.problem()) === null);
      expect(await blobs.list()).toEqual([]);
    },
  );

  test.each([
    ["PUT", 507],
    ["PUT", 503],
    ["DELETE", 500],
  ])("says that %s fails with %i for as long as it does, without blaming the key", async (method, status) => {
    const blobs = createBucketBlobs(bucketOf(server, "team"));
    server.failing.set(method, status);
    const write = method === "PUT" ? blobs.put(createId(), Uint8Array.of(1)) : blobs.remove(createId());
    await expect(write).rejects.toThrow(`answers ${status}`);
    const triedAgain = () => server.requests.filter((request) => request.method === method).length > 3;
    await eventually(async () => (await blobs.problem(), triedAgain()));
    expect(await blobs.problem()).toMatch(/^The file was not (stored|removed): .* Check whether the store is full/);
    server.failing.clear();
    await eventually(async () => (await blobs.problem()) === null);
  });

  test("says that it does not answer, without waiting for the time that an upload has", async () => {
    const blobs = createBucketBlobs(bucketOf(server, "team"));
    server.fallSilent();
    expect(await blobs.problem()).toMatch(/the bucket memories does not answer/);
    expect(server.requests).toHaveLength(1);
  }, 30_000);

  test("does not list files under other prefixes", async () => {
    const mine = createBucketBlobs(bucketOf(server, "mine"));
    const other = createBucketBlobs(bucketOf(server, "mine2"));
    await other.put(createId(), Uint8Array.of(1));
    expect(await mine.list()).toEqual([]);
  });
});

test("a key that may not list the bucket is no problem, and the store is asked once", async () => {
  const server = await openWebServer((_request, response) => {
    response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
  });
  const keys = { region: "eu-central-1", accessKeyId: "a", secretAccessKey: "b", sessionToken: undefined };
  const blobs = createBucketBlobs({ bucket: "memories", prefix: "", url: `${server.url}/memories`, ...keys });
  expect([await blobs.problem(), await blobs.problem()]).toEqual([null, null]);
  await server.close();
  expect(server.asked.length).toBe(1);
});

test("a page of a proxy is not taken for the store", async () => {
  const server = await openWebServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Sign in</title>");
  });
  const keys = { region: "eu-central-1", accessKeyId: "a", secretAccessKey: "b", sessionToken: undefined };
  const blobs = createBucketBlobs({ bucket: "memories", prefix: "", url: `${server.url}/memories`, ...keys });
  await expect(blobs.put(createId(), Uint8Array.of(1))).rejects.toThrow(/answers as no store does/);
  await expect(blobs.read(createId(), 0, 10)).rejects.toThrow(/answers as no store does/);
  expect(await blobs.problem()).toMatch(/answers as no store does|complete list/);
  await server.close();
});

test("stops listing a bucket whose store repeats its pages", async () => {
  const server = await openWebServer((_request, response) => {
    const entry = "<Contents><Key>a</Key><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>";
    response.end(`<ListBucketResult><IsTruncated>true</IsTruncated>${entry}</ListBucketResult>`);
  });
  const keys = { region: "eu-central-1", accessKeyId: "a", secretAccessKey: "b", sessionToken: undefined };
  const blobs = createBucketBlobs({ bucket: "memories", prefix: "", url: `${server.url}/memories`, ...keys });
  await expect(blobs.list()).rejects.toThrow(/does not lead to a next page/);
  await server.close();
  expect(server.asked.length).toBe(2);
});
