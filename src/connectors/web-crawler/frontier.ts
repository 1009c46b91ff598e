import * as z from "zod";
import { sha256 } from "../../lib/crypto.js";

/** Queued addresses; a crawl requests at most three times as many pages. */
export const MOST_QUEUED = 10_000;
/** Characters of all queued addresses: they are saved after every few pages. */
export const LONGEST_QUEUE = 1_000_000;
/** Query strings per path; calendars and filters have no end. */
const QUERIES_OF_A_PATH = 50;

/** How a crawl is stored between two stretches. */
export const frontierSchema = z.object({
  /** Addresses, their depth, and how often their site asked to wait instead of answering. */
  queue: z.array(z.tuple([z.string(), z.number(), z.number().optional()])),
  /** Hashes of addresses that were queued or that pages give as their own: short, since there are many. */
  seen: z.array(z.string()),
  pages: z.number(),
  attempts: z.number(),
  /** Why existing pages may be missing, as a sentence. */
  gap: z.string().nullable().default(null),
});
export type KeptFrontier = z.output<typeof frontierSchema>;

/** The first pages of a crawl. */
export function beginFrontier(addresses: readonly string[], gap: string | null): KeptFrontier {
  return { queue: addresses.map((one) => [one, 0]), seen: addresses.map(shortOf), pages: 0, attempts: 0, gap };
}

/** An address still to be requested. */
export interface WaitingPage {
  readonly address: string;
  /** Number of links from the first page. */
  readonly depth: number;
  /** How often its site asked to wait instead of answering. */
  readonly limits: number;
}

/** The addresses that a crawl has met, those still queued, and its progress. */
export class Frontier {
  /** Pages found, and requests made for them. */
  pages: number;
  attempts: number;
  #gap: string | null;
  readonly #deepest: number;
  readonly #waiting: WaitingPage[];
  /** Characters of all queued addresses. */
  #length: number;
  readonly #met: Set<string>;
  /** Query strings met, by path. */
  readonly #queries = new Map<string, number>();

  constructor({ queue, seen, pages, attempts, gap }: KeptFrontier, deepest: number) {
    this.pages = pages;
    this.attempts = attempts;
    this.#gap = gap;
    this.#deepest = deepest;
    this.#waiting = queue.map(([address, depth, limits = 0]) => ({ address, depth, limits }));
    this.#length = this.#waiting.reduce((sum, { address }) => sum + address.length, 0);
    this.#met = new Set(seen);
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Why existing pages may be missing, as a sentence; null where none are. */
  get gap(): string | null {
    return this.#gap;
  }

  /** The first reason is kept. */
  noteGap(reason: string | null): void {
    this.#gap ??= reason;
  }

  hasMet(address: string): boolean {
    return this.#met.has(shortOf(address));
  }

  /** Marks an address as met, so that no link leads there any more. */
  meet(address: string): void {
    this.#met.add(shortOf(address));
  }

  /** Queues an address that a link leads to, unless it was met, is too deep, or there is no room. */
  add(address: string, depth: number): void {
    if (depth > this.#deepest || this.hasMet(address)) return;
    const { origin, pathname, search } = new URL(address);
    const path = origin + pathname;
    const queries = (this.#queries.get(path) ?? 0) + (search === "" ? 0 : 1);
    if (queries > QUERIES_OF_A_PATH) return;
    if (this.size >= MOST_QUEUED || this.#length + address.length > LONGEST_QUEUE)
      return this.noteGap("Too many addresses were waiting to be crawled; the excess was left out.");
    this.#queries.set(path, queries);
    this.meet(address);
    this.putBack({ address, depth, limits: 0 });
  }

  /** Queued after all others. */
  putBack(waiting: WaitingPage): void {
    this.#length += waiting.address.length;
    this.#waiting.push(waiting);
  }

  /** The address queued longest; null if there are none. */
  next(): WaitingPage | null {
    const first = this.#waiting.shift() ?? null;
    this.#length -= first?.address.length ?? 0;
    return first;
  }

  kept(): KeptFrontier {
    const queue = this.#waiting.map(({ address, depth, limits }): KeptFrontier["queue"][number] => [
      address,
      depth,
      limits,
    ]);
    return { queue, seen: [...this.#met], pages: this.pages, attempts: this.attempts, gap: this.#gap };
  }
}

function shortOf(address: string): string {
  return sha256(address).slice(0, 16);
}
