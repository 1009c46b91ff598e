import { afterEach, expect, test } from "vitest";
import type { ChunkMetadata } from "../../src/core/types.js";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { placeInFile } from "../../src/transports/place-in-file.js";
import { connectInMemory } from "../support/mcp-client.js";
import { openCore, silentLog, type OpenedCore } from "../support/open-core.js";

let opened: OpenedCore | undefined;
afterEach(() => opened?.close());

test.each<[place: ChunkMetadata, words: string | null]>([
  [{}, null],
  [{ headings: ["A"] }, null],
  [{ page: 12 }, "page 12"],
  [{ slide: 3 }, "slide 3"],
  [{ sheet: "Sales", range: "A2:D40" }, "sheet Sales, A2:D40"],
  [{ sheet: "Sales" }, "sheet Sales"],
  [{ range: "A2:D40" }, "A2:D40"],
  [{ entry: 4 }, "entry 4"],
  [{ time: [750.5, 790] }, "at 12:30"],
  [{ time: [3_725, 3_730] }, "at 1:02:05"],
])("describes %o as %s", (place, words) => {
  expect(placeInFile(place)).toBe(words);
});

test("an MCP search says where in its file a passage is", async () => {
  opened = await openCore();
  const { core, actor } = opened;
  const bytes = Buffer.from("berth,ship\nquay seven,Aurora\nquay nine,Borealis\n").toString("base64");
  await core.addFile({ actor }, { bytes, name: "berths.csv", document: { containerTags: ["port"] } });
  await opened.settle();
  const session = () => Promise.resolve({ core, actor });
  const principal = () => ({ session, defaultContainer: "port" });
  const mcp = await connectInMemory("v1", createMcpFactory({ principal, log: silentLog, version: "0.0.0" }));
  const { text, structured } = await mcp.call("search", { query: "Where is the ship Aurora?" });
  await mcp.close();
  expect(structured["results"]).toMatchObject([{ kind: "chunk", place: "A2:B3" }]);
  expect(text).toMatch(/from "berths.csv", A2:B3\)/);
});
