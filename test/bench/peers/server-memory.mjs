import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { note } from "../corpus.mjs";
import { McpLineClient } from "../mcp-line-client.mjs";

const MANIFEST = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/package.json");
const ENTRY = join(dirname(MANIFEST), "dist/index.js");
const ENTITIES_OF_ONE_CALL = 1_000;

/** `@modelcontextprotocol/server-memory` on a folder, before its handshake. */
export function serverMemory(folder) {
  const { PATH = "" } = process.env;
  return new McpLineClient(process.execPath, [ENTRY], { PATH, MEMORY_FILE_PATH: join(folder, "memory.jsonl") });
}

/** A note in its format: a person with an observation. */
export function entityOf({ who, reference, text }) {
  return { name: `${who} ${reference}`, entityType: "person", observations: [text] };
}

export async function fillServerMemory(client, seed, size) {
  for (let from = 0; from < size; from += ENTITIES_OF_ONE_CALL) {
    const count = Math.min(ENTITIES_OF_ONE_CALL, size - from);
    const entities = Array.from({ length: count }, (_, index) => entityOf(note(seed, from + index)));
    await client.call("create_entities", { entities });
  }
}
