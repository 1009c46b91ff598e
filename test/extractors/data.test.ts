import { expect, test } from "vitest";
import { extractJson, extractJsonLines } from "../../src/extractors/data/json.js";
import { extractXml } from "../../src/extractors/data/xml.js";
import { extractionTools, sourceFile } from "../support/extraction-tools.js";
import { survive, surviveHostileBytes } from "../support/hostile-bytes.js";
import { textOf, wordRecall } from "../support/word-recall.js";

const json = (text: string) => extractJson(sourceFile(Buffer.from(text)), extractionTools());
const lines = (text: string) => extractJsonLines(sourceFile(Buffer.from(text)), extractionTools());
const xml = (text: string | Uint8Array) => extractXml(sourceFile(Buffer.from(text)), extractionTools());

test("JSON becomes paths and values, sections, and tables of similar objects", async () => {
  const content = await json(
    JSON.stringify({
      title: "Fleet",
      count: 2,
      tags: ["sea", "ice"],
      ships: [
        { name: "Fram", year: 1892, home: { port: "Oslo", berth: 4 } },
        { name: "Gjøa", year: 1872, home: { port: "Tromsø", berth: 7 }, note: "a|b" },
      ],
      plan: {
        route: { from: "Oslo", legs: [{ to: "Bergen", stops: [{ at: "Mandal" }] }] },
        crew: [{ a: 1 }],
        ready: true,
      },
      log: ["", { text: "first\nsecond" }],
    }),
  );
  expect(content.title).toBe("Fleet");
  expect(content.parts.map(({ text }) => text)).toEqual([
    "- title: Fleet\n- count: 2\n- tags: sea, ice",
    "## ships\n\n| name | year | home.port | home.berth | note |\n| --- | --- | --- | --- | --- |\n| Fram | 1892 | Oslo | 4 |\n| Gjøa | 1872 | Tromsø | 7 | a\\|b |",
    "## plan\n\n- route.from: Oslo\n- route.legs[0].to: Bergen\n- route.legs[0].stops[0].at: Mandal\n- crew[0].a: 1\n- ready: true",
    "## log\n\n### Entry 1\n\n-",
    "## log\n\n### Entry 2\n\n- text: first\n    second",
  ]);
});

test("numbers and duplicate names are kept as written", async () => {
  const { parts } = await json('{"id": 12345678901234567890123, "x": 1.10, "x": 1e400, "none": null}');
  expect(parts[0]?.text).toBe("- id: 12345678901234567890123\n- x: 1.10\n- x: 1e400\n- none: null");
});

test("a list of dissimilar objects becomes one part per entry", async () => {
  const { parts } = await json(
    JSON.stringify([
      { title: "One", lines: [{ a: ["x", { y: 1 }] }] },
      { id: 7, body: "text" },
    ]),
  );
  expect(parts).toEqual([
    { text: "### One\n\n- title: One\n- lines[0].a[0]: x\n- lines[0].a[1].y: 1", place: { entry: 1 } },
    { text: "### 7\n\n- id: 7\n- body: text", place: { entry: 2 } },
  ]);
});

test("a long list of similar objects is split into tables that repeat their header", async () => {
  const { parts } = await json(
    JSON.stringify(Array.from({ length: 250 }, (_, index) => ({ index, word: `w${index}` }))),
  );
  expect(parts.map(({ place }) => place.entry)).toEqual([1, 101, 201]);
  for (const { text } of parts) expect(text).toMatch(/^\| index \| word \|\n/);
  expect(parts[2]?.text).toContain("| 249 | w249 |");
});

test("JSON lines are a list; an invalid line is kept as text", async () => {
  const { parts, notes } = await lines('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n\n{"a":3,"b":"z"}\n');
  expect(parts).toEqual([{ text: "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |\n| 3 | z |", place: { entry: 1 } }]);
  expect(notes).toEqual([]);
  const broken = await lines(`${'{"a":1}\n'.repeat(9)}{"a": broken words}\n`);
  expect(textOf(broken)).toContain("broken words");
  expect(broken.notes).toHaveLength(1);
});

test("truncated or invalid JSON keeps its words", async () => {
  const cut = await json('{"title": "Fleet", "ships": [{"name": "Fram"}, {"name": "Gj');
  expect(wordRecall("title Fleet ships name Fram Gj", textOf(cut))).toBe(1);
  expect(cut.notes).toHaveLength(1);
  const none = await json("{title: 'single quotes'}");
  expect(textOf(none)).toBe("{title: 'single quotes'}");
  expect(none.notes).toHaveLength(1);
  expect(textOf(await json(`${"[".repeat(100_000)}word`))).toContain("word");
});

test("XML becomes paths and values, and tables of similar elements", async () => {
  const { parts } = await xml(`<?xml version="1.0" encoding="UTF-8"?>
<fleet xmlns="urn:x" year="1900"><title>Polar ships</title><!-- no -->
  <ship id="1"><name>Fram</name><port>Oslo</port></ship>
  <ship id="2"><name>Gjøa</name><port>Tromsø</port></ship>
  <about>Built by <b>Colin Archer</b> in <a href="https://larvik.example">Larvik</a> &amp; elsewhere.</about>
</fleet>`);
  expect(parts.map(({ text }) => text)).toEqual([
    "# fleet",
    "- year: 1900\n- title: Polar ships",
    "## ship\n\n| id | name | port |\n| --- | --- | --- |\n| 1 | Fram | Oslo |\n| 2 | Gjøa | Tromsø |",
    "- about: Built by Colin Archer in Larvik (href: https://larvik.example) & elsewhere.",
  ]);
});

test("the encoding declared in XML is used", async () => {
  const text = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a><b>'),
    Buffer.from("cff0e8e2e5f2", "hex"),
    Buffer.from("</b></a>"),
  ]);
  expect(textOf(await xml(text))).toContain("Привет");
});

test("RSS becomes entries with title, date, link and text", async () => {
  const content =
    await xml(`<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Harbour news</title><link>https://harbour.example/</link><description>What happens</description>
<item><title>Opening</title><link>https://harbour.example/1</link><pubDate>Tue, 03 Nov 2026 10:00:00 GMT</pubDate><dc:creator>Ada</dc:creator>
<description>The quay opens.</description><content:encoded><![CDATA[<p>The quay opens.</p><p>All are <b>welcome</b>.</p>]]></content:encoded><category>Events</category></item>
<item><title>Storm</title><description>Ships &amp; boats stay.</description></item>
</channel></rss>`);
  expect(content).toMatchObject({ title: "Harbour news", url: "https://harbour.example/" });
  expect(content.parts.map(({ place }) => place.entry)).toEqual([undefined, 1, 2]);
  expect(content.parts[1]?.text).toMatch(
    /^## Opening\n\n2026-11-03T10:00:00\.000Z · https:\/\/harbour\.example\/1\n\nThe quay opens\.\n+All are (?:\*\*)?welcome(?:\*\*)?\.\n\n- creator: Ada\n- category: Events$/,
  );
  expect(content.parts[2]?.text).toBe("## Storm\n\nShips & boats stay.");
});

test("the date of an entry is the one written there, whatever the local time zone", async () => {
  const zone = process.env["TZ"];
  process.env["TZ"] = "Asia/Tokyo";
  try {
    const content = await xml(
      "<rss><channel><item><title>x</title><pubDate>March 1, 2026</pubDate></item><item><title>y</title><pubDate>Sun, 01 Mar 2026 22:00:00 PST</pubDate></item></channel></rss>",
    );
    expect(textOf(content)).toContain("2026-03-01\n");
    expect(textOf(content)).toContain("2026-03-02T06:00:00.000Z");
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
});

test("HTML entities in a feed are decoded", async () => {
  const { parts } = await xml(
    `<rss><channel><title>T</title><item><title>x</title><description>&lt;h2&gt;R&amp;eacute;union&lt;/h2&gt;&lt;p&gt;Gar&amp;ccedil;on&lt;/p&gt;</description></item></channel></rss>`,
  );
  expect(parts[1]?.text).toBe("## x\n\n## Réunion\n\nGarçon");
});

test("Atom becomes entries", async () => {
  const { title, date, parts } =
    await xml(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><updated>2026-11-04T00:00:00Z</updated>
<link rel="self" href="https://a.example/feed"/><link href="https://a.example/"/>
<entry><title type="html">One</title><id>urn:1</id><updated>2026-11-03T00:00:00Z</updated><link rel="alternate" href="https://a.example/1"/>
<author><name>Bob</name></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Deep <i>water</i>.</p></div></content></entry></feed>`);
  expect({ title, date }).toEqual({ title: "Log", date: "2026-11-04T00:00:00.000Z" });
  expect(parts[1]?.text).toMatch(
    /^## One\n\n2026-11-03T00:00:00\.000Z · https:\/\/a\.example\/1\n\nDeep water \.\n\n- id: urn:1\n- author: Bob$/,
  );
});

test("XML that declares entities or is broken is kept as text, and expands nothing", async () => {
  const laughs = `<!DOCTYPE l [<!ENTITY a "ha ha"><!ENTITY b "${"&a;".repeat(100)}">]><l>${"&b;".repeat(100)}</l>`;
  const content = await xml(laughs);
  expect(textOf(content)).toBe(laughs);
  expect(content.notes).toHaveLength(1);
  expect(textOf(await xml("<a>kept &nbsp; words</b>"))).toContain("kept");
  expect(textOf(await xml(`${"<a>".repeat(100_000)}word`))).toContain("word");
  const external = await xml('<!DOCTYPE l SYSTEM "file:///etc/passwd"><l>word</l>');
  expect(textOf(external)).toBe("# l\n\nword");
});

test("empty, truncated, changed and endless files end in a result or a reason", async () => {
  for (const read of [json, lines, xml]) await expect(read(" ")).rejects.toMatchObject({ reason: "empty" });
  const sample = JSON.stringify({
    a: [
      { b: "ü", c: [1, 2, { d: null }] },
      { b: "x", c: [] },
    ],
    e: { f: { g: "h\n" } },
  });
  await surviveHostileBytes(extractJson, Buffer.from(sample.repeat(3)));
  await surviveHostileBytes(extractJsonLines, Buffer.from(`${sample}\n`.repeat(3)));
  await surviveHostileBytes(extractXml, Buffer.from('<?xml version="1.0"?><r a="1"><i>x</i><i>y <b>z</b></i></r>'));
  await surviveHostileBytes(
    extractXml,
    Buffer.from("<rss><channel><item><title>t</title><description>&lt;p>x</description></item></channel></rss>"),
  );
  await survive(extractJson, Buffer.from(`[${"[],".repeat(1_500_000)}[]]`));
  await survive(extractJson, Buffer.from(`{"${"k".repeat(500_000)}":{${'"a":1,'.repeat(5_000)}"b":2}}`));
  await survive(extractXml, Buffer.from(`<r>${"<a/>".repeat(300_000)}</r>`));
  await survive(extractXml, Buffer.from(`<r>${"x<a>".repeat(200)}${"word ".repeat(300_000)}${"</a>".repeat(200)}</r>`));
});
