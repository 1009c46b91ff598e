import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readServiceFile, writeServiceFile } from "../../src/adapters/owner/service-file.js";
import { createNode, type Node } from "../../src/node.js";
import { readConfig } from "../../src/config.js";
import { captureLog } from "./captured-log.js";

/** A process of a data folder that asks its owner, and takes its place when it is gone. */
export function startAsker(dataDirectory: string): Node {
  return createNode({
    config: readConfig({ RECOLLECT_DATA_DIR: dataDirectory, RECOLLECT_OFFLINE: "1" }),
    version: "0.0.0-test",
    log: captureLog(),
    engine: "off",
    standby: false,
    onLost: () => undefined,
    listen: () => Promise.reject(new Error("Who only asks does not listen.")),
  });
}

/** The connection to the owner of a data folder, on which responses get lost. */
export interface LossyOwner {
  /**
   * Loses the response to the next call of this use case once the owner has sent it.
   * @param beforeLoss runs after the owner has answered, before the loss is noticed
   */
  loseNext(useCase: string, beforeLoss: () => Promise<void>): void;
  /** What the owner answered to calls since `loseNext`, including lost responses, oldest first. */
  readonly answers: readonly unknown[];
  close(): Promise<void>;
}

/** Sits between the owner of a data folder and every process that looks for it from now on. */
export async function startLossyOwner(dataDirectory: string): Promise<LossyOwner> {
  const address = readServiceFile(dataDirectory);
  if (address === null) throw new Error(`Nobody serves ${dataDirectory}`);
  const answers: unknown[] = [];
  const doomed = new Map<string, () => Promise<void>>();
  let watched = "";
  const server = createServer((incoming, outgoing) => {
    const passOn = async (): Promise<void> => {
      const body: Buffer[] = [];
      for await (const part of incoming) body.push(part as Buffer);
      const { host: _host, connection: _connection, "content-length": _length, ...headers } = incoming.headers;
      const answer = await fetch(new URL(incoming.url ?? "/", address.url), {
        method: incoming.method ?? "GET",
        headers: headers as Record<string, string>,
        ...(incoming.method === "POST" && { body: Buffer.concat(body) }),
      });
      const text = await answer.text();
      if (incoming.url === watched) answers.push(JSON.parse(text));
      const beforeLoss = doomed.get(incoming.url ?? "");
      if (beforeLoss) {
        doomed.delete(incoming.url ?? "");
        await beforeLoss();
        outgoing.destroy();
        return;
      }
      outgoing.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    };
    passOn().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  writeServiceFile(dataDirectory, { ...address, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return {
    loseNext(useCase, beforeLoss) {
      watched = `/internal/call/${useCase}`;
      answers.length = 0;
      doomed.set(watched, beforeLoss);
    },
    answers,
    async close() {
      writeServiceFile(dataDirectory, address);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
