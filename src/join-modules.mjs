// Joins the modules of the built programs, and those of the libraries they load, into a few files: Node loads them in
// half the time, and the libraries need not be installed. Plain JavaScript: it is part of the build.
import { join } from "node:path";
import { rolldown } from "rolldown";
import { writeLicences } from "./write-licences.mjs";

/** Loaded from where they are installed: they come with files that are not JavaScript. */
const LEFT_WHERE_THEY_ARE = [/^node:/, "@photostructure/sqlite", /^chromadb(\/|$)/];

/** The entry points of separate processes. */
const PROGRAMS = ["main", "extractors/extraction-program"];

/**
 * Replaces the programs of a folder with ones that load their parts from `joined/`. What they load lazily, they still
 * load lazily. The modules stay: tests load them one by one.
 */
export async function joinModules(folder) {
  const joined = [];
  for (const program of PROGRAMS) joined.push(...(await joinProgram(folder, program)));
  writeLicences(join(folder, "joined", "LICENSES.txt"), joined);
}

/**
 * Each separately: with a shared part, a program would load more than it needs.
 * @returns the files that were joined
 */
async function joinProgram(folder, program) {
  const build = await rolldown({
    input: { [program]: join(folder, `${program}.js`) },
    platform: "node",
    // The CommonJS form of a library may load its own parts in a way that cannot be followed.
    resolve: { mainFields: ["module", "main"] },
    external: LEFT_WHERE_THEY_ARE,
    onLog(_level, { code, message }) {
      // The library may not be installed where the program runs.
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
