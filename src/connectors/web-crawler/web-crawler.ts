import * as z from "zod";
import { ItemGone, ItemSkipped, readCheckpoint } from "../../core/connections/connector-errors.js";
import { AppError } from "../../core/errors.js";
import type {
  ChangePage,
  Connector,
  SourceAccess,
  SourceAnswer,
  SourceChange,
  SourceContent,
} from "../../core/ports.js";
import { sha256 } from "../../lib/crypto.js";
import { sleep } from "../../lib/time.js";
import { isInTerritory, linksOf, MOST_LINKS, pageAddress, type Territory } from "./page-address.js";
import { parseRobots, readRobots, readSitemaps, type Robots } from "./robots.js";

/** Pages that are asked for between two checkpoints. */
const TOGETHER = 10;
const MOST_PAGES = 10_000;
/** Addresses that wait; a crawl asks for three times as many pages at most. */
const MOST_QUEUED = 10_000;
const NONE_WANTED = "No page that was found is among those that include and exclude leave.";
/** Of one page, in characters: they are kept with it. */
const LONGEST_LINKS = 60_000;
const USUAL_PAGES = 500;
const USUAL_DEPTH = 10;
/** Requests for each page that is brought in, at most. */
const ATTEMPTS_EACH = 3;
/** Query strings of one path; calendars and filters have no end. */
const QUERIES_OF_A_PATH = 50;
const MOST_BYTES = 10 * 1024 * 1024;
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
  queue: z.array(z.tuple([z.string(), z.number()])),
  /** Of addresses that were queued, and that pages said they have: short, since there are many. */
  seen: z.array(z.string()),
  pages: z.number(),
  attempts: z.number(),
  /** Why pages may be missing that are there, as a sentence. */
  gap: z.string().nullable().default(null),
});
type Frontier = z.output<typeof checkpointSchema>;

const detailSchema = z.object({
  etag: z.string().optional(),
  modified: z.string().optional(),
  links: z.array(z.string()),
  isCut: z.boolean().optional(),
});

/** The pages of a site, breadth first from one of them; read one at a time, as its robots.txt allows. */
export function createWebCrawlerConnector(): Connector {
  return {
    provider: "web-crawler",
    title: "Website",
    signIn: { kind: "none" },
    fields: fieldsSchema,
    secretFields: [],
    sync: { everyMinutes: WEEK_MINUTES, absences: 2, readsAtOnce: 1 },
    async check(access) {
      const address = startOf(access);
      const robots = parseRobots(new URL(address).origin, await readRobots(access, new URL(address).origin));
      if (!robots.isAllowed(address))
        throw new AppError("forbidden", `The robots.txt of ${new URL(address).host} does not let ${address} be read.`);
      await access.request({ url: address, maximumBytes: MOST_BYTES });
      return { account: null };
    },
    changes: (access, checkpoint) =>
      crawl(access, checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint)),
    async read(access, { id }) {
      const answer = await access.request({ url: id, maximumBytes: MOST_BYTES, accepts: [404, 410] });
      if (answer.status !== 200) throw new ItemGone();
      const content = contentOf(answer, id);
      if (content === null) throw new ItemSkipped("It is neither a page nor a document.");
      return content;
    },
  };
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
  const add = (address: string, depth: number): void => {
    if (seen.has(address) || depth > Number(access.settings["maxDepth"]) || !isInTerritory(address, territory)) return;
    const { origin, pathname, search } = new URL(address);
    const count = (queries.get(origin + pathname) ?? 0) + (search === "" ? 0 : 1);
    if (count > QUERIES_OF_A_PATH) return;
    if (queue.length >= MOST_QUEUED) {
      gap ??= `More than ${MOST_QUEUED} addresses waited to be crawled; those beyond were left out.`;
      return;
    }
    queries.set(origin + pathname, count);
    seen.add(address);
    queue.push([address, depth]);
  };
  /** Of addresses that were asked for: whether a page answers there. */
  const outcomes = new Map<string, boolean>();
  const look = async (address: string, delayMs: number): Promise<Visit> => {
    if (delayMs > 0) await sleep(delayMs, { signal: access.signal });
    attempts += 1;
    const visited = await visit(access, address, { territory, isStart: address === start });
    outcomes.set(address, visited.change?.kind === "upsert");
    return visited;
  };
  for (let isFirst = from === null; ; isFirst = false) {
    const items: SourceChange[] = [];
    const take = (address: string, depth: number, { change, links, isCut }: Visit): void => {
      if (change !== null) items.push(change);
      if (change?.kind === "upsert") pages += 1;
      for (const link of links) add(link, depth + 1);
      if (isCut) gap ??= `Of ${address.slice(0, 200)} only the first ${MOST_LINKS} links were followed.`;
    };
    for (let count = 0; count < TOGETHER && queue.length > 0 && pages < maximum; count += 1) {
      const [address, depth] = queue.shift() ?? ["", 0];
      if (outcomes.has(address)) continue;
      const robots = await robotsOf(address);
      const isStart = address === start;
      if (isStart) requireStart(robots.isAllowed(address), address, "its robots.txt does not let it be read");
      if (!robots.isAllowed(address)) continue;
      const visited = await look(address, robots.delayMs);
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
        if (!outcomes.has(canonical)) take(canonical, depth, await look(canonical, robots.delayMs));
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
  const isOfSite = (address: string) => URL.canParse(address) && new URL(address).host === territory.host;
  const { pages: mapped, gap } = await readSitemaps(access, sitemaps, isOfSite);
  const places = mapped.flatMap((one) => pageAddress(one) ?? []).filter((one) => isInTerritory(one, territory));
  const all = new Set([start, ...places]);
  const wanted = [...all].slice(0, MOST_QUEUED);
  return {
    queue: wanted.map((one) => [one, 0]),
    seen: seenOf([], wanted).all(),
    pages: 0,
    attempts: 0,
    gap: wanted.length < all.size ? `The maps of the site name more than ${MOST_QUEUED} pages.` : gap,
  };
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

function robotsReader(access: SourceAccess) {
  const parsed = new Map<string, Robots>();
  return async (address: string): Promise<Robots> => {
    const { origin } = new URL(address);
    const known = parsed.get(origin);
    if (known) return known;
    const robots = parseRobots(origin, await readRobots(access, origin));
    parsed.set(origin, robots);
    return robots;
  };
}

interface Visit {
  readonly change: SourceChange | null;
  /** Where redirects have led to; null where no page was read. */
  readonly reached: string | null;
  /** Another address of the site that the page says is its own; null for none. */
  readonly canonical: string | null;
  readonly links: readonly string[];
  /** True: it has more links than are followed. */
  readonly isCut: boolean;
}

const NOTHING: Visit = { change: null, reached: null, canonical: null, links: [], isCut: false };

async function visit(
  access: SourceAccess,
  address: string,
  { territory, isStart }: { readonly territory: Territory; readonly isStart: boolean },
): Promise<Visit> {
  const known = await access.known(address);
  const detail = detailSchema.safeParse(known?.detail).data;
  const ask = (headers: Readonly<Record<string, string>>) =>
    access.request({
      url: address,
      maximumBytes: MOST_BYTES,
      headers,
      accepts: [304, 400, 401, 403, 404, 405, 406, 410, 451],
    });
  let answer: SourceAnswer;
  try {
    answer = await ask({
      ...(detail?.etag !== undefined && { "if-none-match": detail.etag }),
      ...(detail?.modified !== undefined && { "if-modified-since": detail.modified }),
    });
    // A redirect has led to another page, of which these say nothing.
    if (answer.status === 304 && pageAddress(answer.url) !== address) answer = await ask({});
  } catch (error) {
    if (isStart) throw error;
    return failedVisit(address, error, detail);
  }
  const page = { id: address, title: null, address, path: null };
  if (answer.status === 304 && known && detail)
    return {
      ...NOTHING,
      links: detail.links,
      isCut: detail.isCut === true,
      change: { kind: "upsert", item: { ...page, version: known.version, detail } },
    };
  if (answer.status === 404 || answer.status === 410) return { ...NOTHING, change: { kind: "remove", id: address } };
  const reached = pageAddress(answer.url);
  const content = answer.status === 200 && reached !== null ? contentOf(answer, reached) : null;
  const isWanted = reached !== null && isInTerritory(reached, territory);
  // A crawl may begin at a page that is only there for its links.
  const isBeginning = isStart && reached !== null && isInTerritory(reached, { ...territory, include: [], exclude: [] });
  if (content === null || reached === null || !(isWanted || isBeginning)) return NOTHING;
  const found = content.mimeType === "text/html" ? linksOf(textOf(answer), reached) : { canonical: null, links: [] };
  const isOther = found.canonical !== null && found.canonical !== reached && isInTerritory(found.canonical, territory);
  const canonical = isOther && new URL(found.canonical).host === new URL(reached).host ? found.canonical : null;
  const { etag, "last-modified": modified } = answer.headers;
  const inside = found.links.filter((link) => isInTerritory(link, territory));
  const links = firstOf(inside, LONGEST_LINKS);
  const isCut = found.links.length >= MOST_LINKS || links.length < inside.length;
  // What was asked for under another address is asked for under its own the next time.
  const validators = reached === address ? { ...(etag && { etag }), ...(modified && { modified }) } : {};
  const item = {
    ...page,
    id: reached,
    address: reached,
    version: sha256(answer.bytes),
    detail: { ...validators, links, ...(isCut && { isCut }) },
  };
  return { change: isWanted ? { kind: "upsert", item, content } : null, reached, canonical, links, isCut };
}

/** As many as have so many characters together. */
function firstOf(links: readonly string[], most: number): string[] {
  let length = 0;
  return links.filter((link) => (length += link.length + 3) <= most);
}

/** A page that is out of order fails alone: it is noted, and asked for again; its links are those that it had. */
function failedVisit(address: string, error: unknown, detail: z.output<typeof detailSchema> = { links: [] }): Visit {
  const isOfPage =
    error instanceof AppError && ["unavailable", "too_large", "invalid", "not_found"].includes(error.kind);
  if (!isOfPage) throw error;
  const version = `unread ${error.message}`;
  return {
    ...NOTHING,
    links: detail.links,
    change: { kind: "upsert", item: { id: address, version, title: null, address, path: null, detail } },
  };
}

const READ =
  /^(text\/(html|plain|markdown|x-markdown|csv)|application\/(xhtml\+xml|pdf|msword|rtf|epub\+zip|vnd\.(openxmlformats|oasis)[\w.+-]*))$/;

function contentOf(answer: SourceAnswer, address: string): SourceContent | null {
  const [type = ""] = (answer.headers["content-type"] ?? "text/html").split(";");
  const mimeType = type.trim().toLowerCase();
  if (!READ.test(mimeType) || answer.bytes.byteLength === 0) return null;
  const isPage = mimeType === "text/html" || mimeType === "application/xhtml+xml";
  const name = new URL(address).pathname.split("/").at(-1) ?? "";
  const modified = Date.parse(answer.headers["last-modified"] ?? "");
  return {
    content: answer.bytes,
    mimeType: isPage ? "text/html" : mimeType,
    fileName: name === "" ? "index.html" : name.slice(-200),
    type: null,
    title: null,
    changedAt: isPage || Number.isNaN(modified) ? null : new Date(modified).toISOString(),
    metadata: { url: address },
  };
}

function textOf({ bytes, headers }: SourceAnswer): string {
  const charset = /charset\s{0,5}=\s{0,5}"?([\w-]{1,40})/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("latin1");
  }
}

function startOf({ settings }: SourceAccess): string {
  const address = pageAddress(String(settings["startUrl"]));
  if (address === null) throw new AppError("invalid", "startUrl is no address of a page.");
  return address;
}

function territoryOf(access: SourceAccess): Territory {
  const { settings } = access;
  const list = (name: string) =>
    String(settings[name] ?? "")
      .split(",")
      .filter((one) => one !== "");
  return {
    host: new URL(startOf(access)).host,
    isWithSubdomains: settings["subdomains"] === true,
    include: list("include"),
    exclude: list("exclude"),
  };
}
