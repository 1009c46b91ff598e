import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import type { Store } from "../../src/core/ports.js";
import { buildDocumentDraft } from "../support/builders.js";
import { AdvancedClock } from "../support/clock.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";

const MINUTE = 60_000;
const LEASE = 15_000;

describeOnPostgres("leases on PostgreSQL, of nodes whose clocks are minutes apart", (server) => {
  let folder: string;
  let nodes: readonly { readonly name: string; readonly store: Store }[];

  beforeAll(async () => {
    const url = await server.createDatabase();
    folder = await mkdtemp(join(tmpdir(), "recollect-leases-"));
    const open = async (name: string, aheadMs: number) => {
      const clock = new AdvancedClock();
      clock.advance(aheadMs);
      return { name, store: await createPostgresStore({ url, dataDirectory: folder, clock, isShared: true }) };
    };
    nodes = [await open("behind", -20 * MINUTE), await open("ahead", 20 * MINUTE)];
  }, MINUTE);
  afterAll(async () => {
    for (const { store } of nodes) await store.close();
    await rm(folder, { recursive: true });
  }, MINUTE);

  const pairs = () => [nodes, nodes.toReversed()] as const;
  const claim = ({ name, store }: (typeof nodes)[number], leaseMs = LEASE) => store.jobs.claim(name, 1, leaseMs);

  test("a job that one of them has claimed, extended or gone on to is not taken over by another", async () => {
    for (const [holder, other] of pairs()) {
      if (!holder || !other) throw new Error("There are two nodes.");
      const draft = { kind: "embed", payload: {}, group: "a", runAt: new Date(0) };
      await holder.store.jobs.enqueue([draft]);
      const [job] = await claim(holder);
      const id = job?.id ?? 0;
      expect(await claim(other)).toEqual([]);
      expect(await holder.store.jobs.extend(holder.name, id, LEASE)).toBe(true);
      expect(await claim(other)).toEqual([]);
      expect(await holder.store.jobs.replace(holder.name, id, draft, LEASE)).toMatchObject({ id });
      expect(await claim(other)).toEqual([]);
      expect(await holder.store.jobs.complete(holder.name, id)).toBe(true);
    }
  });

  test("a job whose lease has run out is taken over by another", async () => {
    for (const [holder, other] of pairs()) {
      if (!holder || !other) throw new Error("There are two nodes.");
      await holder.store.jobs.enqueue([{ kind: "embed", payload: {}, group: "a", runAt: new Date(0) }]);
      const [held] = await claim(holder, 1);
      const [taken] = await vi.waitUntil(async () => {
        const found = await claim(other);
        return found.length > 0 && found;
      });
      expect(taken).toEqual({ ...held, crashes: 1 });
      expect(await other.store.jobs.complete(other.name, taken?.id ?? 0)).toBe(true);
    }
  });

  test("a task that one of them has handed out to an agent is not free at another", async () => {
    for (const [holder, other] of pairs()) {
      if (!holder || !other) throw new Error("There are two nodes.");
      const { organizationId } = holder.store;
      const [container] = await holder.store.containers.ensure(organizationId, [holder.name]);
      const containerId = container?.id ?? 0;
      const { id } = await holder.store.documents.insert(
        organizationId,
        buildDocumentDraft({ containerTags: [holder.name], status: "done", dreamingStatus: "done" }),
      );
      await holder.store.documents.update(organizationId, id, { rememberedRevision: 1 });
      await holder.store.extractionTasks.open(organizationId, { id, revision: 1, containerId }, [{ start: 0, end: 5 }]);
      const reservation = { limit: 1, maxCharacters: 10, forMs: 10 * MINUTE, by: holder.name };
      expect(await holder.store.extractionTasks.reserve(organizationId, containerId, reservation)).toHaveLength(1);
      expect(await other.store.extractionTasks.countFree(organizationId, containerId, 10)).toBe(0);
      expect(await other.store.extractionTasks.reserve(organizationId, containerId, reservation)).toEqual([]);
    }
  });
});
