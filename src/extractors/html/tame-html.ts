import { type Attribute, readTag } from "./read-tag.js";

export interface TamedHtml {
  /** Well-formed: every element is closed, and nesting stays within the limit. */
  readonly html: string;
  /** Number of elements and pieces of text; each entity counts as one. */
  readonly nodes: number;
  /** True if elements beyond a limit were replaced by their text. */
  readonly isDissolved: boolean;
}

export interface TamingLimits {
  readonly maximumDepth: number;
  readonly maximumElements: number;
  /** Entities and brackets in text; those beyond the limit become spaces. */
  readonly maximumEntities: number;
}

const VOID = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "param",
  "source",
  "track",
  "wbr",
]);
/** Elements whose content is raw text up to their end tag. */
const RAW = new Set(["script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp"]);
/** Larger ones are not page metadata. */
const LONGEST_DESCRIPTION = 65_536;
/** How many open elements an end tag searches for its own. */
const LONGEST_WALK = 400;
/** End tags of other elements never close these. */
const TABLE_PARTS = new Set(["table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"]);
const ROW_GROUPS = ["thead", "tbody", "tfoot"];

/** Open elements that the start of each element closes. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  a: ["a"],
  li: ["li", "p"],
  dt: ["dt", "dd", "p"],
  dd: ["dt", "dd", "p"],
  tr: ["tr", "td", "th", "p"],
  td: ["td", "th", "p"],
  th: ["td", "th", "p"],
  thead: [...ROW_GROUPS, "tr", "td", "th", "p"],
  tbody: [...ROW_GROUPS, "tr", "td", "th", "p"],
  tfoot: [...ROW_GROUPS, "tr", "td", "th", "p"],
  option: ["option"],
};
/** A paragraph ends where one of these begins. */
const BLOCKS = new Set(
  (
    "address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre " +
    "section table ul"
  ).split(" "),
);

/**
 * Rewrites HTML so that it is safe to parse: anything that is not content (scripts, styles, comments, event handlers) is removed,
 * and every element gets its end tag. Takes time linear in the length of the text, whatever it contains.
 */
export function tameHtml(html: string, limits: TamingLimits): TamedHtml {
  const tamer = new Tamer(limits);
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const end = open === -1 ? html.length : open;
    tamer.text(html.slice(at, end));
    if (open === -1) break;
    at = tamer.markup(html, open);
  }
  return tamer.finish();
}

interface OpenElement {
  readonly name: string;
  readonly isWritten: boolean;
}

class Tamer {
  readonly #limits: TamingLimits;
  readonly #written: string[] = [];
  readonly #open: OpenElement[] = [];
  #depth = 0;
  #elements = 0;
  #entities = 0;
  #isDissolved = false;
  /** Number of open MathML and SVG elements, in which a slash closes an element. */
  #foreign = 0;

  constructor(limits: TamingLimits) {
    this.#limits = limits;
  }

  text(text: string): void {
    if (text === "") return;
    this.#written.push(text.replace(/&/g, (sign) => this.#entity(sign)));
  }

  /** Each becomes a separate node when parsed, which takes far more time and memory than one character. */
  #entity(sign: string): string {
    this.#entities += 1;
    return this.#entities > this.#limits.maximumEntities ? " " : sign;
  }

  /** Reads the markup that begins with `<` at a position. @returns where it ends */
  markup(html: string, at: number): number {
    const next = html.charCodeAt(at + 1);
    if (html.startsWith("<!--", at)) return after(html, "-->", at + 2);
    if (next === 0x21 || next === 0x3f) return after(html, ">", at);
    const tag = readTag(html, at);
    if (tag === null) {
      this.#written.push(this.#entity("&lt;"));
      return at + 1;
    }
    if (tag.isEnd) this.#end(tag.name);
    else if (RAW.has(tag.name)) return this.#raw(html, tag);
    else this.#start(tag);
    return tag.end;
  }

  finish(): TamedHtml {
    while (this.#open.length > 0) this.#pop();
    return { html: this.#written.join(""), nodes: this.#elements + this.#entities, isDissolved: this.#isDissolved };
  }

  #raw(
    html: string,
    { name, end, attributes }: { name: string; end: number; attributes: readonly Attribute[] },
  ): number {
    const closing = new RegExp(`</${name}(?=[\\s/>])`, "gi");
    closing.lastIndex = end;
    const close = closing.exec(html)?.index ?? html.length;
    const content = html.slice(end, close);
    if (name === "title") this.#written.push("<title>", content.replaceAll("<", "&lt;"), "</title>");
    const isDescription = attributes.some(
      ({ name: key, value }) => key === "type" && /^application\/ld\+json$/i.test(value),
    );
    if (name === "script" && isDescription && isJson(content))
      this.#written.push('<script type="application/ld+json">', content, "</script>");
    return close === html.length ? close : after(html, ">", close);
  }

  #start({
    name,
    attributes,
    isSelfClosing,
  }: {
    name: string;
    attributes: readonly Attribute[];
    isSelfClosing: boolean;
  }): void {
    this.#endImplied(name);
    this.#elements += 1;
    const isWritten = this.#depth < this.#limits.maximumDepth && this.#elements <= this.#limits.maximumElements;
    if (isWritten) this.#written.push(`<${name}`, ...attributes.map(written), ">");
    else {
      this.#isDissolved = true;
      this.#written.push(" ");
    }
    if (VOID.has(name)) return;
    this.#open.push({ name, isWritten });
    if (isWritten) this.#depth += 1;
    if (name === "svg" || name === "math") this.#foreign += 1;
    if (isSelfClosing && this.#foreign > 0) this.#pop();
  }

  #endImplied(name: string): void {
    const ended = (Object.hasOwn(ENDS, name) ? ENDS[name] : undefined) ?? (BLOCKS.has(name) ? ["p"] : []);
    for (let top = this.#open.at(-1); top && ended.includes(top.name); top = this.#open.at(-1)) this.#pop();
  }

  #end(name: string): void {
    const lowest = Math.max(0, this.#open.length - LONGEST_WALK);
    for (let index = this.#open.length - 1; index >= lowest; index -= 1) {
      const found = this.#open[index]?.name ?? "";
      if (found === name) {
        while (this.#open.length > index) this.#pop();
        return;
      }
      if (TABLE_PARTS.has(found) && !TABLE_PARTS.has(name)) return;
      // A cell or row of an outer table stays open.
      if (found === "table") return;
    }
  }

  #pop(): void {
    const element = this.#open.pop();
    if (!element) return;
    if (element.name === "svg" || element.name === "math") this.#foreign -= 1;
    if (!element.isWritten) return;
    this.#depth -= 1;
    this.#written.push(`</${element.name}>`);
  }
}

/** The library that reads the page later complains about invalid JSON. */
function isJson(text: string): boolean {
  if (text.length > LONGEST_DESCRIPTION) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found === -1 ? html.length : found + text.length;
}

function written({ name, value }: Attribute): string {
  return ` ${name}="${value.replaceAll('"', "&quot;")}"`;
}
