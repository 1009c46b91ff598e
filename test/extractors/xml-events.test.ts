import { expect, test } from "vitest";
import { ExtractionError } from "../../src/extractors/extraction-error.js";
import { elementsOf, readXmlTree, xmlEvents } from "../../src/extractors/xml-events.js";

const limits = { maximumDepth: 100 };
const bytes = (content: string) => new TextEncoder().encode(content);

function reasonOf(xml: string): string {
  try {
    for (const event of xmlEvents(bytes(xml), limits)) void event;
  } catch (error) {
    if (error instanceof ExtractionError) return error.reason;
    throw error;
  }
  return "nothing";
}

test("elements, attributes and texts are in order, in any declared encoding", () => {
  const xml = `<?xml version="1.0"?><a:b x="1 &amp; 2">t\u00e4&#x20AC;<![CDATA[<c>]]><d/></a:b>`;
  const events = [...xmlEvents(bytes(xml), limits)].map((event) => (event.kind === "text" ? event.text : event.name));
  expect(events).toEqual(["a:b", "tä€", "<c>", "d", "d", "a:b"]);
  const utf16 = Buffer.from(`\ufeff${xml}`, "utf16le");
  expect(readXmlTree([utf16.subarray(0, 51), utf16.subarray(51)], limits).children[0]).toBe("tä€");
  const latin = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e4</a>`, "latin1");
  expect(readXmlTree(latin, limits).children).toEqual(["ä"]);
  const tree = readXmlTree(bytes(xml), limits);
  expect([tree.name, tree.attributes, elementsOf(tree).length]).toEqual(["b", { x: "1 & 2" }, 1]);
});

test("refuses declared entities, deep nesting and broken XML, but not a document type by name", () => {
  const laughs = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><l>&b;</l>`;
  const external = `<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>`;
  const deep = `${"<a>".repeat(100_000)}${"</a>".repeat(100_000)}`;
  const broken = ["", "<a>", "<a></b>", "<a>&unknown;</a>", "text", "<a/><b/>", "<a x=1/>", "\u0000"];
  expect([laughs, external, ...broken].map(reasonOf)).toEqual(Array(2 + broken.length).fill("damaged"));
  expect(reasonOf(deep)).toBe("too_large");
  expect(reasonOf(`<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://x.test/ncx.dtd"><ncx/>`)).toBe("nothing");
});
