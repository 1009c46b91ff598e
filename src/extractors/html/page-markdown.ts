import TurndownService from "turndown";
import { type PageDocument, type PageElement, parsePage } from "./page-dom.js";
import { prepareTables } from "./page-tables.js";
import { addTableRules, blankCell } from "./table-rules.js";
import { singleSpaced } from "../../lib/single-spaced.js";

const LONGEST_LINK = 1_000;

/**
 * The Markdown of a page, or of a part of one: headings, lists, tables, fenced code, links with absolute addresses. Pictures are
 * replaced by their alternative text.
 * @param html already sanitised
 * @param base the base of relative addresses
 */
export async function htmlToMarkdown(html: string, base: string | null): Promise<string> {
  return documentToMarkdown(await parsePage(html), base);
}

/** The same for a document, which is modified. */
export function documentToMarkdown(document: PageDocument, base: string | null): string {
  const { body } = document;
  if (!body) return "";
  prepareTables(document);
  for (const line of body.querySelectorAll("pre br")) line.replaceWith("\n");
  const text = createConverter(base).turndown(body as never);
  return text.replace(/\n{3,}/g, "\n\n").trim();
}

function createConverter(base: string | null): TurndownService {
  const converter = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    blankReplacement: (_content, node) => blankText(node),
  });
  converter.addRule("picture", {
    filter: "img",
    replacement: (_content, node) => singleSpaced(node.getAttribute("alt") ?? ""),
  });
  converter.addRule("link", {
    filter: "a",
    replacement: (content, node) => link(content, node.getAttribute("href"), base),
  });
  const counts = new Map<PageElement, number>();
  converter.addRule("item", { filter: "li", replacement: (content, node) => listItem(content, node, counts) });
  converter.addRule("code", { filter: "pre", replacement: (_content, node) => fenced(node) });
  addTableRules(converter);
  return converter;
}

function blankText(node: { readonly nodeName: string }): string {
  const isInline = /^(A|B|I|EM|STRONG|SPAN|CODE|SUP|SUB|SMALL|ABBR|TIME)$/.test(node.nodeName);
  return blankCell(node) ?? (isInline ? " " : "\n\n");
}

/** Lines after the first are indented to align with its text. Items arrive in order, so that `counts` yields their numbers. */
function listItem(content: string, node: PageElement, counts: Map<PageElement, number>): string {
  const marker = markerOf(node, counts);
  const text = content.trim().replaceAll("\n", `\n${" ".repeat(marker.length)}`);
  return `${marker}${text}${node.nextElementSibling ? "\n" : ""}`;
}

function markerOf({ parentElement: list }: PageElement, counts: Map<PageElement, number>): string {
  if (list?.tagName !== "OL") return "- ";
  const start = Number(list.getAttribute("start") ?? 1);
  const number = counts.get(list) ?? (Number.isInteger(start) ? start : 1);
  counts.set(list, number + 1);
  return `${number}. `;
}

function link(content: string, href: string | null, base: string | null): string {
  const text = content.trim();
  const address = webAddress(href, base);
  if (text === "" || address === null || text.includes("\n")) return content;
  return address === text ? text : `[${text}](${address})`;
}

/** An absolute web address, or null for what is no link to the web: scripts, data, places on the page. */
export function webAddress(href: string | null, base: string | null): string | null {
  const text = href?.trim() ?? "";
  if (text === "" || text.startsWith("#") || text.length > LONGEST_LINK || !URL.canParse(text, base ?? undefined))
    return null;
  const url = new URL(text, base ?? undefined);
  if (url.username !== "" || url.password !== "") return null;
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb ? url.href.replaceAll("(", "%28").replaceAll(")", "%29") : null;
}

const LANGUAGE = /(?:^|\s)(?:lang|language|highlight-source|brush:)[-:]?\s?([\w+#-]{1,30})/i;

function fenced(node: PageElement): string {
  const code = node.querySelector("code");
  const text = (node.textContent ?? "").replace(/^\n/, "").trimEnd();
  if (text.trim() === "") return "";
  const classes = `${code?.getAttribute("class") ?? ""} ${node.getAttribute("class") ?? ""}`.slice(0, 500);
  const language = code?.getAttribute("data-lang") ?? LANGUAGE.exec(classes)?.[1] ?? "";
  const ticks = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(ticks + 1);
  return `\n\n${fence}${/^[\w+#-]{1,30}$/.test(language) ? language : ""}\n${text}\n${fence}\n\n`;
}
