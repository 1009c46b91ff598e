import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runProgram, startServe } from "./recollect-process.js";
import { startScriptedProvider } from "./scripted-provider.js";

/** An embedding service that a data folder uses and that no longer answers. */
export interface SilentEmbedder {
  /** Number of requests since it fell silent. */
  visits(): number;
  close(): Promise<void>;
}

/** A silent embedding service for many new data folders. */
export interface SilentEmbedders {
  use(dataDirectory: string): Promise<Pick<SilentEmbedder, "visits">>;
  close(): Promise<void>;
}

/** Prepares one data folder with `useSilentEmbedder`; all others are copies, made while no program has it open. */
export async function prepareSilentEmbedders(): Promise<SilentEmbedders> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-silent-"));
  const embedder = await useSilentEmbedder(folder);
  return {
    async use(dataDirectory) {
      await cp(folder, dataDirectory, { recursive: true });
      const before = embedder.visits();
      return { visits: () => embedder.visits() - before };
    },
    async close() {
      await embedder.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the built program use an embedding service in a new data folder; then the service falls silent. */
export async function useSilentEmbedder(dataDirectory: string): Promise<SilentEmbedder> {
  const provider = await startScriptedProvider();
  await (await startServe(dataDirectory)).stop();
  const use = ["embeddings", "use", "openai", "--base-url", provider.url, "--yes", "--json"];
  const { code, stdout, stderr } = await runProgram(dataDirectory, use);
  expect({ code, stderr }, stdout).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ embeddings: { active: { choice: { kind: "openai" } } } });
  provider.fail({ kind: "stall" }, 1_000);
  const before = provider.requests.length;
  return { visits: () => provider.requests.length - before, close: () => provider.close() };
}
