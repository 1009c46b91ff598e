import { parsePathPattern, type PathPattern, pathParts } from "../../lib/path-pattern.js";
import { yieldTurn } from "../../lib/time.js";

/** Parameters that say where a visitor came from, and nothing of the page. */
const TRACKING = /^(utm_[a-z_]+|gclid|fbclid|msclkid|dclid|yclid|mc_cid|mc_eid|igshid|_ga|_gl)$/i;
const LONGEST = 2_048;
const ADDRESSES_OF_A_TURN = 50;

/** An address as a crawl knows it: without fragment and tracking parameters; null for what is no page of the web. */
export function pageAddress(text: string, base?: string): string | null {
  if (text.length > LONGEST || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  if (url.username !== "" || url.password !== "") return null;
  url.hash = "";
  const parameters = url.search === "" ? [] : [...url.searchParams];
  const kept = parameters.filter(([name]) => !TRACKING.test(name));
  if (kept.length < parameters.length) url.search = new URLSearchParams(kept).toString();
  return url.href;
}

export interface Territory {
  readonly host: string;
  readonly isWithSubdomains: boolean;
  /** Patterns of paths; with none, all are in. */
  readonly include: readonly PathPattern[];
  readonly exclude: readonly PathPattern[];
}

/** Patterns of paths, between commas. */
export function readPatterns(text: string): PathPattern[] {
  const patterns = text.split(",").filter((one) => one !== "");
  return patterns.map((pattern) => parsePathPattern(pattern.split("/").filter((part) => part !== "")));
}

/** Those of the addresses that the crawl may go to, with turns for others in between. */
export async function insideOf(addresses: readonly string[], territory: Territory): Promise<string[]> {
  const inside: string[] = [];
  for (const [at, address] of addresses.entries()) {
    if (at % ADDRESSES_OF_A_TURN === 0) await yieldTurn();
    if (isInTerritory(address, territory)) inside.push(address);
  }
  return inside;
}

/** True for an address that the crawl may go to. */
export function isInTerritory(address: string, { host, isWithSubdomains, include, exclude }: Territory): boolean {
  const url = new URL(address);
  const isAtHome = url.host === host || (isWithSubdomains && url.host.endsWith(`.${host}`));
  const parts = pathParts(url.pathname.split("/").filter((part) => part !== ""));
  const fits = (pattern: PathPattern) => pattern(parts);
  return isAtHome && (include.length === 0 || include.some(fits)) && !exclude.some(fits);
}

const LINK = /<a\s[^<>]{0,2000}?href\s{0,10}=\s{0,10}(?:"([^"<>]{1,2048})"|'([^'<>]{1,2048})'|([^\s"'<>]{1,2048}))/gi;
const TAG = /<(?:base|link)\s[^<>]{0,2000}>/gi;
const HREF = /href\s{0,10}=\s{0,10}["']?([^\s"'<>]{1,2048})/i;
/** Of one page. */
export const MOST_LINKS = 2_000;
/** Of one page: anchors that are looked at, good or not. */
const MOST_ANCHORS = 20_000;
const ANCHORS_OF_A_TURN = 200;
/** Characters at the beginning of a page in which its head is. */
const HEAD = 1_000_000;
const MOST_TAGS = 1_000;

export interface PageLinks {
  /** What the page says its address is, where it says so. */
  readonly canonical: string | null;
  readonly links: readonly string[];
  /** True: it has more links, or anchors that may be some. */
  readonly isCut: boolean;
}

/** The addresses that a page names. Its text is read elsewhere; here nothing has to be understood but links. */
export async function linksOf(html: string, address: string): Promise<PageLinks> {
  const tags = firstTags(html.slice(0, HEAD));
  const hrefOf = (kind: RegExp): string | undefined => HREF.exec(tags.find((tag) => kind.test(tag)) ?? "")?.[1];
  const base = pageAddress(unescaped(hrefOf(/^<base\s/i) ?? ""), address) ?? address;
  const canonical = hrefOf(/rel\s{0,10}=\s{0,10}["']?canonical["'\s>]/i);
  const links = new Set<string>();
  let anchors = 0;
  for (const match of html.matchAll(LINK)) {
    anchors += 1;
    if (anchors > MOST_ANCHORS || links.size === MOST_LINKS) break;
    if (anchors % ANCHORS_OF_A_TURN === 0) await yieldTurn();
    const link = pageAddress(unescaped(match[1] ?? match[2] ?? match[3] ?? ""), base);
    if (link !== null) links.add(link);
  }
  return {
    canonical: canonical === undefined ? null : pageAddress(unescaped(canonical), base),
    links: [...links],
    isCut: anchors > MOST_ANCHORS || links.size === MOST_LINKS,
  };
}

function firstTags(head: string): string[] {
  const tags: string[] = [];
  for (const [tag] of head.matchAll(TAG)) if (tags.push(tag) === MOST_TAGS) break;
  return tags;
}

function unescaped(text: string): string {
  return text.replaceAll("&amp;", "&").trim();
}
