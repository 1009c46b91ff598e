import { BlockList } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConfigError, type Environment, readConfig, SETTINGS } from "../src/config.js";

const KEY = "sm_acme_0123456789abcdefghij";

function problemsOf(environment: Environment, overrides: Environment = {}): string[] {
  try {
    readConfig(environment, overrides);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("without any setting everything has its documented default", () => {
  expect(readConfig({})).toEqual({
    dataDirectory: join(homedir(), ".recollect"),
    host: "127.0.0.1",
    port: 6767,
    apiKey: undefined,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    offline: false,
    logLevel: "info",
    commandLogLevel: "error",
    logFormat: "text",
    embedder: { kind: "builtin" },
    hub: { baseUrl: "https://huggingface.co", token: undefined },
    embedding: {
      isStated: false,
      apiKey: undefined,
      baseUrl: undefined,
      formerApiKey: undefined,
      price: undefined,
      tokensPerMinute: 0,
    },
    vectors: "auto",
    chroma: undefined,
    databaseDefaults: {},
    exactLimit: 1_000_000,
    exactMegabytes: 448,
    maxTextBytes: 1_048_576,
    maxMetadataBytes: 65_536,
    maxBatch: 600,
    maxBatchBytes: 16_777_216,
    maxFileBytes: 52_428_800,
    reading: {
      timeoutMs: 120_000,
      memoryMegabytes: 768,
      languages: "eng",
      languagesFrom: "https://registry.npmjs.org",
      limits: {
        maximumTextBytes: 4_194_304,
        maximumUnpackedBytes: 268_435_456,
        maximumEntries: 100_000,
        maximumPages: 2_000,
        maximumDepth: 256,
      },
    },
    maxSuperseded: 5,
    dreamQuiet: undefined,
    dreamLongestWait: 300,
    hasSeveralNodes: false,
    keepFailedMinutes: 0,
    maxStoreMegabytes: 0,
    vacuumMegabytes: 256,
    rate: undefined,
    concurrency: 4,
    threshold: 0.5,
    profileTokens: 1_500,
    searchMode: "hybrid",
    rerank: { kind: "builtin" },
    patience: { serviceMs: 1_500, modelMs: 6_000 },
    connectionFolders: [],
    providerUrls: {},
    container: "sm_project_default",
    mcpTools: "small",
    publicUrl: undefined,
    isKeylessOff: false,
    trustedProxies: undefined,
    fetchAllow: [],
    allowedHosts: [],
    allowedOrigins: [],
    mail: undefined,
    enginesDirectory: undefined,
    noColor: false,
    warnings: [],
  });
});

test("every setting is read", () => {
  const config = readConfig({
    RECOLLECT_DATA_DIR: "/data",
    RECOLLECT_HOST: "::1",
    RECOLLECT_PORT: "0",
    RECOLLECT_API_KEY: KEY,
    RECOLLECT_TIMEZONE: "Pacific/Auckland",
    RECOLLECT_KEYLESS: "off",
    RECOLLECT_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8, ::1",
    RECOLLECT_OFFLINE: "true",
    RECOLLECT_FETCH_ALLOW: "wiki.corp.example, *.Docs.example:8443, 10.1.0.0/16, ::1",
    RECOLLECT_LOG_LEVEL: "debug",
    RECOLLECT_LOG_FORMAT: "json",
    RECOLLECT_EMBEDDER: "openai",
    RECOLLECT_EMBEDDING_MODEL: "nomic-embed-text",
    RECOLLECT_EMBEDDING_BASE_URL: "http://127.0.0.1:11434/v1/",
    RECOLLECT_EMBEDDING_API_KEY: "secret",
    RECOLLECT_EMBEDDING_DIMENSIONS: "256",
    RECOLLECT_EMBEDDING_FORMER_API_KEY: "former",
    RECOLLECT_EMBEDDING_PRICE: "0.02",
    RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE: "1000000",
    HF_ENDPOINT: "https://hub.example/mirror/",
    HF_TOKEN: "hf_secret",
    DATABASE_URL: "postgres://recollect:secret@db.example/recollect",
    RECOLLECT_VECTORS: "auto",
    CHROMA_URL: "https://chroma.example:8000",
    CHROMA_TOKEN: "token",
    CHROMA_TENANT: "tenant",
    CHROMA_DATABASE: "database",
    RECOLLECT_EXACT_LIMIT: "5",
    RECOLLECT_EXACT_MEGABYTES: "6",
    RECOLLECT_MAX_TEXT_BYTES: "7",
    RECOLLECT_MAX_METADATA_BYTES: "8",
    RECOLLECT_MAX_BATCH: "13",
    RECOLLECT_MAX_BATCH_BYTES: "14",
    RECOLLECT_MAX_FILE_BYTES: "15",
    RECOLLECT_READ_TIMEOUT_SECONDS: "30",
    RECOLLECT_READ_MEMORY_MEGABYTES: "64",
    RECOLLECT_READ_MAX_TEXT_BYTES: "32",
    RECOLLECT_READ_MAX_UNPACKED_BYTES: "33",
    RECOLLECT_READ_MAX_PAGES: "34",
    RECOLLECT_READ_LANGUAGES: "eng+deu+Latin",
    RECOLLECT_READ_LANGUAGES_FROM: "http://packages.example/npm/",
    RECOLLECT_KEEP_FAILED_MINUTES: "16",
    RECOLLECT_MAX_SUPERSEDED: "17",
    RECOLLECT_VACUUM_MEGABYTES: "21",
    RECOLLECT_DREAM_QUIET: "18",
    RECOLLECT_DREAM_LONGEST_WAIT: "19",
    RECOLLECT_MAX_STORE_MEGABYTES: "9",
    RECOLLECT_RATE_LIMIT: "11",
    RECOLLECT_RATE_WINDOW_SECONDS: "12",
    RECOLLECT_CONCURRENCY: "10",
    RECOLLECT_THRESHOLD: "0.25",
    RECOLLECT_PROFILE_TOKENS: "800",
    RECOLLECT_SEARCH_MODE: "memories",
    RECOLLECT_TRACES: "http://127.0.0.1:4318/",
    RECOLLECT_TRACES_HEADERS: "authorization=Bearer%20abc, x-scope=a",
    RECOLLECT_TRACES_SHARE: "0.1",
    RECOLLECT_RERANK: "auto",
    RECOLLECT_RERANK_BASE_URL: "https://rerank.example/v2/",
    RECOLLECT_RERANK_MODEL: "sorter",
    RECOLLECT_RERANK_API_KEY: "secret",
    RECOLLECT_SEARCH_PATIENCE_MS: "800",
    RECOLLECT_SEARCH_MODEL_PATIENCE_MS: "900",
    RECOLLECT_CONTAINER: "work",
    RECOLLECT_MCP_TOOLS: "all",
    RECOLLECT_PUBLIC_URL: "https://Memory.example/",
    RECOLLECT_ALLOWED_HOSTS: "inner:8080, other.example",
    RECOLLECT_ALLOWED_ORIGINS: "https://app.example,",
    RECOLLECT_ENGINES_DIR: "/engines",
    RECOLLECT_SMTP_URL: "smtp://box:secret@mail.example:587",
    RECOLLECT_MAIL_FROM: "Recollect <box@mail.example>",
    RECOLLECT_OWNER_EMAIL: "ada@mail.example",
    NO_COLOR: "1",
  });
  expect(config).toEqual({
    dataDirectory: "/data",
    host: "::1",
    port: 0,
    apiKey: { key: KEY, organizationId: "acme" },
    timeZone: "Pacific/Auckland",
    offline: true,
    logLevel: "debug",
    commandLogLevel: "debug",
    logFormat: "json",
    embedder: {
      kind: "openai",
      model: "nomic-embed-text",
      baseUrl: "http://127.0.0.1:11434/v1",
      apiKey: "secret",
      dimensions: 256,
    },
    hub: { baseUrl: "https://hub.example/mirror", token: "hf_secret" },
    databaseUrl: "postgres://recollect:secret@db.example/recollect",
    databaseDefaults: {},
    embedding: {
      isStated: true,
      apiKey: "secret",
      baseUrl: "http://127.0.0.1:11434/v1",
      formerApiKey: "former",
      price: 0.02,
      tokensPerMinute: 1_000_000,
    },
    vectors: "auto",
    chroma: { url: "https://chroma.example:8000", token: "token", tenant: "tenant", database: "database" },
    exactLimit: 5,
    exactMegabytes: 6,
    maxTextBytes: 7,
    maxMetadataBytes: 8,
    maxBatch: 13,
    maxBatchBytes: 14,
    maxFileBytes: 15,
    reading: {
      timeoutMs: 30_000,
      memoryMegabytes: 64,
      languages: "eng+deu+Latin",
      languagesFrom: "http://packages.example/npm",
      limits: {
        maximumTextBytes: 32,
        maximumUnpackedBytes: 33,
        maximumEntries: 100_000,
        maximumPages: 34,
        maximumDepth: 256,
      },
    },
    hasSeveralNodes: false,
    keepFailedMinutes: 16,
    maxSuperseded: 17,
    dreamQuiet: 18,
    dreamLongestWait: 19,
    maxStoreMegabytes: 9,
    vacuumMegabytes: 21,
    rate: { requests: 11, windowMs: 12_000 },
    concurrency: 10,
    threshold: 0.25,
    profileTokens: 800,
    searchMode: "memories",
    rerank: { kind: "service", baseUrl: "https://rerank.example/v2", model: "sorter", apiKey: "secret" },
    traces: { url: "http://127.0.0.1:4318", headers: { authorization: "Bearer abc", "x-scope": "a" }, share: 0.1 },
    patience: { serviceMs: 800, modelMs: 900 },
    connectionFolders: [],
    providerUrls: {},
    container: "work",
    mcpTools: "all",
    publicUrl: "https://memory.example",
    isKeylessOff: true,
    fetchAllow: [
      { names: ["wiki.corp.example"], networks: expect.any(BlockList) as BlockList },
      { port: 8443, names: [".docs.example"], networks: expect.any(BlockList) as BlockList },
    ],
    trustedProxies: expect.any(BlockList) as BlockList,
    allowedHosts: ["inner:8080", "other.example"],
    allowedOrigins: ["https://app.example"],
    mail: {
      url: "smtp://box:secret@mail.example:587",
      from: "Recollect <box@mail.example>",
      to: "ada@mail.example",
    },
    enginesDirectory: "/engines",
    noColor: true,
    warnings: [],
  });
});

test("the configuration cannot be changed", () => {
  const config = readConfig({});
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.embedder)).toBe(true);
});

test("overrides win over the environment", () => {
  expect(readConfig({ RECOLLECT_PORT: "1", RECOLLECT_HOST: "a" }, { RECOLLECT_PORT: "2" })).toMatchObject({
    port: 2,
    host: "a",
  });
});

test.each(["", "   ", "${RECOLLECT_PORT}", "${user_config.port}", undefined])("%j counts as absent", (text) => {
  expect(readConfig({ RECOLLECT_PORT: text }).port).toBe(6767);
  expect(readConfig({ RECOLLECT_PORT: "1" }, { RECOLLECT_PORT: text }).port).toBe(1);
});

test.each([
  ["~", homedir()],
  ["~/memories", join(homedir(), "memories")],
  ["relative", join(process.cwd(), "relative")],
  ["~other/memories", join(process.cwd(), "~other/memories")],
])("the data folder %s is %s", (text, folder) => {
  expect(readConfig({ RECOLLECT_DATA_DIR: text }).dataDirectory).toBe(folder);
});

test.each([
  ["RECOLLECT_PORT", "65536", "a whole number from 0 to 65535"],
  ["RECOLLECT_PORT", "80.5", "a whole number"],
  ["RECOLLECT_PORT", "1e3", "a whole number"],
  ["RECOLLECT_PORT", "-1", "a whole number"],
  ["RECOLLECT_PORT", "99999999999999999999", "a whole number"],
  ["RECOLLECT_HOST", "http://x", "a host name or an IP address"],
  ["RECOLLECT_OFFLINE", "maybe", "1 or true"],
  ["RECOLLECT_READ_LANGUAGES", "eng deu", "such as eng or eng+deu"],
  ["RECOLLECT_READ_LANGUAGES", "-c", "such as eng or eng+deu"],
  ["RECOLLECT_READ_LANGUAGES", "german", "has german, which tesseract calls deu"],
  ["RECOLLECT_READ_LANGUAGES", "DEU", "has DEU, which tesseract calls deu"],
  ["RECOLLECT_READ_LANGUAGES", "eng+ger", "has ger, which tesseract calls deu"],
  ["RECOLLECT_READ_LANGUAGES", "eng+Français", "such as eng or eng+deu"],
  ["RECOLLECT_READ_LANGUAGES", "eng+deutsch", "has deutsch, which tesseract calls deu"],
  ["RECOLLECT_READ_LANGUAGES", "chinese", "has chinese, which tesseract calls chi_sim"],
  ["RECOLLECT_READ_LANGUAGES", "eng+de", "such as eng or eng+deu"],
  ["RECOLLECT_FETCH_ALLOW", "10.1.0.0/33", "host names such as"],
  ["RECOLLECT_FETCH_ALLOW", "wiki.corp.example, 127.1", "host names such as"],
  ["RECOLLECT_FETCH_ALLOW", "https://wiki.corp.example", "host names such as"],
  ["RECOLLECT_PROVIDER_URLS", "gihub=https://github.corp.example/api/v3", "does not accept the provider “gihub”"],
  ["RECOLLECT_PROVIDER_URLS", "github=github.corp.example", "must be entries such as"],
  ["RECOLLECT_FETCH_ALLOW", "wiki.corp.example:0", "host names such as"],
  ["RECOLLECT_FETCH_ALLOW", "wiki.corp.example:65536", "host names such as"],
  ["RECOLLECT_FETCH_ALLOW", "wiki.corp.example:", "host names such as"],
  ["RECOLLECT_FETCH_ALLOW", "10.1.0.0/33:80", "host names such as"],
  ["RECOLLECT_FETCH_ALLOW", "[wiki.corp.example:80", "host names such as"],
  ["RECOLLECT_LOG_LEVEL", "loud", "one of debug, info, warn, error"],
  ["RECOLLECT_EMBEDDER", "magic", "one of builtin, static, openai"],
  ["HF_ENDPOINT", "huggingface.co", "begins with http:// or https://"],
  ["RECOLLECT_VECTORS", "none", "one of auto, exact, chroma"],
  ["CHROMA_URL", "localhost:8000", "begins with http:// or https://"],
  ["RECOLLECT_THRESHOLD", "1.5", "a number from 0 to 1"],
  ["RECOLLECT_THRESHOLD", "NaN", "a number from 0 to 1"],
  ["RECOLLECT_PROFILE_TOKENS", "99", "from 100 to 1000000"],
  ["RECOLLECT_SEARCH_MODE", "all", "one of hybrid, memories, documents"],
  ["RECOLLECT_TRANSCRIBE_COMMAND", "whisper-cli -m 'a model", "every quote closed"],
  ["RECOLLECT_TRANSCRIBE_COMMAND", "'' -osrt", "must be a program"],
  ["RECOLLECT_RERANK", "cohere", "one of auto, builtin, llm"],
  ["RECOLLECT_SEARCH_PATIENCE_MS", "0", "from 50 to 600000"],
  ["RECOLLECT_SEARCH_MODEL_PATIENCE_MS", "1.5", "from 50 to 600000"],
  ["RECOLLECT_RERANK_BASE_URL", "rerank.example", "begins with http"],
  ["RECOLLECT_CONCURRENCY", "0", "a whole number from 1 to 64"],
  ["RECOLLECT_CONTAINER", "a b", "letters, digits"],
  ["RECOLLECT_DATA_DIR", "a\0b", "a path"],
  ["RECOLLECT_OWNER_EMAIL", "ada", "an address such as"],
  ["RECOLLECT_OWNER_EMAIL", "ada@example.org\r\nBcc: x@example.org", "an address such as"],
  ["RECOLLECT_OWNER_EMAIL", "ada@example.org, eve@example.org", "an address such as"],
])("%s=%s is refused by name", (name, text, rule) => {
  const problems = problemsOf({ [name]: text });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(name);
  expect(problems[0]).toContain(rule);
});

test.each([
  "sm_short_key",
  "0123456789012345678901234567",
  "sm_acme_with a space-0123456789",
  "sm_ac.me_0123456789012345678",
])("the API key %s is refused without being shown", (key) => {
  const [problem, ...others] = problemsOf({ RECOLLECT_API_KEY: key });
  expect(problem).toContain("RECOLLECT_API_KEY");
  expect(problem).not.toContain(key);
  expect(others).toEqual([]);
});

test.each([
  "mail.example:25",
  "http://ada:hunter2@mail.example",
  "smtp://",
  "smtp://ada:hunter2%@mail.example",
  "smtp://ada:hunter2@mail.example/path",
  "smtp://ada:hunter2@mail.example?tls=off",
])("the mail server %s is refused without being shown", (url) => {
  const [problem, ...others] = problemsOf({ RECOLLECT_SMTP_URL: url, RECOLLECT_OWNER_EMAIL: "ada@example.org" });
  expect(problem).toMatch(/^RECOLLECT_SMTP_URL must be smtp:/);
  expect(problem).not.toContain("hunter2");
  expect(others).toEqual([]);
});

test.each([
  "RECOLLECT_EMBEDDING_BASE_URL",
  "RECOLLECT_LLM_BASE_URL",
  "RECOLLECT_RERANK_BASE_URL",
  "RECOLLECT_TRANSCRIBE_BASE_URL",
  "RECOLLECT_TRACES",
  "HF_ENDPOINT",
  "CHROMA_URL",
])("%s with a password in it is refused without being shown", (name) => {
  const problems = problemsOf({ [name]: "http://ada:hunter2@models.example/v1" }).join("\n");
  expect(problems).toContain(`${name} must not contain a user name or a password`);
  expect(problems).not.toContain("hunter2");
});

test("all problems are told at once", () => {
  expect(problemsOf({ RECOLLECT_PORT: "x", RECOLLECT_THRESHOLD: "y" })).toHaveLength(2);
});

test("a long wrong value is shown shortened", () => {
  expect(problemsOf({ RECOLLECT_PORT: "9".repeat(100_000) })[0]!.length).toBeLessThan(300);
});

test.each<[string, Environment, string]>([
  [
    "two ways to write down recordings",
    { RECOLLECT_TRANSCRIBE_BASE_URL: "http://x", RECOLLECT_TRANSCRIBE_COMMAND: "whisper" },
    "are both set",
  ],
  ["a rerank model without a service", { RECOLLECT_RERANK_MODEL: "m" }, "RECOLLECT_RERANK_BASE_URL is not"],
  [
    "a rerank service that is not to be asked",
    { RECOLLECT_RERANK: "builtin", RECOLLECT_RERANK_BASE_URL: "http://x" },
    "uses no service",
  ],
  ["the order of a language model without one", { RECOLLECT_RERANK: "llm" }, "no language model is configured"],
  ["a Chroma token without a server", { CHROMA_TOKEN: "t" }, "CHROMA_URL is not"],
  ["a mail server without anybody to write to", { RECOLLECT_SMTP_URL: "smtp://x" }, "RECOLLECT_OWNER_EMAIL is missing"],
  ["a sender without a mail server", { RECOLLECT_MAIL_FROM: "a@b.example" }, "RECOLLECT_SMTP_URL is not"],
  ["a Chroma server that is never used", { CHROMA_URL: "http://x", RECOLLECT_VECTORS: "exact" }, "does not use Chroma"],
])("%s is half on, and refused", (_name, environment, problem) => {
  expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
});

test("an own embedding service needs no key, and the model has a default", () => {
  expect(
    readConfig({ RECOLLECT_EMBEDDER: "openai", RECOLLECT_EMBEDDING_BASE_URL: "http://127.0.0.1:1/v1" }).embedder,
  ).toEqual({
    kind: "openai",
    model: "text-embedding-3-small",
    baseUrl: "http://127.0.0.1:1/v1",
    apiKey: undefined,
    dimensions: undefined,
  });
});

test.each([
  [undefined, "minishlab/potion-retrieval-32M"],
  ["minishlab/potion-multilingual-128M", "minishlab/potion-multilingual-128M"],
  ["acme/words@v1.2", "acme/words@v1.2"],
  ["/models/words", "/models/words"],
  ["~/words", join(homedir(), "words")],
  ["./words", join(process.cwd(), "words")],
])("the static model %s is %s", (text, model) => {
  expect(readConfig({ RECOLLECT_EMBEDDER: "static", RECOLLECT_EMBEDDING_MODEL: text }).embedder).toEqual({
    kind: "static",
    model,
  });
});

test.each([
  "words",
  "acme/words/more",
  "acme/../words",
  "acme--x/words",
  "acme/words@",
  "https://hub.example/acme/words",
])("the static model %s is neither a path nor a name of the hub, and warned of", (model) => {
  expect(readConfig({ RECOLLECT_EMBEDDER: "static", RECOLLECT_EMBEDDING_MODEL: model }).warnings).toEqual([
    expect.stringMatching(/^RECOLLECT_EMBEDDING_MODEL must be the path of a folder/),
  ]);
});

test("a token of the hub that no header can carry is refused without being shown", () => {
  const problems = problemsOf({ HF_TOKEN: "hf_secret\nX-Other: 1" });
  expect(problems).toEqual([expect.stringMatching(/^HF_TOKEN must contain only ASCII characters and no spaces/)]);
  expect(problems[0]).not.toContain("secret");
});

test.each<[string, Environment, string]>([
  [
    "a base URL for the static embedder",
    { RECOLLECT_EMBEDDER: "static", RECOLLECT_EMBEDDING_BASE_URL: "http://x" },
    'is not "openai"',
  ],
  ["an embedding model without the openai embedder", { RECOLLECT_EMBEDDING_MODEL: "m" }, "RECOLLECT_EMBEDDER is not"],
  ["OpenAI without a key", { RECOLLECT_EMBEDDER: "openai" }, "RECOLLECT_EMBEDDING_API_KEY is missing"],
])("%s is a warning: an embedder never keeps the service from starting", (_case, environment, part) => {
  expect(readConfig(environment).warnings.join("\n")).toContain(part);
});

test("a key for embedding may be there for an embedder that is chosen in another way", () => {
  const { embedding, warnings } = readConfig({ RECOLLECT_EMBEDDING_API_KEY: "key" });
  expect(warnings).toEqual([]);
  expect(embedding).toMatchObject({ isStated: false, apiKey: "key", baseUrl: undefined });
});

test("a variable that no setting has is a warning, not a silence", () => {
  expect(readConfig({ RECOLLECT_TRESHOLD: "0.4" }).warnings).toEqual([expect.stringContaining("RECOLLECT_TRESHOLD")]);
});

test("every setting is described, and secrets have no default", () => {
  for (const [name, setting] of Object.entries(SETTINGS)) {
    expect(setting.description, name).toMatch(/\.$/);
    if (setting.isSecret) expect(setting.fallback, name).toBeUndefined();
  }
});

test.each([
  ["whisper-cli -osrt", ["whisper-cli", "-osrt"]],
  [
    "  '/opt/my programs/whisper-cli'  -m \"~/a model.bin\" -f {file} ",
    ["/opt/my programs/whisper-cli", "-m", join(homedir(), "a model.bin"), "-f", "{file}"],
  ],
  ["~/bin/whisper --language=''", [join(homedir(), "bin/whisper"), "--language="]],
  ["whisper $(touch x) ; rm | a", ["whisper", "$(touch", "x)", ";", "rm", "|", "a"]],
])("the command %j is split without a shell", (text, command) => {
  expect(readConfig({ RECOLLECT_TRANSCRIBE_COMMAND: text }).transcriber).toEqual({ kind: "command", command });
});
