import robots from "robots-parser";
import { AppError } from "../../core/errors.js";
import type { SourceAccess } from "../../core/ports.js";
import { yieldTurn } from "../../lib/time.js";

interface RobotsRules {
  isAllowed(address: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}
/** The package exports a function, whatever its types say. */
const robotsParser = robots as unknown as (url: string, text: string) => RobotsRules;

const MOST_BYTES = 512 * 1024;
/** The name by which a site's rules can address this crawler. */
const AGENT = "Recollect";
/** Seconds; a site that wants longer pauses is still read at this pace, or never. */
const LONGEST_DELAY = 10;
const MOST_SITEMAP_BYTES = 10 * 1024 * 1024;
const MOST_SITEMAPS = 20;
/** Per sitemap (sitemaps.org). */
const MOST_PLACES = 50_000;
const PLACES_OF_A_TURN = 200;
/** Characters at the end of a sitemap that contain its closing tag. */
const TAIL = 10_000;
/** Statuses of a site that has no such file, or none for us. */
const ABSENT = [400, 401, 403, 404, 405, 406, 410];

/** Of rules with wildcards, whose cost grows with every character of an address. */
const MOST_PATTERN_CHARACTERS = 20_000;

/** Rules that disallow everything. */
export const NOTHING_ALLOWED = "User-agent: *\nDisallow: /";

/** What a site asks of crawlers (RFC 9309). */
export interface Robots {
  isAllowed(address: string): boolean;
  /** Milliseconds between two requests. */
  readonly delayMs: number;
  readonly sitemaps: readonly string[];
}

/** @returns the text of a site's rules; empty where it has none @throws AppError `unavailable` where they cannot be fetched */
export async function readRobots({ request }: SourceAccess, origin: string): Promise<string> {
  const answer = await request({
    url: `${origin}/robots.txt`,
    maximumBytes: MOST_BYTES,
    accepts: ABSENT,
  });
  return answer.status === 200 ? Buffer.from(answer.bytes).toString("utf8") : "";
}

/** Rules that would take too long to apply disallow everything. */
export function parseRobots(origin: string, text: string): Robots {
  const patterns = text.split(/\r\n|\r|\n/).filter((line) => line.includes("*") && !/^\s{0,9}user-agent/i.test(line));
  const isTooMuch = patterns.reduce((sum, line) => sum + line.length, 0) > MOST_PATTERN_CHARACTERS;
  const rules = robotsParser(`${origin}/robots.txt`, isTooMuch ? NOTHING_ALLOWED : text);
  return {
    isAllowed: (address) => rules.isAllowed(address, AGENT) !== false,
    delayMs: Math.min(rules.getCrawlDelay(AGENT) ?? 0, LONGEST_DELAY) * 1_000,
    sitemaps: rules.getSitemaps().slice(0, MOST_SITEMAPS),
  };
}

const PLACE = /<loc>\s{0,100}([^<>\s]{1,2048})\s{0,100}<\/loc>/gi;

export interface SiteMap {
  readonly pages: readonly string[];
  /** Why it may list fewer pages than exist, as a sentence; null where it is complete. */
  readonly gap: string | null;
}

export interface SiteMapRules {
  readonly mayAsk: (map: string) => boolean;
  /** The canonical address of a page that a sitemap lists; null for one that is not wanted. */
  readonly pageAt: (text: string) => string | null;
  readonly most: number;
  /** Characters of all pages together. */
  readonly longest: number;
}

/** Page addresses from a site's sitemaps, including nested ones. A missing sitemap lists none. */
export async function readSitemaps(
  access: SourceAccess,
  sitemaps: readonly string[],
  { mayAsk, pageAt, most, longest }: SiteMapRules,
): Promise<SiteMap> {
  const pages = new Set<string>();
  const asked = new Set<string>();
  const waiting = sitemaps.filter(mayAsk);
  let length = 0;
  let gap: string | null = null;
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    if (asked.has(url)) continue;
    if (asked.size >= MOST_SITEMAPS) return { pages: [...pages], gap: `Only ${MOST_SITEMAPS} sitemaps were read.` };
    asked.add(url);
    const text = await readText(access, url);
    const kind = /<(urlset|sitemapindex)[\s>]/i.exec(text ?? "")?.[1]?.toLowerCase();
    const isWhole = kind === undefined || text?.slice(-TAIL).toLowerCase().includes(`</${kind}>`);
    if (text === null || isWhole !== true) gap = `The sitemap ${url.slice(0, 200)} was not read completely.`;
    for await (const place of placesIn(text ?? "")) {
      if (kind === "sitemapindex") {
        if (mayAsk(place)) waiting.push(place);
        // One entry beyond the limit is enough to note the gap; further ones are never read.
        if (waiting.length > MOST_SITEMAPS) break;
        continue;
      }
      const page = pageAt(place);
      if (page === null || pages.has(page)) continue;
      length += page.length;
      if (pages.size === most || length > longest)
        return { pages: [...pages], gap: "The sitemaps list more pages than are kept." };
      pages.add(page);
    }
  }
  return { pages: [...pages], gap };
}

/** The first places that a sitemap lists, giving other work turns in between. */
async function* placesIn(text: string): AsyncIterable<string> {
  let count = 0;
  for (const [, place = ""] of text.matchAll(PLACE)) {
    count += 1;
    if (count > MOST_PLACES) return;
    if (count % PLACES_OF_A_TURN === 0) await yieldTurn();
    yield place.replaceAll("&amp;", "&");
  }
}

/** @returns null for one that exists but cannot be read now */
async function readText({ request }: SourceAccess, url: string): Promise<string | null> {
  try {
    const { status, bytes } = await request({ url, maximumBytes: MOST_SITEMAP_BYTES, accepts: ABSENT });
    return status === 200 ? Buffer.from(bytes).toString("utf8") : "";
  } catch (error) {
    if (error instanceof AppError && error.kind !== "rate_limited") return null;
    throw error;
  }
}
