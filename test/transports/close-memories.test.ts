import { afterEach, beforeEach, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import type { Actor } from "../../src/core/types.js";
import { connectInMemory, type McpConnection } from "../support/mcp-client.js";
import { silentLog } from "../support/open-core.js";
import { openRest, type OpenedRest } from "../support/rest.js";

/** A correction that names no memory to replace gets candidates: until one is replaced, both count as true. */
let rest: OpenedRest;
let connections: McpConnection[];

beforeEach(async () => {
  rest = await openRest({ asOwner: true });
  connections = [];
});
afterEach(async () => {
  for (const connection of connections) await connection.close();
  await rest.close();
});

async function agent(actor: Actor): Promise<McpConnection> {
  const session = () => Promise.resolve({ core: rest.core, actor });
  const factory = createMcpFactory({
    principal: () => ({ session, defaultContainer: "work" }),
    log: silentLog,
    version: "0.0.0",
  });
  const connection = await connectInMemory("v1", factory);
  connections.push(connection);
  return connection;
}

async function state(mcp: McpConnection, text: string, more: Record<string, unknown> = {}) {
  const { text: told, structured } = await mcp.call("add-memory", { content: text, facts: [{ text, ...more }] });
  return { told, added: structured["added"] as { id: string; closeTo?: { id: string; text: string }[] }[] };
}

const OLD = "Invoices of the Atlas project are sent on the first of the month";
const NEW = "Invoices of the Atlas project are sent on the fifth of each month";

test("a receipt names what a new memory is close to, and passing its id as updates replaces it", async () => {
  const mcp = await agent(rest.actor);
  const { added } = await state(mcp, OLD);
  await state(mcp, "Wes owns the design system");
  const { told, added: newer } = await state(mcp, NEW);
  expect(newer[0]?.closeTo).toEqual([{ id: added[0]?.id, text: OLD }]);
  expect(told).toContain(`close to [${added[0]?.id}] ${OLD}; pass updates`);
  const again = await state(mcp, "Invoices of the Atlas project are sent on the ninth of each month", {
    updates: added[0]?.id,
  });
  expect(again.told).toContain(`updated [${added[0]?.id}]`);
});

test("a receipt names no duplicates or unrelated memories, at most two memories, and only the start of long ones", async () => {
  const mcp = await agent(rest.actor);
  expect((await state(mcp, OLD)).added[0]?.closeTo).toBeUndefined();
  expect((await state(mcp, OLD)).added).toEqual([]);
  expect((await state(mcp, "Wes owns the design system")).added[0]?.closeTo).toBeUndefined();
  const long = `${NEW}, and those of all other projects of the month are sent on the tenth of the month, which is a Monday`;
  await state(mcp, long);
  await state(mcp, NEW);
  const { added } = await state(mcp, NEW.replace("fifth", "ninth"));
  expect(added[0]?.closeTo).toHaveLength(2);
  for (const { text } of added[0]?.closeTo ?? []) expect(text.length).toBeLessThanOrEqual(120);
});

test("a receipt names neither forgotten memories nor those of another container", async () => {
  const mcp = await agent(rest.actor);
  await mcp.call("add-memory", { content: OLD, containerTag: "elsewhere", facts: [{ text: OLD }] });
  const { added } = await state(mcp, OLD);
  await mcp.call("forget", { id: added[0]?.id });
  expect((await state(mcp, NEW)).added[0]?.closeTo).toBeUndefined();
});

test("a document in two containers names no memory of the one that its reader may not see", async () => {
  const hidden = { containerTags: ["secret"], content: OLD, facts: [{ text: OLD }], wait: 20 };
  await rest.core.addDocument({ actor: rest.actor, operationId: "one" }, hidden);
  const shared = {
    containerTags: ["work", "secret"],
    content: NEW,
    facts: [{ text: NEW }],
    customId: "shared",
    wait: 20,
  };
  const seen = await rest.core.addDocument({ actor: rest.actor, operationId: "two" }, shared);
  expect(JSON.stringify(seen.facts)).toContain(OLD);
  const { addDocument } = rest.core;
  const restricted = { ...rest.actor, containers: ["work"] };
  const answer = await addDocument(
    { actor: restricted, operationId: "three" },
    { ...shared, containerTags: ["work"] },
  ).catch((error: unknown) => ({ facts: String(error) }));
  expect(JSON.stringify(answer.facts)).not.toContain(OLD);
});

test("REST returns the same for facts sent with a document", async () => {
  const send = (text: string) =>
    rest.send(
      "POST",
      "/v3/documents",
      { content: text, containerTag: "work", facts: [{ text }] },
      { prefer: "wait=20" },
    );
  const { body: first } = await send(OLD);
  const { body } = await send(NEW);
  expect(body.facts).toMatchObject([{ outcome: "added", closeTo: [{ id: first.facts[0].id, memory: OLD }] }]);
});
