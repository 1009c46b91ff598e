import type { TextKind } from "./cut-levels.js";

const LANGUAGES_BY_EXTENSION: ReadonlyMap<string, TextKind> = new Map<string, TextKind>([
  ...entries("cpp", "c cc cpp cxx h hh hpp hxx m mm"),
  ...entries("go", "go"),
  ...entries("java", "java kt kts groovy cs"),
  ...entries("js", "js jsx mjs cjs ts tsx mts cts vue svelte"),
  ...entries("php", "php"),
  ...entries("proto", "proto"),
  ...entries("python", "py pyi pyw"),
  ...entries("rst", "rst"),
  ...entries("ruby", "rb rake gemspec"),
  ...entries("rust", "rs"),
  ...entries("scala", "scala sc"),
  ...entries("swift", "swift"),
  ...entries("latex", "tex sty"),
  ...entries("html", "html htm xhtml"),
  ...entries("sol", "sol"),
  ...entries("markdown", "md markdown mdx mdown"),
  ...entries(
    "code",
    "sh bash zsh fish ps1 sql yaml yml toml ini cfg conf json jsonc css scss less lua pl r jl ex exs hs clj dart zig",
  ),
]);

const CODE_SIGNS: readonly (readonly [TextKind, RegExp])[] = [
  [
    "python",
    /^(?:def \w+\(.*\).*:|class \w+.*:|from [\w.]+ import .+|import \w[\w., ]*|if __name__ == .+:|@\w[\w.]*(?:\(.*\))?)$/,
  ],
  [
    "js",
    /^(?:export |import .+ from ["']|(?:const|let|var) \w+ ?=|(?:async )?function\*? ?\w*\(|\}\);?$|.*=> ?\{$|interface \w+ \{$|type \w+ = )/,
  ],
  ["go", /^(?:package \w+$|func (?:\(.+\) )?\w+\(.*\{$|import \($|type \w+ (?:struct|interface) \{$)/],
  ["rust", /^(?:(?:pub(?:\(\w+\))? )?(?:fn|struct|enum|trait|mod|impl)\b.*[{;]$|use [\w:]+.*;$|#\[\w+.*\]$)/],
  ["java", /^(?:package [\w.]+;$|import [\w.*]+;$|(?:public|private|protected) .*[{;]$)/],
  [
    "cpp",
    /^(?:#include [<"]|#define \w+|using namespace \w+;$|(?:int|void|char|double|float|bool|auto) [\w*&:]+\(.*\) ?\{?$)/,
  ],
  ["ruby", /^(?:require ["']|def \w+[?!]?(?:\(.*\))?$|module [A-Z]\w*$|end$)/],
  ["php", /^(?:<\?php|\$\w+ ?= ?.*;$)/],
];
const GENERIC_CODE_SIGN = /(?:[{};]|\)\s*[:{]|^\s*(?:#|\/\/|\*|return\b.*))\s*$/;
const LINES_LOOKED_AT = 200;
const LONGEST_CODE_LINE = 300;

function entries(kind: TextKind, extensions: string): [string, TextKind][] {
  return extensions.split(" ").map((extension) => [extension, kind]);
}

/** Decides how to cut a text: first by its name (a title, or a path with an extension), then by its look. */
export function detectKind(content: string, name: string | null): TextKind {
  const extension = /\.([a-z0-9]{1,12})$/i.exec(name?.trim().slice(-40) ?? "")?.[1]?.toLowerCase();
  const byName = extension === undefined ? undefined : LANGUAGES_BY_EXTENSION.get(extension);
  if (byName) return byName;
  const lines = firstLines(content);
  return detectCode(lines) ?? (looksLikeMarkdown(lines) ? "markdown" : "prose");
}

/** A text is code when most lines start or end as code does, and the signs of one language occur at least twice. */
function detectCode(lines: readonly string[]): TextKind | null {
  const full = lines.filter((line) => line.trim() !== "");
  if (full.length < 4) return null;
  let best: TextKind | null = null;
  let bestCount = 1;
  for (const [kind, sign] of CODE_SIGNS) {
    const count = full.filter((line) => sign.test(line)).length;
    if (count > bestCount) [best, bestCount] = [kind, count];
  }
  if (best === null) return null;
  const generic = full.filter((line) => GENERIC_CODE_SIGN.test(line) || /^(?:\t| {2,})\S/.test(line)).length;
  return bestCount + generic >= full.length * 0.5 ? best : null;
}

function looksLikeMarkdown(lines: readonly string[]): boolean {
  const headings = lines.filter((line) => /^#{1,6} \S/.test(line)).length;
  const others = lines.filter((line) =>
    /^(?:\s{0,3}(?:[-*+]|\d{1,3}\.) \S|```|~~~|> |\|.*\|\s*$)|\[[^\]]+\]\([^)]+\)/.test(line),
  ).length;
  return headings > 0 || others >= 3;
}

function firstLines(content: string): string[] {
  return content
    .slice(0, LINES_LOOKED_AT * LONGEST_CODE_LINE)
    .split(/\r?\n/, LINES_LOOKED_AT)
    .map((line) => line.slice(0, LONGEST_CODE_LINE));
}
