import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf, endChild, memoryOf, processorTimeOf, startChild } from "./children.mjs";
import { HttpClient } from "./http-client.mjs";
import { note } from "./corpus.mjs";
import { pause } from "./load.mjs";
import { McpLineClient } from "./mcp-line-client.mjs";

const KEY = "sm_bench_0123456789abcdef01234567";
const MOST_MEMORIES_OF_ONE_CALL = 100;
const CALLERS_WHILE_FILLING = 2;

/** A folder's built program, run as its users run it: `dist` is the folder that contains `main.js`. */
export class Product {
  #dist;
  #settings;

  constructor(dist, settings = {}) {
    this.#dist = dist;
    this.#settings = settings;
  }

  get dist() {
    return this.#dist;
  }

  /** The same program with additional settings. */
  with(settings) {
    return new Product(this.#dist, { ...this.#settings, ...settings });
  }

  /** A short name for the program's storage format; folders of another one may not be compatible. */
  storeVersion() {
    const folder = join(this.#dist, "adapters", "store");
    const hash = createHash("sha256");
    for (const file of readdirSync(folder, { recursive: true }).map(String).sort())
      if (file.endsWith(".js")) hash.update(readFileSync(join(folder, file)));
    return hash.digest("hex").slice(0, 8);
  }

  /** `recollect serve` on a free port, once it has printed its address. */
  async serve(dataDirectory, settings = {}) {
    const child = startChild(process.execPath, [join(this.#dist, "main.js"), "serve", "--port", "0", "--json"], {
      env: this.#environment(dataDirectory, settings),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const url = await addressOf(child);
    return new Service(child, url);
  }

  /** `recollect mcp` before its handshake. */
  mcp(dataDirectory, settings = {}) {
    return new McpLineClient(
      process.execPath,
      [join(this.#dist, "main.js"), "mcp"],
      this.#environment(dataDirectory, settings),
    );
  }

  /** The output of `recollect status` for a folder. */
  async status(dataDirectory, settings = {}) {
    const child = startChild(process.execPath, [join(this.#dist, "main.js"), "status", "--json"], {
      env: this.#environment(dataDirectory, settings),
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    for await (const part of child.stdout) output += part;
    return JSON.parse(output);
  }

  /** `recollect add` of a folder; `ended` resolves to its exit code. */
  add(dataDirectory, folder) {
    const child = startChild(process.execPath, [join(this.#dist, "main.js"), "add", "--yes", folder], {
      env: this.#environment(dataDirectory, {}),
      stdio: "ignore",
    });
    return { pid: child.pid, ended: new Promise((resolve) => child.once("exit", resolve)) };
  }

  /** Moves the store of a folder to a database. @returns the exit code of the command */
  move(dataDirectory, database) {
    const child = startChild(process.execPath, [join(this.#dist, "main.js"), "move", "--to", database], {
      env: this.#environment(dataDirectory, {}),
      stdio: ["ignore", "ignore", "inherit"],
    });
    return new Promise((resolve) => child.once("exit", resolve));
  }

  #environment(dataDirectory, settings) {
    const { PATH = "", HOME = "", NODE_EXTRA_CA_CERTS } = process.env;
    return {
      PATH,
      HOME,
      // If npm is reached through a proxy, the Chroma engine is too.
      ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
      RECOLLECT_DATA_DIR: dataDirectory,
      RECOLLECT_API_KEY: KEY,
      RECOLLECT_OFFLINE: "1",
      RECOLLECT_LLM: "off",
      RECOLLECT_EMBEDDER: "builtin",
      RECOLLECT_VECTORS: "exact",
      RECOLLECT_LOG_LEVEL: "warn",
      ...this.#settings,
      ...settings,
    };
  }
}

class Service {
  #child;
  #client;
  #url;

  constructor(child, url) {
    this.#child = child;
    this.#url = url;
    this.#client = new HttpClient(url, { headers: { authorization: `Bearer ${KEY}` } });
  }

  get pid() {
    return this.#child.pid;
  }

  post(path, body, headers) {
    return this.#client.post(path, body, headers);
  }

  get(path) {
    return this.#client.get(path);
  }

  /** Sends a file; returns the receipt of its document. */
  async upload(name, bytes) {
    const form = new FormData();
    form.set("file", new File([bytes], name));
    form.set("taskType", "superrag");
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await fetch(`${this.#url}/v3/documents/file`, { method: "POST", body: form, headers });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** The results of a search, and the stages named in the answer's header. */
  async search(body) {
    const answer = await this.post("/v4/search", { limit: 10, ...body });
    return { ...answer.body, stages: readStages(answer.headers["server-timing"]) };
  }

  /** Writes the notes with these numbers into a container as memories, which are searchable immediately. */
  async fill(seed, containerTag, numbers) {
    const batches = [];
    for (let from = 0; from < numbers.length; from += MOST_MEMORIES_OF_ONE_CALL)
      batches.push(numbers.slice(from, from + MOST_MEMORIES_OF_ONE_CALL));
    const work = async () => {
      for (let batch = batches.shift(); batch; batch = batches.shift()) {
        const memories = batch.map((number) => {
          const { text, metadata } = note(seed, number);
          return { content: text, metadata };
        });
        await this.post("/v4/memories", { containerTag, memories });
      }
    };
    await Promise.all(Array.from({ length: CALLERS_WHILE_FILLING }, work));
  }

  /** Moves everything from one container into another, and waits until that is done. */
  async merge(from, into) {
    const merge = { containerTags: [from, into], targetContainerTag: into };
    const { body } = await this.post("/v3/container-tags/merge", merge);
    for (;;) {
      const { status, lastError } = (await this.get(`/v3/container-tags/merge/${body.mergeId}`)).body;
      if (status === "completed") return;
      if (status === "failed") throw new Error(`merging ${from} failed: ${lastError}`);
      await pause(20);
    }
  }

  /** Resident memory in MB: of the service, of its children (the Chroma engine), and the service's peak so far. */
  memory() {
    const { resident, highest } = memoryOf(this.pid);
    const children = childrenOf(this.pid).reduce((sum, pid) => sum + (memoryOf(pid).resident ?? 0), 0);
    return { resident, highest, children };
  }

  /** Processor time so far in milliseconds, in steps of ten; NaN if the system does not report it. */
  processorTime() {
    return processorTimeOf(this.pid) ?? Number.NaN;
  }

  async stop() {
    this.#client.close();
    await endChild(this.#child);
  }
}

async function addressOf(child) {
  let output = "";
  let errors = "";
  child.stderr.on("data", (part) => (errors = (errors + part).slice(-4_000)));
  return new Promise((resolve, reject) => {
    child.stdout.on("data", (part) => {
      output += part;
      const url = /"url":\s*"([^"]+)"/.exec(output)?.[1];
      if (url) resolve(url);
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`the service ended with ${code ?? signal}: ${errors}`)));
  });
}

/** `Server-Timing: embed;dur=0.4, text;dur=1.2` as milliseconds by name. */
export function readStages(header = "") {
  const stages = {};
  for (const part of header.split(",")) {
    const [name, ...parameters] = part.split(";").map((text) => text.trim());
    const duration = parameters.find((parameter) => parameter.startsWith("dur="));
    if (name && duration) stages[name] = Number(duration.slice(4));
  }
  return stages;
}
