import { describe, expect, test } from "vitest";
import { type KillableChroma, startKillableChroma } from "../support/killable-chroma.js";
import { CLUSTER_KEY, type NodeCluster, startNodeCluster } from "../support/node-cluster.js";
import { findPostgres } from "../support/postgres.js";
import { waitFor } from "../support/recollect-process.js";

/** RECOLLECT_FIRE=large takes most of an hour: on two cores, most of that is starting nodes. */
const SIZES = {
  usual: {
    nodes: 3,
    writers: 4,
    readers: 2,
    facts: 100,
    kills: 4,
    mostKills: 100,
    crashEvery: 2,
    pauseMs: 700,
    minutes: 3,
  },
  large: {
    nodes: 4,
    writers: 8,
    readers: 8,
    facts: 10_000,
    kills: 100,
    mostKills: 120,
    crashEvery: 5,
    pauseMs: 2_000,
    minutes: 90,
  },
} as const;
const SIZE = SIZES[process.env["RECOLLECT_FIRE"] === "large" ? "large" : "usual"];
/** After this many node kills all database connections are cut, and after as many again they stall. */
const CUTS_EVERY = 3;
const STALL_MS = 1_500;
/** After this many, Chroma is killed, and after as many again it loses all its data. */
const CHROMA_EVERY = 2;
/** What a client does when the service is down or asks it to retry. */
const TRIES_AGAIN_MS = 100;
const MOST_TRIES = 600;

interface Listed {
  readonly id: string;
  readonly customId?: string;
  readonly memory?: string;
}

/** What was observed during the run. */
interface Seen {
  readonly acknowledged: string[];
  readonly statuses: Set<number>;
  kills: number;
  crashes: number;
  cuts: number;
  stalls: number;
  chromaKills: number;
  chromaLosses: number;
  searches: number;
  /** Facts that were ready when searched for, but not found. */
  readonly missed: string[];
  isOver: boolean;
}

const programs = findPostgres();
const factOf = (id: string): string => `Person${id} keeps bees in town${id}.`;

if (programs === undefined)
  describe("nodes that are killed while they work", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  test(
    "no acknowledged write is lost or duplicated while nodes, connections and servers are killed, cut or stalled",
    { timeout: SIZE.minutes * 60_000, retry: 0 },
    async ({ annotate }) => {
      const chroma = await startKillableChroma();
      // Every vector search uses Chroma.
      const settings = { RECOLLECT_EXACT_LIMIT: "0", CHROMA_URL: chroma.url };
      const cluster = await startNodeCluster(programs, SIZE.nodes, settings);
      try {
        const seen = await underFire(cluster, chroma);
        // Only success, "retry later" and a proxy's answer for a node that is gone.
        expect(seen.statuses).toContain(200);
        expect([...seen.statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
        expect(seen.missed).toEqual([]);
        const wanted = seen.acknowledged;
        expect(wanted).toHaveLength(SIZE.facts);
        await waitFor(
          async () => (await countFacts(cluster)) >= wanted.length,
          "all facts are found",
          SIZE.minutes * 40,
        );
        await waitFor(async () => (await unfinished(cluster)) === 0, "all work is done", SIZE.minutes * 40);
        for (const node of cluster.nodes) {
          const documents = await list(node.url, "/v3/documents/list", "memories");
          expect(documents.map(({ customId }) => customId ?? "none").toSorted()).toEqual(wanted.toSorted());
          const facts = await list(node.url, "/v4/memories/list", "memoryEntries");
          expect(facts.map(({ memory }) => memory ?? "none").toSorted()).toEqual(
            wanted.map((id) => factOf(id).slice(0, -1)).toSorted(),
          );
        }
        for (const id of wanted.filter((_, index) => index % 10 === 0))
          expect(await search(cluster, id)).toContain(`town${id}`);
        const { kills, crashes, cuts, stalls, chromaKills, chromaLosses, searches } = seen;
        const counts = { kills, crashes, cuts, stalls, chromaKills, chromaLosses, searches, queries: chroma.queries };
        await annotate(`under fire: ${JSON.stringify({ acknowledged: wanted.length, ...counts })}`);
        await waitFor(() => isIndexed(cluster), "every node can ask Chroma for everything");
      } finally {
        await cluster.stop();
        await chroma.close();
      }
    },
  );

/** Writes and reads while nodes and servers are killed, until all is written and enough was killed. */
async function underFire(cluster: NodeCluster, chroma: KillableChroma): Promise<Seen> {
  const counts = { kills: 0, crashes: 0, cuts: 0, stalls: 0, chromaKills: 0, chromaLosses: 0, searches: 0 };
  const seen: Seen = { acknowledged: [], statuses: new Set(), missed: [], isOver: false, ...counts };
  const fire = killInTurn({ cluster, chroma }, seen);
  const readers = Array.from({ length: SIZE.readers }, () => read(cluster, seen));
  const perWriter = SIZE.facts / SIZE.writers;
  await Promise.all(
    Array.from({ length: SIZE.writers }, async (_, writer) => {
      for (let fact = 0; fact < perWriter; fact += 1) await write(cluster, `${writer}x${fact}`, seen);
    }),
  );
  seen.isOver = true;
  await Promise.all([fire, ...readers]);
  return seen;
}

async function killInTurn(
  { cluster, chroma }: { readonly cluster: NodeCluster; readonly chroma: KillableChroma },
  seen: Seen,
): Promise<void> {
  while (seen.kills < SIZE.kills || (seen.kills < SIZE.mostKills && !seen.isOver)) {
    await new Promise((resolve) => setTimeout(resolve, SIZE.pauseMs));
    const [oldest] = cluster.nodes;
    if (oldest) await cluster.kill(oldest);
    seen.kills += 1;
    if (seen.kills % SIZE.crashEvery === 0) {
      await cluster.postgres.crash();
      seen.crashes += 1;
    }
    if (seen.kills % CUTS_EVERY === 0) seen.cuts += cluster.line.cut();
    if (seen.kills % CUTS_EVERY === 1) {
      cluster.line.stall(STALL_MS);
      seen.stalls += 1;
    }
    if (seen.kills % CHROMA_EVERY === 0) {
      chroma.kill();
      seen.chromaKills += 1;
    } else if (await chroma.empty()) seen.chromaLosses += 1;
    await cluster.add();
  }
}

/** Adds a fact under its own id, and retries until it is acknowledged. */
async function write(cluster: NodeCluster, id: string, seen: Seen): Promise<void> {
  const body = { content: factOf(id), customId: id, containerTag: "fire" };
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(cluster.url, "/v3/documents", body);
    if (answer) seen.statuses.add(answer.status);
    if (answer?.status === 200) return void seen.acknowledged.push(id);
    if (tries === MOST_TRIES) throw new Error(`"${id}" was not acknowledged; the last answer was ${answer?.status}.`);
    await new Promise((resolve) => setTimeout(resolve, TRIES_AGAIN_MS));
  }
}

/** Asks any node for what another node reported as ready. */
async function read(cluster: NodeCluster, seen: Seen): Promise<void> {
  for (let turn = 0; !seen.isOver; turn += 1) {
    const { acknowledged } = seen;
    const id = acknowledged[(turn * 7_919) % Math.max(1, acknowledged.length)];
    const document = id === undefined ? undefined : await ask(cluster.url, `/v3/documents/${id}`);
    const shown = document?.status === 200 ? ((await document.json()) as Record<string, unknown>) : {};
    if (id === undefined || shown["status"] !== "done" || shown["dreamingStatus"] !== "done") {
      await new Promise((resolve) => setTimeout(resolve, TRIES_AGAIN_MS));
      continue;
    }
    const found = await ask(cluster.url, "/v4/search", questionOf(id));
    if (found) seen.statuses.add(found.status);
    if (found?.status !== 200) continue;
    seen.searches += 1;
    if (!(await found.text()).includes(`town${id}`)) seen.missed.push(id);
  }
}

function questionOf(id: string) {
  return { q: `Where does Person${id} keep bees?`, containerTag: "fire", searchMode: "hybrid", limit: 3 };
}

/** Null if nothing answered. */
function ask(url: string, path: string, body?: unknown): Promise<Response | null> {
  return fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${CLUSTER_KEY}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => null);
}

/** @throws Error if nothing answers although nothing is being killed */
async function demand(url: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await ask(url, path, body);
  if (answer?.status !== 200) throw new Error(`${path} was answered with ${answer?.status}.`);
  return (await answer.json()) as Record<string, unknown>;
}

async function countFacts({ url }: NodeCluster): Promise<number> {
  const answer = await demand(url, "/v4/memories/list", { containerTags: ["fire"], limit: 1 });
  return (answer["pagination"] as { totalItems: number }).totalItems;
}

/** The number of documents that are not ready, or whose facts are not known yet. */
async function unfinished({ url }: NodeCluster): Promise<number> {
  return Number((await demand(url, "/v3/documents/processing"))["totalCount"]);
}

async function isIndexed({ nodes }: NodeCluster): Promise<boolean> {
  const states = await Promise.all(nodes.map(async ({ url }) => (await demand(url, "/health"))["index"]));
  return states.every((index) => {
    const { state, behind } = index as { state: string; behind: number };
    return state === "ready" && behind === 0;
  });
}

/** All memories of a container, page by page. */
async function list(url: string, path: string, field: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let page = 1; ; page += 1) {
    const body = await demand(url, path, { containerTags: ["fire"], limit: 100, page });
    const found = body[field] as Listed[];
    all.push(...found);
    if (found.length < 100) return all;
  }
}

async function search({ url }: NodeCluster, id: string): Promise<string> {
  return JSON.stringify(await demand(url, "/v4/search", questionOf(id)));
}
