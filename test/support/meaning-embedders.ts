import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAiEmbedder } from "../../src/adapters/embed/openai.js";
import { prepareStaticEmbedder } from "../../src/adapters/embed/static.js";
import type { Embedder } from "../../src/core/ports.js";
import { captureLog } from "./captured-log.js";
import { startScriptedProvider, type ScriptedProvider } from "./scripted-provider.js";
import { modelFiles, PIECES, rowsFor, wordPieceTokenizer, writeModel } from "./static-model.js";
import { GROUPED_WORDS, meaningOfWord, narrowVector } from "./word-groups.js";

const COLUMNS = 128;

export interface OpenedMeaning {
  readonly embedder: Embedder;
  close(): Promise<void>;
}

/**
 * The static embedder with a model in real files that knows the meanings of the words in `WORD_GROUPS`.
 * @param others further known words, without their similarity to others
 */
export async function openStaticMeaning(others: readonly string[] = []): Promise<OpenedMeaning> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-meaning-"));
  const words = [...new Set([...GROUPED_WORDS, ...others])];
  const known = new Set(words);
  const letters = PIECES.filter((piece) => !known.has(piece));
  const pieces = [...letters, ...words];
  const numbers = [
    ...rowsFor(letters, COLUMNS).map((value) => value * 0.1),
    ...words.flatMap((word) => Array.from(meaningOfWord(word, COLUMNS))),
  ];
  const tensors = { embeddings: { type: "F32", shape: [pieces.length, COLUMNS], numbers } } as const;
  await writeModel(folder, modelFiles({ tokenizer: wordPieceTokenizer(pieces), tensors }));
  const embedder = await prepareStaticEmbedder({
    model: folder,
    modelsDirectory: folder,
    offline: true,
    hub: { baseUrl: "http://127.0.0.1:9", token: undefined },
    log: captureLog(),
  });
  return {
    embedder,
    async close() {
      await embedder.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A service with OpenAI's protocol whose model returns hardly any cosine outside 0.7 to 0.9. */
export function startNarrowProvider(): Promise<ScriptedProvider> {
  return startScriptedProvider({
    dimensions: COLUMNS + 1,
    vectorOf: (text, size) => narrowVector(text, { columns: size - 1, common: 0.76 }),
  });
}

/** The `openai` embedder of such a service. */
export function openAiEmbedderOf({ url }: ScriptedProvider): Embedder {
  return createOpenAiEmbedder({
    baseUrl: url,
    apiKey: undefined,
    model: "narrow",
    dimensions: undefined,
    log: captureLog(),
  });
}
