import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { readService, runProgram, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";
const SETTINGS = { RECOLLECT_API_KEY: KEY };

/** What the status of a service of the first versions contained, by part. */
const FIRST_FIELDS = {
  "": "version organizationId dataDirectory embedder embedding llm llmUse llmBudget factExtractor vectors store jobs reprocessing waitingDocuments expiringKeys",
  embedding: "isAnswering next previous",
  store: "problems documents chunks memories bytes freeBytes",
  jobs: "waiting running dead oldestWaitingSeconds",
};

function asAtFirst(status: Record<string, any>): object {
  const fields = (part: keyof typeof FIRST_FIELDS, of: Record<string, any>) =>
    Object.fromEntries(FIRST_FIELDS[part].split(" ").map((name) => [name, of[name]]));
  const parts = (["embedding", "store", "jobs"] as const).map((part) => [part, fields(part, status[part])]);
  return { ...fields("", status), ...Object.fromEntries(parts) };
}

/** Passes all calls of other processes on to a service, and takes from its status what came later. */
async function startEarlier(url: string): Promise<Server> {
  const pass = async ({ method = "GET", url: path = "/", headers }: IncomingMessage, body: Buffer) => {
    const { "x-recollect-owner": token = "" } = headers;
    const sent = { "x-recollect-owner": String(token), "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: sent,
      ...(method === "POST" && { body: body.toString() }),
    });
    const text = await answer.text();
    if (!answer.ok || !/^\/internal\/call\/(status|ownerStatus)$/.test(path)) return { status: answer.status, text };
    return { status: answer.status, text: JSON.stringify({ result: asAtFirst(JSON.parse(text).result) }) };
  };
  const server = createServer((request, response) => {
    buffer(request)
      .then((body) => pass(request, body))
      .then(
        ({ status, text }) => response.writeHead(status, { "content-type": "application/json" }).end(text),
        () => response.destroy(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

test("commands and services beside a service of an earlier version do without what it does not tell", async () => {
  await withDataDirectory(async (data) => {
    const service = await startServe(data, SETTINGS);
    const address = await waitFor(() => readService(data), "an address");
    const earlier = await startEarlier(address.url);
    try {
      const { port } = earlier.address() as AddressInfo;
      const elsewhere = { ...address, url: `http://127.0.0.1:${port}` };
      writeFileSync(join(data, "service.json"), JSON.stringify(elsewhere), { mode: 0o600 });
      const status = await runProgram(data, ["status"]);
      expect([status.code, status.stderr]).toEqual([0, ""]);
      expect(status.stdout).toMatch(/^without key +nobody: the service that runs is of an earlier version/m);
      const file = join(data, "kettle.txt");
      writeFileSync(file, "The kettle is in the left cupboard.");
      const added = await runProgram(data, ["add", file]);
      expect([added.code, added.stderr]).toEqual([0, expect.not.stringContaining("error")]);
      const beside = await startServe(data, SETTINGS);
      const answer = await fetch(`${beside.url}/v3/status`, { headers: { authorization: `Bearer ${KEY}` } });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ documents: 1, degraded: [] }),
      ]);
      await beside.stop();
    } finally {
      earlier.closeAllConnections();
      earlier.close();
    }
    await service.stop();
  });
}, 60_000);
