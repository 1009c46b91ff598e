import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { serveMcpStdio } from "../../src/transports/mcp/stdio.js";
import { createLog } from "../../src/lib/log.js";
import { conformanceFixtures } from "./conformance-fixtures.js";
import type { OpenedCore } from "./open-core.js";

const ROOT = resolve(import.meta.dirname, "../..");

/** A program built for a test. */
export interface BuiltProgram {
  readonly file: string;
  remove(): Promise<void>;
}

/**
 * Builds the program below, assembled like the product: MCP over stdio as served by `recollect mcp`, with the fixtures of the
 * conformance suite next to the product. Its argument is a folder in which each process has its data.
 */
export async function buildFixtureProgram(): Promise<BuiltProgram> {
  // Next to the sources, where its packages are found.
  const folder = await mkdtemp(join(ROOT, "dist.conformance-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const build = await rolldown({
      input: import.meta.filename,
      platform: "node",
      resolve: { mainFields: ["module", "main"], extensionAlias: { ".js": [".ts", ".js"] } },
      external: [/^node:/, "@photostructure/sqlite", /^chromadb(\/|$)/],
      logLevel: "silent",
    });
    await build.write({ dir: folder, format: "esm", entryFileNames: "program.js", chunkFileNames: "joined/[name].js" });
    await build.close();
    const file = join(folder, "program.js");
    return { file, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function serve(folder: string): Promise<never> {
  const log = createLog({ level: "debug" });
  let opened: Promise<OpenedCore> | undefined;
  // As in the program itself, the service is loaded by the first call that needs it.
  const open = async (): Promise<OpenedCore> => {
    const { openCore } = await import("./open-core.js");
    return openCore({ dataDirectory: await mkdtemp(join(folder, "process-")), log });
  };
  return serveMcpStdio({
    version: "0.0.0-test",
    log,
    defaultContainer: "default",
    extension: conformanceFixtures(),
    session: () => (opened ??= open()),
    onEnd: async () => (await opened)?.close(),
  });
}

const [, program, folder] = process.argv;
if (program === import.meta.filename && folder !== undefined) await serve(folder);
