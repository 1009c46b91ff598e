import * as z from "zod";
import { AppError } from "../../core/errors.js";
import type { SourceAccess, SourceAnswer, SourceChange, SourceContent } from "../../core/ports.js";
import { sha256 } from "../../lib/crypto.js";
import { isoOfHeader } from "../../lib/time.js";
import { insideOf, isInTerritory, linksOf, pageAddress, type PageLinks, type Territory } from "./page-address.js";

export const MOST_BYTES_OF_A_PAGE = 10 * 1024 * 1024;
/** Per page, in characters: they are stored with it. */
const LONGEST_LINKS = 60_000;
const NO_LINKS: PageLinks = { canonical: null, links: [], isCut: false };

const detailSchema = z.object({
  etag: z.string().optional(),
  links: z.array(z.string()),
  isCut: z.boolean().optional(),
});

/** The outcome of requesting an address. */
export interface PageVisit {
  readonly change: SourceChange | null;
  /** The address after redirects; null where no page was read. */
  readonly reached: string | null;
  /** Another address on the site that the page gives as its own; null for none. */
  readonly canonical: string | null;
  readonly links: readonly string[];
  /** True: it has more links than are followed. */
  readonly isCut: boolean;
}

export const NOTHING: PageVisit = { change: null, reached: null, canonical: null, links: [], isCut: false };

export interface VisitRules {
  readonly territory: Territory;
  readonly isStart: boolean;
  /** Whether the rules of its site allow reading an address. */
  readonly mayRead: (address: string) => Promise<boolean>;
}

/**
 * Requests a page, unless it is unchanged. A redirect that leads out of the territory, or to a disallowed address, yields no
 * page.
 */
export async function visit(
  access: SourceAccess,
  address: string,
  { territory, isStart, mayRead }: VisitRules,
): Promise<PageVisit> {
  const known = await access.known(address);
  const detail = detailSchema.safeParse(known?.detail).data;
  const ask = (headers: Readonly<Record<string, string>>) =>
    access.request({
      url: address,
      maximumBytes: MOST_BYTES_OF_A_PAGE,
      headers,
      accepts: [304, 400, 401, 403, 404, 405, 406, 410, 451],
    });
  let answer: SourceAnswer;
  try {
    answer = await ask({
      ...(detail?.etag !== undefined && { "if-none-match": detail.etag }),
    });
    // A redirect led to another page, to which these validators do not apply.
    if (answer.status === 304 && pageAddress(answer.url) !== address) answer = await ask({});
  } catch (error) {
    if (isStart) throw error;
    return failedVisit(address, error, detail && { ...detail, links: await insideOf(detail.links, territory) });
  }
  const page = { id: address, title: null, address, path: null };
  if (answer.status === 304 && known && detail)
    return {
      ...NOTHING,
      // The exclusions may have changed since.
      links: await insideOf(detail.links, territory),
      isCut: detail.isCut === true,
      change: { kind: "upsert", item: { ...page, version: known.version, detail } },
    };
  if (answer.status === 404 || answer.status === 410) return { ...NOTHING, change: { kind: "remove", id: address } };
  const reached = pageAddress(answer.url);
  const content = answer.status === 200 && reached !== null ? pageContentOf(answer, reached) : null;
  const isWanted = reached !== null && isInTerritory(reached, territory);
  // A crawl may begin at a page that only serves for its links.
  const isBeginning = isStart && reached !== null && isInTerritory(reached, { ...territory, include: [], exclude: [] });
  if (content === null || reached === null || !(isWanted || isBeginning)) return NOTHING;
  if (reached !== address && !(await mayRead(reached))) return NOTHING;
  const described = await describeReadPage(answer, { asked: address, reached, content, territory });
  const { links, isCut = false } = described.detail;
  const item = { ...page, id: reached, address: reached, version: described.version, detail: described.detail };
  const change = isWanted ? ({ kind: "upsert", item, content } as const) : null;
  return { change, reached, canonical: described.canonical, links, isCut };
}

interface ReadPage {
  readonly asked: string;
  readonly reached: string;
  readonly content: SourceContent;
  readonly territory: Territory;
}

/** What is stored about a page that was read, so that it is read again only when it has changed. */
export async function describeReadPage(
  answer: SourceAnswer,
  { asked, reached, content, territory }: ReadPage,
): Promise<{ version: string; detail: z.output<typeof detailSchema>; canonical: string | null }> {
  const found = content.mimeType === "text/html" ? await linksOf(textOf(answer), reached) : NO_LINKS;
  const isOther = found.canonical !== null && found.canonical !== reached && isInTerritory(found.canonical, territory);
  const canonical = isOther && new URL(found.canonical).host === new URL(reached).host ? found.canonical : null;
  const { etag } = answer.headers;
  const inside = await insideOf(found.links, territory);
  const links = firstOf(inside, LONGEST_LINKS);
  const isCut = found.isCut || links.length < inside.length;
  // What was requested under another address will be requested under its own next time.
  const validators = reached === asked ? { ...(etag && { etag }) } : {};
  return { version: sha256(answer.bytes), detail: { ...validators, links, ...(isCut && { isCut }) }, canonical };
}

/** The first ones, up to this many characters in total. */
function firstOf(links: readonly string[], most: number): string[] {
  let length = 0;
  return links.filter((link) => (length += link.length + 3) <= most);
}

/** A broken page fails by itself: it is noted and requested again, and keeps its former links. */
export function failedVisit(
  address: string,
  error: unknown,
  detail: z.output<typeof detailSchema> = { links: [] },
): PageVisit {
  // It leads to a network that callers may not reach.
  if (error instanceof AppError && error.kind === "forbidden") return NOTHING;
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

export function pageContentOf(answer: SourceAnswer, address: string): SourceContent | null {
  const [type = ""] = (answer.headers["content-type"] ?? "text/html").split(";");
  const mimeType = type.trim().toLowerCase();
  if (!READ.test(mimeType) || answer.bytes.byteLength === 0) return null;
  const isPage = mimeType === "text/html" || mimeType === "application/xhtml+xml";
  const name = new URL(address).pathname.split("/").at(-1) ?? "";
  return {
    content: answer.bytes,
    mimeType: isPage ? "text/html" : mimeType,
    fileName: name === "" ? "index.html" : name.slice(-200),
    type: null,
    title: null,
    changedAt: isPage ? null : isoOfHeader(answer.headers["last-modified"]),
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
