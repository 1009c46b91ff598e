import { note } from "../corpus.mjs";
import { applyLoad, pause, summarise, timeOf } from "../load.mjs";
import { Questioner } from "../questioner.mjs";
import { randomFrom } from "../random.mjs";

const SECTION = "mix";
const SIZE = 1_000;
const CALLERS = 32;
/** How long a caller pauses on average between calls; without a pause the service is never idle. */
const PAUSES = {
  "32 callers without a pause": 0,
  "32 callers, a call each 0.25 s": 250,
  "32 callers, a call each 0.7 s": 700,
};
/** What the callers do, by the number of the call: of twenty calls, fourteen search and three add. */
const KINDS = "sasrsssassrssssassrs".split("");
const NAMES = { s: "searches", a: "additions", r: "other reads" };
const READS = [
  (service) => service.post("/v3/documents/list", { containerTags: ["notes"], limit: 10 }),
  (service) => service.post("/v4/memories/list", { containerTags: ["notes"], limit: 10 }),
  (service) => service.post("/v4/profile", { containerTag: "notes" }),
];

/** Many simultaneous callers who search, add and read: their waiting times, and how long additions take to be found. */
export async function measureMix({ product, folders, results, effort, seed }) {
  const folder = await folders.copy(SIZE);
  const service = await product.serve(folder);
  const questioner = new Questioner(seed, SIZE);
  const random = randomFrom(seed);
  let added = 0;
  const add = () => {
    const { text, who, reference } = note(seed + 1, added++);
    const content = `${text} Later ${who} told the neighbours about it, and ${reference} was written on the envelope.`;
    return service.post("/v3/documents", { content, containerTag: "notes" });
  };
  const search = () => service.search({ q: questioner.take(1)[0].question, containerTag: "notes" });
  const call = (kind, index) => (kind === "s" ? search() : kind === "a" ? add() : READS[index % READS.length](service));
  const run = async (milliseconds, rest) => {
    const times = { s: [], a: [], r: [] };
    const work = async (index) => {
      const kind = KINDS[index % KINDS.length];
      const before = performance.now();
      await call(kind, index);
      const taken = performance.now() - before;
      times[kind].push(taken);
      await pause(Math.max(0, rest * (0.5 + random()) - taken));
    };
    return { load: await applyLoad({ callers: CALLERS, milliseconds, work }), times };
  };
  try {
    await run(effort.milliseconds / 2, 0);
    for (const [name, rest] of Object.entries(PAUSES)) {
      await everythingDone(service);
      const before = service.processorTime();
      const { load, times } = await run(effort.milliseconds * 2, rest);
      for (const [kind, own] of Object.entries(times))
        results.addTimes({ section: SECTION, name: `${name}, ${NAMES[kind]}`, size: SIZE }, summarise(own));
      results.add({ section: SECTION, size: SIZE, name: `${name}, answers`, unit: "a second", value: load.perSecond });
      const { milliseconds } = await timeOf(() => everythingDone(service));
      const drained = `${name}, until all that was added is read`;
      results.add({ section: SECTION, size: SIZE, name: drained, unit: "s", value: milliseconds / 1_000 });
      const cost = (service.processorTime() - before) / load.count;
      const costs = `${name}, processor time of the service for one call`;
      results.add({ section: SECTION, size: SIZE, name: costs, unit: "ms", value: cost });
    }
  } finally {
    await service.stop();
    folders.release(folder);
  }
}

async function everythingDone(service) {
  for (;;) {
    const { body } = await service.get("/v3/documents/processing");
    if (body.totalCount === 0) return;
    await pause(50);
  }
}
