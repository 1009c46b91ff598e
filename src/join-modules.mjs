// Joins the modules of the built program, and those of the libraries it loads, into few files: Node takes half as long to
// load them. Plain JavaScript: it is part of the build.
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Loaded from where they are installed: they bring files of their own that are no JavaScript. */
const LEFT_WHERE_THEY_ARE = [/^node:/, "@photostructure/sqlite", /^chromadb(\/|$)/];

/**
 * Replaces `main.js` of a folder by one that loads its parts from `joined/`. What the program loads only when it needs it, it
 * still does. The modules stay: tests load them one by one.
 */
export async function joinModules(folder) {
  const build = await rolldown({
    input: join(folder, "main.js"),
    platform: "node",
    // A library in the older of its two forms may load its own parts in a way that cannot be followed.
    resolve: { mainFields: ["module", "main"] },
    external: LEFT_WHERE_THEY_ARE,
    logLevel: "silent",
  });
  await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "joined/[name]-[hash].js",
  });
  await build.close();
}
