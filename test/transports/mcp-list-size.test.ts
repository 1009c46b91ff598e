import { expect, test } from "vitest";
import { listTools } from "../../src/transports/mcp/tool-list.js";

test("the list of tools is at most 10 KB", () => {
  const tools = listTools({ mayWrite: true, isPinned: false }, "small");
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(10_240);
});
