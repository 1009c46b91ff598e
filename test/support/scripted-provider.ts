import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A fault of one request. */
export type Fault =
  | { readonly kind: "disconnect" }
  /** Answers correctly, but late. */
  | { readonly kind: "slow"; readonly ms: number }
  /** Sends headers and a first byte, then nothing more. */
  | { readonly kind: "stall" }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Announces the whole response and closes in the middle of it. */
  | { readonly kind: "truncated" }
  | { readonly kind: "body"; readonly body: string; readonly type?: string }
  /** Never ends. */
  | { readonly kind: "endless" }
  | { readonly kind: "wrong count"; readonly by: number }
  | { readonly kind: "wrong size"; readonly size: number }
  /** Changes the list of entries before it is sent. */
  | { readonly kind: "change"; readonly change: (entries: EmbeddingEntry[]) => unknown[] };

interface EmbeddingEntry {
  object: "embedding";
  index: number;
  embedding: unknown;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: { readonly input?: readonly string[]; readonly model?: string; readonly [name: string]: unknown };
}

export interface ProviderOptions {
  /** Size of the vectors, default 256: with far fewer numbers, results cannot be compared with another embedder's. */
  readonly dimensions?: number;
  /** Key that callers must send; none by default. */
  readonly apiKey?: string;
  /** Models that exist; any by default. */
  readonly models?: readonly string[];
  /** Maximum number of texts per request; no limit by default. */
  readonly maxInputs?: number;
  /** False: requests for another size are ignored, as by some services. Default true. */
  readonly honoursDimensions?: boolean;
  /** The vector of a text; `vectorOfText` by default. */
  readonly vectorOf?: (text: string, size: number) => number[];
}

export interface ScriptedProvider {
  /** Base URL with `/v1`. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Makes the next `times` requests fail, after any faults scripted before. */
  fail(fault: Fault, times?: number): void;
  /** Makes requests fail whose texts contain the word. */
  failFor(word: string, fault: Fault): void;
  /** Cancels all faults that have not occurred yet. */
  heal(): void;
  /** Ends the server and all its connections; further connections are refused. */
  close(): Promise<void>;
}

/** An OpenAI-compatible service on a real socket that does what the test says, and works correctly otherwise. */
export async function startScriptedProvider(options: ProviderOptions = {}): Promise<ScriptedProvider> {
  const requests: SeenRequest[] = [];
  const faults: Fault[] = [];
  const byWord = new Map<string, Fault>();
  const server = createServer((request, response) => {
    readText(request)
      .then((text) => {
        const body = JSON.parse(text) as SeenRequest["body"];
        const seen: SeenRequest = { path: request.url ?? "", headers: request.headers, body };
        requests.push(seen);
        const word = [...byWord.keys()].find((one) => JSON.stringify(body.input).includes(one));
        answer(seen, response, options, word === undefined ? faults.shift() : byWord.get(word));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    fail: (fault, times = 1) => faults.push(...Array.from({ length: times }, () => fault)),
    failFor: (word, fault) => void byWord.set(word, fault),
    heal: () => {
      faults.splice(0);
      byWord.clear();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The sum of one pseudo-random direction for each word: texts that share words are near each other. */
export function vectorOfText(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  for (const word of words.slice(0, 500)) {
    const direction = directionOf(word, dimensions);
    for (let at = 0; at < dimensions; at += 1) vector[at]! += direction[at]!;
  }
  return vector;
}

/** Directions of words used before: computing one takes most of the time of a response. */
const directions = new Map<string, Float64Array>();

function directionOf(word: string, dimensions: number): Float64Array {
  const name = `${dimensions} ${word}`;
  const known = directions.get(name);
  if (known) return known;
  const direction = new Float64Array(dimensions);
  for (let block = 0; block * 16 < dimensions; block += 1) {
    const digest = createHash("sha256").update(`${word} ${block}`).digest();
    for (let at = block * 16; at < Math.min(dimensions, block * 16 + 16); at += 1)
      direction[at] = digest.readInt16LE((at & 15) * 2) / 32_768;
  }
  if (directions.size >= 10_000) directions.clear();
  directions.set(name, direction);
  return direction;
}

function answer(seen: SeenRequest, response: ServerResponse, options: ProviderOptions, fault?: Fault): void {
  const refusal = refuse(seen, options);
  switch (fault?.kind) {
    case "disconnect":
      response.destroy();
      return;
    case "status":
      send(response, fault.status, fault.body ?? { error: { message: `scripted ${fault.status}` } }, fault.headers);
      return;
    case "body":
      response.writeHead(200, { "content-type": fault.type ?? "application/json" }).end(fault.body);
      return;
    case "stall":
      response.writeHead(200, { "content-type": "application/json" }).write("{");
      return;
    case "truncated":
      truncate(response, JSON.stringify(embeddings(seen, options)));
      return;
    case "endless":
      pour(response);
      return;
    case "slow":
      setTimeout(() => send(response, 200, embeddings(seen, options)), fault.ms);
      return;
    default:
      if (refusal) send(response, refusal.status, refusal.body);
      else send(response, 200, embeddings(seen, options, fault));
  }
}

function refuse(seen: SeenRequest, options: ProviderOptions): { status: number; body: unknown } | undefined {
  const { model, input } = seen.body;
  if (options.apiKey !== undefined && seen.headers["authorization"] !== `Bearer ${options.apiKey}`)
    return { status: 401, body: { error: { message: "Incorrect API key provided", code: "invalid_api_key" } } };
  if (seen.path !== "/v1/embeddings") return { status: 404, body: { error: { message: "Not Found" } } };
  if (options.models && !options.models.includes(model ?? ""))
    return { status: 404, body: { error: { message: `model "${model}" not found`, code: "model_not_found" } } };
  if (!Array.isArray(input) || input.some((text) => typeof text !== "string" || text.trim() === ""))
    return { status: 400, body: { error: { message: "'$.input' is invalid" } } };
  if (options.maxInputs !== undefined && input.length > options.maxInputs)
    return { status: 422, body: { error: { message: `batch size ${input.length} > maximum ${options.maxInputs}` } } };
  return undefined;
}

function embeddings(seen: SeenRequest, options: ProviderOptions, fault?: Fault): unknown {
  const asked = seen.body["dimensions"];
  const own = options.dimensions ?? 256;
  const size = typeof asked === "number" && options.honoursDimensions !== false ? asked : own;
  let entries: unknown[] = (seen.body.input ?? []).map((text, index): EmbeddingEntry => ({
    object: "embedding",
    index,
    embedding: (options.vectorOf ?? vectorOfText)(text, fault?.kind === "wrong size" ? fault.size : size),
  }));
  if (fault?.kind === "wrong count" && fault.by < 0) entries = entries.slice(0, fault.by);
  if (fault?.kind === "wrong count" && fault.by > 0) entries = [...entries, ...entries.slice(0, fault.by)];
  if (fault?.kind === "change") entries = fault.change(entries as EmbeddingEntry[]);
  return { object: "list", model: seen.body.model, data: entries, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

function send(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  if (response.destroyed) return;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

function truncate(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function pour(response: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024, "1");
  response.writeHead(200, { "content-type": "application/json" });
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
