import { createRequire } from "node:module";
import { AppError } from "../../core/errors.js";
import type { SourceAccess } from "../../core/ports.js";
import { yieldTurn } from "../../lib/time.js";

interface RobotsRules {
  isAllowed(address: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}
/** What the package exports is a function, whatever its types say. */
const robotsParser: (url: string, text: string) => RobotsRules = createRequire(import.meta.url)("robots-parser");

const MOST_BYTES = 512 * 1024;
/** The name that rules of a site may address. */
const AGENT = "Recollect";
/** Seconds; a site that wants longer pauses is read at this pace all the same, or never. */
const LONGEST_DELAY = 10;
const MOST_SITEMAP_BYTES = 10 * 1024 * 1024;
const MOST_SITEMAPS = 20;
/** Of one map (sitemaps.org). */
const MOST_PLACES = 50_000;
const PLACES_OF_A_TURN = 1_000;
/** Characters at the end of a map, in which it is closed. */
const TAIL = 10_000;
/** Answers of a site that has no such file, or none for us. */
const ABSENT = [400, 401, 403, 404, 405, 406, 410];

/** Of rules with wildcards, which take time with each character of an address. */
const MOST_PATTERN_CHARACTERS = 20_000;

/** Rules that let nothing be read. */
export const NOTHING_ALLOWED = "User-agent: *\nDisallow: /";

/** What a site asks of crawlers (RFC 9309). */
export interface Robots {
  isAllowed(address: string): boolean;
  /** Milliseconds between two requests. */
  readonly delayMs: number;
  readonly sitemaps: readonly string[];
}

/** @returns the text of a site's rules; empty where it has none @throws AppError `unavailable` where it cannot be had */
export async function readRobots({ request }: SourceAccess, origin: string): Promise<string> {
  const answer = await request({
    url: `${origin}/robots.txt`,
    maximumBytes: MOST_BYTES,
    accepts: ABSENT,
  });
  return answer.status === 200 ? Buffer.from(answer.bytes).toString("utf8") : "";
}

/** Rules that would take too long to heed let nothing be read. */
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
  /** Why it may name fewer pages than there are, as a sentence; null where it is whole. */
  readonly gap: string | null;
}

/** Addresses of pages that the maps of a site name, of nested maps too. A map that is not there names none. */
export async function readSitemaps(
  access: SourceAccess,
  sitemaps: readonly string[],
  mayAsk: (address: string) => boolean,
): Promise<SiteMap> {
  const pages = new Set<string>();
  const asked = new Set<string>();
  let waiting = sitemaps.filter(mayAsk);
  let gap: string | null = null;
  while (waiting.length > 0) {
    const [url = "", ...others] = waiting;
    waiting = others;
    if (asked.has(url)) continue;
    if (asked.size >= MOST_SITEMAPS)
      return { pages: [...pages], gap: `Only ${MOST_SITEMAPS} maps of the site were read.` };
    asked.add(url);
    const text = await readText(access, url);
    const kind = /<(urlset|sitemapindex)[\s>]/i.exec(text ?? "")?.[1];
    const isWhole = kind === undefined || text?.slice(-TAIL).toLowerCase().includes(`</${kind.toLowerCase()}>`);
    if (text === null || isWhole !== true) gap = `The map ${url.slice(0, 200)} of the site was not read to its end.`;
    const places = await placesIn(text ?? "");
    // One that is asked for is enough of an index: the others are beyond what is read.
    if (kind?.toLowerCase() === "sitemapindex")
      waiting = [...waiting, ...places.filter(mayAsk).slice(0, MOST_SITEMAPS + 1)];
    else for (const place of places) pages.add(place);
  }
  return { pages: [...pages], gap };
}

/** The first of the places that a map names, with turns for others in between. */
async function placesIn(text: string): Promise<string[]> {
  const places: string[] = [];
  for (const [, place = ""] of text.matchAll(PLACE)) {
    places.push(place.replaceAll("&amp;", "&"));
    if (places.length === MOST_PLACES) break;
    if (places.length % PLACES_OF_A_TURN === 0) await yieldTurn();
  }
  return places;
}

/** @returns null for one that is there and cannot be read now */
async function readText({ request }: SourceAccess, url: string): Promise<string | null> {
  try {
    const { status, bytes } = await request({ url, maximumBytes: MOST_SITEMAP_BYTES, accepts: ABSENT });
    return status === 200 ? Buffer.from(bytes).toString("utf8") : "";
  } catch (error) {
    if (error instanceof AppError && error.kind !== "rate_limited") return null;
    throw error;
  }
}
