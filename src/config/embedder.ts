import { isAbsolute } from "node:path";
import { expandHome } from "./setting.js";

/** The embedder, as far as the settings decide it. */
export type EmbedderConfig = { readonly kind: "builtin" } | StaticEmbedderConfig | OpenAiEmbedderConfig;

interface StaticEmbedderConfig {
  readonly kind: "static";
  /** Absolute path of a folder, or a model on the hub: `owner/name`, or `owner/name@revision`. */
  readonly model: string;
}

interface OpenAiEmbedderConfig {
  readonly kind: "openai";
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly dimensions: number | undefined;
}

/** What embedding needs besides the embedder itself. */
export interface EmbeddingConfig {
  /** False when no setting names an embedder. */
  readonly isStated: boolean;
  readonly apiKey: string | undefined;
  /** URL of the configured service; undefined when there is none. */
  readonly baseUrl: string | undefined;
  /** The key for the service that embedded before. */
  readonly formerApiKey: string | undefined;
  /** US dollars per million tokens. */
  readonly price: number | undefined;
  /** 0 for no limit. */
  readonly tokensPerMinute: number;
}

/** Where models are downloaded from. */
export interface HubConfig {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly token: string | undefined;
}

/** The settings that decide the embedder, as far as they could be read. */
export interface EmbedderValues {
  readonly RECOLLECT_EMBEDDER?: "builtin" | "static" | "openai" | undefined;
  readonly RECOLLECT_EMBEDDING_MODEL?: string | undefined;
  readonly RECOLLECT_EMBEDDING_BASE_URL?: string | undefined;
  readonly RECOLLECT_EMBEDDING_API_KEY?: string | undefined;
  readonly RECOLLECT_EMBEDDING_DIMENSIONS?: number | undefined;
  readonly RECOLLECT_EMBEDDING_FORMER_API_KEY?: string | undefined;
  readonly RECOLLECT_EMBEDDING_PRICE?: number | undefined;
  readonly RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE?: number | undefined;
}

const OPENAI_URL = "https://api.openai.com/v1";
const STATIC_MODEL = "minishlab/potion-retrieval-32M";
const HUB_NAME = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*(@[A-Za-z0-9][\w./-]*)?$/;
/** The embedders that use each setting. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  RECOLLECT_EMBEDDING_MODEL: ["static", "openai"],
  RECOLLECT_EMBEDDING_BASE_URL: ["openai"],
  RECOLLECT_EMBEDDING_DIMENSIONS: ["openai"],
};

/** The embedder chosen in the settings. */
export function chooseEmbedder(values: EmbedderValues): EmbedderConfig {
  const { RECOLLECT_EMBEDDER: kind, RECOLLECT_EMBEDDING_MODEL: model } = values;
  if (kind === "static") return { kind, model: model === undefined ? STATIC_MODEL : placeOf(model) };
  if (kind !== "openai") return { kind: "builtin" };
  return {
    kind,
    model: model ?? "text-embedding-3-small",
    baseUrl: values.RECOLLECT_EMBEDDING_BASE_URL ?? OPENAI_URL,
    apiKey: values.RECOLLECT_EMBEDDING_API_KEY,
    dimensions: values.RECOLLECT_EMBEDDING_DIMENSIONS,
  };
}

/** Keys, prices and limits of embedding. `set` contains the settings that have a value. */
export function chooseEmbedding(values: EmbedderValues, set: ReadonlySet<string>): EmbeddingConfig {
  const embedder = chooseEmbedder(values);
  return {
    isStated: ["RECOLLECT_EMBEDDER", ...Object.keys(USERS)].some((name) => set.has(name)),
    apiKey: values.RECOLLECT_EMBEDDING_API_KEY,
    baseUrl: embedder.kind === "openai" ? embedder.baseUrl : undefined,
    formerApiKey: values.RECOLLECT_EMBEDDING_FORMER_API_KEY,
    price: values.RECOLLECT_EMBEDDING_PRICE,
    tokensPerMinute: values.RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE ?? 0,
  };
}

/**
 * Settings that are incomplete, or do not do what the owner may expect. None of them keeps the service from starting:
 * an embedder that does not work does not take over.
 */
export function findEmbedderProblems(values: EmbedderValues, set: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const { RECOLLECT_EMBEDDER: kind, RECOLLECT_EMBEDDING_MODEL: model } = values;
  for (const [name, users] of Object.entries(USERS))
    if (kind !== undefined && set.has(name) && !users.includes(kind))
      problems.push(
        `${name} is set, but RECOLLECT_EMBEDDER is not ${users.map((user) => `"${user}"`).join(" or ")}. Set it to ${users.join(" or ")}, or remove ${name}.`,
      );
  if (kind === "openai" && !values.RECOLLECT_EMBEDDING_BASE_URL && !values.RECOLLECT_EMBEDDING_API_KEY)
    problems.push(
      `RECOLLECT_EMBEDDING_API_KEY is missing: ${OPENAI_URL} needs a key. Set it, or set RECOLLECT_EMBEDDING_BASE_URL to your own service.`,
    );
  if (kind === "openai" && model !== undefined && model.length > MOST_LETTERS_OF_A_NAME)
    problems.push(`RECOLLECT_EMBEDDING_MODEL must have at most ${MOST_LETTERS_OF_A_NAME} characters.`);
  if (kind === "static" && model !== undefined && !isPlace(model))
    problems.push(
      `RECOLLECT_EMBEDDING_MODEL must be the path of a folder, beginning with /, ~ or ., or a model on the hub such as ${STATIC_MODEL}.`,
    );
  return problems;
}

const MOST_LETTERS_OF_A_NAME = 200;

/** Paths must be recognisable as such, so that a folder that happens to exist never takes the place of a model. */
function isPath(model: string): boolean {
  return isAbsolute(model) || /^[.~]/.test(model);
}

function isPlace(model: string): boolean {
  return isPath(model) || (HUB_NAME.test(model) && !/--|\.\./.test(model));
}

function placeOf(model: string): string {
  return isPath(model) ? expandHome(model) : model;
}
