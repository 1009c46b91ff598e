// Joins the modules of the built programs, and those of the libraries they load, into few files: Node takes half as long to
// load them, and the libraries need not be installed. Plain JavaScript: it is part of the build.
import { join } from "node:path";
import { rolldown } from "rolldown";
import { writeLicences } from "./write-licences.mjs";

/** Loaded from where they are installed: they bring files of their own that are no JavaScript. */
const LEFT_WHERE_THEY_ARE = [/^node:/, "@photostructure/sqlite", /^chromadb(\/|$)/];

/** What is started as a process of its own. */
const PROGRAMS = ["main", "extractors/extraction-program"];

/**
 * Replaces the programs of a folder by ones that load their parts from `joined/`. What they load only when they need it, they
 * still do. The modules stay: tests load them one by one.
 */
export async function joinModules(folder) {
  const joined = [];
  for (const program of PROGRAMS) joined.push(...(await joinProgram(folder, program)));
  writeLicences(join(folder, "joined", "LICENSES.txt"), joined);
}

/**
 * Each by itself: of what two have in common one would load more than it needs.
 * @returns the files that were joined
 */
async function joinProgram(folder, program) {
  const build = await rolldown({
    input: { [program]: join(folder, `${program}.js`) },
    platform: "node",
    // A library in the older of its two forms may load its own parts in a way that cannot be followed.
    resolve: { mainFields: ["module", "main"] },
    external: LEFT_WHERE_THEY_ARE,
    onLog(_level, { code, message }) {
      // Where it runs nobody may have installed it.
      if (code === "UNRESOLVED_IMPORT") throw new Error(message);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "joined/[name]-[hash].js",
  });
  await build.close();
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}
