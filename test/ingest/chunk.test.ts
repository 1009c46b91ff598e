import { describe, expect, test } from "vitest";
import { chunkingOf } from "../../src/core/documents/chunking.js";
import { chunkDocument, type ChunkSource } from "../../src/ingest/chunk.js";
import { splitText } from "../../src/ingest/chunk-text.js";

const contentsOf = async (source: ChunkSource): Promise<string[]> =>
  (await chunkDocument(source)).map((chunk) => chunk.content);
const dense = (text: string): string => text.replace(/\s+/g, "");
const longest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));

const SENTENCES = Array.from(
  { length: 60 },
  (_, index) =>
    `Sentence number ${index} tells of Dr. Weber, who lives at No. ${index} Harbour Street, e.g. in Hamburg.`,
);
const PROSE = SENTENCES.map((sentence, index) => sentence + (index % 7 === 6 ? "\n\n" : " ")).join("");

const MARKDOWN = `# Handbook

Welcome.

## Leave

### Parents

${"Parents may take leave of twelve months. ".repeat(30)}

### Sickness

Call before nine.

## Empty

## Travel

\`\`\`sh
# not a heading
book --train
\`\`\`
`;

const TYPESCRIPT = Array.from(
  { length: 40 },
  (_, index) =>
    `export function area${index}(width: number, height: number): number {\n  const product = width * height;\n  return product + ${index};\n}\n`,
).join("\n");

const PYTHON = Array.from(
  { length: 40 },
  (_, index) => `class Shape${index}:\n    def area(self):\n        # the area\n        return self.width * ${index}\n`,
).join("\n");

describe("prose", () => {
  test("a short text is one trimmed chunk", async () => {
    expect(await chunkDocument({ content: "  I live in Porto.\n" })).toEqual([
      { content: "I live in Porto.", context: "", metadata: null },
    ]);
  });

  test.each(["", " ", "\n\t \r\n", "\u00a0\ufeff"])("yields no chunks for %j", async (content) => {
    expect(await chunkDocument({ content })).toEqual([]);
  });

  test("splits a long text between sentences, into pieces of about 500 characters", async () => {
    const contents = await contentsOf({ content: PROSE });
    expect(longest(contents)).toBeLessThanOrEqual(800);
    expect(contents.length).toBeLessThan(PROSE.length / 300);
    expect(contents).not.toEqual([]);
    for (const content of contents) expect(content).toMatch(/^Sentence .*Hamburg\.$/s);
  });

  test("puts every word into exactly one chunk, in order", async () => {
    expect(dense((await contentsOf({ content: PROSE })).join(""))).toBe(dense(PROSE));
  });

  test("the context is the title and the last sentence before, and no part of the chunk itself", async () => {
    const chunks = await chunkDocument({ content: PROSE, title: "Weber" });
    expect(chunks[0]?.context).toBe("Weber");
    for (const [index, chunk] of chunks.entries()) {
      if (index === 0) continue;
      const [title, sentence = ""] = chunk.context.split("\n");
      expect(title).toBe("Weber");
      expect(chunks[index - 1]?.content.endsWith(sentence)).toBe(true);
      expect(sentence).toMatch(/^Sentence /);
    }
  });

  test("a small remainder joins its neighbour", async () => {
    const content = `${"word ".repeat(95).trim()}.\n\nThe end of it all.`;
    expect(await contentsOf({ content })).toHaveLength(1);
  });
});

describe("Markdown", () => {
  test("is split at headings, which each chunk records", async () => {
    const chunks = await chunkDocument({ content: MARKDOWN });
    const byHeading = chunks.map((chunk) => chunk.metadata?.headings?.join(" > "));
    expect([...new Set(byHeading)]).toEqual([
      "Handbook",
      "Handbook > Leave > Parents",
      "Handbook > Leave > Sickness",
      "Handbook > Travel",
    ]);
    expect(chunks.find((chunk) => chunk.content.includes("before nine"))?.context).toMatch(
      /^Handbook > Leave > Sickness\n/,
    );
  });

  test("loses no line, including headings without a text", async () => {
    expect(dense((await contentsOf({ content: MARKDOWN })).join(""))).toBe(dense(MARKDOWN));
  });

  test("does not take a comment in fenced code for a heading", async () => {
    const chunks = await chunkDocument({ content: MARKDOWN });
    expect(chunks.at(-1)?.content).toContain("# not a heading\nbook --train");
  });
});

describe("code", () => {
  const sources: [name: string, source: ChunkSource, border: RegExp][] = [
    ["TypeScript by its path", { content: TYPESCRIPT, filepath: "src/area.ts" }, /^export function/],
    ["TypeScript by its content", { content: TYPESCRIPT }, /^export function/],
    ["Python by its title", { content: PYTHON, title: "shapes.py" }, /^class Shape/],
    ["Python by its content", { content: PYTHON }, /^class Shape/],
  ];
  test.each(sources)("%s is split before declarations", async (_name, source, border) => {
    const contents = await contentsOf(source);
    expect(contents.length).toBeGreaterThan(3);
    expect(longest(contents)).toBeLessThanOrEqual(1200);
    expect(contents.filter((content) => border.test(content)).length / contents.length).toBeGreaterThan(0.8);
    expect(dense(contents.join(""))).toBe(dense(source.content));
  });

  test("the first line of a chunk keeps its indentation", async () => {
    const content = `class Long:\n${"    value = compute(value, 1234567890)\n".repeat(80)}`;
    const contents = await contentsOf({ content, filepath: "long.py" });
    expect(contents.length).toBeGreaterThan(1);
    for (const chunk of contents.slice(1)) expect(chunk.startsWith("    value")).toBe(true);
  });

  test("prose about code is treated as prose", async () => {
    const content = `${"Use const for values that never change; import only what you need. ".repeat(20)}`;
    const contents = await contentsOf({ content });
    expect(longest(contents)).toBeLessThanOrEqual(800);
    expect(contents).not.toEqual([]);
    for (const chunk of contents) expect(chunk).toMatch(/need\.$/);
  });
});

describe("conversations", () => {
  const turns = Array.from({ length: 12 }, (_, index) => ({
    speaker: index % 2 ? "Melanie" : "Caroline",
    content: `Turn ${index}: ${"I said something. ".repeat(index * 30)}And that was it?\n\n- really`,
  }));
  const session = `Here is the date the following session took place: Sat, 20 May 2023 10:15:00 GMT\n\nHere is the session as a stringified JSON:\n${JSON.stringify(turns)}`;

  test("a turn is one whole chunk, whatever its length", async () => {
    expect(await contentsOf({ content: session })).toEqual(turns.map((turn) => `${turn.speaker}: ${turn.content}`));
  });

  test("every chunk records its speaker and the date", async () => {
    const chunks = await chunkDocument({ content: session });
    expect(chunks).toHaveLength(turns.length);
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk.metadata).toEqual({ speakers: [turns[index]?.speaker], date: "2023-05-20T10:15:00.000Z" });
    }
  });

  test("the context is the neighbouring turns, cut to 300 characters", async () => {
    const chunks = await chunkDocument({ content: "User: one\nAssistant: two\nUser: three" });
    expect(chunks.map((chunk) => chunk.context)).toEqual([
      "Assistant: two",
      "User: one\nUser: three",
      "Assistant: two",
    ]);
    const longTurns = await chunkDocument({ content: session });
    expect(longTurns).toHaveLength(turns.length);
    for (const chunk of longTurns.slice(1)) expect(chunk.context.length).toBeLessThanOrEqual(601);
  });

  test("the document's date is used when the conversation has none", async () => {
    const source = { content: "User: one\nAssistant: two", date: "2024-01-02" };
    expect((await chunkDocument(source))[0]?.metadata).toEqual({ speakers: ["User"], date: "2024-01-02" });
    expect((await chunkDocument({ content: source.content }))[0]?.metadata).toEqual({ speakers: ["User"] });
  });

  test("a message's own date takes precedence over all others", async () => {
    const content = JSON.stringify({
      date: "2023-01-01",
      messages: [
        { role: "user", content: "a", timestamp: "2023-05-20" },
        { role: "user", content: "b" },
      ],
    });
    const chunks = await chunkDocument({ content, date: "2024-01-01" });
    expect(chunks.slice(-2).map((chunk) => chunk.metadata?.date)).toEqual(["2023-05-20", "2023-01-01"]);
  });

  test("a turn of more than 8,000 characters becomes marked parts, split between sentences", async () => {
    const text = Array.from({ length: 300 }, (_, index) => `This is sentence number ${index} of a long turn.`).join(
      " ",
    );
    const chunks = await chunkDocument({ content: JSON.stringify([{ role: "user", content: text }]) });
    expect(chunks.length).toBeGreaterThan(10);
    expect(dense(chunks.map((chunk) => chunk.content.slice("User: ".length)).join(""))).toBe(dense(text));
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk.content).toMatch(/^User: This .*turn\.$/s);
      expect(chunk.metadata).toEqual({ speakers: ["User"], part: { number: index + 1, of: chunks.length } });
    }
  });

  test("text before and after the messages gets its own chunks, but not lines that only introduce them", async () => {
    const content = `Anna is a nurse from Oslo.\nHere is the chat:\n${JSON.stringify(turns.slice(0, 2))}\nShe left at noon.`;
    const contents = await contentsOf({ content });
    expect(contents).toHaveLength(4);
    expect(contents[0]).toBe("Anna is a nurse from Oslo.");
    expect(contents[3]).toBe("She left at noon.");
  });

  test("broken JSON is treated as prose, without losing a character", async () => {
    const broken = session.slice(0, -40);
    expect(dense((await contentsOf({ content: broken })).join(""))).toBe(dense(broken));
  });

  test("a transcript in a Markdown file is a conversation, but not one in program code", async () => {
    const content = "User: What is this?\nAssistant: A talk.";
    expect(await contentsOf({ content, filepath: "talk.md" })).toHaveLength(2);
    expect(await contentsOf({ content, filepath: "talk.json" })).toHaveLength(2);
    expect(await contentsOf({ content, filepath: "talk.py" })).toHaveLength(1);
  });
});

describe("hostile texts", () => {
  const MILLION = 1_000_000;
  const texts: [name: string, content: string][] = [
    ["a million letters without a space", "x".repeat(MILLION)],
    ["a million characters of words on one line", "word ".repeat(MILLION / 5)],
    ["a million line breaks and letters", "a\n".repeat(MILLION / 2)],
    ["a million full stops", ". ".repeat(MILLION / 2)],
    ["only emoji", "😀".repeat(MILLION / 2)],
    ["only headings", "# a\n".repeat(MILLION / 4)],
    ["only labels", "A: b\n".repeat(MILLION / 5)],
    ["only fences", "```\n".repeat(MILLION / 4)],
    ["only brackets", "[".repeat(MILLION)],
    ["deep JSON", `${'[{"a":'.repeat(100_000)}1${"}]".repeat(100_000)}`],
    ["control characters", "\u0001\u0000\u001b".repeat(100_000)],
    ["lone surrogates", "\ud800a\udc00".repeat(100_000)],
    ["list items", "* ".repeat(MILLION / 2)],
  ];
  test.each(texts)("%s become bounded chunks that contain all of it", async (_name, content) => {
    const contents = await contentsOf({ content });
    expect(longest(contents)).toBeLessThanOrEqual(1200);
    expect(dense(contents.join(""))).toBe(dense(content));
  });

  test("no surrogate pair is split", async () => {
    for (const shift of ["", "a", "ab"]) {
      const contents = await contentsOf({ content: shift + "😀".repeat(3000) });
      expect(contents.length).toBeGreaterThan(1);
      for (const content of contents) expect(content.isWellFormed()).toBe(true);
    }
    const turn = JSON.stringify([{ role: "user", content: "😀".repeat(9000) }]);
    const chunks = await chunkDocument({ content: `${turn}\n${"😀".repeat(9000)}` });
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) {
      expect(chunk.content.isWellFormed() && chunk.context.isWellFormed()).toBe(true);
    }
  });

  test("odd types, titles and dates change nothing", async () => {
    const source = { content: "I live in Porto.", type: "\u0000", title: ".", filepath: "..", date: "never" };
    expect(await contentsOf(source)).toEqual(["I live in Porto."]);
  });
});

describe("settings of an organisation", () => {
  const cut = (content: string, chunking: Parameters<typeof chunkingOf>[0]) =>
    contentsOf({ content, chunking: chunkingOf(chunking) });
  const STRATEGIES = ["auto", "recursive", "markdown", "sentence"] as const;

  test.each(STRATEGIES)("no piece of %s exceeds its size, and no text is lost", async (chunkingStrategy) => {
    for (const content of [PROSE, MARKDOWN, TYPESCRIPT, "x".repeat(5_000), "蜜蜂".repeat(2_000)]) {
      const pieces = await cut(content, { chunkingStrategy, chunkSize: 300 });
      expect(longest(pieces)).toBeLessThanOrEqual(300);
      expect(dense(pieces.join(""))).toBe(dense(content));
    }
  });

  test("tokens are counted in bytes, so that other scripts get fewer characters", async () => {
    const most = async (content: string) => longest(await cut(content, { chunkingStrategy: "token", chunkSize: 200 }));
    expect(await most(PROSE)).toBeLessThanOrEqual(800);
    expect(await most(PROSE)).toBeGreaterThan(600);
    const chinese = await cut("我家屋顶上有蜜蜂。 ".repeat(400), { chunkingStrategy: "token", chunkSize: 200 });
    expect(chinese).not.toEqual([]);
    for (const piece of chinese) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(800);
    expect(await most("蜜".repeat(4_000))).toBeLessThanOrEqual(267);
  });

  test("one strategy keeps sentences whole, another starts a piece at each heading", async () => {
    for (const piece of await cut(PROSE, { chunkingStrategy: "sentence", chunkSize: 300 }))
      expect(piece).toMatch(/^Sentence .*Hamburg\.$/s);
    const text = "# One\nBees.\n# Two\nGoats.";
    expect(await cut(text, { chunkingStrategy: "markdown" })).toEqual(["# One\nBees.", "# Two\nGoats."]);
    expect(await cut(text, { chunkingStrategy: "recursive" })).toEqual([text]);
  });

  test.each(STRATEGIES)(
    "pieces of %s repeat the end of the previous one, within their size",
    async (chunkingStrategy) => {
      for (const content of [PROSE, TYPESCRIPT, MARKDOWN]) {
        const pieces = await cut(content, { chunkingStrategy, chunkSize: 400, chunkOverlap: 150 });
        expect(longest(pieces)).toBeLessThanOrEqual(400);
        const repeated = pieces.filter((piece, index) => index > 0 && pieces[index - 1]?.includes(piece.slice(0, 20)));
        expect(repeated.length).toBeGreaterThan(0);
      }
      const pieces = await cut(PROSE, { chunkingStrategy: "sentence", chunkSize: 400, chunkOverlap: 150 });
      expect(pieces).not.toEqual([]);
      for (const piece of pieces) expect(piece).toMatch(/^Sentence number/);
    },
  );

  test("settings stored before limits existed, or separately, are brought within the limits", () => {
    expect(chunkingOf({ chunkSize: 1e9 }).size).toBe(8_000);
    expect(chunkingOf({ chunkSize: 9, chunkOverlap: 4_000 })).toEqual({ strategy: "auto", size: 100, overlap: 50 });
    expect(chunkingOf({ chunkSize: -1, chunkOverlap: null })).toEqual({ strategy: "auto", size: null, overlap: 0 });
  });
});

describe("picture data in a text", () => {
  const BYTES = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB".repeat(4_000);
  const picture = `![A map](data:image/png;base64,${BYTES}=)`;

  test.each([
    ["Markdown", `# Harbour\n\nThe ferry berths here.\n\n${picture}\n\nIt leaves at noon.`],
    ["a line of prose", `The ferry berths here. <img src="data:image/png;base64,${BYTES}"> It leaves at noon.`],
    ["code", `const PLACE = "here";\nconst map = "data:image/png;base64,${BYTES}";\nconst leaves = "at noon.";`],
  ])("is in no chunk of %s, unlike the text around it", async (_what, content) => {
    const chunks = await contentsOf({ content });
    expect(chunks.length).toBeLessThan(6);
    const all = chunks.join("\n");
    for (const words of ["here", "at noon", "data:image/png"]) expect(all).toContain(words);
    expect(all).not.toContain("AAAANSUhEUg");
    expect(all.length).toBeLessThan(300);
  });

  test("a short example of a data URL is left unchanged", async () => {
    const content = "Write data:image/gif;base64,R0lGODlhAQABAAAAACw= for an empty picture.";
    expect(await contentsOf({ content })).toEqual([content]);
  });
});

test("no piece is blank, however much white space precedes a word", async () => {
  const text = `x\n${" ".repeat(100_000)}y`;
  const spans = await splitText(text, "code", { target: 200, most: 800, unit: "characters", overlap: 0 });
  expect(spans.map(({ start, end }) => text.slice(start, end).trim())).toEqual(["x", "y"]);
});

test("the overlap with the previous piece stays within its size in bytes, whatever the characters", async () => {
  const text = "😀😀 ".repeat(500);
  const spans = await splitText(text, "prose", { target: 200, most: 800, unit: "bytes", overlap: 60 });
  const repeated = spans.flatMap(({ start }, index) => {
    const before = spans[index - 1];
    return before ? [Buffer.byteLength(text.slice(start, before.end))] : [];
  });
  expect(repeated.length).toBeGreaterThan(3);
  expect(Math.max(...repeated)).toBeLessThanOrEqual(60);
  expect(Math.max(...repeated)).toBeGreaterThan(30);
});
