import { applyLoad, timeOf } from "../load.mjs";
import { holds, Questioner } from "../questioner.mjs";
import { median } from "../statistics.mjs";

const CALLERS = [1, 8, 32];
const SELECTIVITIES = [
  { share: "1 %", field: "percent" },
  { share: "10 %", field: "tenth" },
  { share: "50 %", field: "half" },
];

/** Searches of one container over HTTP: by size, number of callers and filter; memory, and the time from start. */
export async function measureSearch({ product, folders, results, effort, seed, sizes, section = "search" }) {
  for (const size of sizes) {
    const folder = await folders.get(size);
    const questioner = new Questioner(seed, size);
    const service = await measureStart({ product, folder, questioner, results, effort, size, section });
    try {
      const first = await searchAll(service, questioner.take(effort.warmUp), {});
      results.addTimes({ section, name: `first ${effort.warmUp} after the start`, size }, first);
      // A service runs for days: the first questions measure the time until its code is compiled and its caches are filled.
      await searchAll(service, questioner.take(effort.settling), { effort });
      const stages = new Map();
      for (const callers of CALLERS) {
        const asked = questioner.take(callers === 1 ? effort.searches : effort.searches * 3);
        const before = service.processorTime();
        const load = await searchAll(service, asked, { callers, effort, questioner, stages });
        const processorTime = (service.processorTime() - before) / load.count;
        const name = `${callers} ${callers === 1 ? "caller" : "callers"}`;
        results.addTimes({ section, name, size }, load);
        results.add({ section, name: `${name}, searches`, unit: "a second", size, value: load.perSecond });
        const costs = `${name}, processor time of the service for one search`;
        results.add({ section, name: costs, unit: "ms", size, value: processorTime });
      }
      questioner.report(results, { section, name: "no filter", size });
      reportStages(stages, results, { section, size });
      await measureFilters({ service, questioner, results, effort, size, section });
      reportMemory(service, results, { section, size });
    } finally {
      await service.stop();
    }
  }
}

/** @returns the service of the last start */
async function measureStart({ product, folder, questioner, results, effort, size, section }) {
  const starts = [];
  for (;;) {
    const [asked] = questioner.take(1);
    const { milliseconds, result: service } = await timeOf(async () => {
      const started = await product.serve(folder);
      await started.search({ q: asked.question, containerTag: "notes" });
      return started;
    });
    starts.push(milliseconds);
    if (starts.length === effort.starts) {
      const value = median(starts);
      results.add({ section, name: "start to first search answered", unit: "ms", size, value });
      return service;
    }
    await service.stop();
  }
}

/** Asks each question once; without a questioner nothing is checked. */
function searchAll(service, asked, { callers = 1, effort, questioner, stages, filterOf = () => ({}) }) {
  return applyLoad({
    callers,
    count: asked.length,
    milliseconds: effort?.milliseconds,
    async work(index) {
      const one = asked[index];
      const answer = await service.search({ q: one.question, containerTag: "notes", ...filterOf(one) });
      questioner?.see(holds(answer.results, one), one);
      if (callers !== 1) return;
      for (const [name, milliseconds] of Object.entries(answer.stages))
        stages?.set(name, [...(stages.get(name) ?? []), milliseconds]);
    },
  });
}

async function measureFilters({ service, questioner, results, effort, size, section }) {
  for (const { share, field } of SELECTIVITIES) {
    const name = `filter of ${share}`;
    const filterOf = ({ metadata }) => ({ filters: { AND: [{ key: field, value: metadata[field] }] } });
    await searchAll(service, questioner.take(10), { filterOf });
    const load = await searchAll(service, questioner.take(effort.searches), { effort, questioner, filterOf });
    results.addTimes({ section, name, size }, load);
    questioner.report(results, { section, name, size });
  }
}

/** The median of each stage in `Server-Timing`, over a single caller's searches. */
function reportStages(stages, results, { section, size }) {
  const stagesOf = section === "search" ? "stages" : `${section} stages`;
  for (const [name, times] of stages) results.add({ section: stagesOf, name, unit: "ms", size, value: median(times) });
}

function reportMemory(service, results, { section, size }) {
  const { resident, highest, children } = service.memory();
  const add = (name, value) => results.add({ section, name, unit: "MB", size, value });
  add("resident memory after all searches", resident);
  add("highest resident memory", highest);
  if (children > 0) add("resident memory of its children", children);
}
