import type { ChromaClient, Where } from "chromadb";
import { z } from "zod";

import { AppError } from "../../core/errors.js";
import { truncate } from "../../lib/truncate.js";

/** Address and credentials of a Chroma server. */
export interface ChromaAddress {
  /** `http://` or `https://`, host and port; Chroma's client does not support a path. */
  readonly url: string;
  /** Sent as `x-chroma-token`. */
  readonly token?: string | undefined;
  /** With a token, tenant and database default to those the token belongs to. */
  readonly tenant?: string | undefined;
  readonly database?: string | undefined;
}

/** Timeouts of calls, in milliseconds. */
export interface ChromaTimeouts {
  readonly search: number;
  readonly write: number;
}

export interface ChromaRow {
  readonly id: string;
  readonly vector: Float32Array;
  readonly container: number;
  readonly kind: string;
}

/** Restricts a search in a collection. */
export interface ChromaFilter {
  readonly containers?: readonly number[] | undefined;
  readonly kind?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

const versionShape = z.string().max(100);
const heartbeatShape = z.number();
const countShape = z.number().int().nonnegative();
const gotShape = z.object({ ids: z.array(z.string()) });
const foundShape = z.object({
  ids: z.array(z.array(z.string())).length(1),
  distances: z.array(z.array(z.number().nullable())).length(1),
});
const identityShape = z.object({ tenant: z.string(), databases: z.array(z.string()) });
const namesShape = z.array(z.object({ name: z.string() }));

/** Chroma Cloud accepts at most 300 rows per write, and encoding more at once would block everything else here. */
const WRITE_ROWS = 250;
const MOST_RESULTS = 5_000;
const MOST_CLOUD_RESULTS = 300;
const NAMES_PER_PAGE = 100;

/**
 * Tuned for the built-in embedder's vectors, which are hard for such a graph: at 100,000 vectors, recall was 0.91 with half of
 * these values (`ef_search: 400`) and 0.98 with these, at 8 ms instead of 4. Larger collections are asked for more results, see
 * `chroma-search.ts`. To apply new values, increase `BUILD` in `chroma-names.ts`.
 */
const TUNED = { hnsw: { space: "cosine" as const, ef_construction: 300, ef_search: 1_000, max_neighbors: 32 } };
const PLAIN = { hnsw: { space: "cosine" as const } };

/**
 * A Chroma server through its npm client. Every call ends within its timeout, and every answer is checked, because whatever
 * listens at a configured address may not be Chroma.
 * All methods throw AppError `unavailable` when the server does not answer, refuses, or returns an invalid answer.
 */
export class ChromaServer {
  readonly host: string;
  /** Rows per write. */
  readonly writeRows: number;
  /** Maximum number of results per search. */
  readonly mostResults: number;
  readonly #address: ChromaAddress;
  readonly #timeouts: ChromaTimeouts;
  readonly #running = new Set<AbortController>();
  #scope: { tenant: string; database: string } | null = null;
  #closed = false;

  constructor(address: ChromaAddress, timeouts: ChromaTimeouts) {
    const { host, hostname } = new URL(address.url);
    this.host = host;
    this.writeRows = WRITE_ROWS;
    this.mostResults = hostname.endsWith("trychroma.com") ? MOST_CLOUD_RESULTS : MOST_RESULTS;
    this.#address = address;
    this.#timeouts = timeouts;
  }

  /** Checks that a Chroma server answers and accepts the credentials. @returns the version that it reports */
  async connect(): Promise<string> {
    return this.#call(this.#timeouts.write, async (client) => {
      heartbeatShape.parse(await client.heartbeat());
      const version = versionShape.parse(await client.version());
      this.#scope = await scopeOf(client);
      return version;
    });
  }

  /** Finds or creates a collection. */
  async open(name: string): Promise<ChromaCollection> {
    const id = await this.#call(this.#timeouts.write, async (client) => {
      const create = (configuration: typeof TUNED | typeof PLAIN) =>
        client.getOrCreateCollection({ name, embeddingFunction: null, configuration });
      // Not every server accepts the index settings; all accept the distance measure alone.
      const collection = await create(TUNED).catch((error: unknown) => {
        if (isUnreachable(error)) throw error;
        return create(PLAIN);
      });
      return z.string().min(1).parse(collection.id);
    });
    return this.collection(name, id);
  }

  /** A collection that was opened earlier, here or elsewhere; it may no longer exist. */
  collection(name: string, id: string): ChromaCollection {
    return new ChromaCollection(name, id, this, (work) => this.#callCollection(id, work));
  }

  /** Removes a collection; a missing one counts as removed. */
  async drop(name: string): Promise<void> {
    await this.#call(this.#timeouts.write, async (client) => {
      await client.deleteCollection({ name }).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    });
  }

  /** Names of the collections that begin with `prefix`. */
  async names(prefix: string): Promise<string[]> {
    const names: string[] = [];
    for (let offset = 0; ; offset += NAMES_PER_PAGE) {
      const page = await this.#call(this.#timeouts.write, async (client) =>
        namesShape.parse(await client.listCollections({ limit: NAMES_PER_PAGE, offset })),
      );
      names.push(...page.map(({ name }) => name).filter((name) => name.startsWith(prefix)));
      if (page.length < NAMES_PER_PAGE) return names;
    }
  }

  /** Aborts all running calls. */
  close(): void {
    this.#closed = true;
    for (const controller of this.#running) controller.abort();
  }

  #callCollection<T>(id: string, work: CollectionWork<T>): Promise<T> {
    return this.#call(this.#timeouts[work.kind], (client) => work.run(client.collection(id)));
  }

  /** One client per call: the signal is a setting of the whole client, and creating one takes microseconds. */
  async #call<T>(timeoutMs: number, work: (client: ChromaClient) => Promise<T>): Promise<T> {
    if (this.#closed)
      throw new AppError("unavailable", `The connection to Chroma at ${this.host} is closed.`, {
        paths: [`at ${this.host}`],
      });
    const controller = new AbortController();
    this.#running.add(controller);
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const client = await this.#client(controller.signal);
      return await Promise.race([work(client), aborted(controller.signal)]);
    } catch (error) {
      throw this.#describe(error, controller.signal.aborted, timeoutMs);
    } finally {
      clearTimeout(timer);
      this.#running.delete(controller);
    }
  }

  async #client(signal: AbortSignal): Promise<ChromaClient> {
    const { ChromaClient } = await import("chromadb");
    const { protocol, hostname, port } = new URL(this.#address.url);
    const ssl = protocol === "https:";
    const { token } = this.#address;
    // An empty name makes the client ask the server which tenant and database the token belongs to.
    const unnamed = token === undefined ? undefined : "";
    const tenant = this.#scope?.tenant ?? this.#address.tenant ?? unnamed;
    const database = this.#scope?.database ?? this.#address.database ?? unnamed;
    return new ChromaClient({
      host: hostname,
      port: port === "" ? (ssl ? 443 : 80) : Number(port),
      ssl,
      ...(tenant === undefined ? {} : { tenant }),
      ...(database === undefined ? {} : { database }),
      headers: token === undefined ? {} : { "x-chroma-token": token },
      fetchOptions: { signal },
    });
  }

  #describe(error: unknown, wasAborted: boolean, timeoutMs: number): AppError {
    const ended = wasAborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
    const reason = this.#closed ? "the connection was closed" : ended;
    return new AppError("unavailable", `Chroma at ${this.host}: ${reason}`, {
      cause: error,
      paths: [`at ${this.host}`],
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return "the answer is not that of a Chroma server";
  if (!(error instanceof Error)) return String(error);
  // The library's own words are for web pages.
  return error.name === "ChromaConnectionError" ? "the server cannot be reached" : truncate(error.message, 300);
}

interface CollectionWork<T> {
  readonly kind: keyof ChromaTimeouts;
  run(collection: ReturnType<ChromaClient["collection"]>): Promise<T>;
}

/** One collection on a server. Batches too large for one call are split. */
export class ChromaCollection {
  readonly name: string;
  readonly id: string;
  readonly #limits: Pick<ChromaServer, "writeRows" | "mostResults">;
  readonly #call: <T>(work: CollectionWork<T>) => Promise<T>;

  constructor(
    name: string,
    id: string,
    limits: Pick<ChromaServer, "writeRows" | "mostResults">,
    call: <T>(work: CollectionWork<T>) => Promise<T>,
  ) {
    this.name = name;
    this.id = id;
    this.#limits = limits;
    this.#call = call;
  }

  /** Maximum number of results per search. */
  get mostResults(): number {
    return this.#limits.mostResults;
  }

  /** Writes rows, replacing those with the same id. */
  async upsert(rows: readonly ChromaRow[]): Promise<void> {
    for (const batch of batchesOf(rows, this.#limits.writeRows)) {
      await this.#call({
        kind: "write",
        run: (collection) =>
          collection.upsert({
            ids: batch.map((row) => row.id),
            embeddings: batch.map((row) => Array.from(row.vector)),
            metadatas: batch.map(({ container, kind }) => ({ container, kind })),
          }),
      });
    }
  }

  /** Removes rows, ignoring unknown ids. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const batch of batchesOf(ids, this.#limits.writeRows)) {
      await this.#call({ kind: "write", run: (collection) => collection.delete({ ids: batch }) });
    }
  }

  async count(): Promise<number> {
    return this.#call({ kind: "write", run: async (collection) => countShape.parse(await collection.count()) });
  }

  /** Up to `limit` ids of one container. */
  async idsOf(container: number, limit: number): Promise<string[]> {
    return this.#call({
      kind: "write",
      run: async (collection) => gotShape.parse(await collection.get({ where: { container }, limit, include: [] })).ids,
    });
  }

  /**
   * Ids of the nearest rows, nearest first, with their distances (0 means the same direction).
   * @param kind selects the timeout: the first query after a start waits until the server has read its own log
   */
  async nearest(
    vector: Float32Array,
    limit: number,
    filter: ChromaFilter = {},
    kind: keyof ChromaTimeouts = "search",
  ): Promise<{ id: string; distance: number }[]> {
    const where = whereOf(filter);
    const found = await this.#call({
      kind,
      run: async (collection) =>
        foundShape.parse(
          await collection.query({
            queryEmbeddings: [Array.from(vector)],
            nResults: Math.min(limit, this.#limits.mostResults),
            include: ["distances"],
            ...(where === undefined ? {} : { where }),
            ...(filter.ids === undefined ? {} : { ids: [...filter.ids] }),
          }),
        ),
    });
    const distances = found.distances[0] ?? [];
    return (found.ids[0] ?? []).map((id, at) => ({ id, distance: distances[at] ?? 2 }));
  }
}

/** The configured tenant and database, or else those the token belongs to. */
async function scopeOf(client: ChromaClient): Promise<{ tenant: string; database: string }> {
  if (client.tenant !== undefined && client.database !== undefined) {
    return { tenant: client.tenant, database: client.database };
  }
  const identity = identityShape.parse(await client.getUserIdentity());
  const [database, ...more] = new Set(client.database === undefined ? identity.databases : [client.database]);
  if (database === undefined || database === "*" || more.length > 0) {
    throw new Error("the token belongs to several databases or to none; name one in CHROMA_DATABASE");
  }
  return { tenant: client.tenant ?? identity.tenant, database };
}

function whereOf(filter: ChromaFilter): Where | undefined {
  const conditions: Where[] = [];
  if (filter.containers !== undefined) {
    const [first, ...more] = filter.containers;
    if (first !== undefined) conditions.push({ container: more.length === 0 ? first : { $in: [first, ...more] } });
  }
  if (filter.kind !== undefined) conditions.push({ kind: filter.kind });
  return conditions.length > 1 ? { $and: conditions } : conditions[0];
}

function* batchesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Whether a call failed because the collection does not exist. */
export function isMissingCollection(error: unknown): boolean {
  return error instanceof AppError && isMissing(error.cause);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && error.name === "ChromaNotFoundError";
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Error && error.name === "ChromaConnectionError";
}
