import { describe, expect, test } from "vitest";
import { CLUSTER_KEY, type NodeCluster, startNodeCluster } from "../support/node-cluster.js";
import { findPostgres } from "../support/postgres.js";
import { waitFor } from "../support/recollect-process.js";

const programs = findPostgres();
const NODES = 3;
const WRITERS = 4;
const FACTS_OF_WRITER = 25;
const KILLS = 4;
/** After so many kills of a node, the database's server crashes as well. */
const CRASHES_EVERY = 2;
const PAUSE_MS = 700;
/** What a client does when nobody is there, or asks it to come back later. */
const TRIES_AGAIN_MS = 100;
const MOST_TRIES = 300;

interface Listed {
  readonly id: string;
  readonly customId?: string;
  readonly memory?: string;
}

const factOf = (id: string): string => `Person${id} keeps bees in town${id}.`;

if (programs === undefined)
  describe("nodes that are killed while they work", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  test(
    "whatever nodes and the database's server are killed, nothing that was acknowledged is lost or doubled",
    { timeout: 180_000 },
    async () => {
      const cluster = await startNodeCluster(programs, NODES);
      try {
        const isOver = { value: false };
        const fire = killInTurn(cluster, isOver);
        const statuses = new Set<number>();
        const ids = Array.from({ length: WRITERS }, (_, writer) =>
          Array.from({ length: FACTS_OF_WRITER }, (_unused, fact) => `${writer}x${fact}`),
        );
        await Promise.all(ids.map((own) => write(cluster, own, statuses)));
        isOver.value = true;
        await fire;
        // Nothing but "done", "come back later" and what a proxy says of a node that has gone.
        expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
        const wanted = ids.flat();
        await waitFor(async () => (await countFacts(cluster)) >= wanted.length, "all facts are found", 60);
        await waitFor(async () => (await pending(cluster)).length === 0, "all work is done", 60);
        for (const node of cluster.nodes) {
          expect((await list(node.url, "/v3/documents/list", "memories")).map(customIdOf).toSorted()).toEqual(
            wanted.toSorted(),
          );
          const facts = await list(node.url, "/v4/memories/list", "memoryEntries");
          expect(facts.map(({ memory }) => memory ?? "none").toSorted()).toEqual(
            wanted.map((id) => factOf(id).slice(0, -1)).toSorted(),
          );
        }
        for (const id of wanted.filter((_, index) => index % 10 === 0))
          expect(await search(cluster, `Where does Person${id} keep bees?`)).toContain(`town${id}`);
      } finally {
        await cluster.stop();
      }
    },
  );

async function killInTurn(cluster: NodeCluster, isOver: { readonly value: boolean }): Promise<void> {
  for (let kill = 1; kill <= KILLS || !isOver.value; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const [oldest] = cluster.nodes;
    if (oldest) await cluster.kill(oldest);
    if (kill % CRASHES_EVERY === 0) await cluster.postgres.crash();
    await cluster.add();
  }
}

/** Adds each fact under an id of its own, again and again until it is acknowledged. */
async function write(cluster: NodeCluster, ids: readonly string[], statuses: Set<number>): Promise<void> {
  for (const id of ids) {
    const body = { content: factOf(id), customId: id, containerTag: "fire" };
    for (let tries = 1; ; tries += 1) {
      const status = await post(cluster.url, "/v3/documents", body).then(
        (answer) => answer.status,
        () => null,
      );
      if (status !== null) statuses.add(status);
      if (status === 200) break;
      if (tries === MOST_TRIES) throw new Error(`"${id}" was not acknowledged; the last answer was ${status}.`);
      await new Promise((resolve) => setTimeout(resolve, TRIES_AGAIN_MS));
    }
  }
}

function post(url: string, path: string, body: unknown): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${CLUSTER_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function countFacts({ url }: NodeCluster): Promise<number> {
  const answer = await post(url, "/v4/memories/list", { containerTags: ["fire"], limit: 1 });
  return ((await answer.json()) as { pagination: { totalItems: number } }).pagination.totalItems;
}

/** Documents that are not ready yet, or of which it is not known yet what they state. */
async function pending({ url }: NodeCluster): Promise<unknown[]> {
  const documents = await list(url, "/v3/documents/list", "memories");
  const ids = documents.map(({ id }) => id);
  const found: unknown[] = [];
  for (let start = 0; start < ids.length; start += 50) {
    const shown = await Promise.all(
      ids.slice(start, start + 50).map(async (id) => {
        const headers = { authorization: `Bearer ${CLUSTER_KEY}` };
        return (await (await fetch(`${url}/v3/documents/${id}`, { headers })).json()) as Record<string, unknown>;
      }),
    );
    found.push(...shown.filter(({ status, dreamingStatus }) => status !== "done" || dreamingStatus !== "done"));
  }
  return found;
}

/** Everything of a container, page by page. */
async function list(url: string, path: string, field: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await post(url, path, { containerTags: ["fire"], limit: 100, page });
    const body = (await answer.json()) as Record<string, unknown>;
    const found = body[field] as Listed[];
    all.push(...found);
    if (found.length < 100) return all;
  }
}

function customIdOf({ customId }: Listed): string {
  return customId ?? "none";
}

async function search({ url }: NodeCluster, q: string): Promise<string> {
  const answer = await post(url, "/v4/search", { q, containerTag: "fire", searchMode: "hybrid", limit: 3 });
  return answer.text();
}
