import { fileURLToPath } from "node:url";
import { endChild, memoryOf, startChild } from "../children.mjs";
import { note } from "../corpus.mjs";
import { HttpClient } from "../http-client.mjs";
import { applyLoad } from "../load.mjs";

const SERVER = fileURLToPath(new URL("mem0-server.mjs", import.meta.url));
const PROVIDER = fileURLToPath(new URL("scripted-openai.mjs", import.meta.url));
const USER = "notes";

/** A running mem0ai/oss with models that answer immediately. */
export class Mem0 {
  #child;
  #provider;
  #client;

  /** @returns the system after its first search, on an empty folder or on one that it filled before */
  static async start({ installed, folder }) {
    const mem0 = new Mem0();
    const quiet = { MEM0_TELEMETRY: "false", HOME: folder, MEM0_DIR: folder };
    mem0.#provider = await startServer([PROVIDER], {});
    const settings = { installed, folder, provider: mem0.#provider.url };
    const { child, url } = await startServer([SERVER, JSON.stringify(settings)], quiet);
    mem0.#child = child;
    mem0.#client = new HttpClient(url);
    await mem0.search("anything");
    return mem0;
  }

  /** Adds a text; with `infer` a model extracts its facts first, as in usual operation. */
  add(text, { infer }) {
    return this.#client.post("/add", { text, infer, userId: USER });
  }

  async fill(seed, size) {
    const work = (index) => this.add(note(seed, index).text, { infer: false });
    await applyLoad({ callers: 8, count: size, work });
  }

  /** The texts found, at most ten. */
  async search(query) {
    const { body } = await this.#client.post("/search", { query, userId: USER, topK: 10 });
    return body.results.map(({ memory }) => memory);
  }

  residentMegabytes() {
    return memoryOf(this.#child.pid).resident;
  }

  async stop() {
    this.#client.close();
    await endChild(this.#child);
    await endChild(this.#provider.child);
  }
}

async function startServer(args, env) {
  const child = startChild(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part) => (errors = (errors + part).slice(-2_000)));
  const url = await new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (part) => {
      output += part;
      const address = /^http\S+$/m.exec(output)?.[0];
      if (address) resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`a peer ended with ${code}: ${errors}`)));
  });
  return { child, url };
}
