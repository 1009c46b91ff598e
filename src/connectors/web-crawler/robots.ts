import { createRequire } from "node:module";
import { AppError } from "../../core/errors.js";
import type { SourceAccess } from "../../core/ports.js";

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
    accepts: [400, 401, 403, 404, 405, 406, 410],
  });
  return answer.status === 200 ? Buffer.from(answer.bytes).toString("utf8") : "";
}

export function parseRobots(origin: string, text: string): Robots {
  const rules = robotsParser(`${origin}/robots.txt`, text);
  return {
    isAllowed: (address) => rules.isAllowed(address, AGENT) !== false,
    delayMs: Math.min(rules.getCrawlDelay(AGENT) ?? 0, LONGEST_DELAY) * 1_000,
    sitemaps: rules.getSitemaps().slice(0, MOST_SITEMAPS),
  };
}

const PLACE = /<loc>\s{0,100}([^<>\s]{1,2048})\s{0,100}<\/loc>/gi;

/** Addresses of pages that the maps of a site name, of nested maps too; maps that cannot be read name none. */
export async function readSitemaps(
  access: SourceAccess,
  sitemaps: readonly string[],
  mayAsk: (address: string) => boolean,
): Promise<string[]> {
  const pages: string[] = [];
  const waiting = [...sitemaps];
  for (let count = 0; count < MOST_SITEMAPS && waiting.length > 0; count += 1) {
    const url = waiting.shift() ?? "";
    if (!mayAsk(url)) continue;
    const text = await readText(access, url);
    const places = [...text.matchAll(PLACE)].map((match) => (match[1] ?? "").replaceAll("&amp;", "&"));
    if (/<sitemapindex[\s>]/i.test(text)) waiting.push(...places);
    else pages.push(...places);
  }
  return pages;
}

async function readText({ request }: SourceAccess, url: string): Promise<string> {
  try {
    const { bytes } = await request({ url, maximumBytes: MOST_SITEMAP_BYTES });
    return Buffer.from(bytes).toString("utf8");
  } catch (error) {
    if (error instanceof AppError && error.kind !== "rate_limited") return "";
    throw error;
  }
}
