import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy in front of several servers, which receive requests in turn. */
export interface RoundRobin {
  readonly url: string;
  /** Base URLs of the servers. As long as there are none, requests are refused with 503. */
  servers: readonly string[];
  close(): Promise<void>;
}

export async function startRoundRobin(): Promise<RoundRobin> {
  let servers: readonly string[] = [];
  let count = 0;
  const proxy = createServer((request, response) => {
    const base = servers[count++ % Math.max(1, servers.length)];
    if (base === undefined) return void response.writeHead(503).end();
    const passed = ask(new URL(request.url ?? "/", base), { method: request.method, headers: request.headers });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get servers() {
      return servers;
    },
    set servers(given) {
      servers = given;
    },
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
