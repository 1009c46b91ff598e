import type { PageDocument, PageElement } from "./page-dom.js";

/** Minimum length of a meaningful post, in letters. */
const SHORTEST_POST = 80;
/** Number of initial letters by which a post is found in the article. */
const BEGINNING = 60;
/** Nested text is examined repeatedly; a page of posts needs far less than this. */
const MOST_CHARACTERS = 10_000_000;
const ASIDE = "nav,header,footer,aside,form";

/**
 * The element that holds the posts of a page, such as a forum thread, when its article contains some of them but not others: the
 * posts are then equally important, and none represents the page. Null for other pages.
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

/** Children of the same kind, by element and class, each with meaningful text. */
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

/** Teasers for other pages consist mostly of link text. */
function isLinks(post: PageElement): boolean {
  let linked = 0;
  for (const link of post.querySelectorAll("a")) linked += lettersOf(link.textContent ?? "").length;
  return linked * 2 > lettersOf(post.textContent ?? "").length;
}

/** The beginning of the longest paragraph: names and dates before it are often left out of an article. */
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
