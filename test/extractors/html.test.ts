import { describe, expect, test } from "vitest";
import { extractHtml } from "../../src/extractors/html.js";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import type { SourceFile } from "../../src/core/documents/content-ports.js";
import { extractionTools } from "../support/extraction-tools.js";

const URL_OF_PAGE = "https://example.org/posts/today?x=1";

async function read(html: string | Uint8Array, known: Partial<SourceFile> = {}) {
  const bytes = typeof html === "string" ? Buffer.from(html) : html;
  const file = { name: null, mimeType: "text/html", charset: null, url: URL_OF_PAGE, ...known, bytes };
  const content = await extractHtml(file, extractionTools());
  return { ...content, text: content.parts.map(({ text }) => text).join("\n\n") };
}

const sentences = [
  "The lighthouse at Cape Arkona was built in 1827 by Karl Friedrich Schinkel.",
  "Its lamp burned rapeseed oil, which a keeper carried up ninety-nine steps each evening.",
  "In 1905 a taller tower took over, and the older one became a museum for visitors.",
  "Storms have damaged the cliff below it several times, most recently after heavy rain.",
];
const prose = sentences.map((sentence) => `<p>${sentence}</p>`).join("\n");
const menu = '<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop now</a></li></ul></nav>';
const footer = "<footer><p>Cookie settings. All rights reserved by Nobody Ltd.</p></footer>";

describe("layouts", () => {
  test.each<readonly [layout: string, html: string, has: readonly string[], hasNot: readonly string[]]>([
    [
      "article between menu and footer",
      `${menu}<article>${prose}</article>${footer}`,
      sentences,
      ["Shop now", "rights reserved"],
    ],
    ["main", `${menu}<main>${prose}</main>${footer}`, sentences, ["Shop now"]],
    ["the role main", `${menu}<div role="main">${prose}</div>${footer}`, sentences, ["Shop now"]],
    [
      "divs with meaningful classes",
      `<div class="menu">${menu}</div><div class="post-content">${prose}</div>`,
      sentences,
      ["Shop now"],
    ],
    ["paragraphs alone", prose, sentences, []],
    ["bare text with line breaks", sentences.join("<br>\n"), sentences, []],
    [
      "tables for layout",
      `<table><tr><td>Menu</td><td><table><tr><td>${prose}</td></tr></table></td></tr></table>`,
      sentences,
      ["| --- |"],
    ],
    [
      "a sidebar",
      `<div id="page"><aside>Subscribe to our letter</aside><article>${prose}</article></div>`,
      sentences,
      ["Subscribe"],
    ],
    ["no end tags", `<html><body><article>${sentences.map((one) => `<p>${one}`).join("")}`, sentences, []],
    [
      "uppercase tags",
      `<BODY><ARTICLE>${prose.toUpperCase().replaceAll("P>", "p>")}</ARTICLE>`,
      [sentences[0]?.toUpperCase() ?? ""],
      [],
    ],
    ["custom elements", `<my-app><my-page>${prose}</my-page></my-app>`, sentences, []],
    [
      "frames of a single page application",
      `<div id="root"><div><div><section>${prose}</section></div></div></div>`,
      sentences,
      [],
    ],
    [
      "sections with headings",
      `<article><h1>Arkona</h1><h2>History</h2>${prose}<h3>Visits</h3><p>Open daily.</p></article>`,
      ["## History", "### Visits"],
      [],
    ],
    [
      "an unordered list",
      `<article>${prose}<ul><li>rope</li><li>lamp<ul><li>wick</li></ul></li></ul></article>`,
      ["- rope", "- lamp", "  - wick"],
      [],
    ],
    [
      "an ordered list",
      `<article>${prose}<ol><li>climb</li><li>light</li></ol></article>`,
      ["1. climb", "2. light"],
      [],
    ],
    ["list items without end tags", `<article>${prose}<ul><li>rope<li>lamp</ul></article>`, ["- rope", "- lamp"], []],
    [
      "a definition list",
      `<article>${prose}<dl><dt>Wick</dt><dd>What burns</dd></dl></article>`,
      ["Wick", "What burns"],
      [],
    ],
    [
      "a quotation",
      `<article>${prose}<blockquote><p>Keep the light.</p></blockquote></article>`,
      ["> Keep the light."],
      [],
    ],
    [
      "emphasis",
      `<article>${prose}<p>It was <strong>very</strong> <em>cold</em> there.</p></article>`,
      ["**very** *cold*"],
      [],
    ],
    [
      "a link",
      `<article>${prose}<p>See <a href="../map">the map</a> and <a href="javascript:x()">this</a>.</p></article>`,
      ["[the map](https://example.org/map)", "this."],
      ["javascript"],
    ],
    [
      "a picture",
      `<article>${prose}<p><img src="a.png" alt="The tower at dusk" width="800" height="600"></p></article>`,
      ["The tower at dusk"],
      ["a.png"],
    ],
    [
      "code",
      `<article>${prose}<pre><code class="language-js">if (a &lt; b) {\n  go();\n}</code></pre></article>`,
      ["```js\nif (a < b) {\n  go();\n}\n```"],
      [],
    ],
    ["inline code", `<article>${prose}<p>Call <code>light_up()</code> first.</p></article>`, ["`light_up()`"], []],
    [
      "entities",
      `<article>${prose}<p>Caf&eacute; &amp; bar &#8211; &lt;open&gt;</p></article>`,
      ["Café & bar – <open>"],
      [],
    ],
    [
      "scripts, styles and comments",
      `<article><script>alert("bad")</script><style>p{color:red}</style><!-- secret -->${prose}</article>`,
      sentences,
      ["alert", "color", "secret"],
    ],
    [
      "hidden elements",
      `<article>${prose}<p hidden>hush one</p><p style="display: none">hush two</p><div style="color:red;visibility:hidden">hush three</div></article>`,
      sentences,
      ["hush"],
    ],
    [
      "noscript",
      `<article>${prose}<noscript>Please enable JavaScript</noscript><template>later</template></article>`,
      sentences,
      ["JavaScript", "later"],
    ],
    [
      "a page that hides until it is ready",
      `<body style="visibility:hidden"><article>${prose}</article></body>`,
      sentences,
      [],
    ],
    [
      "a short page without an article",
      "<div>Opening hours: 9 to 5</div><div>Phone: 555 0100</div>",
      ["9 to 5", "555 0100"],
      [],
    ],
    [
      "a page of links",
      `<ul>${sentences.map((one, index) => `<li><a href="/${index}">${one}</a></li>`).join("")}</ul>`,
      sentences,
      [],
    ],
    [
      "a forum",
      `<div class="thread">${sentences.map((one, index) => `<div class="post"><b>User ${index}</b><div>${one}</div></div>`).join("")}</div>`,
      sentences,
      [],
    ],
    [
      "right-to-left text",
      `<html dir="rtl" lang="ar"><body><article><p>${"مرحبا بالعالم. ".repeat(20)}</p></article>`,
      ["مرحبا بالعالم."],
      [],
    ],
    [
      "Japanese",
      `<article><p>${"灯台は一八二七年に建てられました。".repeat(20)}</p></article>`,
      ["灯台は一八二七年に建てられました。"],
      [],
    ],
    [
      "XHTML",
      `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body>${prose}<br/><p>After<br />it</p></body></html>`,
      sentences,
      ["<?xml"],
    ],
    ["unfinished markup", `<article>${prose}<p>Cut off <a href="`, [...sentences, "Cut off"], []],
    ["comparison signs", `<article>${prose}<p>1 < 2 and 3 <4 and a<b</p></article>`, ["1 < 2 and 3 <4"], []],
  ])("%s", async (_layout, html, has, hasNot) => {
    const { text } = await read(html);
    for (const words of has) expect(text).toContain(words);
    for (const words of hasNot) expect(text).not.toContain(words);
    const places = has.map((words) => text.indexOf(words));
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });
});

test.each<readonly [what: string, table: string, markdown: string]>([
  [
    "with a header",
    "<thead><tr><th>Year</th><th>Lamp</th></tr></thead><tbody><tr><td>1827</td><td>oil | rape</td></tr></tbody>",
    "| Year | Lamp |\n| --- | --- |\n| 1827 | oil \\| rape |",
  ],
  [
    "without one",
    "<tr><td>a</td><td>b</td></tr><tr><td></td><td>line<br>break</td></tr>",
    "| a | b |\n| --- | --- |\n|  | line break |",
  ],
  ["without end tags", "<tr><th>a<th>b<tr><td>1<td>2", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
  [
    "with cells over columns and rows",
    "<tr><th>a</th><th colspan=2>b</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr>",
    "| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
  ],
  [
    "with a caption",
    "<caption>Lamps</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr>",
    "Lamps\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
  ],
])("a table %s keeps its cells", async (_what, table, markdown) => {
  const { text } = await read(`<article>${prose}<table>${table}</table></article>`);
  expect(text).toContain(markdown);
});

test.each([
  ["rows", '<thead><tr class="header"><th>Year</th><th>Lamp</th></tr></thead>'],
  ["a head", '<thead class="header" id="header"><tr><th>Year</th><th>Lamp</th></tr></thead>'],
  ["cells", '<tr><th class="date">Year</th><th id="sidebar" class="byline">Lamp</th></tr>'],
])("a table whose %s have a class typical of sidebars keeps them", async (_what, head) => {
  const rows =
    '<tr class="odd"><td>1827</td><td class="author">oil</td></tr><tr class="footer"><td>1905</td><td>gas</td></tr>';
  const { text } = await read(
    `${menu}<article>${prose}<table>${head}<tbody>${rows}</tbody></table>${prose}</article>${footer}`,
  );
  expect(text).toContain("| Year | Lamp |\n| --- | --- |\n| 1827 | oil |\n| 1905 | gas |");
  expect(text).not.toContain("Shop now");
});

test("author, date, address and picture of a page are read", async () => {
  const html = `<html><head><title>Arkona – Coast News</title><meta property="og:title" content="Arkona  lights up">
    <meta name="author" content="Ada Keeper"><meta property="article:published_time" content="2024-03-05T08:00:00+01:00">
    <link rel="canonical" href="/posts/arkona"><meta property="og:image" content="//cdn.example.org/a.jpg"></head>
    <body><article><h1>The light of Arkona</h1>${prose}</article></body></html>`;
  const content = await read(html);
  expect(content).toMatchObject({
    type: "webpage",
    title: "Arkona lights up",
    author: "Ada Keeper",
    date: "2024-03-05T07:00:00.000Z",
    url: "https://example.org/posts/arkona",
    image: "https://cdn.example.org/a.jpg",
    notes: [],
  });
  expect(content.text).toContain("# The light of Arkona");
});

test.each([
  ['<link rel="canonical" href="javascript:alert(1)">', { url: null }],
  ['<link rel="canonical" href="file:///etc/passwd">', { url: null }],
  ['<link rel="canonical" href="https://user:pass@example.org/">', { url: null }],
  ['<meta property="og:image" content="data:image/png;base64,AAAA">', { image: null }],
  ["<meta name=date content='5 March 2024'>", { date: "2024-03-05" }],
  ["<meta name=dcterms.date content='2024-03-05'>", { date: "2024-03-05" }],
  ["<meta name=DCTERMS.date content='2024-03-05'>", { date: "2024-03-05" }],
  [
    "<meta name=DC.creator content='Ada Keeper'><meta name=dcterms.title content=Lamps>",
    { author: "Ada Keeper", title: "Lamps" },
  ],
  ["<meta name=dcterms.created content='2024-03-05'>", { date: "2024-03-05" }],
  ["<meta name=date content=soon>", { date: null }],
  ["<title>Only &lt;this&gt;</title>", { title: "Only <this>" }],
  ["", { title: null, author: null, date: null, url: null, image: null }],
])("%s yields the expected metadata", async (head, expected) => {
  expect(await read(`<html><head>${head}</head><body>${prose}</body></html>`)).toMatchObject(expected);
});

const umlauts = "Zwölf Boxkämpfer jagen Viktor quer über den großen Deich.";
test.each<readonly [string, Uint8Array, Partial<SourceFile>]>([
  ["the content type declares them", Buffer.from(`<p>${umlauts}</p>`, "latin1"), { charset: "iso-8859-1" }],
  ["the page declares them", Buffer.from(`<meta charset="windows-1252"><p>${umlauts}</p>`, "latin1"), {}],
  [
    "the page declares them in the old way",
    Buffer.from(`<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1"><p>${umlauts}</p>`, "latin1"),
    {},
  ],
  ["a byte order mark declares them", Buffer.from(`\uFEFF<p>${umlauts}</p>`, "utf16le"), { charset: "utf-8" }],
  ["nothing declares them", Buffer.from(`<p>${umlauts}</p>`, "utf8"), {}],
])("encodings are detected where %s", async (_who, bytes, known) => {
  expect((await read(bytes, known)).text).toContain(umlauts);
});

describe("hostile pages", () => {
  const many = 100_000;
  test.each<readonly [what: string, html: string, text: string]>([
    ["a hundred thousand nested elements", `${"<div>".repeat(many)}deep`, "deep"],
    ["as many with end tags", `${"<b>".repeat(many)}deep${"</b>".repeat(many)} after`, "after"],
    ["as many end tags alone", `first${"</div>".repeat(many)} after`, "after"],
    ["end tags without start tags", `${"<b>".repeat(many)}x<td>${"</i>".repeat(many)}after`, "after"],
    ["nested tables", `${"<table><tr><td>".repeat(20_000)}deep`, "deep"],
    ["nested lists", `${"<ul><li>".repeat(20_000)}deep`, "deep"],
    ["many paragraphs", `${"<p>word <a href=x>link</a></p>".repeat(60_000)}last`, "last"],
    ["many items", `<ol>${"<li>item".repeat(60_000)}</ol>last`, "last"],
    ["many cells", `<table>${"<tr><td>a<td>b</tr>".repeat(30_000)}</table>last`, "last"],
    [
      "cells that span everything",
      `<table>${"<tr><td colspan=9999 rowspan=9999>a<td>b</tr>".repeat(500)}</table>last`,
      "last",
    ],
    ["many attributes", `<p ${Array.from({ length: many }, (_, index) => `a${index}=1`).join(" ")}>text</p>`, "text"],
    ["an unclosed quote", `<p>text</p><p title="${"x ".repeat(many)}`, "text"],
    ["unclosed scripts", `text${"<script>".repeat(many)}`, "text"],
    ["unclosed comments", `text${"<!-- ".repeat(many)}`, "text"],
    ["less-than signs", `text${"<".repeat(many)}`, "text"],
    ["one very long word", `<p>${"x".repeat(3_000_000)}</p>text`, "text"],
    ["endless spaces", `<p>a${" ".repeat(1_000_000)}b</p>text`, "text"],
    ["headings, fences and pipes", `<pre>${"```\n# ".repeat(10_000)}</pre>text`, "text"],
    ["nested descriptions", `<script type="application/ld+json">${"[".repeat(60_000)}</script><p>text</p>`, "text"],
    ["names of prototype properties", "<__proto__><constructor>text</constructor></__proto__>", "text"],
  ])("%s", async (_what, html, text) => {
    const before = process.cpuUsage();
    const { text: found } = await read(html);
    const { user, system } = process.cpuUsage(before);
    expect(found.includes(text)).toBe(true);
    expect((user + system) / 1e6).toBeLessThan(10);
  });

  test.each([
    ["nothing", ""],
    ["spaces", " \n "],
    ["an empty page", "<html><body></body></html>"],
    ["a page filled by a script", '<div id="root"></div><script>render()</script>'],
  ])("%s has no text", async (_what, html) => {
    await expect(read(html)).rejects.toThrow(ExtractionError);
  });

  test("reads two hundred mutations of a page, or refuses them with a reason", async () => {
    const page = Buffer.from(
      `<html><head><title>T</title></head><body>${menu}<article><h1>A</h1>${prose}<table><tr><td>1<td>2</table><pre>x</pre></article></body></html>`,
    );
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 200; round += 1) {
      const mutated = Buffer.from(page);
      for (let count = random(20); count >= 0; count -= 1) mutated[random(mutated.length)] = random(256);
      const cut = mutated.subarray(0, random(4) === 0 ? random(mutated.length) : mutated.length);
      const outcome = await read(cut).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ExtractionError);
    }
  });
});

describe("a thread of posts", () => {
  const posts = [
    ["ada", "Does anybody know how long the slipway at the old harbour stays dry after high water in autumn?"],
    ["grace", "About three hours on a calm day, and hardly two of them when the wind has been from the west."],
    ["alan", "I would not count on either: the sand bank before it has moved since the storm of last winter."],
  ] as const;
  const bodies: readonly (readonly [how: string, post: (by: string, text: string) => string])[] = [
    ["divs", (by, text) => `<div class="post"><b>${by}</b><div class="text"><p>${text}</p></div></div>`],
    ["articles", (by, text) => `<article><header>${by}</header><p>${text}</p></article>`],
    ["list items", (by, text) => `<li class="comment"><a href="/u/${by}">${by}</a><p>${text}</p></li>`],
  ];

  test.each(bodies)("of %s keeps all of them, and no menu", async (_how, post) => {
    const more = posts.map(([by, text]) => post(by, `${text} ${"It was so when I was there. ".repeat(by.length)}`));
    const { text } = await read(
      `<html><head><title>Slipway</title></head><body>${menu}<h1>Slipway</h1><div id="thread">${more.join("")}</div>${footer}</body></html>`,
    );
    for (const [, said] of posts) expect(text).toContain(said);
    expect(text).not.toContain("Shop now");
  });
});
