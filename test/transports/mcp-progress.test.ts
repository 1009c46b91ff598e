import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { openCore, silentLog } from "../support/open-core.js";

const ABOUT = { name: "test", version: "1.0.0" };

test.each(["legacy", "auto"] as const)(
  "a client that asks for progress is notified during a long call (%s)",
  async (mode) => {
    const opened = await openCore();
    /** The session opens once the client has received two notifications. */
    let hear = (): void => undefined;
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const session = async () => {
      await heard;
      return { core: opened.core, actor: opened.actor };
    };
    const principal = () => ({ session, defaultContainer: "box" });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const handle = serveStdio(createMcpFactory({ principal, log: silentLog, version: "0.0.0" }), { transport: far });
    const client = new Client(ABOUT, { versionNegotiation: { mode } });
    try {
      await client.connect(near);
      const steps: number[] = [];
      const call = { name: "search", arguments: { query: "anything" } };
      const { isError } = await client.callTool(call, {
        onprogress({ progress }) {
          steps.push(progress);
          if (steps.length === 2) hear();
        },
      });
      expect(isError ?? false).toBe(false);
      expect(steps.slice(0, 2)).toEqual([1, 2]);
    } finally {
      await client.close();
      await handle.close();
      await opened.close();
    }
  },
);
