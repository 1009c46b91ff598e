import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Bystander, watchService } from "../support/bystander.js";
import { type ServeProcess, startServe, withDataDirectory } from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 240_000 });

const KEY = "sm_tests_0123456789abcdefghijklmn";
/** How long another caller's write may wait, in milliseconds. The most expensive texts once took more than ten seconds. */
const PATIENCE_MS = 2_500;

let service: ServeProcess;
let stop: () => void;
let stopped: Promise<void>;
/** Grants access to the container `mia` only. */
let mia: string;
let writes: Bystander;

beforeAll(async () => {
  await new Promise<void>((resolve, reject) => {
    stopped = withDataDirectory(async (data) => {
      service = await startServe(data, {
        RECOLLECT_API_KEY: KEY,
        RECOLLECT_VECTORS: "exact",
        RECOLLECT_RATE_LIMIT: "0",
      });
      resolve();
      await new Promise<void>((end) => (stop = end));
      await service.stop();
    });
    stopped.catch(reject);
  });
  const keyFor = async (containerTag: string) =>
    (await send(KEY, "POST", "/v3/auth/agent-key", { containerTag })).body.key as string;
  mia = await keyFor("mia");
  writes = watchService(service.url, {
    method: "PATCH",
    path: "/v3/container-tags/tom",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({ name: "Tom" }),
    everyMs: 5,
  });
}, 60_000);
afterAll(async () => {
  await writes.stop();
  stop();
  await stopped;
});

async function send(key: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

const LONGEST = 9_900;
const filled = (unit: string): string => unit.repeat(Math.floor(LONGEST / unit.length));

const TEXTS = [
  ["exclamation marks", filled("!")],
  ["starts of email addresses", filled("a@")],
  ["soft hyphens", `ab@${"\u00ad".repeat(LONGEST - 4)}c`],
  ["alternating signs and letters", filled("@$!a")],
  ["spaces before a word", `${" ".repeat(LONGEST - 1)}x`],
  ["negations", filled("not ")],
] as const;

test.each(TEXTS)("a hundred memories of %s delay no write in another container", async (_what, text) => {
  const memories = Array.from({ length: 100 }, (_, at) => ({ content: `${at} ${text}` }));
  const slowest = await writes.during(async () => {
    const { status } = await send(mia, "POST", "/v4/memories", { containerTag: "mia", memories });
    expect(status).toBe(201);
  });
  expect(slowest).toBeLessThan(PATIENCE_MS);
  expect(writes.failed()).toBe(0);
});

test("purging a container of large documents delays no write in another container", async () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `It is ${at}.`);
  for (let number = 0; number < 24; number += 1)
    await send(mia, "POST", "/v3/documents", { content: `${number}\n${lines.join("\n")}`, containerTag: "mia" });
  const slowest = await writes.during(async () => {
    const { status } = await send(mia, "POST", "/v3/purge", { containerTag: "mia", confirm: true });
    expect(status).toBe(200);
  });
  expect(slowest).toBeLessThan(PATIENCE_MS);
  expect(writes.failed()).toBe(0);
});
