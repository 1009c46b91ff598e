import { parsePathPattern, type PathPattern, pathParts } from "../../lib/path-pattern.js";
import { yieldTurn } from "../../lib/time.js";

/** Parameters that say where a visitor came from, and nothing about the page. */
const TRACKING = /^(utm_[a-z_]+|gclid|fbclid|msclkid|dclid|yclid|mc_cid|mc_eid|igshid|_ga|_gl)$/i;
const LONGEST = 2_048;
const ADDRESSES_OF_A_TURN = 50;

/** An address in a crawl's canonical form, without fragment and tracking parameters; null for anything that is not a web page. */
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
  /** Path patterns; empty to include everything. */
  readonly include: readonly PathPattern[];
  readonly exclude: readonly PathPattern[];
}

/** Path patterns, separated by commas. */
export function readPatterns(text: string): PathPattern[] {
  const patterns = text.split(",").filter((one) => one !== "");
  return patterns.map((pattern) => parsePathPattern(pattern.split("/").filter((part) => part !== "")));
}

/** The addresses that the crawl may visit, giving other work turns in between. */
export async function insideOf(addresses: readonly string[], territory: Territory): Promise<string[]> {
  const inside: string[] = [];
  for (const [at, address] of addresses.entries()) {
    if (at % ADDRESSES_OF_A_TURN === 0) await yieldTurn();
    if (isInTerritory(address, territory)) inside.push(address);
  }
  return inside;
}

/** True for an address that the crawl may visit. */
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
/** Per page. */
export const MOST_LINKS = 2_000;
/** Per page: anchors examined, valid or not. */
const MOST_ANCHORS = 20_000;
const ANCHORS_OF_A_TURN = 200;
/** Characters at the start of a page that contain its head. */
const HEAD = 1_000_000;
const MOST_TAGS = 1_000;

export interface PageLinks {
  /** The address that the page gives as its own, if any. */
  readonly canonical: string | null;
  readonly links: readonly string[];
  /** True: it has more links, or anchors that may be links. */
  readonly isCut: boolean;
}

/** The addresses in a page. Its text is read elsewhere; only links matter here. */
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
