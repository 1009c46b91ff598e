import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BUCKET_KEYS, startBucketServer, type BucketServer } from "../support/bucket-server.js";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { runProgram, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

let bucket: BucketServer;
beforeEach(async () => {
  bucket = await startBucketServer();
});
afterEach(() => bucket.close());

const SETTINGS = () => ({
  RECOLLECT_BLOBS: "s3://memories/team",
  AWS_ENDPOINT_URL_S3: new URL(bucket.url).origin,
  AWS_REGION: BUCKET_KEYS.region,
  AWS_ACCESS_KEY_ID: BUCKET_KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: BUCKET_KEYS.secretAccessKey,
});

/** All but the lists by which the service finds out whether the bucket answers. */
const aboutFiles = () => bucket.requests.filter(({ path }) => !path.includes("list-type"));

test("with RECOLLECT_BLOBS an upload is stored in the bucket, read from it, and deleted with its document", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const service = await startServe(dataDirectory, SETTINGS());
    const form = new FormData();
    form.set("file", new File(["The kettle is in the left cupboard."], "kitchen.txt", { type: "text/plain" }));
    const added = await fetch(`${service.url}/v3/documents/file`, { method: "POST", body: form });
    const { id } = (await added.json()) as { id: string };
    expect(added.status).toBe(200);
    const link = await fetch(`${service.url}/v3/documents/${id}/file-url`);
    const { url } = (await link.json()) as { url: string };
    expect(await (await fetch(url)).text()).toBe("The kettle is in the left cupboard.");
    expect(await readdir(dataDirectory)).not.toContain("files");
    await fetch(`${service.url}/v3/documents/${id}`, { method: "DELETE" });
    expect(aboutFiles().map(({ method, path }) => `${method} ${path.replace(/[^/]{22}$/, "KEY")}`)).toEqual([
      "PUT /memories/team/KEY",
      "GET /memories/team/KEY",
      "DELETE /memories/team/KEY",
    ]);
    await service.stop();
  });
});

test("a file in the bucket is read from there, and leaves no copy on the machine", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const service = await startServe(dataDirectory, SETTINGS());
    const form = new FormData();
    form.set("file", new File([extractorFixture("harbour.docx")], "harbour.docx"));
    const added = await fetch(`${service.url}/v3/documents/file`, { method: "POST", body: form });
    const { id } = (await added.json()) as { id: string };
    const status = () =>
      waitFor(async () => {
        const document: any = await (await fetch(`${service.url}/v3/documents/${id}`)).json();
        return document.status === "done" || document.status === "failed" ? document.status : null;
      }, "the end of the reading");
    expect(await status()).toBe("done");
    expect(await readdir(join(dataDirectory, "uploads"))).toEqual([]);
    await service.stop();
  });
});

test("doctor stores a test file in the bucket, and reports when that fails", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const service = await startServe(dataDirectory, SETTINGS());
    const sound = await runProgram(dataDirectory, ["doctor"], SETTINGS());
    expect(sound.stdout).toMatch(/ok +uploads +a file was stored, read back and removed/);
    expect(aboutFiles().map(({ method }) => method)).toEqual(["PUT", "GET", "DELETE"]);
    bucket.faults.push(403, 403);
    const { code, stdout } = await runProgram(dataDirectory, ["doctor"], SETTINGS());
    expect([code, stdout]).toEqual([1, expect.stringMatching(/uploads +The file was not stored: the bucket memories/)]);
    await service.stop();
  });
});

test("a bucket that does not exist is reported from the start, and no upload is acknowledged", async () => {
  await withDataDirectory(async (dataDirectory) => {
    bucket.faults.push(...Array.from({ length: 100 }, () => 404));
    const service = await startServe(dataDirectory, SETTINGS());
    const reason = /the bucket memories answers 404 \(NoSuchBucket\)\. Check RECOLLECT_BLOBS/;
    await waitFor(
      () => /uploaded files can be neither stored nor read/.test(service.stderr()),
      "the warning in the log",
    );
    expect(service.stderr()).toMatch(reason);
    const { stdout } = await runProgram(dataDirectory, ["status"], SETTINGS());
    expect(stdout).toMatch(new RegExp(`^ *files +unavailable: .*${reason.source}`, "m"));
    const doctor = await runProgram(dataDirectory, ["doctor"], SETTINGS());
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(reason)]);
    const form = new FormData();
    form.set("file", new File(["The kettle is in the left cupboard."], "kitchen.txt", { type: "text/plain" }));
    expect((await fetch(`${service.url}/v3/documents/file`, { method: "POST", body: form })).status).toBe(503);
    const text = JSON.stringify({ content: "The kettle is blue." });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${service.url}/v3/documents`, { method: "POST", body: text, headers })).status).toBe(200);
    bucket.faults.length = 0;
    await waitFor(
      async () => !/^ *files /m.test((await runProgram(dataDirectory, ["status"], SETTINGS())).stdout),
      "a status without a problem",
    );
    await service.stop();
  });
});

test("a bucket that can be listed but refuses a file is named by status and /health until it accepts one", async () => {
  await withDataDirectory(async (dataDirectory) => {
    bucket.forbidden.add("PUT");
    const service = await startServe(dataDirectory, SETTINGS());
    const upload = async (): Promise<number> => {
      const form = new FormData();
      form.set("file", new File(["The kettle is in the left cupboard."], "kitchen.txt", { type: "text/plain" }));
      return (await fetch(`${service.url}/v3/documents/file`, { method: "POST", body: form })).status;
    };
    const status = async () => (await runProgram(dataDirectory, ["status"], SETTINGS())).stdout;
    const created = await runProgram(dataDirectory, ["keys", "create", "--json"], SETTINGS());
    const { secret } = JSON.parse(created.stdout) as { secret: string };
    const degraded = async (): Promise<unknown> => {
      const health = await fetch(`${service.url}/health`, { headers: { authorization: `Bearer ${secret}` } });
      return ((await health.json()) as { degraded: unknown }).degraded;
    };
    expect(await upload()).toBe(503);
    const reason = "The file was not stored: the bucket memories answers 403 (AccessDenied).";
    for (let round = 0; round < 3; round++) {
      expect(await status()).toContain(`unavailable: ${reason}`);
      expect(await degraded()).toContainEqual({ part: "files", reason: expect.stringContaining(reason) as string });
    }
    bucket.forbidden.clear();
    await waitFor(async () => !/^ *files /m.test(await status()), "a status without a problem");
    expect(await degraded()).toEqual([]);
    expect(await upload()).toBe(200);
    await service.stop();
  });
}, 60_000);

test("status ends, and says so, while the bucket does not answer", async () => {
  await withDataDirectory(async (dataDirectory) => {
    bucket.fallSilent();
    const { code, stdout } = await runProgram(dataDirectory, ["add", "The kettle is blue."], SETTINGS());
    expect([code, stdout]).toEqual([0, expect.stringContaining("added")]);
    const alone = await runProgram(dataDirectory, ["status"], SETTINGS());
    expect([alone.code, alone.stdout]).toEqual([0, expect.stringMatching(/files +unavailable: .*does not answer/)]);
    const service = await startServe(dataDirectory, SETTINGS());
    const beside = await runProgram(dataDirectory, ["status"], SETTINGS());
    expect([beside.code, beside.stdout]).toEqual([0, expect.stringMatching(/files +unavailable: .*does not answer/)]);
    await service.stop();
  });
}, 60_000);
