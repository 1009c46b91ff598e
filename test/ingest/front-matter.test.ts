import { afterEach, beforeEach, expect, test } from "vitest";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

const NOTE = "---\ntitle: North quay\ndate: 2019-03-04\nstatus: closed\n---\n\nTorvald moved to Bergen yesterday.\n";

async function memories(): Promise<readonly string[]> {
  await opened.settle();
  const { entries } = await opened.core.listMemories(opened.call(), { containerTags: ["port"] });
  return entries.map(({ memory }) => memory.text);
}

test("nothing is remembered from a file's front matter, but its date applies to the text", async () => {
  const bytes = Buffer.from(NOTE).toString("base64");
  await opened.core.addFile(opened.call(), { bytes, name: "note.md", document: { containerTags: ["port"] } });
  expect(await memories()).toEqual(["Torvald moved to Bergen on 3 March 2019"]);
});

test("nor from the front matter of a text", async () => {
  await opened.core.addDocument(opened.call(), {
    content: NOTE,
    containerTags: ["port"],
    documentDate: "2019-03-04",
  });
  expect(await memories()).toEqual(["Torvald moved to Bergen on 3 March 2019"]);
});
