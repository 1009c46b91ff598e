import { sentenceSpans } from "../language/sentences.js";
import type { CutLevel } from "./cut-recursively.js";

/** How to cut a text: at sentences, Markdown blocks, or the declarations of a programming language. */
export type TextKind = "prose" | "markdown" | "code" | "html" | "latex" | "rst" | Language;
type Language = "cpp" | "go" | "java" | "js" | "php" | "proto" | "python" | "ruby" | "rust" | "scala" | "swift" | "sol";

/** Keywords that start declarations. A language stands for its relatives as well, such as Java for Kotlin and C#. */
const DECLARATIONS: Readonly<Record<Language, string>> = {
  cpp: "class struct enum union namespace template typedef using void int float double bool char auto static inline extern",
  go: "func type var const",
  java: "class interface enum record public protected private internal static abstract final fun object namespace",
  js: "export function async class interface type enum const let var namespace",
  php: "function class interface trait abstract final public protected private",
  proto: "message service enum extend option import",
  python: "class def async",
  ruby: "class module def",
  rust: "pub fn struct enum trait impl mod const static type async unsafe macro_rules",
  scala: "class object trait def val var case abstract final sealed implicit given package",
  swift: "func class struct enum protocol extension public private internal open final",
  sol: "pragma using contract interface library abstract constructor function event modifier error struct enum type",
};

/** Blank lines, lines, words: every text has them. */
const GAPS: readonly CutLevel[] = [before("\n\n"), before("\n"), before(" ")];

const LEVELS: Readonly<Record<Exclude<TextKind, Language>, readonly CutLevel[]>> = {
  prose: [
    after("\n\n"),
    after("\n"),
    (text) => sentenceSpans(text).map(({ start }) => start),
    ...["! ", "? ", "。", "！", "？", "; ", ", ", " "].map(after),
  ],
  markdown: [
    ...["\n## ", "\n### ", "\n#### ", "\n##### ", "\n###### ", "\n\n***\n\n", "\n\n---\n\n", "\n\n___\n\n"].map(before),
    ...GAPS,
  ],
  code: GAPS,
  html: [
    at(/<(?:body|main|article|section|header|footer|nav|table|[uo]l|h[1-6])\b/gi),
    at(/<(?:p|div|li|tr|dt|dd|br|span)\b/gi),
    ...GAPS,
  ],
  latex: [
    at(/\n\\(?:part|chapter)\b/g),
    ...["\n\\section", "\n\\subsection", "\n\\subsubsection", "\n\\begin{"].map(before),
    ...GAPS,
  ],
  // In reStructuredText the underline follows the title.
  rst: [at(/\n(?=[^\n]{1,200}\n(?:={3}|-{3}|~{3}|\*{3}|\^{3}))/g), before("\n.. "), ...GAPS],
};

/** The places where texts of a kind may be cut, best first. */
export function cutLevelsOf(kind: TextKind): readonly CutLevel[] {
  return isLanguage(kind) ? levelsOfLanguage(kind) : LEVELS[kind];
}

function isLanguage(kind: TextKind): kind is Language {
  return Object.hasOwn(DECLARATIONS, kind);
}

/** Top-level declarations, then those nested in them. */
function levelsOfLanguage(language: Language): readonly CutLevel[] {
  const words = DECLARATIONS[language].replaceAll(" ", "|");
  const margins = [new RegExp(`\\n(?=(?:${words})\\b)`, "g"), new RegExp(`\\n[ \\t]+(?=(?:${words})\\b)`, "g")];
  return [...margins.map((margin) => aboveNotes(at(margin))), ...GAPS];
}

/** Comments, decorators and attributes: lines directly above what they belong to. */
const NOTE = /^\s*(?:@|#|\/\/|\/?\*)/;

function aboveNotes(level: CutLevel): CutLevel {
  return (text) => [...new Set(level(text).map((place) => aboveNotesAt(text, place)))];
}

function aboveNotesAt(text: string, place: number): number {
  let start = place;
  while (start > 0) {
    const before = text.lastIndexOf("\n", start - 1);
    if (!NOTE.test(text.slice(before + 1, start))) break;
    start = Math.max(before, 0);
  }
  return start;
}

function at(pattern: RegExp): CutLevel {
  return (text) => Array.from(text.matchAll(pattern), ({ index }) => index);
}

function before(separator: string): CutLevel {
  return (text) => offsetsOf(text, separator);
}

function after(separator: string): CutLevel {
  return (text) => offsetsOf(text, separator).map((place) => place + separator.length);
}

function offsetsOf(text: string, separator: string): number[] {
  const places: number[] = [];
  for (let found = text.indexOf(separator); found !== -1; found = text.indexOf(separator, found + separator.length))
    places.push(found);
  return places;
}
