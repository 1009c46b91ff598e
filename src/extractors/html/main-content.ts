import { describePage, type PageDescription } from "./page-description.js";
import { saidDate } from "../said-date.js";
import { type PageDocument, parsePage, removeUnseen } from "./page-dom.js";
import { missedPosts } from "./posts.js";
import { forgetNamesOfCells } from "./page-tables.js";
import { documentToMarkdown, htmlToMarkdown, webAddress } from "./page-markdown.js";
import { type TamedHtml, tameHtml } from "./tame-html.js";
import { singleSpaced } from "../../lib/single-spaced.js";

export interface HtmlContent {
  readonly markdown: string;
  readonly description: PageDescription;
  /** True if no article was found, so that the whole page is used. */
  readonly isWhole: boolean;
}

/** Finding the article takes seconds on a page of this size; larger pages are read as a whole. */
const LARGEST_ARTICLE_PAGE = { nodes: 20_000, characters: 3_000_000 };
const LIMITS = { maximumDepth: 100, maximumElements: 100_000, maximumEntities: 50_000 };
/** A text below both of these limits is only a fragment of the page, not its article. */
const SMALLEST_SHARE = 0.25;
const SHORTEST_ARTICLE = 400;

const NOWHERE = "https://page.invalid/";

/** The article of a page as Markdown, with the page's metadata. @param url where it was fetched from */
export async function readHtmlPage(html: string, url: string | null): Promise<HtmlContent> {
  const tamed = tameHtml(html, LIMITS);
  const document = await parsePage(tamed.html);
  removeUnseen(document);
  const base = webAddress(document.querySelector("base")?.getAttribute("href") ?? null, url) ?? url;
  const described = describePage(document, base);
  const heading = singleSpaced(document.querySelector("h1")?.textContent ?? "");
  const article = isArticlePage(tamed) ? await findArticle(tamed.html, url, base) : null;
  const posts = article && missedPosts(document, article.markdown);
  const thread = posts && (await htmlToMarkdown(posts.outerHTML, base));
  const whole = documentToMarkdown(document, base);
  const main = thread ?? article?.markdown ?? "";
  const isArticle = speaksForPage(main, whole);
  return {
    markdown: isArticle ? withHeading(main, heading) : whole,
    description: {
      ...described,
      title: described.title ?? article?.title ?? null,
      author: described.author ?? article?.author ?? null,
      date: described.date ?? article?.date ?? null,
    },
    isWhole: !isArticle,
  };
}

/** All text of HTML that is not a web page, such as a chapter of a book: nothing in it surrounds an article. */
export async function readWholePage(html: string): Promise<string> {
  const document = await parsePage(tameHtml(html, LIMITS).html);
  removeUnseen(document);
  return documentToMarkdown(document, null);
}

function isArticlePage({ html, nodes }: TamedHtml): boolean {
  return nodes <= LARGEST_ARTICLE_PAGE.nodes && html.length <= LARGEST_ARTICLE_PAGE.characters;
}

interface Article {
  readonly markdown: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly date: string | null;
}

/** Null where the library fails on the page. */
async function findArticle(html: string, url: string | null, base: string | null): Promise<Article | null> {
  const { DefuddleClass } = await import("defuddle/node");
  const document: PageDocument = await parsePage(html);
  removeUnseen(document);
  forgetNamesOfCells(document);
  try {
    const options = {
      // The library complains without one.
      url: url ?? NOWHERE,
      // Nothing is fetched, even where content is missing.
      useAsync: false,
      // These mistake short lists for decoration.
      removeContentPatterns: false,
    };
    const found = new DefuddleClass(document as never, options).parse();
    // Without a base address, links stay as written.
    const content = url === null ? found.content.replaceAll(NOWHERE, "/") : found.content;
    const markdown = await htmlToMarkdown(tameHtml(content, LIMITS).html, base);
    const text = (value: string): string | null => singleSpaced(value).slice(0, 500) || null;
    return { markdown, title: text(found.title), author: text(found.author), date: saidDate(text(found.published)) };
  } catch {
    return null;
  }
}

function speaksForPage(article: string, whole: string): boolean {
  if (article.trim() === "") return false;
  return article.length >= SHORTEST_ARTICLE || article.length >= whole.length * SMALLEST_SHARE;
}

/** The library takes the heading as the title and removes it from the article; readers of a passage need it. */
function withHeading(markdown: string, heading: string): string {
  return heading === "" || markdown.includes(heading) ? markdown : `# ${heading}\n\n${markdown}`;
}
