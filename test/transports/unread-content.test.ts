import { afterAll, beforeAll, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { connectInMemory } from "../support/mcp-client.js";
import { silentLog } from "../support/open-core.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const path = [expect.stringMatching(/^content: looks like a file path, which was stored as text/)];
const data = [expect.stringMatching(/^content: is a data: URL, which was stored as text/)];

const CASES: readonly (readonly [content: string, warnings: unknown])[] = [
  ["/tmp/x/handbook.pdf", path],
  ["file:///tmp/x/handbook.pdf", path],
  ["C:\\notes\\plan.docx", path],
  ["~/notes/plan.md", path],
  ["data:image/png;base64,iVBORw0KGgo=", data],
  ["The handbook is in /tmp/x/handbook.pdf", undefined],
  ["/etc/hosts was replaced by hosts.new", undefined],
  ["/v3/documents", undefined],
];

test.each(CASES)("REST stores %j as text, and warns where a file was meant", async (content, warnings) => {
  const one = await rest.send("POST", "/v3/documents", { content, containerTag: "mia" });
  expect([one.status, one.body.warnings]).toEqual([200, warnings]);
  const documents = [{ content }, { content: `${content}x` }];
  const many = await rest.send("POST", "/v3/documents/batch", { documents, containerTag: "mia" });
  expect([many.status, many.body.warnings]).toEqual([200, warnings]);
});

test.each(["add-memory", "add_memory"])(
  "%s of MCP stores it with the same warnings",
  async (tool) => {
    const session = () => Promise.resolve({ core: rest.core, actor: rest.actor });
    const mcp = await connectInMemory(
      "v1",
      createMcpFactory({ principal: () => ({ session, defaultContainer: "mia" }), log: silentLog, version: "0.0.0" }),
    );
    try {
      for (const [content, warnings] of CASES) {
        const { structured, text } = await mcp.call(tool, { content });
        expect([content, structured["warnings"]]).toEqual([content, warnings]);
        if (warnings) expect(text).toContain("Warning: content:");
      }
    } finally {
      await mcp.close();
    }
  },
  60_000,
);
