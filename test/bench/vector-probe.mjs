// A separate process that queries the vector indexes directly, without service and text search, and compares the results
// with all vectors of the store. Argument: a request as JSON; prints recall and times as JSON.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { questions } from "./corpus.mjs";
import { pause, summarise, timeOf } from "./load.mjs";

const LIMIT = 10;
const PAGE = 5_000;
const MOST_SECONDS_TO_START = 300;

const { dist, folder, engines, seed, size, count } = JSON.parse(process.argv[2]);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { createSqliteStore } = await load("adapters/store/store.js");
const { createVectors } = await load("adapters/vectors/index.js");
const { createBuiltinEmbedder } = await load("adapters/embed/builtin.js");

const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date() };
const store = await createSqliteStore({ dataDirectory: folder, maxMegabytes: 0, clock, organizationId: undefined });
try {
  const asked = questions(seed, { count, of: size, skip: 17 }).map(({ question }) => question);
  const embedder = createBuiltinEmbedder();
  const vectors = await embedder.embed(asked, "query");
  const space = await store.ensureSpace(embedder.fingerprint, vectors[0].length);
  const [container] = await store.containers.find(store.organizationId, ["notes"]);
  const truth = await nearestOfAll({ space, container, vectors });
  const answers = {
    exact: await ask({ mode: "exact" }),
    Chroma: await ask({ mode: "auto", exactLimit: 0, enginesDirectory: engines }),
  };
  process.stdout.write(JSON.stringify(answers));

  async function ask(options) {
    const namespace = store.organizationId;
    const common = {
      record: store.vectors,
      log,
      namespace,
      dataDirectory: folder,
      offline: true,
      engine: "background",
    };
    const index = createVectors({ ...common, ...options });
    try {
      await waitUntilReady(index, options.mode);
      const found = [];
      const times = [];
      const query = { space, containerIds: [container.id], kinds: ["memory", "chunk"], limit: LIMIT };
      for (const vector of [...vectors.slice(0, 20), ...vectors]) {
        const { milliseconds, result } = await timeOf(() => index.nearest({ ...query, vector }));
        times.push(milliseconds);
        found.push(result);
      }
      const measured = found.slice(-count);
      return { recall: recallOf(measured), times: summarise(times.slice(-count)) };
    } finally {
      await index.close();
    }
  }

  /** Equal cosines may be in any order, so a result is right when it is as near as the last of the true ones. */
  function recallOf(found) {
    const right = found.map((hits, at) => {
      const least = truth[at].at(-1) - 1e-5;
      return hits.filter(({ cosine }) => cosine >= least).length / Math.min(LIMIT, truth[at].length);
    });
    return right.reduce((sum, share) => sum + share, 0) / right.length;
  }
} finally {
  await store.close();
}

async function waitUntilReady(index, mode) {
  const deadline = performance.now() + MOST_SECONDS_TO_START * 1_000;
  for (;;) {
    const { state, behind, reason } = await index.status();
    if (mode === "exact" || (state === "ready" && behind === 0)) return;
    if (state === "degraded" || performance.now() > deadline)
      throw new Error(`Chroma is not ready: ${reason ?? state}`);
    await pause(100);
  }
}

/** The ten highest cosines of each query, best first, by an exact scan. */
async function nearestOfAll({ space, container, vectors }) {
  const best = vectors.map(() => []);
  for (let after = 0; ;) {
    const page = await store.vectors.page(space, container.id, after, PAGE);
    for (const { vector } of page)
      for (const [at, query] of vectors.entries()) keepBest(best[at], cosineOf(query, vector));
    if (page.length < PAGE) return best;
    after = page.at(-1).unit;
  }
}

function keepBest(best, cosine) {
  if (best.length === LIMIT && cosine <= best[LIMIT - 1]) return;
  const at = best.findIndex((other) => cosine > other);
  best.splice(at === -1 ? best.length : at, 0, cosine);
  if (best.length > LIMIT) best.pop();
}

function cosineOf(left, right) {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += left[at] * right[at];
  return sum;
}
