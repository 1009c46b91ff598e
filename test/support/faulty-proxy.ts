import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What happens to a request: it is passed on, never answered, or answered by the test. */
export type Fault = "pass" | "hang" | { readonly status: number; readonly body: string };

/** A server between a client and the real one, on a real socket, that can misbehave. */
export interface FaultyProxy {
  readonly url: string;
  /** Paths and headers of all requests, oldest first. */
  readonly requests: { method: string; path: string; headers: IncomingMessage["headers"] }[];
  /** Decides about every request from now on. */
  decide(judge: (path: string) => Fault): void;
  close(): Promise<void>;
}

/**
 * @param target the real server, or null if there is none
 * @param added headers added to every request that is passed on
 */
export async function startFaultyProxy(
  target: () => string | null,
  added: Readonly<Record<string, string>> = {},
): Promise<FaultyProxy> {
  const requests: FaultyProxy["requests"] = [];
  let judge: (path: string) => Fault = () => "pass";
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? "/";
    requests.push({ method: incoming.method ?? "", path, headers: incoming.headers });
    const fault = judge(path);
    const url = target();
    if (fault === "hang") return;
    if (fault !== "pass") answer.writeHead(fault.status, { "content-type": "application/json" }).end(fault.body);
    else if (url === null) answer.destroy();
    else passOn(incoming, answer, { url: new URL(path, url), added });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    decide: (next) => (judge = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function passOn(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { url, added }: { url: URL; added: Readonly<Record<string, string>> },
): void {
  const headers = { ...incoming.headers, ...added };
  const outgoing = request(url, { method: incoming.method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  outgoing.on("error", () => answer.destroy());
  // A client that stops listening also ends the upstream request.
  answer.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
