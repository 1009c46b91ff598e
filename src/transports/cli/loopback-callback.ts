import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const GRACE_MS = 500;
const CALLBACK = "/v3/connections/auth/callback/";

/** One visit of a browser that returns from a provider. */
export interface CallbackVisit {
  readonly code?: string;
  readonly state?: string;
  readonly error?: string;
  /** Shows the browser a sentence. */
  readonly reply: (sentence: string) => void;
}

/** Where a browser on this machine returns after a sign-in (RFC 8252, section 7.3). */
export interface LoopbackCallback {
  /** Base address, such as http://127.0.0.1:49152. */
  readonly origin: string;
  /** The next visit; null when none came in time. */
  next(withinMs: number): Promise<CallbackVisit | null>;
  close(): Promise<void>;
}

/** Listens on a free loopback port. Visitors prove with `state` that they are the browser that was sent out. */
export async function openLoopbackCallback(): Promise<LoopbackCallback> {
  const visits: CallbackVisit[] = [];
  let wake = (): void => {};
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const url = URL.canParse(path, "http://127.0.0.1") ? new URL(path, "http://127.0.0.1") : null;
    if (request.method !== "GET" || !url?.pathname.startsWith(CALLBACK)) return show(response, 404, "Page not found.");
    visits.push(visitOf(url, response));
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async next(withinMs) {
      if (visits.length === 0) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, withinMs);
        });
        clearTimeout(timer);
      }
      return visits.shift() ?? null;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      // By then every answer has been delivered; connections that are unanswered or silent are not waited for.
      setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
      server.closeIdleConnections();
      await closed;
    },
  };
}

function visitOf({ searchParams }: URL, response: ServerResponse): CallbackVisit {
  const named = ["code", "state", "error"].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(named), reply: (sentence) => show(response, 200, sentence) };
}

function show(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`${sentence}\n`);
}
