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
    "must look like sm_<organisation>_<secret>, the organisation of letters, digits and hyphens, the secret without spaces",
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

/** Addresses and networks, as a `BlockList`. */
const proxies = nameList.transform((names, context) => {
  const list = new BlockList();
  if (!names.every((name) => addNetwork(list, name)))
    context.addIssue("must be addresses such as 127.0.0.1 or networks such as 10.0.0.0/8, with commas between them");
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
    context.addIssue("must be entries such as github=https://github.corp.example/api/v3, with commas between them");
  for (const [, name = ""] of pairs.filter((pair) => pair !== null))
    if (!ADDRESSED_PROVIDERS.includes(name))
      context.addIssue(`has no provider “${name}”: those that it takes are ${ADDRESSED_PROVIDERS.join(", ")}`);
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
    description: "Folder for everything that is kept. `~` is your home folder.",
  }),
  RECOLLECT_SECRET_KEY: setting({
    schema: z.string().min(32, "must have at least 32 characters"),
    description:
      "Key that credentials of connections are encrypted with, in place of the one in `secret.key` in the data folder. Keep it: without it, connections have to be signed in again.",
    isSecret: true,
  }),
  RECOLLECT_CONNECTION_FOLDERS: setting({
    schema: nameList.transform((paths) => paths.map(expandHome)),
    fallback: "",
    description:
      "Folders of the server's machine, with commas between them, that connections of the kind `folder` may read. Without them there are no such connections.",
  }),
  RECOLLECT_PROVIDER_URLS: setting({
    schema: providerUrls,
    fallback: "",
    description:
      "Other addresses for providers of connections, such as `github=https://github.corp.example/api/v3`, with commas between them: for an enterprise edition or a gateway.",
  }),
  RECOLLECT_HOST: setting({
    schema: z.string().regex(/^[A-Za-z0-9.:_-]+$/, "must be a host name or an IP address"),
    fallback: "127.0.0.1",
    description: "Address that the service listens on. `0.0.0.0` opens it to the network; then every call needs a key.",
  }),
  RECOLLECT_PORT: setting({
    schema: wholeNumber(0, 65_535),
    fallback: "6767",
    description: "Port of the service. `0` takes a free one, which `service.json` in the data folder names.",
  }),
  RECOLLECT_PUBLIC_URL: setting({
    schema: publicUrl.optional(),
    description:
      "Address under which others reach the service, such as `https://memory.example`: every link that it gives begins so. Signing in from other machines needs it, with https.",
  }),
  RECOLLECT_KEYLESS: setting({
    schema: choice(["local", "off"]),
    fallback: "local",
    description:
      "`local` lets programs of this machine read and write memories without a key while the service listens on 127.0.0.1 and has no public address; they administer nothing. `off` asks them for a key, too.",
  }),
  RECOLLECT_TRUSTED_PROXIES: setting({
    schema: proxies,
    fallback: "",
    description:
      "Addresses of proxies in front of the service, such as `127.0.0.1` or `10.0.0.0/8`, with commas between them. Only they are believed when `X-Forwarded-For` says who asks: for limits of attempts, and in the audit.",
  }),
  RECOLLECT_ALLOWED_HOSTS: setting({
    schema: nameList,
    fallback: "",
    description:
      "Further host names under which MCP and browser pages may be called, with commas between them. Addresses of digits and the public one need no mention.",
  }),
  RECOLLECT_ALLOWED_ORIGINS: setting({
    schema: nameList,
    fallback: "",
    description: "Further web pages that may call MCP, such as `https://app.example`, with commas between them.",
  }),
  RECOLLECT_API_KEY: setting({
    schema: apiKey,
    isSecret: true,
    description:
      "Fixes the first API key for unattended set-ups: `sm_<organisation>_<secret>`, at least 24 characters. Its second part becomes the organisation id. It is never printed. Without it a key is made at the first start and shown once, on a terminal or with `serve --show-key`.",
  }),
  RECOLLECT_TIMEZONE: setting({
    schema: z
      .string()
      .refine(isTimeZone, "must be a time zone such as Europe/Berlin, or an offset such as +02:00")
      .optional(),
    description:
      "Where days are counted, such as `Europe/Berlin`: what `yesterday` means in a text, and on which day something is shown to be from. Without it the zone of the machine. A container and a document may have their own.",
  }),
  RECOLLECT_OFFLINE: setting({
    schema: flag,
    fallback: "0",
    description: "`1` never fetches anything from outside.",
  }),
  RECOLLECT_FETCH_ALLOW: setting({
    schema: fetchAllow,
    fallback: "",
    description:
      "Places in a private network that may be fetched when somebody adds their address: host names, addresses and networks, separated by commas, such as `wiki.corp.example, *.docs.example:8443, 10.1.0.0/16, [fd00::1]:8080`. A place without a port is allowed at every port, one with a port only there. By default only public addresses are fetched. Anyone who may add documents can then read whatever answers there without a password.",
  }),
  RECOLLECT_LOG_LEVEL: setting({
    schema: choice(["debug", "info", "warn", "error"]),
    fallback: "info",
    description:
      "How much is logged on standard error: `debug`, `info`, `warn` or `error`. `info` has a line for each request, `warn` those that were refused. Commands that do not stay, and `add --watch`, log only errors unless it is set: they say by themselves what became of their work.",
  }),
  RECOLLECT_LOG_FORMAT: setting({
    schema: choice(["text", "json"]),
    fallback: "text",
    description: "How a line of the log is written: `text` for people, `json` for programs that collect logs.",
  }),
  RECOLLECT_EMBEDDER: setting({
    schema: choice(["builtin", "static", "openai"]),
    fallback: "builtin",
    description:
      "What turns texts into vectors: `builtin` (no model), `static` (a table of word vectors, Model2Vec format, on this machine) or `openai` (any compatible service).",
  }),
  RECOLLECT_EMBEDDING_MODEL: setting({
    schema: z.string().max(1_000, "must have at most 1000 characters"),
    description:
      "Model of the embedder. `openai`: its name there, without it `text-embedding-3-small`. `static`: a folder with model.safetensors and tokenizer.json, or a model of the hub as `owner/name` or `owner/name@revision`, downloaded once; without it `minishlab/potion-retrieval-32M` (English, 130 MB). `minishlab/potion-multilingual-128M` (512 MB) knows 101 languages.",
  }),
  RECOLLECT_EMBEDDING_BASE_URL: setting({
    schema: httpUrl(),
    description:
      "Base URL of the `openai` embedder, e.g. `http://127.0.0.1:11434/v1` for Ollama. Without it `https://api.openai.com/v1`.",
  }),
  RECOLLECT_EMBEDDING_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description: "API key of the `openai` embedder; a service of your own may need none.",
  }),
  RECOLLECT_EMBEDDING_DIMENSIONS: setting({
    schema: wholeNumber(1, 65_536),
    description: "Size of the vectors to ask the `openai` embedder for. Without it the size that the model gives.",
  }),
  HF_ENDPOINT: setting({
    schema: httpUrl(),
    fallback: "https://huggingface.co",
    description: "Hub that models for the `static` embedder are downloaded from, or a mirror of it.",
  }),
  HF_TOKEN: setting({
    schema: z.string().regex(/^[\x21-\x7e]+$/, "must have no spaces and no characters beyond ASCII"),
    isSecret: true,
    description: "Token for models of the hub that are not public.",
  }),
  RECOLLECT_EMBEDDING_FORMER_API_KEY: setting({
    schema: z.string(),
    isSecret: true,
    description:
      "API key of the service that embedded before, so that it goes on answering until another one has taken over.",
  }),
  RECOLLECT_EMBEDDING_PRICE: setting({
    schema: dollars(),
    description: "US dollars of a million embedded tokens, to show what a change of the embedder costs.",
  }),
  RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE: setting({
    schema: wholeNumber(0, 1_000_000_000),
    fallback: "0",
    description: "Tokens a minute that a change of the embedder may send to a service at most. `0` is no limit.",
  }),
  ...MODEL_SETTINGS,
  ...DATABASE_SETTINGS,
  RECOLLECT_VECTORS: setting({
    schema: choice(["auto", "exact", "chroma"]),
    fallback: "auto",
    description:
      "`auto` gives large containers to Chroma, `exact` uses no Chroma, `chroma` keeps all vectors in Chroma from the first one. While Chroma is away, exact search answers.",
  }),
  RECOLLECT_ENGINES_DIR: setting({
    schema: z.string().transform(expandHome),
    description:
      "Folder for a Chroma engine that had to be fetched. Without it `engines` in the data folder; several data folders may share one.",
  }),
  CHROMA_URL: setting({
    schema: httpUrl(),
    description:
      "Chroma server or Chroma Cloud to use in place of the local one; [nodes](operation.md#several-nodes) share it.",
  }),
  CHROMA_TOKEN: setting({ schema: z.string(), isSecret: true, description: "Token for `CHROMA_URL`." }),
  CHROMA_TENANT: setting({ schema: z.string(), description: "Tenant at `CHROMA_URL`." }),
  CHROMA_DATABASE: setting({ schema: z.string(), description: "Database at `CHROMA_URL`." }),
  RECOLLECT_EXACT_LIMIT: setting({
    schema: wholeNumber(0, 10_000_000),
    fallback: "200000",
    description:
      "Containers with up to so many vectors are searched exactly, if they fit into `RECOLLECT_EXACT_MEGABYTES`; larger ones by Chroma.",
  }),
  RECOLLECT_EXACT_MEGABYTES: setting({
    schema: wholeNumber(1, TERABYTE_IN_MEGABYTES),
    fallback: "96",
    description: "Memory for the vectors of exact search, in MB; 100,000 of the built-in embedder take 42.",
  }),
  RECOLLECT_MAX_TEXT_BYTES: setting({
    schema: wholeNumber(1, GIGABYTE),
    fallback: "1048576",
    description: "Largest text of one document, in bytes.",
  }),
  RECOLLECT_MAX_METADATA_BYTES: setting({
    schema: wholeNumber(1, GIGABYTE),
    fallback: "65536",
    description: "Largest metadata of one document, in bytes of JSON.",
  }),
  RECOLLECT_MAX_BATCH: setting({
    schema: wholeNumber(1, 10_000),
    fallback: "600",
    description: "Most documents of one batch.",
  }),
  RECOLLECT_MAX_BATCH_BYTES: setting({
    schema: wholeNumber(1, MOST_BYTES_OF_ONE_REQUEST),
    fallback: "16777216",
    description: "Largest batch of documents, and largest conversation with pictures, in bytes of JSON.",
  }),
  RECOLLECT_MAX_FILE_BYTES: setting({
    schema: wholeNumber(1, MOST_BYTES_OF_ONE_REQUEST),
    fallback: "52428800",
    description: "Largest uploaded file, in bytes.",
  }),
  ...READING_SETTINGS,
  ...TRANSCRIBE_SETTINGS,
  RECOLLECT_MAX_SUPERSEDED: setting({
    schema: wholeNumber(0, 10_000),
    fallback: "5",
    description:
      "How many memories rules and models let one document replace; what would replace more waits for review. Replacements that the caller names do not count.",
  }),
  RECOLLECT_DREAM_QUIET: setting({
    schema: wholeNumber(0, 86_400),
    description:
      "Seconds without a new document in a container after which its waiting documents are read together. Documents with `dreaming: instant` never wait. Without it 30 where a language model reads, else 0.",
  }),
  RECOLLECT_DREAM_LONGEST_WAIT: setting({
    schema: wholeNumber(1, 86_400),
    fallback: "300",
    description: "Seconds that a document waits for that quiet at most.",
  }),
  RECOLLECT_KEEP_FAILED_MINUTES: setting({
    schema: wholeNumber(0, 5_256_000),
    fallback: "0",
    description:
      "How long a document stays whose processing failed, in minutes, unless its text was read and only a step behind it failed, such as an embedding. `0` keeps it until it is deleted.",
  }),
  RECOLLECT_MAX_STORE_MEGABYTES: setting({
    schema: wholeNumber(0, TERABYTE_IN_MEGABYTES),
    fallback: "0",
    description: "Largest size of the store, in MB. `0` is no limit.",
  }),
  RECOLLECT_VACUUM_MEGABYTES: setting({
    schema: wholeNumber(0, TERABYTE_IN_MEGABYTES),
    fallback: "256",
    description:
      "Largest store that a purge writes anew in memory, in MB; a larger one goes through the folder for temporary files. `0` uses that folder always.",
  }),
  RECOLLECT_RATE_LIMIT: setting({
    schema: wholeNumber(0, 1_000_000),
    fallback: "0",
    description:
      "Requests that each key may make within the window, and as many at once; calls without a key count together. `0` is no limit.",
  }),
  RECOLLECT_RATE_WINDOW_SECONDS: setting({
    schema: wholeNumber(1, 3_600),
    fallback: "60",
    description: "Window of `RECOLLECT_RATE_LIMIT`, in seconds.",
  }),
  RECOLLECT_CONCURRENCY: setting({
    schema: wholeNumber(1, 64),
    fallback: "4",
    description: "Background jobs at once.",
  }),
  RECOLLECT_THRESHOLD: setting({
    schema: z
      .string()
      .regex(/^(0(\.\d+)?|1(\.0+)?)$/, "must be a number from 0 to 1")
      .transform(Number),
    fallback: "0.5",
    description: "Similarity that a search result needs when the caller names none, 0 to 1.",
  }),
  RECOLLECT_SEARCH_MODE: setting({
    schema: choice(["hybrid", "memories", "documents"]),
    fallback: "hybrid",
    description:
      "What a search finds when the caller does not say: `memories`, the chunks of `documents`, or `hybrid` for both.",
  }),
  RECOLLECT_PROFILE_TOKENS: setting({
    schema: wholeNumber(100, 1_000_000),
    fallback: "1500",
    description:
      "About how many tokens the parts of a profile may have together, without search results. Name, job, allergies and how to answer come first; ask with `q` for the rest.",
  }),
  RECOLLECT_CONTAINER: setting({
    schema: z.string().regex(/^[A-Za-z0-9_:.-]{1,100}$/, "must have 1 to 100 letters, digits, or any of _ - : ."),
    fallback: "sm_project_default",
    description: "Container tag for MCP and the command line when the caller names none.",
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
      "Tools that MCP lists: `small`, or `all` with the names of earlier Supermemory servers, for clients that call only what is listed. The others may be called either way.",
  }),
  NO_COLOR: setting({ schema: z.string(), description: "Any text switches colours off, as in other programs." }),
} as const;
