import { matchesPath } from "../../lib/path-pattern.js";

/** Parameters that say where a visitor came from, and nothing of the page. */
const TRACKING = /^(utm_[a-z_]+|gclid|fbclid|msclkid|dclid|yclid|mc_cid|mc_eid|igshid|_ga|_gl)$/i;
const LONGEST = 2_048;

/** An address as a crawl knows it: without fragment and tracking parameters; null for what is no page of the web. */
export function pageAddress(text: string, base?: string): string | null {
  if (text.length > LONGEST || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  if (url.username !== "" || url.password !== "") return null;
  url.hash = "";
  // The list is made first: what is deleted moves the keys of a live one.
  for (const name of Array.from(url.searchParams.keys())) if (TRACKING.test(name)) url.searchParams.delete(name);
  return url.href;
}

export interface Territory {
  readonly host: string;
  readonly isWithSubdomains: boolean;
  /** Patterns of paths; with none, all are in. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** True for an address that the crawl may go to. */
export function isInTerritory(address: string, { host, isWithSubdomains, include, exclude }: Territory): boolean {
  const url = new URL(address);
  const isAtHome = url.host === host || (isWithSubdomains && url.host.endsWith(`.${host}`));
  const parts = url.pathname.split("/").filter((part) => part !== "");
  const fits = (pattern: string) =>
    matchesPath(
      pattern.split("/").filter((part) => part !== ""),
      parts,
    );
  return isAtHome && (include.length === 0 || include.some(fits)) && !exclude.some(fits);
}

const LINK = /<a\s[^<>]{0,2000}?href\s{0,10}=\s{0,10}(?:"([^"<>]{1,2048})"|'([^'<>]{1,2048})'|([^\s"'<>]{1,2048}))/gi;
const TAG = /<(?:base|link)\s[^<>]{0,2000}>/gi;
const HREF = /href\s{0,10}=\s{0,10}["']?([^\s"'<>]{1,2048})/i;
/** Of one page. */
export const MOST_LINKS = 2_000;

export interface PageLinks {
  /** What the page says its address is, where it says so. */
  readonly canonical: string | null;
  readonly links: readonly string[];
}

/** The addresses that a page names. Its text is read elsewhere; here nothing has to be understood but links. */
export function linksOf(html: string, address: string): PageLinks {
  const tags = html.match(TAG) ?? [];
  const hrefOf = (kind: RegExp): string | undefined => HREF.exec(tags.find((tag) => kind.test(tag)) ?? "")?.[1];
  const base = pageAddress(unescaped(hrefOf(/^<base\s/i) ?? ""), address) ?? address;
  const canonical = hrefOf(/rel\s{0,10}=\s{0,10}["']?canonical["'\s>]/i);
  const links = new Set<string>();
  for (const match of html.matchAll(LINK)) {
    const link = pageAddress(unescaped(match[1] ?? match[2] ?? match[3] ?? ""), base);
    if (link !== null) links.add(link);
    if (links.size >= MOST_LINKS) break;
  }
  return { canonical: canonical === undefined ? null : pageAddress(unescaped(canonical), base), links: [...links] };
}

function unescaped(text: string): string {
  return text.replaceAll("&amp;", "&").trim();
}
