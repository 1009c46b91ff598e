import { AppError } from "../../core/errors.js";
import type { ChangePage, SourceAccess, SourceChange } from "../../core/ports.js";
import { sleep, yieldTurn } from "../../lib/time.js";
import {
  beginFrontier,
  Frontier,
  type KeptFrontier,
  LONGEST_QUEUE,
  MOST_QUEUED,
  type WaitingPage,
} from "./frontier.js";
import { isInTerritory, MOST_LINKS, pageAddress, readPatterns, type Territory } from "./page-address.js";
import { failedVisit, visit, type PageVisit } from "./page-visit.js";
import { NOTHING_ALLOWED, parseRobots, readRobots, readSitemaps, type Robots } from "./robots.js";

/** Pages requested between two checkpoints. */
const TOGETHER = 10;
/** The longest stretch, so that a slow site gives way to other connections. */
const LONGEST_STRETCH_MS = 20_000;
const NONE_WANTED = "include and exclude leave out every page that was found.";
/** Requests for each page that is brought in, at most. */
const ATTEMPTS_EACH = 3;
/** How often an address may ask to be requested later before its page counts as broken. */
const MOST_LIMITS = 3;

/**
 * The pages of a site, breadth first from its start or where it left off.
 * @throws AppError `not_found` where the first page does not exist; `rate_limited` once everything found by then was yielded
 */
export async function* crawl(access: SourceAccess, from: KeptFrontier | null): AsyncIterable<ChangePage> {
  const robotsOf = robotsReader(access);
  const kept = from ?? (await begin(access, robotsOf));
  const frontier = new Frontier(kept, Number(access.settings["maxDepth"]));
  const walk = new Walk(access, frontier, robotsOf);
  for (let isFirst = from === null; ; isFirst = false) {
    const { items, limit } = await walk.stretch();
    const isLast = frontier.size === 0 || walk.hasReachedLimit();
    const cutShort = walk.shortage(isLast);
    yield {
      kind: "listing",
      isFirst,
      isLast,
      items,
      checkpoint: isLast ? null : frontier.kept(),
      ...(cutShort !== null && { cutShort }),
    };
    if (isLast) return;
    if (limit !== null) throw limit;
  }
}

/** What was found between two checkpoints, and what ended it early. */
interface Stretch {
  readonly items: readonly SourceChange[];
  readonly limit: AppError | null;
}

/** One crawl, address by address. */
class Walk {
  readonly #access: SourceAccess;
  readonly #frontier: Frontier;
  readonly #robotsOf: RobotsReader;
  readonly #territory: Territory;
  readonly #start: string;
  readonly #most: number;
  /** Results of requested addresses: whether a page answers there. */
  readonly #outcomes = new Map<string, boolean>();
  #items: SourceChange[] = [];
  #limit: AppError | null = null;

  constructor(access: SourceAccess, frontier: Frontier, robotsOf: RobotsReader) {
    this.#access = access;
    this.#frontier = frontier;
    this.#robotsOf = robotsOf;
    this.#territory = territoryOf(access);
    this.#start = startOf(access);
    this.#most = Number(access.settings["maxPages"]);
  }

  hasReachedLimit(): boolean {
    const { pages, attempts } = this.#frontier;
    return pages >= this.#most || attempts >= this.#most * ATTEMPTS_EACH;
  }

  /** Why existing pages may be missing, as a sentence; null where none are. */
  shortage(isLast: boolean): string | null {
    const { pages, attempts, size, gap } = this.#frontier;
    if (size > 0 && this.hasReachedLimit())
      return `The crawl ended after ${pages} pages and ${attempts} requests; ${size} addresses remained (maxPages).`;
    return gap ?? (isLast && pages === 0 ? NONE_WANTED : null);
  }

  async stretch(): Promise<Stretch> {
    const { signal } = this.#access;
    const until = this.#now() + LONGEST_STRETCH_MS;
    this.#items = [];
    this.#limit = null;
    for (let count = 0; count < TOGETHER && this.#limit === null && this.#frontier.pages < this.#most; count += 1) {
      const waiting = count > 0 && this.#now() >= until ? null : this.#frontier.next();
      if (waiting === null) break;
      await yieldTurn(signal);
      await this.#follow(waiting);
    }
    return { items: this.#items, limit: this.#limit };
  }

  #now(): number {
    return this.#access.now().getTime();
  }

  async #follow(waiting: WaitingPage): Promise<void> {
    const { address } = waiting;
    if (this.#outcomes.has(address)) return;
    const robots = await this.#robotsOf(address);
    this.#frontier.noteGap(robots.gap);
    const isStart = address === this.#start;
    if (isStart) requireStart(robots.isAllowed(address), address, "its robots.txt does not allow it");
    if (!robots.isAllowed(address)) return;
    const visited = await this.#look(waiting, robots.delayMs);
    if (visited === null) return;
    const isRead = visited.reached !== null || visited.change?.kind === "upsert";
    if (isStart) requireStart(isRead, address, "it does not exist, is not public, or leads elsewhere");
    const { reached, canonical } = visited;
    const isElsewhere = reached !== null && reached !== address && this.#frontier.hasMet(reached);
    if (reached !== null) this.#frontier.meet(reached);
    // Another name of a page that is visited under its own.
    if (isElsewhere || (visited.change === null && !isStart)) return;
    const isNamedElsewhere =
      canonical !== null &&
      robots.isAllowed(canonical) &&
      (await this.#isPage({ ...waiting, address: canonical, limits: 0 }, robots.delayMs));
    this.#take(waiting, isNamedElsewhere ? { ...visited, change: null } : visited);
  }

  /** The address that a page gives as its own must be a page's too, and is read there: anyone could write it. */
  async #isPage(named: WaitingPage, delayMs: number): Promise<boolean> {
    this.#frontier.meet(named.address);
    if (!this.#outcomes.has(named.address)) {
      const visited = await this.#look(named, delayMs);
      if (visited !== null) this.#take(named, visited);
    }
    return this.#outcomes.get(named.address) === true;
  }

  /** @returns null for a page that asks to wait, which is requested again after all others */
  async #look(waiting: WaitingPage, delayMs: number): Promise<PageVisit | null> {
    const { address, limits } = waiting;
    const isStart = address === this.#start;
    if (delayMs > 0) await sleep(delayMs, { signal: this.#access.signal });
    this.#frontier.attempts += 1;
    try {
      const visited = await visit(this.#access, address, {
        territory: this.#territory,
        isStart,
        mayRead: async (other) => (await this.#robotsOf(other)).isAllowed(other),
      });
      this.#outcomes.set(address, visited.change?.kind === "upsert");
      return visited;
    } catch (error) {
      if (!isLimit(error) || isStart) throw error;
      this.#limit = error;
      if (limits + 1 < MOST_LIMITS) this.#frontier.putBack({ ...waiting, limits: limits + 1 });
      else this.#take(waiting, failedVisit(address, new AppError("unavailable", error.message)));
      return null;
    }
  }

  #take({ address, depth }: WaitingPage, { change, links, isCut }: PageVisit): void {
    if (change !== null) this.#items.push(change);
    if (change?.kind === "upsert") this.#frontier.pages += 1;
    for (const link of links) this.#frontier.add(link, depth + 1);
    if (isCut)
      this.#frontier.noteGap(`Only the first links of ${address.slice(0, 200)} were followed, at most ${MOST_LINKS}.`);
  }
}

export function isLimit(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === "rate_limited";
}

/**
 * Without its first page a crawl finds nothing, and everything it found before would count as gone. @throws AppError `not_found`
 */
function requireStart(isRead: boolean, address: string, why: string): void {
  if (!isRead) throw new AppError("not_found", `Nothing was crawled, because ${address} was not read: ${why}.`);
}

/** Where a crawl begins: the given address, and what the site's sitemaps list. */
async function begin(access: SourceAccess, robotsOf: RobotsReader): Promise<KeptFrontier> {
  const start = startOf(access);
  const { origin } = new URL(start);
  const robots = await robotsOf(start);
  const territory = territoryOf(access);
  const sitemaps = robots.sitemaps.length > 0 ? robots.sitemaps : [`${origin}/sitemap.xml`];
  const { pages: mapped, gap } = await readSitemaps(access, sitemaps, {
    mayAsk: (address) => URL.canParse(address) && new URL(address).host === territory.host,
    pageAt(text) {
      const address = pageAddress(text);
      return address !== null && isInTerritory(address, territory) ? address : null;
    },
    most: MOST_QUEUED,
    longest: LONGEST_QUEUE,
  });
  return beginFrontier([...new Set([start, ...mapped])], gap);
}

interface SiteRules extends Robots {
  /** Why the rules are not known now, as a sentence; null where they are. */
  readonly gap: string | null;
}

type RobotsReader = (address: string) => Promise<SiteRules>;

/**
 * The robots.txt rules of sites. Apart from the start's own site, none is read whose rules are unavailable (RFC 9309 §2.3.1.4).
 */
function robotsReader(access: SourceAccess): RobotsReader {
  const parsed = new Map<string, SiteRules>();
  const home = new URL(startOf(access)).origin;
  return async (address) => {
    const { origin, host } = new URL(address);
    const known = parsed.get(origin);
    if (known) return known;
    let gap: string | null = null;
    const text = await readRobots(access, origin).catch((error: unknown) => {
      if (origin === home || !(error instanceof AppError)) throw error;
      // A host that does not exist or admits no callers has no pages that could be missing.
      const isNone = error.kind === "not_found" || error.kind === "forbidden";
      if (!isNone) gap = `The robots.txt of ${host} could not be read, so none of its pages were read.`;
      return NOTHING_ALLOWED;
    });
    const rules = { ...parseRobots(origin, text), gap };
    parsed.set(origin, rules);
    return rules;
  };
}

export function startOf({ settings }: SourceAccess): string {
  const address = pageAddress(String(settings["startUrl"]));
  if (address === null) throw new AppError("invalid", "startUrl is not the address of a page.");
  return address;
}

export function territoryOf(access: SourceAccess): Territory {
  const { settings } = access;
  return {
    host: new URL(startOf(access)).host,
    isWithSubdomains: settings["subdomains"] === true,
    include: readPatterns(String(settings["include"] ?? "")),
    exclude: readPatterns(String(settings["exclude"] ?? "")),
  };
}
