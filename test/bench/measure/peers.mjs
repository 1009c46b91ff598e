import { removeFolder, temporaryFolder } from "../children.mjs";
import { note } from "../corpus.mjs";
import { applyLoad, pause, timeOf } from "../load.mjs";
import { installMem0, MEM0_VERSION } from "../peers/install-mem0.mjs";
import { Mem0 } from "../peers/mem0.mjs";
import { entityOf, fillServerMemory, serverMemory } from "../peers/server-memory.mjs";
import { holds, Questioner } from "../questioner.mjs";
import { mentions, timeStarts } from "./mcp.mjs";

const SECTION = "peers";
const MEM0 = "mem0ai/oss";
const SERVER_MEMORY = "server-memory";
/** Beyond this, filling alone would take a peer longer than the rest of the run. */
const MOST_FOR_MEM0 = 10_000;
const MOST_FOR_SERVER_MEMORY = 100_000;

/** Other systems on the same notes with the same questions, each measured right after Recollect. */
export async function measurePeers(bench) {
  const { effort, results, sizes } = bench;
  await measureServerMemoryStart(bench);
  for (const size of sizes.filter((one) => one <= Math.min(MOST_FOR_SERVER_MEMORY, effort.largestPeer)))
    await measureServerMemory(bench, size);
  results.remark(
    "server-memory finds parts of words only, so it is asked for the name of the person alone; it has no embeddings.",
  );
  const mem0 = tryToInstall(bench);
  if (mem0 === null) return;
  for (const size of sizes.filter((one) => one <= Math.min(MOST_FOR_MEM0, effort.largestPeer)))
    await measureMem0(bench, mem0.installed, size);
  results.remark(
    `mem0ai ${MEM0_VERSION} keeps its vectors in SQLite (its "memory" store, through ${mem0.isBuilt ? "better-sqlite3" : "a stand-in for better-sqlite3 that makes its searches up to twice as slow; see --build-peers"}) and stands behind a bare HTTP server; its embeddings and its language model are a process on the same machine that answers at once, and its notes are filled in without the model. Recollect uses its builtin embedder and no model.`,
  );
}

function tryToInstall({ options, results }) {
  try {
    return installMem0(options.cache, options.buildPeers);
  } catch (error) {
    results.remark(`mem0ai/oss was left out: ${error.message}`);
    return null;
  }
}

async function measureServerMemoryStart({ product, results, effort }) {
  const figure = { section: SECTION, name: "start to `initialize` answered" };
  results.addTimes(figure, await timeStarts((folder) => product.mcp(folder), effort.starts * 2));
  results.addTimes({ ...figure, system: SERVER_MEMORY }, await timeStarts(serverMemory, effort.starts * 2));
}

async function measureServerMemory({ product, folders, results, effort, seed }, size) {
  const peerFolder = temporaryFolder();
  const folder = await folders.copy(size);
  const ours = product.mcp(folder);
  const peer = serverMemory(peerFolder);
  try {
    await Promise.all([ours.initialize(), peer.initialize()]);
    await fillServerMemory(peer, seed, size);
    const asked = new Questioner(seed, size).take(effort.searches);
    const sides = [
      {
        client: ours,
        search: ({ question }) => ours.call("search", { query: question, containerTag: "notes" }),
        add: ({ text }) => ours.call("add-memory", { content: text, containerTag: "notes", wait: 10 }),
      },
      {
        system: SERVER_MEMORY,
        client: peer,
        search: ({ who }) => peer.call("search_nodes", { query: who }),
        add: (one) => peer.call("create_entities", { entities: [entityOf(one)] }),
      },
    ];
    for (const { system, client, search, add } of sides) {
      const common = { section: SECTION, size, system };
      const questioner = new Questioner(seed, size);
      const work = async (index) => {
        const answer = await search(asked[index]);
        questioner.see(mentions(answer, asked[index].reference), asked[index]);
      };
      await applyLoad({ callers: 1, count: 20, work });
      const load = await applyLoad({ callers: 1, count: asked.length, milliseconds: effort.milliseconds, work });
      results.addTimes({ ...common, name: "search through MCP" }, load);
      questioner.report(results, { ...common, name: "search through MCP" });
      const notes = Array.from({ length: effort.documents / 8 }, (_, index) => note(seed, size + index));
      const adding = { callers: 1, count: notes.length, milliseconds: effort.milliseconds };
      const added = await applyLoad({ ...adding, work: (index) => add(notes[index]) });
      results.addTimes({ ...common, name: "add one through MCP, until searchable" }, added);
      results.add({ ...common, name: "resident memory, MCP", unit: "MB", value: client.residentMegabytes() });
    }
  } finally {
    await Promise.all([ours.close(), peer.close()]);
    removeFolder(peerFolder);
    folders.release(folder);
  }
}

async function measureMem0({ product, folders, results, effort, seed }, installed, size) {
  const peerFolder = temporaryFolder();
  const folder = await folders.copy(size);
  const started = await timeOf(() => startOurs(product, folder));
  const ours = started.result;
  let peer = await Mem0.start({ installed, folder: peerFolder });
  try {
    await peer.fill(seed, size);
    await peer.stop();
    const restarted = await timeOf(() => Mem0.start({ installed, folder: peerFolder }));
    peer = restarted.result;
    const asked = new Questioner(seed, size).take(effort.searches);
    const sides = [
      { client: ours, start: started.milliseconds, search: searchOurs(ours), add: (notes) => addToOurs(ours, notes) },
      {
        system: MEM0,
        client: peer,
        start: restarted.milliseconds,
        search: async (one) => (await peer.search(one.question)).includes(one.text),
        add: (notes) => addToMem0(peer, notes),
      },
    ];
    for (const { system, client, start, search, add } of sides) {
      const common = { section: SECTION, size, system };
      results.add({ ...common, name: "start to first search, HTTP", unit: "ms", value: start });
      const questioner = new Questioner(seed, size);
      const work = async (index) => questioner.see(await search(asked[index]), asked[index]);
      await applyLoad({ callers: 1, count: 20, milliseconds: effort.milliseconds, work });
      for (const callers of [1, 8]) {
        const load = await applyLoad({ callers, count: asked.length, milliseconds: effort.milliseconds, work });
        const name = `search through HTTP${callers === 1 ? "" : `, ${callers} callers`}`;
        results.addTimes({ ...common, name }, load);
        results.add({ ...common, name: `${name}, searches`, unit: "a second", value: load.perSecond });
      }
      questioner.report(results, { ...common, name: "search through HTTP" });
      const notes = Array.from({ length: effort.documents / 6 }, (_, index) => note(seed, size + index));
      const { milliseconds, result } = await timeOf(() => add(notes));
      const value = (result * 1_000) / milliseconds;
      results.add({ ...common, name: "add by 8 callers, facts found", unit: "a second", value });
      results.add({ ...common, name: "resident memory, HTTP", unit: "MB", value: residentOf(client) });
    }
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
    removeFolder(peerFolder);
    folders.release(folder);
  }
}

async function startOurs(product, folder) {
  const service = await product.serve(folder);
  await service.search({ q: "anything", containerTag: "notes" });
  return service;
}

function searchOurs(service) {
  return async (one) => holds((await service.search({ q: one.question, containerTag: "notes" })).results, one);
}

/** @returns how many were added */
async function addToOurs(service, notes) {
  const work = (index) => service.post("/v3/documents", { content: notes[index].text, containerTag: "notes" });
  await applyLoad({ callers: 8, count: notes.length, work });
  while ((await service.search({ q: "anything", containerTag: "notes", limit: 1 })).waiting > 0) await pause(50);
  return notes.length;
}

/** It answers when the facts are found and searchable. That may take long, so the time is limited. */
async function addToMem0(peer, notes) {
  const MOST_MS = 20_000;
  const work = (index) => peer.add(notes[index].text, { infer: true });
  const { count } = await applyLoad({ callers: 8, count: notes.length, milliseconds: MOST_MS, work });
  return count;
}

function residentOf(client) {
  return client.residentMegabytes?.() ?? client.memory().resident;
}
