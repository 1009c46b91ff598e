import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { loadSqlite, type SqliteConnection } from "../../src/lib/sqlite.js";
import { openCore } from "../support/open-core.js";

const TEA = "李明在成都的茶馆工作。";
const KEY = "鍵は受付の引き出しに入っています。";
const PLAIN = "The key lies in the drawer.";

let dataDirectory: string;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-test-"));
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

async function withFile<T>(work: (file: SqliteConnection) => T): Promise<T> {
  const { DatabaseSync } = await loadSqlite();
  const file = new DatabaseSync(join(dataDirectory, "recollect.db"));
  try {
    return work(file);
  } finally {
    file.close();
  }
}

/** The number of units with a word in the text index. */
const countOf = (word: string) =>
  withFile(
    (file) => file.prepare("select rowid from text_index where text_index match ?").all(`text : "${word}"`).length,
  );

/** Fills a store and turns its text index into one written by an earlier version. */
async function leaveOldStore(): Promise<void> {
  const opened = await openCore({ dataDirectory });
  for (const content of [TEA, KEY, PLAIN])
    await opened.core.addDocument({ actor: opened.actor }, { content, containerTags: ["notes"], taskType: "superrag" });
  await opened.core.createMemories(
    { actor: opened.actor },
    { containerTag: "notes", memories: [{ content: "王芳喜欢爬山" }, { content: "Wang Fang likes hiking" }] },
  );
  await opened.settle();
  await opened.close();
  await withFile((file) => {
    const units = file
      .prepare(
        `select seq * 2 as unit, content as text, context, 'd1' as scope from chunks
         union all select seq * 2 + 1, text, '', 'm1' from memories where is_latest = 1`,
      )
      .all() as { unit: number; text: string; context: string; scope: string }[];
    for (const { unit, text, context, scope } of units) {
      file.prepare("delete from text_index where rowid = ?").run(unit);
      const insert = file.prepare("insert into text_index (rowid, text, context, scope) values (?, ?, ?, ?)");
      insert.run(unit, text, context, scope);
    }
    file.exec("delete from word_splitting");
  });
}

describe("a text index written by an earlier version", () => {
  beforeEach(leaveOldStore);

  test("is rewritten in the background at the next start, and then finds texts by their words", async () => {
    expect(await countOf("茶馆")).toBe(0);
    const opened = await openCore({ dataDirectory });
    await opened.settle();
    const { results } = await opened.core.search(
      { actor: opened.actor },
      { q: "谁在茶馆工作", containerTags: ["notes"], searchMode: "documents" },
    );
    expect(results[0]?.text).toBe(TEA);
    await opened.close();
    expect(await countOf("茶馆")).toBe(1);
    expect(await countOf("爬山")).toBe(1);
    expect(await countOf("引き")).toBe(1);
    expect(await countOf("drawer")).toBe(1);
    expect(await countOf("hiking")).toBe(1);
  });

  test("can be searched from the start", async () => {
    const opened = await openCore({ dataDirectory });
    const { results } = await opened.core.search(
      { actor: opened.actor },
      { q: "Where is the key?", containerTags: ["notes"], searchMode: "documents" },
    );
    expect(results[0]?.text).toBe(PLAIN);
    await opened.close();
  });

  test("is rewritten from where it was interrupted", async () => {
    const open = () => createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: { now: () => new Date() } });
    const first = await open();
    expect(await first.textIndex.isCurrent()).toBe(false);
    expect(await first.textIndex.rewriteSome(1)).toEqual({ rewritten: 1, isDone: false });
    await first.close();
    expect([await countOf("茶馆"), await countOf("引き")]).toEqual([1, 0]);
    const second = await open();
    expect(await second.textIndex.isCurrent()).toBe(false);
    const steps: unknown[] = [];
    for (let isDone = false; !isDone;) {
      const step = await second.textIndex.rewriteSome(1);
      steps.push(step.rewritten);
      ({ isDone } = step);
    }
    expect(steps).toEqual([1, 0, 1, 0, 0]);
    expect(await second.textIndex.isCurrent()).toBe(true);
    expect(await second.textIndex.rewriteSome(1)).toEqual({ rewritten: 0, isDone: true });
    await second.close();
    expect([await countOf("茶馆"), await countOf("引き"), await countOf("爬山")]).toEqual([1, 1, 1]);
  });

  test("is not rewritten if another runtime splits words in the same way", async () => {
    const opened = await openCore({ dataDirectory });
    await opened.settle();
    await opened.close();
    await withFile((file) => file.exec("update word_splitting set runtime = 'older'"));
    const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: { now: () => new Date() } });
    expect(await store.textIndex.isCurrent()).toBe(false);
    expect(await store.textIndex.rewriteSome(10)).toEqual({ rewritten: 0, isDone: true });
    expect(await store.textIndex.isCurrent()).toBe(true);
    await store.close();
  });
});

test("a new text index needs no rewriting", async () => {
  const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: { now: () => new Date() } });
  expect(await store.textIndex.isCurrent()).toBe(true);
  await store.close();
});

test("rewriting does not make hidden texts searchable", async () => {
  await leaveOldStore();
  await withFile((file) => file.exec("delete from text_index where rowid in (select seq * 2 from chunks)"));
  const opened = await openCore({ dataDirectory });
  await opened.settle();
  await opened.close();
  expect([await countOf("茶馆"), await countOf("爬山")]).toEqual([0, 1]);
});
