import { afterEach, beforeEach, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { connectInMemory, type McpConnection } from "../support/mcp-client.js";
import { openCore, silentLog, type OpenedCore } from "../support/open-core.js";

/* An email that a user sends as a file is theirs, but its content is not. */

const MAIL = [
  "From: Ann <ann@example.com>",
  "To: Bob <bob@example.com>",
  "Subject: The berth",
  "",
  "The ferry Aurora berths at quay seven from now on.",
].join("\r\n");

let opened: OpenedCore;
let mcp: McpConnection;
beforeEach(async () => {
  opened = await openCore();
  const { core, actor } = opened;
  const session = () => Promise.resolve({ core, actor });
  const principal = () => ({ session, defaultContainer: "port" });
  mcp = await connectInMemory("v1", createMcpFactory({ principal, log: silentLog, version: "0.0.0" }));
});
afterEach(async () => {
  await mcp.close();
  await opened.close();
});

async function add(text: string, name: string): Promise<string> {
  const { core, actor } = opened;
  const bytes = Buffer.from(text).toString("base64");
  const { id } = await core.addFile({ actor }, { bytes, name, document: { containerTags: ["port"] } });
  await opened.settle();
  return id;
}

test("passages of an email are unverified wherever they are shown", async () => {
  const id = await add(MAIL, "berth.eml");
  const found = await mcp.call("search", { query: "Where does the ferry Aurora berth?" });
  expect(found.structured["results"]).toMatchObject([{ kind: "chunk", trust: "unverified" }]);
  expect(found.text).toContain("unverified: not from the user");
  const fetched = await mcp.call("fetch", { id });
  expect(fetched.structured).toMatchObject({ trust: "unverified" });
});

test("passages of a file that is not an email are trusted", async () => {
  await add("berth,ship\nquay seven,Aurora\n", "berths.csv");
  const found = await mcp.call("search", { query: "Where is the ship Aurora?" });
  expect(found.structured["results"]).toMatchObject([{ kind: "chunk", trust: "trusted" }]);
});
