import { BlockList } from "node:net";
import { z } from "zod";
import { addNetwork, NO_PLACES, readAllowedPlaces } from "../lib/allowed-places.js";
import { isTimeZone } from "../lib/time-zone.js";
import { BLOB_SETTINGS } from "./blobs.js";
import { DATABASE_SETTINGS } from "./database.js";
import { MAIL_SETTINGS } from "./mail.js";
import { MODEL_SETTINGS } from "./model.js";
import { PATIENCE_SETTINGS } from "./patience.js";
import { READING_SETTINGS } from "./reading.js";
import { RERANK_SETTINGS } from "./rerank.js";
import { TRACE_SETTINGS } from "./traces.js";
import { TRANSCRIBE_SETTINGS } from "./transcribe.js";
import { choice, dollars, expandHome, httpUrl, setting, wholeNumber } from "./setting.js";

const KEY_SHAPE = /^sm_([A-Za-z0-9-]+)_\S+$/;
const TERABYTE_IN_MEGABYTES = 1_048_576;
const GIGABYTE = 1_073_741_824;
/** A request is held in memory as one string for a moment, and strings have a maximum length. */
const MOST_BYTES_OF_ONE_REQUEST = 268_435_456;

const apiKey = z
  .string()
  .min(24, "must have at least 24 characters")
  .regex(
    KEY_SHAPE,
    "must look like sm_<organisation>_<secret>, with only letters, digits and hyphens in the organisation and no spaces in the secret",
  )
  .transform((key) => ({ key, organizationId: KEY_SHAPE.exec(key)?.[1] ?? "" }));

const flag = z
  .enum(["1", "true", "0", "false"], { error: "must be 1 or true to switch it on, 0 or false to switch it off" })
  .transform((text) => text === "1" || text === "true");

/** Without a path: well-known URLs are at the root of a host (RFC 8414, RFC 9728). */
const publicUrl = httpUrl()
  .refine((text) => new URL(text).pathname === "/", "must be an address without a path, such as https://memory.example")
  .transform((text) => new URL(text).origin);

const nameList = z.string().transform((text) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
);

/** Values of the `Host` header. */
const hosts = nameList.refine(
  (names) => names.every((name) => /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(name)),
  "must be host names such as memory.example or inner:8080, separated by commas",
);

/** Values of the `Origin` header. */
const origins = nameList.refine(
  (names) => names.every((name) => URL.canParse(name) && /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*\\]+$/i.test(name)),
  "must be origins such as https://app.example, without a path, separated by commas",
);

/** Addresses and networks, as a `BlockList`. */
const proxies = nameList.transform((names, context) => {
  const list = new BlockList();
  if (!names.every((name) => addNetwork(list, name)))
    context.addIssue("must be addresses such as 127.0.0.1 or networks such as 10.0.0.0/8, separated by commas");
  return names.length === 0 ? undefined : list;
});

const fetchAllow = nameList.transform((names, context) => {
  const places = readAllowedPlaces(names);
  if (places === undefined)
    context.addIssue(
      "must be host names such as wiki.corp.example or *.corp.example, addresses, or networks such as 10.1.0.0/16, separated by commas; each may end in a port, such as wiki.corp.example:8443 or [fd00::1]:8080",
    );
  return places ?? NO_PLACES;
});

/** Connection providers whose URLs are not given with each connection. */
const ADDRESSED_PROVIDERS = ["github", "notion", "onedrive", "gmail", "granola", "google-drive"];

const providerUrls = nameList.transform((entries, context): Readonly<Record<string, string>> => {
  const pairs = entries.map((entry) => /^([a-z0-9-]+)=(https?:\/\/.+)$/.exec(entry));
  if (pairs.some((pair) => pair === null || !URL.canParse(pair[2] ?? "")))
    context.addIssue("must be entries such as github=https://github.corp.example/api/v3, separated by commas");
  for (const [, name = ""] of pairs.filter((pair) => pair !== null))
    if (!ADDRESSED_PROVIDERS.includes(name))
      context.addIssue(`does not accept the provider “${name}”, only ${ADDRESSED_PROVIDERS.join(", ")}`);
  return Object.fromEntries(
    pairs.flatMap((pair) => (pair ? [[pair[1] ?? "", (pair[2] ?? "").replace(/\/+$/, "")]] : [])),
  );
});

/** Every setting: its variable, how its text is read, its default, and its purpose. */
export const SETTINGS = {
  RECOLLECT_DATA_DIR: setting({
    schema: z
      .string()
      .refine((path) => !path.includes("\0"), "must be a path")
      .transform(expandHome),
    fallback: "~/.recollect",
    description: "Folder where everything is stored. `~` is your home folder.",
  }),
  RECOLLECT_SECRET_KEY: setting({
    schema: z.string().min(32, "must have at least 32 characters"),
    description:
      "Key that encrypts the credentials of connections, instead of the one in `secret.key` in the data folder. Do not lose it: without it, all connections have to be signed in again.",
    isSecret: true,
  }),
  RECOLLECT_CONNECTION_FOLDERS: setting({
    schema: nameList.transform((paths) => paths.map(expandHome)),
    fallback: "",
    description:
      "Folders on the server that `folder` connections may read, separated by commas. If unset, there can be no such connections.",
  }),
  RECOLLECT_PROVIDER_URLS: setting({
    schema: providerUrls,
    fallback: "",
    description:
      "Alternative URLs of connection providers, such as `github=https://github.corp.example/api/v3`, separated by commas, for an enterprise edition or a gateway.",
  }),
  RECOLLECT_HOST: setting({
    schema: z.string().regex(/^[A-Za-z0-9.:_-]+$/, "must be a host name or an IP address"),
    fallback: "127.0.0.1",
    description:
      "Address that the service listens on. `0.0.0.0` opens it to the network, and every call then needs a key.",
  }),
  RECOLLECT_PORT: setting({
    schema: wholeNumber(0, 65_535),
    fallback: "6767",
    description: "Port of the service. `0` picks a free one and records it in `service.json` in the data folder.",
  }),
  RECOLLECT_PUBLIC_URL: setting({
    schema: publicUrl.optional(),
    description:
      "URL at which others reach the service, such as `https://memory.example`. All links to the service start with it. Required, with https, for signing in from other machines.",
  }),
  RECOLLECT_KEYLESS: setting({
    schema: choice(["local", "off"]),
    fallback: "local",
    description:
      "`local` lets programs on this machine read and write memories without a key while the service listens on 127.0.0.1 and has no public URL; they cannot administer anything. `off` requires a key from them, too.",
  }),
  RECOLLECT_TRUSTED_PROXIES: setting({
    schema: proxies,
    fallback: "",
    description:
      "Addresses of proxies in front of the service, such as `127.0.0.1` or `10.0.0.0/8`, separated by commas. `X-Forwarded-For` is trusted only from them, to identify the client when limiting attempts and in the audit log.",
  }),
  RECOLLECT_ALLOWED_HOSTS: setting({
    schema: hosts,
    fallback: "",
    description:
      "Additional host names under which MCP and browser pages may be called, separated by commas. IP addresses and the host of the public URL are always allowed.",
  }),
  RECOLLECT_ALLOWED_ORIGINS: setting({
    schema: origins,
    fallback: "",
    description: "Additional web origins that may call MCP, such as `https://app.example`, separated by commas.",
  }),
  RECOLLECT_API_KEY: setting({
    schema: apiKey,
    isSecret: true,
    description:
      "Sets the first API key, for unattended set-ups: `sm_<organisation>_<secret>`, at least 24 characters. Its second part becomes the organisation id. It is never printed. If unset, a key is created at the first start and shown once, in a terminal or with `serve --show-key`.",
  }),
  RECOLLECT_TIMEZONE: setting({
    schema: z
      .string()
      .refine(isTimeZone, "must be a time zone such as Europe/Berlin, or an offset such as +02:00")
      .optional(),
    description:
      "Time zone for dates, such as `Europe/Berlin`: it determines what `yesterday` means in a text and which dates are shown. Defaults to the machine's time zone. A container or a document can have its own.",
  }),
  RECOLLECT_OFFLINE: setting({
    schema: flag,
    fallback: "0",
    description: "With `1`, nothing is ever fetched from outside.",
  }),
  RECOLLECT_FETCH_ALLOW: setting({
    schema: fetchAllow,
    fallback: "",
    description:
      "Places in a private network that may be fetched when their address is added: host names, addresses and networks, separated by commas, such as `wiki.corp.example, *.docs.example:8443, 10.1.0.0/16, [fd00::1]:8080`. A place without a port is allowed at every port, one with a port only there. By default, only public addresses are fetched. Anyone who may add documents can then read whatever these places serve without a password.",
  }),
  RECOLLECT_LOG_LEVEL: setting({
    schema: choice(["debug", "info", "warn", "error"]),
    fallback: "info",
    description:
      "How much is logged to standard error: `debug`, `info`, `warn` or `error`. `info` logs every request, `warn` only refused ones. Short-lived commands and `add --watch` log only errors unless this is set, because they report their results themselves.",
  }),
  RECOLLECT_LOG_FORMAT: setting({
    schema: choice(["text", "json"]),
    fallback: "text",
    description: "Format of log lines: `text` for people, `json` for programs that collect logs.",
  }),
  RECOLLECT_EMBEDDER: setting({
    schema: choice(["builtin", "static", "openai"]),
    fallback: "builtin",
    description:
      "What turns text into vectors: `builtin` (no model), `static` (a table of word vectors on this machine, in Model2Vec format) or `openai` (any compatible service).",
  }),
  RECOLLECT_EMBEDDING_MODEL: setting({
    schema: z.string().max(1_000, "must have at most 1000 characters"),
    description:
      "Model of the embedder. `openai`: the model's name at the service (default `text-embedding-3-small`). `static`: a folder with model.safetensors and tokenizer.json, or a model on the hub as `owner/name` or `owner/name@revision`, downloaded once (default `minishlab/potion-retrieval-32M`, English, 130 MB). `minishlab/potion-multilingual-128M` (512 MB) supports 101 languages.",
  }),
  RECOLLECT_EMBEDDING_BASE_URL: setting({
    schema: httpUrl(),
    description:
      "Base URL of the `openai` embedder, e.g. `http://127.0.0.1:11434/v1` for Ollama. Defaults to `https://api.openai.com/v1`.",
  }),
  RECOLLECT_EMBEDDING_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "API key for the `openai` embedder; your own service may not need one.",
  }),
  RECOLLECT_EMBEDDING_DIMENSIONS: setting({
    schema: wholeNumber(1, 65_536),
    description: "Size of the vectors to request from the `openai` embedder. Defaults to the model's own size.",
  }),
  HF_ENDPOINT: setting({
    schema: httpUrl(),
    fallback: "https://huggingface.co",
    description: "Hub, or a mirror of it, from which models for the `static` embedder are downloaded.",
  }),
  HF_TOKEN: setting({
    schema: z.string().regex(/^[\x21-\x7e]+$/, "must contain only ASCII characters and no spaces"),
    isSecret: true,
    description: "Token for models on the hub that are not public.",
  }),
  RECOLLECT_EMBEDDING_FORMER_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description:
      "API key of the previous embedding service, so that it keeps working until the new one has taken over.",
  }),
  RECOLLECT_EMBEDDING_PRICE: setting({
    schema: dollars(),
    description: "Price of a million embedded tokens in US dollars, to show what a change of the embedder costs.",
  }),
  RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE: setting({
    schema: wholeNumber(0, 1_000_000_000),
    fallback: "0",
    description:
      "Maximum number of tokens per minute that a change of the embedder sends to a service. `0` means no limit.",
  }),
  ...MODEL_SETTINGS,
  ...DATABASE_SETTINGS,
  RECOLLECT_VECTORS: setting({
    schema: choice(["auto", "exact", "chroma"]),
    fallback: "auto",
    description:
      "`auto` uses Chroma for large containers, `exact` never uses Chroma, `chroma` keeps all vectors in Chroma from the first one. While Chroma is unavailable, searches are exact.",
  }),
  RECOLLECT_ENGINES_DIR: setting({
    schema: z.string().transform(expandHome),
    description:
      "Folder for a downloaded Chroma engine. Defaults to `engines` in the data folder; several data folders can share one.",
  }),
  CHROMA_URL: setting({
    schema: httpUrl(),
    description:
      "Chroma server or Chroma Cloud to use instead of the local one; [nodes](operation.md#several-nodes) share it.",
  }),
  CHROMA_TOKEN: setting({ schema: z.string(), isSecret: true, description: "Token for `CHROMA_URL`." }),
  CHROMA_TENANT: setting({ schema: z.string(), description: "Tenant at `CHROMA_URL`." }),
  CHROMA_DATABASE: setting({ schema: z.string(), description: "Database at `CHROMA_URL`." }),
  RECOLLECT_EXACT_LIMIT: setting({
    schema: wholeNumber(0, 10_000_000),
    fallback: "1000000",
    description:
      "Containers with up to this many vectors are searched exactly if they fit into `RECOLLECT_EXACT_MEGABYTES`; larger ones are searched by Chroma.",
  }),
  RECOLLECT_EXACT_MEGABYTES: setting({
    schema: wholeNumber(1, TERABYTE_IN_MEGABYTES),
    fallback: "448",
    description: "Memory for the vectors of exact search, in MB; 100,000 vectors of the built-in embedder take 47 MB.",
  }),
  RECOLLECT_MAX_TEXT_BYTES: setting({
    schema: wholeNumber(1, GIGABYTE),
    fallback: "1048576",
    description: "Maximum size of a document's text, in bytes.",
  }),
  RECOLLECT_MAX_METADATA_BYTES: setting({
    schema: wholeNumber(1, GIGABYTE),
    fallback: "65536",
    description: "Maximum size of a document's metadata, in bytes of JSON.",
  }),
  RECOLLECT_MAX_BATCH: setting({
    schema: wholeNumber(1, 10_000),
    fallback: "600",
    description: "Maximum number of documents in a batch.",
  }),
  RECOLLECT_MAX_BATCH_BYTES: setting({
    schema: wholeNumber(1, MOST_BYTES_OF_ONE_REQUEST),
    fallback: "16777216",
    description: "Maximum size of a batch of documents, or of a conversation with pictures, in bytes of JSON.",
  }),
  RECOLLECT_MAX_FILE_BYTES: setting({
    schema: wholeNumber(1, MOST_BYTES_OF_ONE_REQUEST),
    fallback: "52428800",
    description: "Maximum size of an uploaded file, in bytes.",
  }),
  ...READING_SETTINGS,
  ...TRANSCRIBE_SETTINGS,
  RECOLLECT_MAX_SUPERSEDED: setting({
    schema: wholeNumber(0, 10_000),
    fallback: "5",
    description:
      "Maximum number of memories that rules and models let one document replace; anything that would replace more waits for review. Replacements named by the caller do not count.",
  }),
  RECOLLECT_DREAM_QUIET: setting({
    schema: wholeNumber(0, 86_400),
    description:
      "Seconds without a new document in a container after which its waiting documents are read together. Documents with `dreaming: instant` never wait. Defaults to 30 if a language model reads, otherwise 0.",
  }),
  RECOLLECT_DREAM_LONGEST_WAIT: setting({
    schema: wholeNumber(1, 86_400),
    fallback: "300",
    description: "Longest that a document waits for the pause set by `RECOLLECT_DREAM_QUIET`, in seconds.",
  }),
  RECOLLECT_KEEP_FAILED_MINUTES: setting({
    schema: wholeNumber(0, 5_256_000),
    fallback: "0",
    description:
      "How long a document whose processing failed is kept, in minutes, unless its text was read and only a later step failed, such as embedding. `0` keeps it until it is deleted.",
  }),
  RECOLLECT_MAX_STORE_MEGABYTES: setting({
    schema: wholeNumber(0, TERABYTE_IN_MEGABYTES),
    fallback: "0",
    description: "Maximum size of the store, in MB. `0` means no limit.",
  }),
  RECOLLECT_VACUUM_MEGABYTES: setting({
    schema: wholeNumber(0, TERABYTE_IN_MEGABYTES),
    fallback: "256",
    description:
      "Largest store that a purge rewrites in memory, in MB; larger ones are rewritten in the folder for temporary files. `0` always uses that folder.",
  }),
  RECOLLECT_RATE_LIMIT: setting({
    schema: wholeNumber(0, 1_000_000),
    fallback: "0",
    description:
      "Number of requests that each key may make per window, all at once if need be; calls without a key count together. `0` means no limit.",
  }),
  RECOLLECT_RATE_WINDOW_SECONDS: setting({
    schema: wholeNumber(1, 3_600),
    fallback: "60",
    description: "Length of the window for `RECOLLECT_RATE_LIMIT`, in seconds.",
  }),
  RECOLLECT_CONCURRENCY: setting({
    schema: wholeNumber(1, 64),
    fallback: "4",
    description: "Number of background jobs that run at the same time.",
  }),
  RECOLLECT_THRESHOLD: setting({
    schema: z
      .string()
      .regex(/^(0(\.\d+)?|1(\.0+)?)$/, "must be a number from 0 to 1")
      .transform(Number),
    fallback: "0.5",
    description: "Minimum similarity of search results, from 0 to 1, if the caller specifies none.",
  }),
  RECOLLECT_SEARCH_MODE: setting({
    schema: choice(["hybrid", "memories", "documents"]),
    fallback: "hybrid",
    description:
      "What a search finds if the caller does not specify it: `memories`, the chunks of `documents`, or `hybrid` for both.",
  }),
  RECOLLECT_PROFILE_TOKENS: setting({
    schema: wholeNumber(100, 1_000_000),
    fallback: "1500",
    description:
      "Approximate maximum number of tokens for all parts of a profile together, not counting search results. Name, job, allergies and how to answer come first; use `q` to ask for the rest.",
  }),
  RECOLLECT_CONTAINER: setting({
    schema: z.string().regex(/^[A-Za-z0-9_:.-]{1,100}$/, "must be 1 to 100 letters, digits or any of _ - : ."),
    fallback: "sm_project_default",
    description: "Container tag for MCP and the command line if the caller specifies none.",
  }),
  ...BLOB_SETTINGS,
  ...RERANK_SETTINGS,
  ...PATIENCE_SETTINGS,
  ...TRACE_SETTINGS,
  ...MAIL_SETTINGS,
  RECOLLECT_MCP_TOOLS: setting({
    schema: choice(["small", "all"]),
    fallback: "small",
    description:
      "Tools that MCP lists: `small`, or `all`, which adds the names used by earlier Supermemory servers, for clients that call only listed tools. The others can be called either way.",
  }),
  NO_COLOR: setting({ schema: z.string(), description: "Any value turns colours off, as in other programs." }),
} as const;
