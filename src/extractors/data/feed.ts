import type { ExtractedContent } from "../../core/documents/content-ports.js";
import { GatheredParts } from "../gathered-parts.js";
import type { ExtractionTools } from "../format-extractor.js";
import { readHtml } from "../read-html.js";
import { saidDate } from "../said-date.js";
import { elementsOf, type XmlElement } from "../xml-events.js";
import { flowingText } from "./xml-data.js";

/** RSS of any version, or Atom. */
export function isFeed({ name, children }: XmlElement): boolean {
  const has = (wanted: string) => children.some((child) => typeof child === "object" && child.name === wanted);
  return (name === "rss" && has("channel")) || (name === "RDF" && has("item")) || (name === "feed" && has("entry"));
}

const BODY = new Set(["encoded", "content", "description", "summary"]);
const DATES = ["published", "pubDate", "date", "updated", "modified", "lastBuildDate"];
const TOLD = new Set(["title", "link", ...DATES]);

/** Reads the entries of a feed with title, date, link and text. @throws ExtractionError `empty` */
export async function extractFeed(root: XmlElement, tools: ExtractionTools): Promise<ExtractedContent> {
  const gathered = new GatheredParts(tools.limits);
  const channel = elementsOf(root, "channel")[0] ?? root;
  const entries = [...elementsOf(channel, "item"), ...elementsOf(root, "item"), ...elementsOf(channel, "entry")];
  const about = channel.children.filter(
    (child) => typeof child === "string" || (child.name !== "item" && child.name !== "entry"),
  );
  const head = { ...channel, children: about };
  gathered.add(await describe(head, "#"));
  const read = entries.slice(0, tools.limits.maximumEntries);
  if (read.length < entries.length) gathered.note(`Only the first ${read.length} entries were read.`);
  for (const [index, entry] of read.entries()) {
    tools.report({ unit: "entry", done: index, total: read.length });
    if (!gathered.add(await describe(entry, "##"), { entry: index + 1 })) break;
  }
  const link = linkOf(head);
  const isAddress = link !== null && /^https?:\/\//i.test(link);
  return gathered.content("text", {
    isByStranger: true,
    title: textIn(head, ["title"]),
    date: dateOf(head),
    url: isAddress ? link : null,
  });
}

async function describe(entry: XmlElement, mark: string): Promise<string> {
  const title = textIn(entry, ["title"]) ?? "";
  const line = [dateOf(entry) ?? textIn(entry, DATES), linkOf(entry)].filter((one) => one !== null).join(" · ");
  const bodies: string[] = [];
  const others: string[] = [];
  for (const child of elementsOf(entry)) {
    if (BODY.has(child.name)) bodies.push(await bodyOf(child));
    else if (!TOLD.has(child.name)) {
      const value = flowingText({ name: "", attributes: {}, children: [child] });
      if (value !== "") others.push(`- ${child.name}: ${value.replace(/\n+/g, " ")}`);
    }
  }
  // The summary is often the beginning of the text.
  const different = bodies.filter(
    (body, index) => !bodies.some((other, at) => at !== index && repeats(other, body, at < index)),
  );
  return [title === "" ? "" : `${mark} ${title}`, line, ...different, others.join("\n")]
    .filter((piece) => piece !== "")
    .join("\n\n");
}

function repeats(other: string, body: string, isBefore: boolean): boolean {
  return other.includes(body) && (other.length > body.length || isBefore);
}

async function bodyOf(element: XmlElement): Promise<string> {
  const text = flowingText(element);
  const source = element.attributes["src"] ?? "";
  // Child elements mean XHTML, whose text has been extracted already.
  const isMarkup = elementsOf(element).length === 0 && /<[a-z/!]|&[a-z#]/i.test(text);
  const body = isMarkup ? await readHtml(text) : text;
  return [body, source].filter((piece) => piece !== "").join("\n\n");
}

function textIn(element: XmlElement, names: readonly string[]): string | null {
  for (const name of names) {
    const [first] = elementsOf(element, name);
    const text = first === undefined ? "" : flowingText(first).replace(/\s+/g, " ");
    if (text !== "") return text;
  }
  return null;
}

function dateOf(element: XmlElement): string | null {
  return saidDate((textIn(element, DATES) ?? "").slice(0, 100));
}

/** Prefers the address of the page itself to those of alternative forms. */
function linkOf(element: XmlElement): string | null {
  const links = elementsOf(element, "link");
  const best =
    links.find(({ attributes }) => attributes["rel"] === undefined || attributes["rel"] === "alternate") ?? links[0];
  const address = best?.attributes["href"] ?? (best === undefined ? "" : flowingText(best));
  return address === "" ? null : address;
}
