import type { PageDocument, PageElement } from "./page-dom.js";

/** Letters of a post that says something. */
const SHORTEST_POST = 80;
/** Letters of its beginning by which it is found again. */
const BEGINNING = 60;
/** Text in text is looked at again and again; what a page of posts needs is far less. */
const MOST_CHARACTERS = 10_000_000;
const ASIDE = "nav,header,footer,aside,form";

/**
 * What holds the posts of a page, such as a thread of a forum, when some are in its article and others are missing: they
 * are of equal weight then, and none speaks for the page. Null for other pages.
 */
export function missedPosts(document: PageDocument, article: string): PageElement | null {
  const found = lettersOf(article);
  const has = (post: PageElement): boolean => found.includes(beginningOf(post));
  let looked = 0;
  for (const parent of document.querySelectorAll("main,section,article,div,ol,ul,tbody,body")) {
    looked += parent.textContent?.length ?? 0;
    if (looked > MOST_CHARACTERS) return null;
    const posts = postsIn(parent);
    if (posts.length > 1 && posts.some(has) && !posts.every(has)) return parent;
  }
  return null;
}

/** Children of the same kind, by element and class, each with a text of its own. */
function postsIn(parent: PageElement): PageElement[] {
  const kinds = new Map<string, PageElement[]>();
  for (const child of parent.children) {
    const kind = kindOf(child);
    if (kind !== null) kinds.set(kind, [...(kinds.get(kind) ?? []), child]);
  }
  const largest = [...kinds.values()].reduce<PageElement[]>(
    (one, other) => (other.length > one.length ? other : one),
    [],
  );
  if (largest.length < 2 || parent.closest(ASIDE)) return [];
  return largest.filter((post) => lettersOf(post.textContent ?? "").length >= SHORTEST_POST && !isLinks(post));
}

function kindOf(element: PageElement): string | null {
  if (!/^(?:ARTICLE|SECTION|DIV|LI|TR|TABLE)$/.test(element.tagName)) return null;
  const name = (element.getAttribute("class") ?? "").trim().split(/\s+/)[0] ?? "";
  return name === "" && element.tagName !== "ARTICLE" ? null : `${element.tagName} ${name}`;
}

/** Teasers of other pages are mostly words of links. */
function isLinks(post: PageElement): boolean {
  let linked = 0;
  for (const link of post.querySelectorAll("a")) linked += lettersOf(link.textContent ?? "").length;
  return linked * 2 > lettersOf(post.textContent ?? "").length;
}

/** The beginning of its longest paragraph: names and dates before it are often left out of an article. */
function beginningOf(post: PageElement): string {
  let longest = "";
  for (const paragraph of post.querySelectorAll("p")) {
    const letters = lettersOf(paragraph.textContent ?? "");
    if (letters.length > longest.length) longest = letters;
  }
  return (longest || lettersOf(post.textContent ?? "")).slice(0, BEGINNING);
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}
