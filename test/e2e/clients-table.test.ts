import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLIENTS, clientNames, clientOfRow, readClientRows } from "../support/client-table.js";

test("the table of clients in docs/clients.md has a row for each client, in order, and no others", () => {
  expect(readClientRows().map((row) => clientOfRow(row) ?? row)).toEqual(clientNames());
});

test("every client in the table is exercised by a test", () => {
  const tests = readdirSync(import.meta.dirname).filter((file) => file.startsWith("clients-"));
  const sources = tests.map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).join("\n");
  for (const client of clientNames()) expect(sources, CLIENTS[client].name).toContain(`tryClient("${client}")`);
});
