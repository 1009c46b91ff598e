import * as z from "zod";
import { ItemGone, ItemSkipped, readCheckpoint } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceChange, SourceContent } from "../../core/ports.js";
import { sha256 } from "../../lib/crypto.js";
import { sleep, yieldTurn } from "../../lib/time.js";
import { isInTerritory, MOST_LINKS, pageAddress, readPatterns, type Territory } from "./page-address.js";
import { contentOf, failedVisit, MOST_BYTES_OF_A_PAGE, NOTHING, visit, type Visit } from "./page-visit.js";
import { NOTHING_ALLOWED, parseRobots, readRobots, readSitemaps, type Robots } from "./robots.js";

/** Pages that are asked for between two checkpoints. */
const TOGETHER = 10;
/** So long at most, so that a slow site gives way to other connections. */
const LONGEST_STRETCH_MS = 20_000;
const MOST_PAGES = 10_000;
/** Addresses that wait; a crawl asks for three times as many pages at most. */
const MOST_QUEUED = 10_000;
/** Characters of the addresses that wait: they are kept after every few pages. */
const LONGEST_QUEUE = 1_000_000;
const NONE_WANTED = "No page that was found is among those that include and exclude leave.";
const USUAL_PAGES = 500;
const USUAL_DEPTH = 10;
/** Requests for each page that is brought in, at most. */
const ATTEMPTS_EACH = 3;
/** How often an address may answer that it wants to be asked later, before its page counts as out of order. */
const MOST_LIMITS = 3;
/** Query strings of one path; calendars and filters have no end. */
const QUERIES_OF_A_PATH = 50;
const WEEK_MINUTES = 7 * 24 * 60;

const patterns = z
  .string()
  .max(2_000)
  .transform((text) =>
    text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .join(","),
  );
const wholeNumber = (least: number, most: number) => {
  const words = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(words).int(words).min(least, words).max(most, words);
};
const fieldsSchema = z.object({
  startUrl: z
    .url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" })
    .max(2_048),
  maxPages: wholeNumber(1, MOST_PAGES).default(USUAL_PAGES),
  maxDepth: wholeNumber(0, 100).default(USUAL_DEPTH),
  include: patterns.optional(),
  exclude: patterns.optional(),
  subdomains: z.boolean("must be true or false").default(false),
});

const checkpointSchema = z.object({
  /** Addresses, how deep they lie, and how often their site asked for time instead of a page. */
  queue: z.array(z.tuple([z.string(), z.number(), z.number().optional()])),
  /** Of addresses that were queued, and that pages said they have: short, since there are many. */
  seen: z.array(z.string()),
  pages: z.number(),
  attempts: z.number(),
  /** Why pages may be missing that are there, as a sentence. */
  gap: z.string().nullable().default(null),
});
type Frontier = z.output<typeof checkpointSchema>;

/** The pages of a site, breadth first from one of them; read one at a time, as its robots.txt allows. */
export function createWebCrawlerConnector(): Connector {
  return {
    provider: "web-crawler",
    title: "Website",
    signIn: { kind: "none" },
    fields: fieldsSchema,
    secretFields: [],
    sync: { everyMinutes: WEEK_MINUTES, absences: 2, readsAtOnce: 1, failsAlone: true },
    async check(access) {
      const address = startOf(access);
      const robots = parseRobots(new URL(address).origin, await readRobots(access, new URL(address).origin));
      if (!robots.isAllowed(address))
        throw new AppError("forbidden", `The robots.txt of ${new URL(address).host} does not let ${address} be read.`);
      await access.request({ url: address, maximumBytes: MOST_BYTES_OF_A_PAGE });
      return { account: null };
    },
    changes: (access, checkpoint) =>
      crawl(access, checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint)),
    read: (access, { id }) => readPage(access, id),
  };
}

async function readPage(access: SourceAccess, id: string): Promise<SourceContent> {
  const answer = await access
    .request({ url: id, maximumBytes: MOST_BYTES_OF_A_PAGE, accepts: [404, 410] })
    .catch((error: unknown) => {
      // One page that asks for time is no reason to leave all others.
      if (isLimit(error)) throw new AppError("unavailable", error.message, { cause: error });
      throw error;
    });
  if (answer.status !== 200) throw new ItemGone();
  const reached = pageAddress(answer.url);
  if (reached !== id) throw new AppError("not_found", `It leads to another page now: ${answer.url.slice(0, 300)}.`);
  const content = contentOf(answer, id);
  if (content === null) throw new ItemSkipped("It is neither a page nor a document.");
  return content;
}

function isLimit(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === "rate_limited";
}

async function* crawl(access: SourceAccess, from: Frontier | null): AsyncIterable<ChangePage> {
  const robotsOf = robotsReader(access);
  const frontier = from ?? (await begin(access, robotsOf));
  const territory = territoryOf(access);
  const start = startOf(access);
  const seen = seenOf(frontier.seen);
  const queries = new Map<string, number>();
  const maximum = Number(access.settings["maxPages"]);
  let { pages, attempts, gap } = frontier;
  const queue = [...frontier.queue];
  let queueLength = queue.reduce((sum, [address]) => sum + address.length, 0);
  const add = (address: string, depth: number): void => {
    if (seen.has(address) || depth > Number(access.settings["maxDepth"])) return;
    const { origin, pathname, search } = new URL(address);
    const count = (queries.get(origin + pathname) ?? 0) + (search === "" ? 0 : 1);
    if (count > QUERIES_OF_A_PATH) return;
    if (queue.length >= MOST_QUEUED || queueLength + address.length > LONGEST_QUEUE) {
      gap ??= "More addresses waited to be crawled than are kept; those beyond were left out.";
      return;
    }
    queries.set(origin + pathname, count);
    seen.add(address);
    queueLength += address.length;
    queue.push([address, depth]);
  };
  /** Of addresses that were asked for: whether a page answers there. */
  const outcomes = new Map<string, boolean>();
  const allows = async (address: string) => (await robotsOf(address)).isAllowed(address);
  const look = async (address: string, delayMs: number): Promise<Visit> => {
    if (delayMs > 0) await sleep(delayMs, { signal: access.signal });
    attempts += 1;
    const isStart = address === start;
    const visited = await visit(access, address, { territory, isStart, mayRead: allows });
    outcomes.set(address, visited.change?.kind === "upsert");
    return visited;
  };
  for (let isFirst = from === null; ; isFirst = false) {
    const items: SourceChange[] = [];
    const take = (address: string, depth: number, { change, links, isCut }: Visit): void => {
      if (change !== null) items.push(change);
      if (change?.kind === "upsert") pages += 1;
      for (const link of links) add(link, depth + 1);
      if (isCut) gap ??= `Of ${address.slice(0, 200)} only the first links were followed, ${MOST_LINKS} at most.`;
    };
    let limit: AppError | null = null;
    /** Asks again later, after all others. */
    const putOff = (error: unknown, [address, depth, limits = 0]: Frontier["queue"][number]): void => {
      if (!isLimit(error) || address === start) throw error;
      limit = error;
      if (limits + 1 === MOST_LIMITS)
        return take(address, depth, failedVisit(address, new AppError("unavailable", error.message)));
      queueLength += address.length;
      queue.push([address, depth, limits + 1]);
    };
    const until = access.now().getTime() + LONGEST_STRETCH_MS;
    const isTime = () => access.now().getTime() < until;
    for (let count = 0; count < TOGETHER && queue.length > 0 && pages < maximum && limit === null; count += 1) {
      if (count > 0 && !isTime()) break;
      const [address, depth, limits] = queue.shift() ?? ["", 0];
      queueLength -= address.length;
      await yieldTurn(access.signal);
      if (outcomes.has(address)) continue;
      const robots = await robotsOf(address);
      gap ??= robots.gap;
      const isStart = address === start;
      if (isStart) requireStart(robots.isAllowed(address), address, "its robots.txt does not let it be read");
      if (!robots.isAllowed(address)) continue;
      const visited = await look(address, robots.delayMs).catch((error: unknown) => {
        putOff(error, [address, depth, limits]);
        return null;
      });
      if (visited === null) break;
      const isRead = visited.reached !== null || visited.change?.kind === "upsert";
      if (isStart) requireStart(isRead, address, "it is not there, not open, or elsewhere");
      const { reached, canonical } = visited;
      const isElsewhere = reached !== null && reached !== address && seen.has(reached);
      if (reached !== null) seen.add(reached);
      // Another name of a page that is visited under its own.
      if (isElsewhere || (visited.change === null && !isStart)) continue;
      if (canonical !== null && robots.isAllowed(canonical)) {
        seen.add(canonical);
        // What a page says its address is has to be that of a page, and is read there: anybody may write it.
        if (!outcomes.has(canonical))
          take(
            canonical,
            depth,
            await look(canonical, robots.delayMs).catch((error: unknown) => {
              putOff(error, [canonical, depth]);
              return NOTHING;
            }),
          );
        if (outcomes.get(canonical)) {
          take(address, depth, { ...visited, change: null });
          continue;
        }
      }
      take(address, depth, visited);
    }
    const isOver = pages >= maximum || attempts >= maximum * ATTEMPTS_EACH;
    const isLast = queue.length === 0 || isOver;
    const kept: Frontier = { queue, seen: seen.all(), pages, attempts, gap };
    const cutShort =
      isOver && queue.length > 0
        ? `The crawl ended after ${pages} pages and ${attempts} requests; ${queue.length} addresses were left (maxPages).`
        : (gap ?? (isLast && pages === 0 ? NONE_WANTED : undefined));
    yield {
      kind: "listing",
      isFirst,
      isLast,
      items,
      checkpoint: isLast ? null : kept,
      ...(cutShort !== undefined && { cutShort }),
    };
    if (isLast) return;
    if (limit !== null) throw limit;
  }
}

/** Without its first page a crawl finds nothing, and all that it found before would count as gone. @throws AppError `not_found` */
function requireStart(isRead: boolean, address: string, why: string): void {
  if (!isRead) throw new AppError("not_found", `Nothing was crawled, since ${address} was not read: ${why}.`);
}

/** Where a crawl begins: the address that it was given, and what the site's maps name. */
async function begin(access: SourceAccess, robotsOf: (address: string) => Promise<Robots>): Promise<Frontier> {
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
  const wanted = [...new Set([start, ...mapped])];
  return { queue: wanted.map((one) => [one, 0]), seen: seenOf([], wanted).all(), pages: 0, attempts: 0, gap };
}

/** Addresses that were met, by what is left of their hashes. */
function seenOf(kept: readonly string[], addresses: readonly string[] = []) {
  const shortOf = (address: string): string => sha256(address).slice(0, 16);
  const seen = new Set([...kept, ...addresses.map(shortOf)]);
  return {
    has: (address: string) => seen.has(shortOf(address)),
    add: (address: string) => void seen.add(shortOf(address)),
    all: () => [...seen],
  };
}

interface SiteRules extends Robots {
  /** Why they are not known now, as a sentence; null where they are. */
  readonly gap: string | null;
}

/** The rules of sites. Of another than that of the start nothing is read where they cannot be had (RFC 9309 §2.3.1.4). */
function robotsReader(access: SourceAccess) {
  const parsed = new Map<string, SiteRules>();
  const home = new URL(startOf(access)).origin;
  return async (address: string): Promise<SiteRules> => {
    const { origin, host } = new URL(address);
    const known = parsed.get(origin);
    if (known) return known;
    let gap: string | null = null;
    const text = await readRobots(access, origin).catch((error: unknown) => {
      if (origin === home || !(error instanceof AppError)) throw error;
      // A host that is not there, or not open to callers, has no pages that could be missing.
      const isNone = error.kind === "not_found" || error.kind === "forbidden";
      if (!isNone) gap = `The robots.txt of ${host} could not be read, and so none of its pages.`;
      return NOTHING_ALLOWED;
    });
    const rules = { ...parseRobots(origin, text), gap };
    parsed.set(origin, rules);
    return rules;
  };
}

function startOf({ settings }: SourceAccess): string {
  const address = pageAddress(String(settings["startUrl"]));
  if (address === null) throw new AppError("invalid", "startUrl is no address of a page.");
  return address;
}

function territoryOf(access: SourceAccess): Territory {
  const { settings } = access;
  return {
    host: new URL(startOf(access)).host,
    isWithSubdomains: settings["subdomains"] === true,
    include: readPatterns(String(settings["include"] ?? "")),
    exclude: readPatterns(String(settings["exclude"] ?? "")),
  };
}
