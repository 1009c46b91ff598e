import { removeFolder, temporaryFolder } from "../children.mjs";
import { applyLoad, summarise, timeOf } from "../load.mjs";
import { Questioner } from "../questioner.mjs";

const SECTION = "mcp";

/** The server that agents start themselves: how soon it is ready, and how fast its search tool answers. */
export async function measureMcp({ product, folders, results, effort, seed, sizes }) {
  const starts = await timeStarts((folder) => product.mcp(folder), effort.starts * 2);
  results.addTimes({ section: SECTION, name: "start to `initialize` answered" }, starts);
  for (const size of sizes) {
    const client = product.mcp(await folders.get(size));
    const questioner = new Questioner(seed, size);
    const search = (asked, callers) =>
      applyLoad({
        callers,
        count: asked.length,
        milliseconds: effort.milliseconds,
        async work(index) {
          const { question, reference } = asked[index];
          const answer = await client.call("search", { query: question, containerTag: "notes" });
          questioner.see(mentions(answer, reference), asked[index]);
        },
      });
    try {
      await client.initialize();
      await search(questioner.take(effort.warmUp), 1);
      for (const callers of [1, 8, 32]) {
        const load = await search(questioner.take(effort.searches * (callers === 1 ? 1 : 3)), callers);
        const name = `${callers} ${callers === 1 ? "caller" : "callers"}`;
        results.addTimes({ section: SECTION, name, size }, load);
        results.add({ section: SECTION, name: `${name}, searches`, unit: "a second", size, value: load.perSecond });
      }
      questioner.report(results, { section: SECTION, name: "search tool", size });
      results.add({ section: SECTION, name: "resident memory", unit: "MB", size, value: client.residentMegabytes() });
    } finally {
      await client.close();
    }
  }
}

/** Times from starting a server on an empty folder until its handshake is answered. */
export async function timeStarts(start, count) {
  const times = [];
  for (let index = 0; index < count; index++) {
    const folder = temporaryFolder();
    const { milliseconds, result: client } = await timeOf(async () => {
      const started = start(folder);
      await started.initialize();
      return started;
    });
    times.push(milliseconds);
    await client.close();
    removeFolder(folder);
  }
  return summarise(times);
}

/** True when a tool's result contains the note with this reference. */
export function mentions({ content }, reference) {
  return content.some(({ text = "" }) => new RegExp(`${reference}(?![0-9a-z])`).test(text));
}
