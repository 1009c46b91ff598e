import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A web server on this machine, on a free port. */
export async function openWebServer(listener: RequestListener): Promise<WebServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Settings with which a service fetches only from this machine. */
export const FETCHES_HERE = {
  RECOLLECT_OFFLINE: "0",
  RECOLLECT_VECTORS: "exact",
  RECOLLECT_FETCH_ALLOW: "127.0.0.1/32",
} as const;
