import { containerOf } from "../filled-folders.mjs";
import { applyLoad } from "../load.mjs";
import { holds, Questioner } from "../questioner.mjs";

const NOTES_IN_EACH = 100;

/** Many small containers, as in a service with one per person: each search uses another one. */
export async function measureContainers({ product, folders, results, effort, seed, section = "containers" }) {
  const containers = effort.containers;
  const size = containers * NOTES_IN_EACH;
  const folder = await folders.get(size, containers);
  const questioner = new Questioner(seed, size);
  const service = await product.serve(folder);
  const place = `${containers.toLocaleString("en")} containers of ${NOTES_IN_EACH}`;
  const search = async (asked, callers) =>
    applyLoad({
      callers,
      count: asked.length,
      milliseconds: effort.milliseconds,
      async work(index) {
        const one = asked[index];
        const answer = await service.search({ q: one.question, containerTag: containerOf(one.about, containers) });
        questioner.see(holds(answer.results, one), one);
      },
    });
  try {
    await search(questioner.take(effort.warmUp), 1);
    for (const callers of [1, 8, 32]) {
      const load = await search(questioner.take(effort.searches * (callers === 1 ? 1 : 3)), callers);
      const name = `${place}, ${callers} ${callers === 1 ? "caller" : "callers"}`;
      results.addTimes({ section, name, size }, load);
      results.add({ section, name: `${name}, searches`, unit: "a second", size, value: load.perSecond });
    }
    questioner.report(results, { section, name: place, size });
    const { resident } = service.memory();
    results.add({ section, name: `${place}, resident memory`, unit: "MB", size, value: resident });
  } finally {
    await service.stop();
  }
}
