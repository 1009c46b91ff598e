import { join } from "node:path";
import { AppError } from "../../core/errors.js";
import type { EmbedderChoice, EmbedderMaker, Log } from "../../core/ports.js";
import { createBuiltinEmbedder } from "./builtin.js";
import { cacheQueries } from "./cached.js";
import { watchEmbedder } from "./watched.js";

/** What creating embedders takes besides the choice of one. */
export interface MakerOptions {
  /** Downloaded models are in `models` inside it. */
  readonly dataDirectory: string;
  /** True: nothing is downloaded. */
  readonly offline: boolean;
  /** Where models are downloaded from. */
  readonly hub: { readonly baseUrl: string; readonly token: string | undefined };
  /** API keys of embedding services. */
  readonly keys: EmbeddingKeys;
  /** How long a search waits for a service, in milliseconds. */
  readonly searchPatienceMs: number;
  readonly log: Log;
}

/** Which key belongs to which service. */
export interface EmbeddingKeys {
  /** For the service in the settings. */
  readonly key: string | undefined;
  /** Its base URL; undefined where the settings have none: the key is then for whichever service is used. */
  readonly baseUrl: string | undefined;
  /** For the service used before. */
  readonly formerKey: string | undefined;
}

/** Name of the folder for downloaded models, inside a data folder. */
const MODELS_FOLDER = "models";
/** Queries whose vectors are cached, so that a repeated one costs no call. */
const CACHED_QUERIES = 1_000;

/** Creates the available embedders. Models and clients are loaded when first needed. */
export function createEmbedderMaker(options: MakerOptions): EmbedderMaker {
  const { dataDirectory, offline, hub, keys, log } = options;
  return {
    async make(choice, waiting) {
      if (choice.kind === "builtin") return createBuiltinEmbedder();
      if (choice.kind === "static") {
        const { prepareStaticEmbedder } = await import("./static.js");
        const modelsDirectory = join(dataDirectory, MODELS_FOLDER);
        return prepareStaticEmbedder({ model: choice.model, modelsDirectory, offline, hub, log }, waiting);
      }
      const { createOpenAiEmbedder } = await import("./openai.js");
      const { model, baseUrl, dimensions } = choice;
      const apiKey = keyFor(choice, keys);
      const embedder = createOpenAiEmbedder({ model, baseUrl, apiKey, dimensions: dimensions ?? undefined, log });
      return cacheQueries(watchEmbedder(embedder, { patienceMs: options.searchPatienceMs }), {
        entries: CACHED_QUERIES,
      });
    },
  };
}

const NEEDS_KEY = "https://api.openai.com/";

/** The key of one service is never sent to another. */
function keyFor({ baseUrl }: Extract<EmbedderChoice, { kind: "openai" }>, keys: EmbeddingKeys): string | undefined {
  const isNamed = keys.baseUrl === undefined || keys.baseUrl === baseUrl;
  const key = isNamed ? keys.key : keys.formerKey;
  if (key === undefined && baseUrl.startsWith(NEEDS_KEY))
    throw new AppError(
      "invalid",
      `${baseUrl} needs a key. Set ${isNamed ? "RECOLLECT_EMBEDDING_API_KEY" : "RECOLLECT_EMBEDDING_FORMER_API_KEY"}.`,
    );
  return key;
}
