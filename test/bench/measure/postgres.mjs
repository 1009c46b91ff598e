import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, startChild, temporaryFolder } from "../children.mjs";
import { applyLoad, timeOf } from "../load.mjs";
import { findPostgres } from "../../support/postgres-server.mjs";
import { startPostgresServer } from "../postgres-server.mjs";
import { holds, Questioner } from "../questioner.mjs";
import { measureContainers } from "./containers.mjs";
import { DocumentSource, measureTakingIn } from "./ingest.mjs";
import { measureSearch } from "./search.mjs";

const SECTION = "postgres";
const BUCKET = join(dirname(fileURLToPath(import.meta.url)), "../bucket.mjs");
const NODES = [1, 2, 4];
const CALLERS = 8;
const SEARCHES_COUNTED = 100;

/** The store in PostgreSQL on the same machine: searches by size, many containers, and several nodes on one database. */
export async function measurePostgres(context) {
  const { results, sizes } = context;
  const programs = findPostgres();
  if (programs === undefined) return results.remark("PostgreSQL is not installed: it was not measured.");
  const server = await startPostgresServer(programs);
  try {
    for (const size of sizes) await measureSize(context, server, size);
    const { containers } = context.effort;
    await onDatabase(context, server, await context.folders.copy(containers * 100, containers), (moved) =>
      measureContainers({ ...context, ...moved, section: SECTION }),
    );
  } finally {
    await server.stop();
  }
}

async function measureSize(context, server, size) {
  const { folders, results, sizes, seed, effort } = context;
  const nodesAt = sizes.filter((one) => one <= 10_000).at(-1) ?? sizes[0];
  const folder = await folders.copy(size);
  await onDatabase(context, server, folder, async (moved) => {
    results.add({ section: SECTION, name: "moved from a folder", unit: "s", size, value: moved.milliseconds / 1_000 });
    const megabytes = await server.sizeOf(moved.url);
    results.add({ section: SECTION, name: "size of the database", unit: "MB", size, value: megabytes });
    await measureSearch({ ...context, ...moved, sizes: [size], section: SECTION });
    await measureStatements({ ...moved, server, results, seed, size });
    if (size !== nodesAt) return;
    const source = new DocumentSource(seed, size);
    for (const nodes of NODES) await measureNodes({ ...moved, results, effort, seed, size, nodes, source });
  });
}

/** Moves a copied folder into its own database, and passes on what serves it from there. */
async function onDatabase({ product, folders, results }, server, folder, work) {
  const url = await server.createDatabase();
  try {
    const { milliseconds, result: code } = await timeOf(() => product.move(folder, url));
    results.check(code === 0, `moving a folder to PostgreSQL ended with ${code}`);
    const moved = { get: async () => folder };
    await work({ product: product.with({ DATABASE_URL: url }), folders: moved, url, milliseconds });
  } finally {
    folders.release(folder);
  }
}

/** The statements that one search takes at any size, without those that the service sends on its own in that time. */
async function measureStatements({ product, folders, server, results, seed, size }) {
  const questioner = new Questioner(seed, size);
  const service = await product.serve(await folders.get());
  const search = (asked) =>
    applyLoad({
      callers: 1,
      count: asked.length,
      work: (index) => service.search({ q: asked[index].question, containerTag: "notes" }),
    });
  try {
    await search(questioner.take(SEARCHES_COUNTED));
    let milliseconds = 0;
    const counted = await server.countStatements(async () => {
      ({ milliseconds } = await timeOf(() => search(questioner.take(SEARCHES_COUNTED))));
    });
    const idle = await server.countStatements(() => new Promise((resolve) => setTimeout(resolve, milliseconds)));
    const value = (counted - idle) / SEARCHES_COUNTED;
    results.add({ section: SECTION, name: "statements of one search", unit: "", size, value });
  } finally {
    await service.stop();
  }
}

/** Nodes on one database, each with its own folder, called in turn. */
async function measureNodes({ product, results, effort, seed, size, nodes, source }) {
  const bucket = startChild(process.execPath, [BUCKET, String(seed), "0"], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [{ port }] = await once(bucket, "message");
  const settings = {
    RECOLLECT_NODES: "several",
    RECOLLECT_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    RECOLLECT_BLOBS: "s3://files",
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "bench",
    AWS_SECRET_ACCESS_KEY: "bench",
  };
  const folders = Array.from({ length: nodes }, temporaryFolder);
  const services = await Promise.all(folders.map((folder) => product.serve(folder, settings)));
  const inTurn = askedInTurn(services);
  const place = `${nodes} ${nodes === 1 ? "node" : "nodes"}`;
  const questioner = new Questioner(seed, size);
  const search = (asked, milliseconds) =>
    applyLoad({
      callers: CALLERS,
      count: asked.length,
      milliseconds,
      async work(index) {
        const answer = await inTurn.search({ q: asked[index].question, containerTag: "notes" });
        questioner.see(holds(answer.results, asked[index]), asked[index]);
      },
    });
  try {
    await search(questioner.take(effort.settling));
    const load = await search(questioner.take(effort.searches * 3), effort.milliseconds);
    const name = `${place}, ${CALLERS} callers`;
    results.addTimes({ section: SECTION, name, size }, load);
    results.add({ section: SECTION, name: `${name}, searches`, unit: "a second", size, value: load.perSecond });
    questioner.report(results, { section: SECTION, name: place, size });
    await measureTakingIn({ service: inTurn, source, results, effort, size, section: SECTION, place: `${place}, ` });
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    bucket.disconnect();
    folders.forEach(removeFolder);
  }
}

/** Several services as one: each call goes to the next of them. */
function askedInTurn(services) {
  let calls = 0;
  const next = () => services[calls++ % services.length];
  return {
    post: (...call) => next().post(...call),
    get: (...call) => next().get(...call),
    search: (...call) => next().search(...call),
    processorTime: () => services.reduce((sum, service) => sum + service.processorTime(), 0),
  };
}
