import type { FetchedFile, ToldOfFile } from "../../../core/ports.js";
import { parseIso } from "../../../lib/time.js";
import { askIfOpen, type AskPlace, type KnownPlace, fileText } from "./known-place.js";
import { readMeta } from "./read-meta.js";

const ARXIV = "https://arxiv.org";
const HOST = /^(?:www\.|export\.)?arxiv\.org$/;
const ABSTRACT = /^\/abs\/([\w.-]+(?:\/\d+)?(?:v\d+)?)$/;
/** Abstract pages have some 50 KB. */
const LARGEST_ABSTRACT = 2 * 1024 * 1024;
/** Papers of large collaborations have thousands of authors. */
const MOST_AUTHORS = 30;
const LONGEST_NAME = 100;
const ONLY_ABSTRACT = "The text of the paper was not available: only the page with its abstract was read.";

/** The text of the paper behind an abstract page: as HTML where available, otherwise as PDF. */
export const arxiv: KnownPlace = {
  find({ hostname, pathname }) {
    const [, paper] = HOST.test(hostname) ? (ABSTRACT.exec(pathname) ?? []) : [];
    return paper === undefined ? null : (ask) => fetchPaper(ask, paper);
  },
};

async function fetchPaper(ask: AskPlace, paper: string): Promise<FetchedFile | null> {
  // Shows whether the paper exists at all.
  const abstract = await ask(`${ARXIV}/abs/${paper}`, { maximumBytes: LARGEST_ABSTRACT });
  const told = describePaper(fileText(abstract));
  const text = (await fetchHtml(ask, paper)) ?? (await askIfOpen(ask, `${ARXIV}/pdf/${paper}`));
  return text ? { ...text, told } : { ...abstract, told: { ...told, notes: [ONLY_ABSTRACT] } };
}

async function fetchHtml(ask: AskPlace, paper: string): Promise<FetchedFile | null> {
  const page = await askIfOpen(ask, `${ARXIV}/html/${paper}`);
  return page?.mimeType === "text/html" ? page : null;
}

function describePaper(page: string): ToldOfFile {
  const meta = readMeta(page);
  const [title = null] = meta.get("citation_title") ?? [];
  const authors = (meta.get("citation_author") ?? []).map(nameOf).filter((name) => name !== "");
  const shown = authors.slice(0, MOST_AUTHORS);
  const more = authors.length - shown.length;
  return {
    title,
    author: shown.length === 0 ? null : [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", "),
    date: dateOf(meta.get("citation_online_date")?.[0] ?? meta.get("citation_date")?.[0] ?? ""),
  };
}

/** `Vaswani, Ashish` as people write it. */
function nameOf(name: string): string {
  const [last = "", ...first] = name.slice(0, LONGEST_NAME).split(",");
  return [...first, last]
    .map((part) => part.trim())
    .join(" ")
    .trim();
}

function dateOf(text: string): string | null {
  const date = /^\d{4}\/\d\d\/\d\d$/.test(text) ? text.replaceAll("/", "-") : "";
  return parseIso(date) === null ? null : date;
}
