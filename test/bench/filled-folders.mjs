import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeFolder, temporaryFolder } from "./children.mjs";
import { timeOf } from "./load.mjs";

/** Each memory is compared with those of its container, so filling a large one directly would take far longer. */
const PART = 1_000;

/** Data folders with a given number of notes, filled through the API on first use. */
export class FilledFolders {
  #product;
  #seed;
  #keptIn;
  #results;
  #made = new Map();

  constructor({ product, seed, keptIn, results }) {
    this.#product = product;
    this.#seed = seed;
    this.#keptIn = keptIn;
    this.#results = results;
  }

  /**
   * The folder whose container `notes` has the first `size` notes, or whose `containers` share them. No process uses it;
   * writers take a copy.
   */
  async get(size, containers = 1) {
    const name = `${size}-notes-in-${containers}-seed-${this.#seed}-${this.#product.storeVersion()}`;
    if (!this.#made.has(name)) this.#made.set(name, await this.#make(name, { size, containers }));
    return this.#made.get(name);
  }

  /** A writable copy, until it is released. */
  async copy(size, containers = 1) {
    const folder = join(temporaryFolder(), "data");
    cpSync(await this.get(size, containers), folder, { recursive: true });
    return folder;
  }

  /** Removes a copy that no process uses any more. */
  release(copy) {
    removeFolder(dirname(copy));
  }

  async #make(name, { size, containers }) {
    const kept = this.#keptIn === null ? null : join(this.#keptIn, name);
    if (kept !== null && existsSync(kept)) return kept;
    const folder = kept === null ? temporaryFolder() : `${kept}.filling`;
    if (kept !== null) {
      removeFolder(folder);
      mkdirSync(folder, { recursive: true });
    }
    await this.#fill(folder, { size, containers });
    if (kept === null) return folder;
    renameSync(folder, kept);
    return kept;
  }

  async #fill(folder, { size, containers }) {
    process.stderr.write(`  filling a folder with ${size.toLocaleString("en")} notes …\n`);
    const service = await this.#product.serve(folder);
    const parts = containers > 1 ? containers : Math.ceil(size / PART);
    const tagOf = (part) => (containers > 1 ? containerOf(part, containers) : part === 0 ? "notes" : `part-${part}`);
    const { milliseconds } = await timeOf(async () => {
      for (let part = 0; part < parts; part++) {
        const numbers = Array.from({ length: Math.ceil((size - part) / parts) }, (_, index) => part + index * parts);
        await service.fill(this.#seed, tagOf(part), numbers);
        if (containers === 1 && part > 0) await service.merge(tagOf(part), "notes");
      }
    });
    await service.stop();
    const how = containers > 1 ? "written" : "written in parts of 1,000 and merged";
    const name = `memories ${how}, in calls of 100`;
    const section = containers > 1 ? "containers" : "fill";
    this.#results.add({ section, name, unit: "a second", size, value: (size * 1_000) / milliseconds });
  }
}

/** Notes are distributed to the containers in turn. */
export function containerOf(number, containers) {
  return containers === 1 ? "notes" : `notes-${number % containers}`;
}
