import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import type { Job, JobChoice, LanguageModel, Store, Repositories } from "../../src/core/ports.js";
import type { IngestContext } from "../../src/ingest/context.js";
import { createGroupExtractor } from "../../src/ingest/extract-group.js";
import { createModelExtractor } from "../../src/ingest/extract-with-model.js";
import { createPipeline } from "../../src/ingest/pipeline.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { answerAsReader, questionOf } from "../support/model-reader.js";
import { silentLog } from "../support/open-core.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";
import { DAY, MINDS, modelAt, type Mind } from "../support/state-world.js";
import { openDatabase } from "../support/store-folder.js";

/** What is known before, one document each. */
const KNOWN = ["Mia lives in Lyon.", "Mia keeps bees.", "Tom lives in Bonn."];
/** What is being remembered when the process ends. */
const NEWS = [
  {
    name: "a document",
    dreaming: "instant",
    texts: ["Mia lives in Oslo. Mia keeps bees. Tom lives in Bonn with his dog. Ida works at Airbus."],
    memories: { rules: 6, "a language model": 7 },
  },
  {
    name: "documents that waited for each other",
    dreaming: "dynamic",
    texts: ["Mia lives in Oslo. Ida works at Airbus.", "Mia lives in Bergen. Mia keeps bees."],
    memories: { rules: 6, "a language model": 6 },
  },
] as const;
/** In seconds. */
const QUIET = { dreamQuiet: 30, dreamLongestWait: 300 };
type News = (typeof NEWS)[number];
const CONCLUSIONS = { "Ida and Tom are neighbours": ["Tom lives in Bonn with his dog", "Ida works at Airbus"] };

/** The simulated end of a process, at a step counted from 1. */
class Crash extends Error {}

/** Counts the calls of a process to its store and its model, and ends it at one of them: every later call fails. */
class Fate {
  steps = 0;
  private readonly last: number;
  private readonly onCommit: () => Promise<void>;

  constructor(last = Number.POSITIVE_INFINITY, onCommit = async (): Promise<void> => {}) {
    this.last = last;
    this.onCommit = onCommit;
  }

  step(): void {
    this.steps += 1;
    if (this.steps >= this.last) throw new Crash(`at step ${this.last}`);
  }

  /** Every call to a repository is a step, and so are the beginning and the end of a transaction. */
  store(store: Store): Store {
    const repositories = this.repositories(store);
    const transaction = async <T>(work: (inside: Repositories) => Promise<T>): Promise<T> => {
      this.step();
      const result = await store.transaction((inside) => work(this.repositories(inside)));
      await this.onCommit();
      this.step();
      return result;
    };
    return { ...store, ...repositories, transaction };
  }

  /** A question and its answer are one step each. */
  model(model: LanguageModel): LanguageModel {
    return {
      ...model,
      generate: async (request, signal) => {
        this.step();
        const answer = await model.generate(request, signal);
        this.step();
        return answer;
      },
    };
  }

  private repositories(repositories: Repositories): Repositories {
    const kept = new Set(["vectors", "organizationId"]);
    const counted = Object.entries(repositories).map(([name, noun]) => [
      name,
      typeof noun === "object" && noun !== null && !kept.has(name) ? this.counted(noun as object) : (noun as unknown),
    ]);
    return Object.fromEntries(counted) as Repositories;
  }

  private counted(noun: object): object {
    return new Proxy(noun, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...parameters: readonly unknown[]): unknown => {
          this.step();
          return Reflect.apply(method, target, parameters) as unknown;
        };
      },
    });
  }
}

/** A new process over a copy of the store, with nothing in memory from the previous one. */
async function inProcess(opened: ManualCore, url: string | null, fate: Fate, kinds?: JobChoice): Promise<void> {
  const store = fate.store(opened.store);
  const model = url === null ? null : fate.model(modelAt(url));
  const rules = createRulesExtractor();
  const factExtractor = model ? createModelExtractor({ model, fallback: rules, log: silentLog }) : rules;
  const together = model && { extractTogether: createGroupExtractor({ model, log: silentLog }) };
  const context: IngestContext = { ...opened.context, store, model, factExtractor, ...together };
  const handlers = createPipeline(context);
  await store.jobs.reclaim();
  for (;;) {
    const [job] = await store.jobs.claim("worker", 1, 60_000, kinds);
    if (!job) return;
    await work(job, handlers[job.kind], store);
  }
}

async function work(job: Job, handler: ReturnType<typeof createPipeline>[string] | undefined, store: Store) {
  let isFinished = false;
  await handler?.run(handler.schema.parse(job.payload), {
    job,
    signal: new AbortController().signal,
    finish: async (jobs) => {
      isFinished = await jobs.complete("worker", job.id);
    },
    follow: async (jobs, draft) => {
      isFinished = await jobs.complete("worker", job.id);
      await jobs.enqueue([draft]);
    },
  });
  if (!isFinished) await store.jobs.complete("worker", job.id);
}

/** Everything a reader can distinguish, with texts instead of ids. */
const STATE: Readonly<Record<string, string>> = {
  memories: `select m.text, m.version, m.is_latest, m.is_forgotten, m.is_static, m.is_inference, m.strength, m.kind,
      m.metadata, m.forget_after, p.text as parent, r.text as root from memories m
    left join memories p on p.id = m.parent_id left join memories r on r.id = m.root_id order by m.seq`,
  sources: `select m.text, d.content, s.quote, s.quote_start from memory_sources s join memories m on m.id = s.memory_id
    join documents d on d.id = s.document_id order by 1, 2`,
  relations: `select one.text, other.text as other, relation from memory_relations mr
    join memories one on one.id = mr.from_id join memories other on other.id = mr.to_id order by 1, 2`,
  journal: `select j.action, coalesce(m.text, d.content) as subject, j.before ->> '$.text' as before,
      j.after ->> '$.text' as after, (select count(distinct batch_id) from journal e where e.seq <= j.seq) as batch
    from journal j left join memories m on m.id = j.subject_id left join documents d on d.id = j.subject_id order by j.seq`,
  documents: `select content, status, dreaming_status, error_reason, remembered_revision, revision, (
      select json_group_array(e.value ->> '$.outcome' || ' ' || (e.value ->> '$.text')) from json_each(receipt) e
    ) as receipt from documents order by seq`,
  found: `select m.text, (select count(*) from text_index_docsize where id = m.seq * 2 + 1) as words,
      (select json_group_array(v.active) from vectors v where v.unit = m.seq * 2 + 1) as vectors
    from memories m order by m.seq`,
  chunks:
    "select content, (select count(*) from vectors v where v.unit = c.seq * 2) as vectors from chunks c order by seq",
  jobs: "select kind, state from jobs",
};

async function readState(file: string): Promise<Record<string, unknown[]>> {
  const connection = await openDatabase(file, { readOnly: true });
  try {
    return Object.fromEntries(Object.entries(STATE).map(([name, sql]) => [name, connection.prepare(sql).all()]));
  } finally {
    connection.close();
  }
}

function withoutJobs({ jobs: _jobs, ...state }: Record<string, unknown[]>): Record<string, unknown[]> {
  return state;
}

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "recollect-crashes-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(MINDS)("a process with %s that ends", (mind: Mind) => {
  let provider: ScriptedModel | null;
  beforeEach(async () => {
    provider = mind === "rules" ? null : await startScriptedModel();
    provider?.always((request) => answerAsReader(request, {}, CONCLUSIONS));
  });
  afterEach(() => provider?.close());

  const url = () => provider?.url ?? null;

  /** A store in which everything is done except remembering the news. */
  async function prepare({ name, texts, dreaming }: News): Promise<string> {
    const opened = await openManualCore({ jobs: false, limits: QUIET });
    const file = join(folder, `${mind} ${name}.db`);
    const add = async (content: string, more: object, kinds?: JobChoice) => {
      await opened.core.addDocument(opened.call(), { content, containerTags: ["a"], ...more });
      await inProcess(opened, url(), new Fate(), kinds);
    };
    try {
      for (const content of KNOWN) {
        opened.clock.advance(DAY);
        await add(content, { dreaming: "instant" });
      }
      for (const content of texts) {
        opened.clock.advance(1_000);
        await add(content, { dreaming }, { except: ["remember"] });
      }
      const connection = await openDatabase(opened.file);
      connection.exec(`vacuum into '${file}'`);
      connection.close();
    } finally {
      await opened.close();
    }
    return file;
  }

  async function openCopy(file: string): Promise<ManualCore> {
    const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-crash-"));
    await copyFile(file, join(dataDirectory, STORE_FILE));
    const opened = await openManualCore({ jobs: false, dataDirectory, limits: QUIET });
    opened.clock.advance((KNOWN.length + 1) * DAY);
    return opened;
  }

  test.each(NEWS)(
    "at any step of relating $name loses, duplicates and truncates nothing",
    async (news) => {
      const file = await prepare(news);
      const undisturbed = await openCopy(file);
      const wholes = [await readState(file)];
      const whole = new Fate(undefined, async () => void wholes.push(await readState(undisturbed.file)));
      await inProcess(undisturbed, url(), whole);
      const expected = await readState(undisturbed.file);
      await undisturbed.close();
      const { memories, relations, jobs } = expected;
      expect(memories).toHaveLength(news.memories[mind]);
      if (news.dreaming === "instant") expect(relations).toHaveLength(mind === "rules" ? 1 : 3);
      expect(jobs).toEqual([]);
      const questions = provider?.requests.map((request) => questionOf(request).name);
      if (questions) expect(questions).toContain(news.dreaming === "instant" ? "relate_facts" : "extract_group");
      expect(whole.steps).toBeGreaterThan(40);

      let opened: ManualCore | null = null;
      for (let step = 1; step <= whole.steps; step++) {
        opened ??= await openCopy(file);
        await expect(inProcess(opened, url(), new Fate(step))).rejects.toThrow(Crash);
        const left = await readState(opened.file);
        expect(wholes.map(withoutJobs)).toContainEqual(withoutJobs(left));
        // The same store survives several crashes in a row before the work is completed.
        const isBegun = !isDeepStrictEqual(withoutJobs(left), withoutJobs(wholes[0] ?? {}));
        if (!isBegun && step % 8 > 0 && step < whole.steps) continue;
        await inProcess(opened, url(), new Fate());
        expect(await readState(opened.file)).toEqual(expected);
        await opened.close();
        opened = null;
      }
    },
    120_000,
  );
});
