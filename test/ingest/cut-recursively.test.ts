import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutLevelsOf, type TextKind } from "../../src/ingest/cut-levels.js";
import { cutRecursively } from "../../src/ingest/cut-recursively.js";

const KINDS: readonly TextKind[] = [
  ...(["prose", "markdown", "code", "html", "latex", "rst"] as const),
  ...(["cpp", "go", "java", "js", "php", "proto", "python", "ruby", "rust", "scala", "swift", "sol"] as const),
];

function cut(text: string, kind: TextKind, target: number): string[] {
  const spans = cutRecursively(text, cutLevelsOf(kind), { target, lengthOf: ({ length }) => length });
  return spans.map(({ start, end }) => text.slice(start, end));
}

const words = [
  "a",
  "bee",
  "\n",
  "\n\n",
  " ",
  "  ",
  ". ",
  "! ",
  "\nclass ",
  "\n  def ",
  "\n## ",
  "<p>",
  "\\begin{",
  "。",
];
const anyText = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((pieces) => pieces.join(""));

test.each(KINDS)("pieces of %s form the text in order, and are short unless nothing can be split", (kind) => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, target) => {
      const pieces = cut(text, kind, target);
      expect(pieces.join("")).toBe(text);
      const uncut = pieces.filter(({ length }) => length > target);
      // A longer piece is a single word with the gap before it.
      for (const piece of uncut) expect(piece.trim()).not.toMatch(/\S[ \n]+\S/);
    }),
    { numRuns: 100, seed: 20_261_128 },
  );
});

describe("code", () => {
  test.each<[kind: TextKind, code: readonly string[]]>([
    [
      "js",
      ["import a from 'a';", "\nexport function one() {\n  const x = 1;\n}", "\nexport class Two {\n  three() {}\n}"],
    ],
    [
      "python",
      [
        "import os\nimport sys\n",
        "\n@cached\ndef one():\n    return 1\n",
        "\nclass Two:\n    def three(self):\n        pass",
      ],
    ],
    [
      "rust",
      [
        "use std::io;\nuse std::fs;\n",
        "\n/// One.\n#[inline]\npub fn one() -> u8 {\n    1\n}\n",
        "\nimpl Two {\n    fn three() {}\n}",
      ],
    ],
    [
      "go",
      ['package main\n\nimport "fmt"\n', "\nfunc one() int {\n\treturn 1\n}\n", "\ntype Two struct {\n\tthree int\n}"],
    ],
    [
      "java",
      ["package a;\n\nimport b.C;\n", "\npublic class One {\n  int x;\n}\n", "\ninterface Two {\n  void three();\n}"],
    ],
  ])("in %s is split before declarations", (kind, code) => {
    // The target is the length of the longest part, so that no two fit into one piece.
    expect(cut(code.join(""), kind, Math.max(...code.map(({ length }) => length)))).toEqual(code);
  });

  test("with a class that is too long is split before the declarations in it", () => {
    const methods = [
      "class Bees:",
      "\n    def count(self):\n        return 11",
      "\n    def feed(self):\n        return None",
    ];
    expect(cut(methods.join(""), "python", 45)).toEqual(methods);
  });
});

test.each<[kind: TextKind, parts: readonly string[]]>([
  ["rst", ["Bees\n====\nThey fly.", "\nHoney\n=====\nIt is sweet."]],
  ["latex", ["\\section{Bees}\nThey fly.", "\n\\section{Honey}\nIt is sweet."]],
  ["html", ["<h1>Bees</h1><p>They fly.</p>", "<h2>Honey</h2><p>It is sweet.</p>"]],
  ["markdown", ["# Bees\nThey fly.", "\n## Honey\nIt is sweet."]],
])("%s is split before its headings", (kind, parts) => {
  expect(cut(parts.join(""), kind, 35)).toEqual(parts);
});

test("a sentence keeps its end, and an abbreviation does not end one", () => {
  expect(cut("Dr. Mia Berg keeps bees. She is in Porto! Is she? Yes.", "prose", 26)).toEqual([
    "Dr. Mia Berg keeps bees. ",
    "She is in Porto! Is she? ",
    "Yes.",
  ]);
});
