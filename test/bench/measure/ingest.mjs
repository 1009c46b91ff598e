import { note } from "../corpus.mjs";
import { applyLoad, pause, timeOf } from "../load.mjs";
import { Questioner } from "../questioner.mjs";

const SECTION = "ingest";
const INBOX = "inbox";
const BATCH = 100;
/** Documents that wait in the service while it processes at full speed. */
const BACKLOG = 300;
const LONGEST_WAIT_S = 600;

/** Documents per second until they are searchable, and the effect on searches. */
export async function measureIngest({ product, folders, results, effort, seed, sizes }) {
  const size = sizes.filter((one) => one <= 10_000).at(-1) ?? sizes[0];
  const folder = await folders.copy(size);
  const service = await product.serve(folder);
  const source = new DocumentSource(seed, size);
  try {
    await measureTakingIn({ service, source, results, effort, size });
    await measureSearchMeanwhile({ service, source, results, effort, seed, size });
  } finally {
    await service.stop();
    folders.release(folder);
  }
}

/** Documents one by one and in batches; the names of figures start with `place`. */
export async function measureTakingIn({ service, source, results, effort, size, section = SECTION, place = "" }) {
  const add = (name, unit, value) => results.add({ section, name: `${place}${name}`, unit, size, value });
  const addTimes = (name, load) => results.addTimes({ section, name: `${place}${name}`, size }, load);
  const report = (questioner, name) => questioner.report(results, { section, name: `${place}${name}`, size });
  await settle(service, await addBatch(service, source.take(20)));
  await measureSingle({ service, source, effort, add, addTimes });
  await measureBatches({ service, source, effort, add, report });
}

/** Notes that are not in the filled folder. */
export class DocumentSource {
  #seed;
  #next;

  constructor(seed, from) {
    this.#seed = seed;
    this.#next = from;
  }

  take(count) {
    return Array.from({ length: count }, () => note(this.#seed, this.#next++));
  }
}

async function measureSingle({ service, source, effort, add, addTimes }) {
  const waited = source.take(effort.documents / 6);
  const load = await applyLoad({
    callers: 1,
    count: waited.length,
    milliseconds: effort.milliseconds,
    work: (index) => service.post("/v3/documents", documentOf(waited[index]), { prefer: "wait=30" }),
  });
  addTimes("one document, until searchable and understood", load);

  const notes = source.take(effort.documents / 2);
  const { milliseconds } = await timeOf(async () => {
    const ids = [];
    const taken = await applyLoad({
      callers: 8,
      count: notes.length,
      async work(index) {
        const { body } = await service.post("/v3/documents", documentOf(notes[index]));
        ids.push(body.id);
      },
    });
    addTimes("one document acknowledged, 8 callers", taken);
    await settle(service, ids);
  });
  add("single documents by 8 callers, searchable", "a second", (notes.length * 1_000) / milliseconds);
}

async function measureBatches({ service, source, effort, add, report }) {
  const notes = source.take(effort.documents);
  const ids = [];
  const started = performance.now();
  const before = service.processorTime();
  for (let from = 0; from < notes.length; from += BATCH)
    ids.push(...(await addBatch(service, notes.slice(from, from + BATCH))));
  const rate = () => (notes.length * 1_000) / (performance.now() - started);
  add("batches of 100, acknowledged", "a second", rate());
  await settle(service, ids);
  add("batches of 100, searchable", "a second", rate());
  await settle(service, ids, isUnderstood);
  add("batches of 100, understood", "a second", rate());
  const value = (service.processorTime() - before) / notes.length;
  add("processor time of the service for one document", "ms", value);

  // By document and not by text, since a document's memory may be worded differently.
  const questioner = new Questioner();
  for (const [index, one] of notes.slice(0, 100).entries()) {
    const asked = { q: one.question, containerTag: INBOX, include: { documents: true } };
    const { results: found } = await service.search(asked);
    questioner.see(
      found.some(({ documents }) => documents.some(({ id }) => id === ids[index])),
      one,
    );
  }
  report(questioner, "after ingest");
}

/** One caller's searches, without and during full ingestion, into another container and into the same one. */
async function measureSearchMeanwhile({ service, source, results, effort, seed, size }) {
  const questioner = new Questioner(seed, size);
  const search = async (milliseconds) => {
    const asked = questioner.take(5_000);
    const work = (index) => service.search({ q: asked[index].question, containerTag: "notes" });
    return applyLoad({ callers: 1, count: asked.length, milliseconds, work });
  };
  await search(500);
  const idle = await search(effort.milliseconds);
  results.addTimes({ section: SECTION, name: "search, idle", size }, idle);
  for (const [place, containerTag] of [
    ["another container", INBOX],
    ["the same container", "notes"],
  ]) {
    const flood = startFlood(service, source, containerTag);
    await pause(1_000);
    const busy = await search(effort.milliseconds);
    const { taken, seconds } = await flood.end();
    const add = (name, unit, value) => results.add({ section: SECTION, name, unit, size, value });
    results.addTimes({ section: SECTION, name: `search under full ingest into ${place}`, size }, busy);
    add(`p95 under full ingest into ${place}, against idle`, "×", busy.p95 / idle.p95);
    add(`longest search under full ingest into ${place}`, "ms", busy.longest);
    add(`taken in meanwhile into ${place}`, "a second", taken / seconds);
    while ((await waitingOf(service)) > 0) await pause(100);
  }
}

/** Keeps the service busy with documents until it is told to stop. */
function startFlood(service, source, containerTag) {
  let isOver = false;
  let taken = 0;
  const started = performance.now();
  const work = async () => {
    while (!isOver) {
      if ((await waitingOf(service)) < BACKLOG)
        taken += (await addBatch(service, source.take(BATCH), containerTag)).length;
      else await pause(100);
    }
  };
  const ended = work();
  return {
    async end() {
      isOver = true;
      await ended;
      const waiting = await waitingOf(service);
      return { taken: taken - waiting, seconds: (performance.now() - started) / 1_000 };
    },
  };
}

async function waitingOf(service) {
  const { body } = await service.get("/v3/documents/processing");
  return body.totalCount;
}

function documentOf({ text, metadata }, containerTag = INBOX) {
  return { content: text, metadata, containerTag };
}

async function addBatch(service, notes, containerTag) {
  const documents = notes.map((one) => documentOf(one, containerTag));
  const { body } = await service.post("/v3/documents/batch", { documents });
  if (body.failed > 0) throw new Error(`a batch was refused: ${JSON.stringify(body.results.find((one) => one.error))}`);
  return body.results.map(({ id }) => id);
}

/** Waits until nothing is being processed, and checks that nothing failed. */
async function settle(service, ids, isThrough = isSearchable) {
  const deadline = performance.now() + LONGEST_WAIT_S * 1_000;
  while (!(await isThrough(service))) {
    if (performance.now() > deadline) throw new Error(`documents were not through within ${LONGEST_WAIT_S} s`);
    await pause(50);
  }
  const { body } = await service.get(`/v3/documents/${ids.at(-1)}`);
  if (body.status !== "done") throw new Error(`document ${body.id} ended as ${body.status}`);
}

async function isSearchable(service) {
  return (await waitingOf(service)) === 0;
}

/** A search reports how many documents of its containers are not processed yet. */
async function isUnderstood(service) {
  const { waiting } = await service.search({ q: "anything", containerTag: INBOX, limit: 1 });
  return waiting === 0;
}
