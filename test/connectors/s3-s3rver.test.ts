import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { expect, test } from "vitest";
import { useCleanups } from "../support/cleanups.js";
import { connect, lastRun } from "../support/connection.js";
import { freePort } from "../support/proxies.js";
import { waitFor } from "../support/recollect-process.js";

/** A third-party server (from npm) with one access key. */
const IS_MISSING = spawnSync("s3rver", ["--version"]).status !== 0;
const KEYS = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER", region: "us-east-1" };
const BUCKET = "papers";

const cleanups = useCleanups();

/** @returns a client for its bucket, and its address */
async function startS3rver() {
  const folder = await mkdtemp(join(tmpdir(), "recollect-s3rver-"));
  const port = await freePort();
  const child = spawn("s3rver", ["-d", folder, "-a", "127.0.0.1", "-p", String(port), "-s", "--no-vhost-buckets"], {
    stdio: "ignore",
    // Its continuation tokens use a cipher that OpenSSL 3 counts as legacy.
    env: { ...process.env, NODE_OPTIONS: "--openssl-legacy-provider" },
  });
  cleanups.push(
    () => end(child),
    () => rm(folder, { recursive: true, force: true }),
  );
  const url = `http://127.0.0.1:${port}`;
  const client = new AwsClient({ ...KEYS, service: "s3", retries: 0 });
  const ask = async (method: string, key: string, body?: string): Promise<void> => {
    const address = `${url}/${BUCKET}${key === "" ? "" : `/${key.split("/").map(encodeURIComponent).join("/")}`}`;
    const answer = await client.fetch(address, { method, ...(body !== undefined && { body }) });
    if (!answer.ok) throw new Error(`${method} ${key}: ${answer.status} ${await answer.text()}`);
  };
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await waitFor(answers, "s3rver at its port", 15);
  await ask("PUT", "");
  return {
    url,
    put: (key: string, text: string) => ask("PUT", key, text),
    remove: (key: string) => ask("DELETE", key),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

test.skipIf(IS_MISSING)(
  `a bucket of s3rver is kept in sync, whatever its keys${IS_MISSING ? " (s3rver is not installed here)" : ""}`,
  async () => {
    const store = await startS3rver();
    const keys = [
      "plain.txt",
      "two words.txt",
      "plus+and&more=.txt",
      "ümläut/日本語.txt",
      "per%20cent.txt",
      "a'b(c)!~*.txt",
    ];
    for (const key of keys) await store.put(key, `The object ${key} tells of the harvest.`);
    const metadata = { ...KEYS, bucket: BUCKET, endpoint: store.url };
    const connected = await connect({ provider: "s3", metadata });
    cleanups.push(() => connected.close());
    const customIds = async () => {
      const { documents } = await connected.core.listDocuments({ actor: connected.actor }, { limit: 100 });
      return documents.flatMap(({ customId }) => customId ?? []).toSorted();
    };
    const idsOf = (named: readonly string[]) => named.map((key) => `s3://${BUCKET}/${key}`).toSorted();
    expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done", read: keys.length, failed: 0 });
    expect(await customIds()).toEqual(idsOf(keys));
    expect(await connected.sync()).toMatchObject({ status: "done", read: 0, unchanged: keys.length });

    await store.put("two words.txt", "The object with two words tells of the frost now.");
    await store.remove("plus+and&more=.txt");
    await store.put("later/новое.txt", "The object that came later tells of the thaw.");
    expect(await connected.sync()).toMatchObject({ status: "done", read: 2, removed: 1, unchanged: keys.length - 2 });
    expect(await customIds()).toEqual(idsOf([...keys.filter((key) => !key.startsWith("plus")), "later/новое.txt"]));
    const texts = await connected.texts();
    expect(texts["two words.txt"]).toContain("frost");
    expect(texts["новое.txt"]).toContain("thaw");

    for (let index = 0; index < 30; index += 1) await store.put(`many/${index}.txt`, `Sheaf ${index} is bound.`);
    expect(await connected.sync()).toMatchObject({ status: "done", read: 30, unchanged: keys.length });
  },
  60_000,
);
