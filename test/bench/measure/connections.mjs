import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, startChild, temporaryFolder } from "../children.mjs";
import { note } from "../corpus.mjs";
import { pause, timeOf } from "../load.mjs";

const SECTION = "connections";
const BUCKET = join(dirname(fileURLToPath(import.meta.url)), "../bucket.mjs");
const TAG = "bucket";
const CHANGES = 100;
const LONGEST_MS = 90 * 60_000;
const LOOK_EVERY_MS = 1_000;

/** Syncs a whole bucket for the first time, again without changes, and again with a few changed objects. */
export async function measureConnections({ product, results, effort, seed }) {
  const size = effort.objects;
  const child = startChild(process.execPath, [BUCKET, String(seed), String(size)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ port }] = await once(child, "message");
  const folder = temporaryFolder();
  const service = await product.serve(folder, { RECOLLECT_OFFLINE: "0", RECOLLECT_FETCH_ALLOW: "127.0.0.1" });
  const add = (name, unit, value) => results.add({ section: SECTION, name, unit, size, value });
  try {
    const first = await timeOf(() => connect(service, size, `http://127.0.0.1:${port}`));
    const id = first.result;
    add("first run, until all is searchable", "a second", (size * 1_000) / first.milliseconds);
    add("first run, processor time of the service for one object", "ms", service.processorTime() / size);
    add("first run, highest resident memory", "MB", service.memory().highest);

    const before = await change(child, []);
    const second = await timeOf(() => sync(service, id));
    const after = await change(child, []);
    add("a run that finds nothing changed", "s", second.milliseconds / 1_000);
    add("a run that finds nothing changed, requests", "", after.listed - before.listed);
    results.check(after.read === before.read, `a run without changes read ${after.read - before.read} objects`);

    const changed = Array.from({ length: CHANGES }, (_, index) => Math.floor((index * size) / CHANGES));
    await change(child, changed);
    const third = await timeOf(() => sync(service, id));
    const end = await change(child, []);
    add(`a run that finds ${CHANGES} changed`, "s", third.milliseconds / 1_000);
    results.check(end.read - after.read === CHANGES, `${CHANGES} changes: ${end.read - after.read} objects were read`);
    const { results: found } = await service.search({
      q: note(seed, changed[1]).question,
      containerTag: TAG,
      include: { documents: true },
    });
    results.check(JSON.stringify(found).includes("Changed 1 times"), "a changed object was not found by its new text");
    add("highest resident memory after all runs", "MB", service.memory().highest);
  } finally {
    await service.stop();
    child.disconnect();
    removeFolder(folder);
  }
}

async function connect(service, size, endpoint) {
  const keys = { accessKeyId: "bench", secretAccessKey: "bench", region: "eu-central-1" };
  const metadata = { ...keys, bucket: "notes", endpoint };
  const { id } = (await service.post("/v3/connections/s3", { containerTag: TAG, metadata })).body;
  // A new connection imports no more than 10,000.
  await service.post(`/v3/connections/${id}/configure`, { documentLimit: size });
  await until(service, id, async ([run]) => {
    if (run.status === "failed") throw new Error(`the first run failed: ${run.error}`);
    return (await service.get(`/v3/connections/${id}`)).body.documentCount === size;
  });
  return id;
}

async function sync(service, id) {
  const { length } = await runsOf(service, id);
  await service.post(`/v3/connections/${id}/sync`, {});
  await until(service, id, (runs) => runs.length > length);
}

async function runsOf(service, id) {
  return (await service.get(`/v3/connections/${id}/sync-runs`)).body;
}

/** Waits until no run is active, everything is searchable, and the expected result has arrived. */
async function until(service, id, hasCome) {
  const deadline = performance.now() + LONGEST_MS;
  for (;;) {
    await pause(LOOK_EVERY_MS);
    const runs = await runsOf(service, id);
    const { totalCount } = (await service.get("/v3/documents/processing")).body;
    if (runs.length > 0 && runs[0].status !== "running" && totalCount === 0 && (await hasCome(runs))) return;
    if (performance.now() > deadline) throw new Error(`a run was not over in ${LONGEST_MS / 60_000} minutes`);
  }
}

/** Gives these notes other texts. @returns the requests that the bucket received so far */
async function change(child, numbers) {
  child.send(numbers);
  const [asked] = await once(child, "message");
  return asked;
}
