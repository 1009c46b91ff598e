import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import type { Call, Core } from "../../src/core/index.js";
import type { Job, JobContext, Store } from "../../src/core/ports.js";
import { createPipeline, reportDead } from "../../src/ingest/pipeline.js";
import { type ManualCore, onlyEmbedder, openManualCore } from "../support/manual-core.js";

const STEPS = ["extract", "chunk", "embed", "remember"] as const;
const WORKER = "test";
const NEWER = "Ada owns two goats.";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore({ jobs: false });
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const add = (content: string, more: Record<string, unknown> = {}) =>
  core.addDocument(call, { content, containerTags: ["a"], customId: "note", ...more });

/** The store of a step, in which something else happens just before the step commits. */
function interrupted(store: Store, meanwhile: () => Promise<unknown>): Store {
  let isDone = false;
  return {
    ...store,
    async transaction(work) {
      if (!isDone) {
        isDone = true;
        await meanwhile();
      }
      return store.transaction(work);
    },
  };
}

async function takeJob(): Promise<Job | undefined> {
  const [job] = await opened.store.jobs.claim(WORKER, 1, 60_000);
  return job;
}

async function run(job: Job, store = opened.store): Promise<void> {
  const context: JobContext = {
    job,
    signal: new AbortController().signal,
    async finish(jobs) {
      if (!(await jobs.complete(WORKER, job.id))) throw new AppError("conflict", "The job is gone.");
    },
    async follow(jobs, draft) {
      await context.finish(jobs);
      await jobs.enqueue([draft]);
    },
  };
  const handler = createPipeline({ ...opened.context, store })[job.kind];
  await handler?.run(handler.schema.parse(job.payload), context);
}

/** Runs all jobs up to a step, that step with the interruption, and then the rest. @returns the kinds that ran */
async function workOff(interruptedStep: string, meanwhile: () => Promise<unknown>): Promise<string[]> {
  const kinds: string[] = [];
  for (let job = await takeJob(); job; job = await takeJob()) {
    const isIt = job.kind === interruptedStep && !kinds.includes(interruptedStep);
    await run(job, isIt ? interrupted(opened.store, meanwhile) : opened.store);
    kinds.push(job.kind);
  }
  return kinds;
}

describe.each(STEPS)("while the step %s is running", (step) => {
  test("its document is deleted: nothing of it reappears", async () => {
    const { id } = await add("Ada keeps bees on the roof. Bo herds sheep on the hill.");
    const kinds = await workOff(step, () => core.deleteDocument(call, { id }));
    expect(kinds).toEqual(STEPS.slice(0, STEPS.indexOf(step) + 1));
    const rows = await opened.rowCounts();
    for (const table of [
      "documents",
      "document_containers",
      "chunks",
      "vectors",
      "text_index_docsize",
      "memories",
      "memory_sources",
      "jobs",
    ])
      expect([table, rows[table]]).toEqual([table, 0]);
    expect((await core.search(call, { q: "bees sheep", threshold: 0 })).results).toEqual([]);
  });

  test("its document is replaced: only the newest text remains, with the facts of both as if it had waited", async () => {
    const { id } = await add("Ada keeps bees on the roof.");
    await workOff(step, () => add(NEWER));
    const { document, memories } = await core.getDocument(call, { id });
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", revision: 2, errorReason: null });
    expect(memories.map((memory) => memory.text)).toEqual(["Ada keeps bees on the roof", "Ada owns two goats"]);
    const found = await core.search(call, { q: "bees roof goats", threshold: 0, searchMode: "documents" });
    expect(found.results.map((result) => result.text)).toEqual([NEWER]);
    const rows = await opened.rowCounts();
    expect([rows["chunks"], rows["vectors"], rows["text_index_docsize"], rows["jobs"]]).toEqual([1, 3, 3, 0]);
  });

  test("its document is moved: nothing of it remains in the old container", async () => {
    const { id } = await add("Ada keeps bees on the roof.");
    await workOff(step, () => core.updateDocument(call, { id, containerTags: ["b"] }));
    const found = async (containerTags: string[]) =>
      (await core.search(call, { q: "bees on the roof", threshold: 0, containerTags })).results.map(
        (result) => result.kind,
      );
    expect(await found(["a"])).toEqual([]);
    expect(await found(["b"])).not.toEqual([]);
    const space = await opened.store.findSpace(opened.context.embedders.active().fingerprint);
    const [b] = await opened.store.containers.find(opened.store.organizationId, ["b"]);
    expect(await opened.store.vectors.counts(space?.id ?? 0)).toEqual(new Map([[b?.id, 2]]));
  });

  test("its job is taken over: the step changes nothing", async () => {
    const { id } = await add("Ada keeps bees on the roof.");
    let taken: Job | undefined;
    for (let job = await takeJob(); job; job = await takeJob()) {
      if (job.kind === step) {
        taken = job;
        break;
      }
      await run(job);
    }
    if (!taken) throw new Error(`There was no job ${step}`);
    const before = await opened.store.documents.byId(opened.store.organizationId, id);
    await opened.store.jobs.complete(WORKER, taken.id);
    await expect(run(taken)).rejects.toMatchObject({ kind: "conflict" });
    expect(await opened.store.documents.byId(opened.store.organizationId, id)).toEqual(before);
  });
});

test("a failure of a replaced revision is not reported for the newer one", async () => {
  const { id } = await add("Ada keeps bees on the roof.");
  const old = await takeJob();
  if (!old) throw new Error("There is no job");
  await add(NEWER);
  await reportDead(opened.context, old, "broken", (jobs) => jobs.bury(WORKER, old.id, "broken"));
  expect((await core.getDocument(call, { id })).document).toMatchObject({ status: "queued", errorReason: null });
  const current = await takeJob();
  if (!current) throw new Error("There is no job");
  await reportDead(opened.context, current, "broken", (jobs) => jobs.bury(WORKER, current.id, "broken"));
  expect((await core.getDocument(call, { id })).document).toMatchObject({
    status: "failed",
    errorReason: "extract: broken",
  });
});

test("a step that is repeated after a crash duplicates nothing", async () => {
  const { id } = await add("Ada keeps bees on the roof.");
  for (let job = await takeJob(); job; job = await takeJob()) {
    // The first run dies just before its commit.
    const crash = new Error("killed");
    await expect(
      run(
        job,
        interrupted(opened.store, () => Promise.reject(crash)),
      ),
    ).rejects.toBe(crash);
    await run(job);
  }
  const { document, memories } = await core.getDocument(call, { id });
  expect(document).toMatchObject({ status: "done", dreamingStatus: "done" });
  expect(memories).toMatchObject([{ strength: 1, sourceCount: 1 }]);
  const rows = await opened.rowCounts();
  expect([rows["chunks"], rows["vectors"], rows["text_index_docsize"]]).toEqual([1, 2, 2]);
});

test("adding missing vectors skips what was deleted or forgotten in the meantime", async () => {
  const { id } = await add("Ada keeps bees on the roof.");
  const { memories } = await core.createMemories(call, {
    containerTag: "a",
    memories: [{ content: "Bo herds sheep" }, { content: "Cy paints boats" }],
  });
  for (let job = await takeJob(); job; job = await takeJob()) await run(job);
  await opened.store.jobs.enqueue([{ kind: "embed-missing", payload: {}, group: "system" }]);
  const other = { ...opened.context.embedders.active(), fingerprint: "another embedder" };
  const job = await takeJob();
  if (!job) throw new Error("There is no job");
  const store = interrupted(opened.store, async () => {
    await core.deleteDocument(call, { id });
    await core.forget(call, { ids: [memories[0]?.id ?? ""] });
  });
  await createPipeline({ ...opened.context, store, embedders: onlyEmbedder(other) })["embed-missing"]?.run(
    {},
    { job, signal: new AbortController().signal, finish: async () => undefined, follow: async () => undefined },
  );
  const space = await opened.store.findSpace("another embedder");
  const [a] = await opened.store.containers.find(opened.store.organizationId, ["a"]);
  expect(await opened.store.vectors.counts(space?.id ?? 0)).toEqual(new Map([[a?.id, 1]]));
});
