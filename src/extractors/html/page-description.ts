import { givenTitle } from "../own-title.js";
import { saidDate } from "../said-date.js";
import { webAddress } from "./page-markdown.js";
import type { PageDocument } from "./page-dom.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** Metadata of a page; null where it has none. */
export interface PageDescription {
  readonly title: string | null;
  readonly author: string | null;
  readonly date: string | null;
  readonly url: string | null;
  readonly image: string | null;
}

const LONGEST = 500;

/** Reads the metadata in a page's head. @param base where it was fetched from */
export function describePage(document: PageDocument, base: string | null): PageDescription {
  const said = readMeta(document);
  const meta = (...names: readonly string[]): string | null => {
    for (const name of names)
      for (const attribute of NAMING) {
        const text = said.get(`${attribute} ${name.toLowerCase()}`);
        if (text !== undefined) return text;
      }
    return null;
  };
  const heading = textOf(document, "h1");
  return {
    title:
      givenTitle(meta("og:title", "twitter:title", "dc.title", "dcterms.title")) ??
      givenTitle(textOf(document, "title")) ??
      heading,
    author: nameOnly(meta("author", "article:author", "dc.creator", "dcterms.creator", "citation_author")),
    date: saidDate(
      meta(
        "article:published_time",
        "datePublished",
        "date",
        "dc.date",
        "dcterms.date",
        "dcterms.issued",
        "dcterms.created",
        "citation_publication_date",
        "article:modified_time",
      ),
    ),
    url:
      webAddress(document.querySelector('link[rel="canonical"]')?.getAttribute("href") ?? null, base) ??
      webAddress(meta("og:url"), base),
    image: webAddress(meta("og:image", "og:image:url", "twitter:image"), base),
  };
}

/** The attributes that name a metadata element, most reliable first. */
const NAMING = ["property", "name", "itemprop"];

/** Metadata by attribute and name, in lower case, since pages use either case. */
function readMeta(document: PageDocument): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const element of document.querySelectorAll("meta[content]")) {
    const text = singleSpaced(element.getAttribute("content") ?? "").slice(0, LONGEST);
    for (const attribute of NAMING) {
      const key = `${attribute} ${element.getAttribute(attribute)?.toLowerCase() ?? ""}`;
      if (text !== "" && !said.has(key)) said.set(key, text);
    }
  }
  return said;
}

/** Some pages give a profile address as the author's name. */
function nameOnly(author: string | null): string | null {
  return author === null || /^https?:/i.test(author) ? null : author;
}

function textOf(document: PageDocument, selector: string): string | null {
  const text = document.querySelector(selector)?.textContent ?? "";
  return singleSpaced(text).slice(0, LONGEST) || null;
}
