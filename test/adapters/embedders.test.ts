import { cacheQueries } from "../../src/adapters/embed/cached.js";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { createOpenAiEmbedder } from "../../src/adapters/embed/openai.js";
import { describeEmbedder, type OpenedEmbedder } from "../contract/embedder.js";
import { captureLog } from "../support/captured-log.js";
import { startScriptedProvider } from "../support/scripted-provider.js";

async function openOpenAi(): Promise<OpenedEmbedder> {
  const provider = await startScriptedProvider();
  const embedder = createOpenAiEmbedder({
    baseUrl: provider.url,
    apiKey: undefined,
    model: "scripted",
    dimensions: undefined,
    log: captureLog(),
  });
  return { embedder, close: () => provider.close() };
}

describeEmbedder("builtin", async () => ({ embedder: createBuiltinEmbedder(), close: async () => {} }));

describeEmbedder("openai", openOpenAi);

describeEmbedder("openai behind the query cache", async () => {
  const { embedder, close } = await openOpenAi();
  return { embedder: cacheQueries(embedder, { entries: 100 }), close };
});
