import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createChunkStore } from "../../src/adapters/store/chunks.js";
import { createContainerStore } from "../../src/adapters/store/containers.js";
import { createDocumentStore } from "../../src/adapters/store/documents.js";
import { createFileStore } from "../../src/adapters/store/files.js";
import { createMergeStore } from "../../src/adapters/store/merges.js";
import { createJournalStore } from "../../src/adapters/store/journal.js";
import { createMemoryStore } from "../../src/adapters/store/memories.js";
import { openSqliteStore } from "../../src/adapters/store/open.js";
import { createRequestStore } from "../../src/adapters/store/requests.js";
import type { Database } from "../../src/adapters/store/schema.js";
import { noCare } from "../support/no-care.js";
import { sqliteDatabases } from "../../src/adapters/store/sqlite.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { createSettingsStore } from "../../src/adapters/store/settings.js";
import { createUnitStore } from "../../src/adapters/store/units.js";
import { createVectorRecord } from "../../src/adapters/store/vector-record.js";
import type { UnitScope } from "../../src/core/ports.js";
import type { SqliteConnection } from "../../src/lib/sqlite.js";
import {
  buildChunkDrafts,
  buildCondition,
  buildDocumentDraft,
  buildDocumentQuery,
  buildMemoryDraft,
  FIRST_VERSION,
  only,
} from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { type SeenStatement, watchedConnections } from "../support/watched-connections.js";

/** Reads while a caller waits must use an index: these tables grow without limit. */
const GROWING =
  /\bSCAN (documents|d|chunks|memories|memory_sources|ms|vectors|v|vector_changes|change|journal|containers|c|dc|files|requests)\b/;
/** There is usually one organisation, so an index with it alone as prefix scans everything. */
const WHOLE_ORGANIZATION = /\(organization_id=\?\)/;

describe("the work of a call does not grow with the store", () => {
  const clock = new ManualClock();
  const queries: SeenStatement[] = [];
  let dataDirectory: string;
  let connection: SqliteConnection;
  let db: Kysely<Database>;
  let writes = 0;

  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-plans-"));
    const file = join(dataDirectory, STORE_FILE);
    const connections = await openSqliteStore({ file, maxMegabytes: 0 });
    connection = connections.writer;
    const watched = watchedConnections(connections, (statement) => void queries.push(statement));
    db = sqliteDatabases(watched, { file, care: noCare }).full;
    await createContainerStore(db, clock).ensure("o", ["a"]);
    await createMemoryStore(db, clock).insert("o", buildMemoryDraft({ id: "x" }), FIRST_VERSION);
    await createUnitStore(db, clock).addVector(3, space, new Float32Array(3));
    const document = await createDocumentStore(db, clock).insert("o", buildDocumentDraft({ id: "x" }));
    await createChunkStore(db, clock).replace("o", document.id, 1, buildChunkDrafts("one"));
  });
  afterAll(async () => {
    await db.destroy();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  /** SQLite's plan for the queries of a call, one step per line. */
  async function planOf(call: () => Promise<unknown>): Promise<string[]> {
    // After a write, nothing is answered from memory.
    await createContainerStore(db, clock).ensure("o", [`new_${(writes += 1)}`]);
    queries.length = 0;
    await call();
    expect(queries.length).toBeGreaterThan(0);
    return queries.flatMap(({ sql, parameters }) => {
      if (!/^\s*(select|with|insert|update|delete)/i.test(sql)) return [];
      const rows = connection.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[];
      return rows.map((row) => row.detail);
    });
  }

  const scope: UnitScope = { containerIds: [1, 2], kinds: ["chunk", "memory"], includeForgotten: true };
  const space = { id: 1, fingerprint: "s", dimensions: 3 };
  const filters = only(buildCondition("team", "red"));
  const day = { from: "2024-05-06T00:00:00.000Z", to: "2024-05-07T00:00:00.000Z" };

  const calls: Record<string, () => Promise<unknown>> = {
    "documents.insert": () => createDocumentStore(db, clock).insert("o", buildDocumentDraft()),
    "documents.byId": () => createDocumentStore(db, clock).byId("o", "x"),
    "documents.byCustomId": () => createDocumentStore(db, clock).byCustomId("o", "x", ["a", "b"]),
    "documents.headsByIds": () => createDocumentStore(db, clock).headsByIds("o", ["x", "y"]),
    "documents.headsByCustomIds": () => createDocumentStore(db, clock).headsByCustomIds("o", ["x", "y"], ["a", "b"]),
    "documents.outlines": () => createDocumentStore(db, clock).outlines("o", ["x"], 10),
    "documents.countCategories": () => createDocumentStore(db, clock).countCategories("o", ["a"]),
    "documents.update": () =>
      createDocumentStore(db, clock).update("o", "x", { status: "done", revision: 2, containerTags: ["a"] }),
    "chunks.replace": () => createChunkStore(db, clock).replace("o", "x", 1, buildChunkDrafts("one")),
    "chunks.ofDocument": () => createChunkStore(db, clock).ofDocument("o", "x", 1),
    "chunks.at": () => createChunkStore(db, clock).at("o", [{ documentId: "x", revision: 1, position: 0 }]),
    "chunks.withoutVector": () => createChunkStore(db, clock).withoutVector("o", "x", 2, space),
    "documents.revisionText": () => createDocumentStore(db, clock).revisionText("o", "x", 2),
    "documents.pendingRevisions": () => createDocumentStore(db, clock).pendingRevisions("o", "x"),
    "containers.find": () => createContainerStore(db, clock).find("o", ["a"]),
    "containers.ensure": () => createContainerStore(db, clock).ensure("o", ["a"]),
    "containers.ofDocument": () => createContainerStore(db, clock).ofDocument("o", "x"),
    "containers.get": () => createContainerStore(db, clock).get("o", "a"),
    "containers.update": () => createContainerStore(db, clock).update("o", "a", { name: "x" }),
    "containers.list": () => createContainerStore(db, clock).list("o", ["a"]),
    "containers.remove": () => createContainerStore(db, clock).remove("o", "x"),
    "containers.documentsIn": () => createContainerStore(db, clock).documentsIn("o", 1, 10),
    "containers.countOwnDocuments": () => createContainerStore(db, clock).countOwnDocuments("o", 1),
    "containers.relocate": () => createContainerStore(db, clock).relocate("o", "x", [1]),
    "documents.describe": () =>
      createDocumentStore(db, clock).describe("o", "x", { textMark: "m", title: "t", summary: null }),
    "documents.description": () => createDocumentStore(db, clock).description("o", "x"),
    "memories.inContainer": () => createMemoryStore(db, clock).inContainer("o", 1, { activeOnly: true, limit: 10 }),
    "memories.inContainer, all": () =>
      createMemoryStore(db, clock).inContainer("o", 1, { activeOnly: false, limit: 10 }),
    "memories.move": () => createMemoryStore(db, clock).move("o", "x", 1),
    "memories.purge": () => createMemoryStore(db, clock).purge("o", 2, 10),
    "settings.read": () => createSettingsStore(db, clock).read("o", ""),
    "merges.open": () => createMergeStore(db, clock).open("o"),
    "merges.byId": () => createMergeStore(db, clock).byId("o", "x"),
    "memories.byId": () => createMemoryStore(db, clock).byId("o", "x"),
    "memories.byIds": () => createMemoryStore(db, clock).byIds("o", ["x"]),
    "memories.latestOf": () => createMemoryStore(db, clock).latestOf("o", "x"),
    "memories.byText": () => createMemoryStore(db, clock).byText("o", "a", "x"),
    "memories.byExactText": () => createMemoryStore(db, clock).byExactText("o", "a", "x"),
    "memories.ofDocument": () => createMemoryStore(db, clock).ofDocument("o", "x"),
    "memories.sources": () => createMemoryStore(db, clock).sources("o", ["x"]),
    "memories.active": () => createMemoryStore(db, clock).active("o", "a", { isStatic: true, limit: 10 }),
    "memories.active of both kinds": () => createMemoryStore(db, clock).active("o", "a", { limit: 10 }),
    "memories.relate": () => createMemoryStore(db, clock).relate("o", "x", "y", "extends"),
    "memories.expired": () => createMemoryStore(db, clock).expired("o", clock.now(), 10),
    "memories.update": () => createMemoryStore(db, clock).update("o", "x", { strength: 2 }),
    "memories.list": () =>
      createMemoryStore(db, clock).list("o", {
        containerTags: ["a"],
        filters,
        sort: "createdAt",
        order: "desc",
        offset: 0,
        limit: 10,
      }),
    "memories.inferred": () => createMemoryStore(db, clock).inferred("o", "a", 10),
    "memories.ofDocuments": () => createMemoryStore(db, clock).ofDocuments("o", ["x"]),
    "memories.versions": () => createMemoryStore(db, clock).versions("o", ["x"]),
    "memories.statements": () => createMemoryStore(db, clock).statements("o", ["x"]),
    "memories.containerOf": () => createMemoryStore(db, clock).containerOf("o", "x"),
    "journal.latest": () => createJournalStore(db, clock).latest("o", "x", "memory.declined"),
    "journal.ofBatch": () => createJournalStore(db, clock).ofBatch("o", "x"),
    "journal.list of a batch": () => createJournalStore(db, clock).list("o", { batchId: "x", offset: 0, limit: 10 }),
    "journal.list of memories": () =>
      createJournalStore(db, clock).list("o", { subjectIds: ["x", "y"], offset: 0, limit: 10 }),
    "journal.list of a document": () =>
      createJournalStore(db, clock).list("o", { documentId: "x", offset: 0, limit: 10 }),
    "journal.list of containers": () =>
      createJournalStore(db, clock).list("o", { containerTags: ["a", "b"], offset: 0, limit: 10 }),
    "memories.relations": () => createMemoryStore(db, clock).relations("o", ["x"]),
    "units.searchText": () =>
      createUnitStore(db, clock).searchText(scope, ["x"], { limit: 10, among: new Set([1, 2, 3]) }),
    "units.matching": () =>
      createUnitStore(db, clock).matching("o", scope, { filters, filepath: "/x/", documentIds: ["x"] }),
    "units.matching by metadata": () => createUnitStore(db, clock).matching("o", scope, { filters }),
    "units.matching in every container, without some documents": () =>
      createUnitStore(db, clock).matching("o", scope, { inEveryContainer: true, exceptDocumentIds: ["x"] }),
    "units.matching by path": () => createUnitStore(db, clock).matching("o", scope, { filepath: "/x/" }),
    "units.details": () => createUnitStore(db, clock).details("o", scope, [1, 2, 3]),
    "units.load": () => createUnitStore(db, clock).load("o", [2, 3]),
    "units.addVector": () => createUnitStore(db, clock).addVector(3, space, new Float32Array(3)),
    "units.unindex": () => createUnitStore(db, clock).unindex(3),
    "units.setForgotten": () => createUnitStore(db, clock).setForgotten(3, 1, true),
    "units.setDocumentForgotten": async () => {
      const units = createUnitStore(db, clock);
      await units.setDocumentForgotten("o", "x", true);
      await units.setDocumentForgotten("o", "x", false);
    },
    "documents.expired": () => createDocumentStore(db, clock).expired("o", clock.now(), 1),
    "units.forgottenVectors": () => createUnitStore(db, clock).forgottenVectors(scope, space),
    "vectors.head": () => createVectorRecord(db).head(1),
    "vectors.pick": () => createVectorRecord(db).pick(space, [1], [3]),
    "vectors.page": () => createVectorRecord(db).page(space, 1, 0, 10),
    "vectors.visit": () =>
      createVectorRecord(db).visit(space, { containerId: 1, afterUnit: 0, limit: 10 }, () => undefined),
    "vectors.changesSince": () => createVectorRecord(db).changesSince(space, 5, { limit: 10 }),
    "vectors.changesSince of one container": () =>
      createVectorRecord(db).changesSince(space, 5, { limit: 10, containerId: 1 }),
    "chunks.newest": () => createChunkStore(db, clock).newest("o", "x"),
    "memories.removeSource": () => createMemoryStore(db, clock).removeSource("o", "x", "y"),
    "files.byKey": () => createFileStore(db, clock).byKey("o", "x"),
    "files.ofDocument": () => createFileStore(db, clock).ofDocument("o", "x"),
    "files.knownKeys": () => createFileStore(db, clock).knownKeys("o", ["x", "y"]),
    "documents.remove": () => createDocumentStore(db, clock).remove("o", "x"),
    "requests.list": () => createRequestStore(db).list("o", { ...day, offset: 0, limit: 10 }),
    "requests.list of one": () => createRequestStore(db).list("o", { ...day, id: "x", offset: 0, limit: 10 }),
    "requests.tally": () => createRequestStore(db).tally("o", day, ["type"]),
    "requests.dropBeyond": () => createRequestStore(db).dropBeyond("o", 9),
    "requests.dropBefore": () => createRequestStore(db).dropBefore("o", clock.now()),
  };

  test.each(Object.entries(calls))("%s", async (_name, call) => {
    const plan = await planOf(call);
    expect(plan).not.toEqual([]);
    expect(plan.filter((step) => GROWING.test(step) || WHOLE_ORGANIZATION.test(step))).toEqual([]);
  });

  test("counting vectors reads an index, not the vectors", async () => {
    const plan = await planOf(() => createVectorRecord(db).counts(1));
    expect(plan.join()).toMatch(/COVERING INDEX vectors_active/);
  });

  test("waiting documents have their own index", async () => {
    const plan = await planOf(() => createDocumentStore(db, clock).countWaiting("o", "all"));
    expect(plan.join()).toMatch(/documents_waiting/);
  });

  test("a list of documents being processed skips all others", async () => {
    const query = buildDocumentQuery({ statuses: ["queued", "embedding"] });
    const plan = await planOf(() => createDocumentStore(db, clock).list("o", query));
    expect(plan.join()).toMatch(/documents_waiting/);
  });

  test.each(["any", "all"] as const)("a list reads its containers once, not per document: %s", async (operator) => {
    const query = buildDocumentQuery({ containerTags: ["a"], operator });
    const plan = await planOf(() => createDocumentStore(db, clock).list("o", query));
    // The remaining one reads the tags of the documents on the page.
    expect(plan.filter((step) => step.includes("CORRELATED"))).toHaveLength(1);
  });

  test.each(["createdAt", "updatedAt"] as const)("a page sorted by %s needs no extra sort", async (sort) => {
    const plan = await planOf(() => createDocumentStore(db, clock).list("o", buildDocumentQuery({ sort })));
    expect(plan).not.toEqual([]);
    expect(plan.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY"))).toEqual([]);
  });

  test("a page of requests needs no extra sort", async () => {
    const plan = await planOf(() => createRequestStore(db).list("o", { ...day, offset: 0, limit: 10 }));
    expect(plan).not.toEqual([]);
    expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
  });

  test("a page of the whole journal needs no extra sort", async () => {
    const plan = await planOf(() => createJournalStore(db, clock).list("o", { offset: 0, limit: 10 }));
    expect(plan).not.toEqual([]);
    expect(plan.filter((step) => GROWING.test(step) || step.includes("TEMP B-TREE"))).toEqual([]);
  });

  test("the text index runs a narrowed match once, not per unit", async () => {
    const plan = await planOf(() =>
      createUnitStore(db, clock).searchText(scope, ["x"], { limit: 9, among: new Set([1, 2]) }),
    );
    const steps = plan.filter((step) => step.includes("text_index"));
    expect(steps).not.toEqual([]);
    for (const step of steps) expect(step).toMatch(/INDEX 0:M\d/);
  });
});
