import { codePageOf, decodeCodePage } from "./code-pages.js";
import { RtfBlocks, type ParagraphKind } from "./rtf-blocks.js";
import type { RtfToken } from "./rtf-tokens.js";
import { smallSigns, type Script } from "../small-signs.js";
import { singleSpaced } from "../../lib/single-spaced.js";

/** The purpose of a group's text. */
type Destination = "text" | "skipped" | "shape" | "fonts" | "styles" | "title" | "author" | "list sign" | "field code";

/** State that applies until its group ends. */
interface Group {
  readonly destination: Destination;
  readonly isHidden: boolean;
  readonly isDeleted: boolean;
  readonly script: Script;
  readonly font: number;
  /** Number of fallback characters that follow a Unicode character for old programs. */
  readonly replaced: number;
  /** Address that its text links to. */
  readonly link: string | null;
  /** Where its text goes; a footnote has its own. */
  readonly blocks: RtfBlocks;
}

/** Destinations that are read; all other ignorable ones are skipped. */
const DESTINATIONS: Readonly<Record<string, Destination>> = {
  fonttbl: "fonts",
  stylesheet: "styles",
  title: "title",
  author: "author",
  listtext: "list sign",
  pntext: "list sign",
  fldinst: "field code",
  shpinst: "shape",
  shptxt: "text",
};
const SKIPPED: ReadonlySet<string> = new Set(
  `colortbl info pict object header headerl headerr headerf footer footerl footerr footerf annotation atnid atnauthor
  xe tc rxe private nonshppict filetbl revtbl listtable listoverridetable themedata colorschememapping latentstyles
  datastore generator template operator subject keywords comment doccomm creatim revtim printim buptim company manager
  category hlinkbase userprops bkmkstart bkmkend pgdsctbl sp picprop ftnsep ftnsepc aftnsep aftnsepc nesttableprops`.split(
    /\s+/,
  ),
);
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  emdash: "\u2014",
  endash: "\u2013",
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  bullet: "\u2022",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
  "~": " ",
  _: "-",
  "\\": "\\",
  "{": "{",
  "}": "}",
  nestcell: " ",
};
const FIXED_FONT = /courier|consolas|menlo|\bmono/i;
const SIDE_TEXTS: ReadonlySet<Destination> = new Set(["styles", "title", "author", "field code"]);
const PLAIN: ParagraphKind = { heading: null, isInTable: false, listSign: null, listLevel: null, indentation: 0 };

/** Reads RTF tokens one at a time. Hidden and deleted text and data for programs are skipped. */
export class RtfReader {
  readonly #fonts = new Map<number, { codePage: number | null; isFixed: boolean }>();
  readonly #headings = new Map<number, number>();
  readonly #groups: Group[] = [];
  readonly #notes: string[] = [];
  readonly #sideTexts: Partial<Record<Destination, string>> = {};
  #group: Group;
  #kind = PLAIN;
  #codePage = 1252;
  #bytes: Uint8Array[] = [];
  #left = 0;
  #style = 0;
  #isStarred = false;
  readonly #body = new RtfBlocks();

  constructor() {
    const start = { isHidden: false, isDeleted: false, script: null, font: 0, replaced: 1, link: null } as const;
    this.#group = { ...start, destination: "text", blocks: this.#body };
  }

  /** Number of open groups. */
  get depth(): number {
    return this.#groups.length;
  }

  get title(): string | null {
    return this.#sideTexts.title?.trim() || null;
  }

  get author(): string | null {
    return this.#sideTexts.author?.trim() || null;
  }

  take(token: RtfToken): void {
    if (token.kind !== "bytes") this.#flush();
    if (token.kind === "bytes") this.#takeBytes(token.bytes);
    else if (token.kind === "word") this.#word(token.name, token.value);
    else if (token.kind === "begin") this.#begin();
    else this.#end();
    if (token.kind !== "word" || token.name !== "*") this.#isStarred = false;
  }

  /** The blocks of the text, followed by its notes. */
  finish(): string[] {
    this.#flush();
    while (this.#groups.length > 0) this.#end();
    return [...this.#body.end(this.#kind), ...this.#notes];
  }

  #begin(): void {
    this.#left = 0;
    this.#groups.push(this.#group);
  }

  #end(): void {
    this.#left = 0;
    const ended = this.#group;
    this.#group = this.#groups.pop() ?? ended;
    if (ended.destination === "styles" && this.#group.destination === "styles") this.#endStyle();
    if (ended.link !== null && ended.link !== this.#group.link) this.#write(`](${ended.link})`);
    if (ended.destination === "text" && ended.blocks !== this.#group.blocks) this.#endNote(ended.blocks);
  }

  /** Heading styles are recognised by name. */
  #endStyle(): void {
    const name = (this.#sideTexts.styles ?? "").trim().slice(0, 100);
    const level = /^heading ([1-9])\b/i.exec(name)?.[1] ?? (/^title;/i.test(name) ? "1" : null);
    if (level !== null) this.#headings.set(this.#style, Number(level));
    this.#sideTexts.styles = "";
    this.#style = 0;
  }

  #endNote(blocks: RtfBlocks): void {
    const text = singleSpaced(blocks.end(PLAIN).join(" "));
    if (text === "") return;
    this.#notes.push(`[^${this.#notes.length + 1}]: ${text}`);
    this.#write(`[^${this.#notes.length}]`);
  }

  #takeBytes(bytes: Uint8Array): void {
    const skipped = Math.min(this.#left, bytes.length);
    this.#left -= skipped;
    if (skipped < bytes.length) this.#bytes.push(bytes.subarray(skipped));
  }

  /** Bytes are decoded together, as one character may take two. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Buffer.concat(this.#bytes);
    this.#bytes = [];
    this.#write(decodeCodePage(bytes, this.#fonts.get(this.#group.font)?.codePage ?? this.#codePage));
  }

  #write(text: string): void {
    const { destination, isHidden, isDeleted, script, font, blocks } = this.#group;
    if (destination === "text") {
      if (!isHidden && !isDeleted) blocks.write(smallSigns(text, script), this.#fonts.get(font)?.isFixed === true);
    } else if (destination === "list sign")
      this.#kind = { ...this.#kind, listSign: (this.#kind.listSign ?? "") + text };
    else if (destination === "fonts" && FIXED_FONT.test(text.slice(0, 100))) this.#fontProperty("fmodern", 1);
    else if (SIDE_TEXTS.has(destination))
      this.#sideTexts[destination] = ((this.#sideTexts[destination] ?? "") + text).slice(0, 1_000);
  }

  #word(name: string, value: number | null): void {
    if (name === "*") this.#isStarred = true;
    else if (name === "u" && value !== null) this.#unicode(value);
    else if (this.#left > 0) this.#left -= 1;
    else if (Object.hasOwn(CHARACTERS, name)) this.#write(CHARACTERS[name] ?? "");
    else if (this.#group.destination === "skipped" && name !== "title" && name !== "author") return;
    else if (name === "fldrslt") this.#startLink();
    else if (name === "footnote")
      this.#enter({ destination: "text", blocks: new RtfBlocks(), isHidden: false, script: null });
    else if (Object.hasOwn(DESTINATIONS, name)) this.#enterDestination(DESTINATIONS[name] ?? "skipped");
    else if (SKIPPED.has(name) || this.#isStarred) this.#enter({ destination: "skipped" });
    else this.#property(name, value);
  }

  /** The result of a field, which is a link if the field's code says so. */
  #startLink(): void {
    const code = this.#sideTexts["field code"] ?? "";
    this.#sideTexts["field code"] = "";
    const link = /^\s*HYPERLINK\s+"((?:https?|mailto):[^\s"()<>]+)"/.exec(code)?.[1] ?? null;
    if (link !== null) this.#write("[");
    if (link !== null) this.#enter({ link });
  }

  #enter(changes: Partial<Group>): void {
    this.#group = { ...this.#group, ...changes };
  }

  /** Anything inside a skipped destination is skipped too, except the text in shapes. */
  #enterDestination(destination: Destination): void {
    this.#enter({ destination });
    if (destination === "list sign") this.#kind = { ...this.#kind, listSign: "" };
  }

  #unicode(value: number): void {
    this.#write(String.fromCharCode(value < 0 ? value + 65_536 : value));
    this.#left = this.#group.replaced;
  }

  #property(name: string, value: number | null): void {
    const isOn = value !== 0;
    if (this.#group.destination === "fonts") return this.#fontProperty(name, value ?? 0);
    if (this.#group.destination === "text" && this.#structure(name)) return;
    if (name === "ansicpg") this.#codePage = value || 1252;
    else if (name === "mac") this.#codePage = 10_000;
    else if (name === "f") this.#enter({ font: value ?? 0 });
    else if (name === "uc") this.#enter({ replaced: Math.max(0, value ?? 1) });
    else if (name === "v") this.#enter({ isHidden: isOn });
    else if (name === "deleted") this.#enter({ isDeleted: isOn });
    else if (name === "super") this.#enter({ script: isOn ? "raised" : null });
    else if (name === "sub") this.#enter({ script: isOn ? "lowered" : null });
    else if (name === "nosupersub") this.#enter({ script: null });
    else if (name === "plain") this.#enter({ isHidden: false, isDeleted: false, script: null });
    // A list marker has its own formatting.
    else if (this.#group.destination !== "list sign") this.#paragraphProperty(name, value ?? 0);
  }

  #fontProperty(name: string, value: number): void {
    const font = this.#group.font;
    const known = this.#fonts.get(font) ?? { codePage: null, isFixed: false };
    if (name === "f") this.#enter({ font: value });
    else if (name === "fcharset") this.#fonts.set(font, { ...known, codePage: codePageOf(value) });
    else if (name === "cpg") this.#fonts.set(font, { ...known, codePage: value });
    else if (name === "fmodern") this.#fonts.set(font, { ...known, isFixed: true });
  }

  /** Ends of paragraphs, cells and rows. */
  #structure(name: string): boolean {
    const { blocks } = this.#group;
    if (name === "par" || name === "sect" || name === "page") {
      blocks.endParagraph(this.#kind);
      this.#kind = { ...this.#kind, listSign: null };
    } else if (name === "cell") blocks.endCell();
    else if (name === "row") blocks.endRow();
    else return false;
    return true;
  }

  #paragraphProperty(name: string, value: number): void {
    if (name === "pard") this.#kind = { ...PLAIN, listSign: this.#kind.listSign };
    else if (name === "intbl") this.#kind = { ...this.#kind, isInTable: true };
    else if (name === "ilvl") this.#kind = { ...this.#kind, listLevel: Math.min(8, Math.max(0, value)) };
    else if (name === "li") this.#kind = { ...this.#kind, indentation: value };
    else if (name === "outlinelevel")
      this.#kind = { ...this.#kind, heading: value >= 0 && value < 9 ? value + 1 : null };
    else if (name === "s" && this.#group.destination === "styles") this.#style = value;
    else if (name === "s") this.#kind = { ...this.#kind, heading: this.#headings.get(value) ?? this.#kind.heading };
  }
}
