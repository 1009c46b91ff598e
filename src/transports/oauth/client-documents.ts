import { lookup } from "node:dns";
import { request } from "node:https";
import type { LookupFunction } from "node:net";
import { isIpAddress, isPrivateAddress } from "../../lib/ip-address.js";
import { createRateLimiter } from "../../lib/rate-limit.js";
import { readClientDocument } from "./clients.js";

/** Largest document that is read, in bytes. */
export const MOST_DOCUMENT_BYTES = 16 * 1024;
const TIMEOUT_MS = 3_000;
/** How long a document that could not be read is not requested again. */
const FAILED_MS = 10_000;
const MOST_FAILED = 100;
/** Anyone who names documents makes this server fetch them. */
const FETCHES = { requests: 60, windowMs: 60_000 };

export interface DocumentOptions {
  /** For tests, which have no other machine: allows documents from this one, with its own certificate. */
  readonly fromThisMachine?: { readonly certificate: string } | undefined;
}

/** True for an address in a network that only some machines can reach, and for anything that is not an address. */
export function isInnerAddress(address: string): boolean {
  return !isIpAddress(address) || isPrivateAddress(address);
}

/**
 * Fetches documents that apps publish about themselves. Naming one must not make this server connect to places that the caller
 * cannot reach: the address is checked when the connection is made, redirects are not followed, and a response may be neither
 * long nor slow.
 */
export function createDocumentFetch({ fromThisMachine }: DocumentOptions = {}): typeof fetch {
  const guarded: LookupFunction = (host, options, found) => {
    lookup(host, options, (error, address, family) => {
      const addresses = Array.isArray(address) ? address.map((one) => one.address) : [address];
      if (!error && !fromThisMachine && addresses.some(isInnerAddress)) {
        found(new Error(`${host} is in a private network`), "", 0);
        return;
      }
      found(error, address, family);
    });
  };
  const failed = new Map<string, { readonly until: number; readonly error: unknown }>();
  const fetches = createRateLimiter();

  async function read(url: URL): Promise<Response> {
    const name = url.hostname.replace(/^\[|\]$/g, "");
    if (isIpAddress(name) && !fromThisMachine && isInnerAddress(name))
      throw new Error(`${name} is in a private network`);
    if (!fetches.take("all", FETCHES).allowed) throw new Error("too many documents were requested");
    const answer = await get(url, { lookup: guarded, ...(fromThisMachine && { ca: fromThisMachine.certificate }) });
    if (answer.status !== 200) throw new Error(`${url.host} responded with status ${answer.status}`);
    const reading = readClientDocument(JSON.parse(answer.text));
    if ("objection" in reading) throw new Error(reading.objection);
    return Response.json(reading.metadata, { headers: answer.headers });
  }

  return async (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const before = failed.get(url.href);
    if (before && before.until > Date.now()) throw before.error;
    try {
      return await read(url);
    } catch (error) {
      const [oldest] = failed.keys();
      if (oldest !== undefined && failed.size >= MOST_FAILED) failed.delete(oldest);
      failed.set(url.href, { until: Date.now() + FAILED_MS, error });
      throw error;
    }
  };
}

interface DocumentAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

function get(url: URL, options: { lookup: LookupFunction; ca?: string }): Promise<DocumentAnswer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { accept: "application/json", "user-agent": "recollect" };
    const asking = request(url, { ...options, headers, signal, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("error", reject);
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_DOCUMENT_BYTES) asking.destroy(new Error("the document is too large"));
        else chunks.push(chunk);
      });
      answer.on("end", () => {
        const cacheControl = answer.headers["cache-control"];
        resolve({
          status: answer.statusCode ?? 0,
          headers: cacheControl === undefined ? {} : { "cache-control": cacheControl },
          text: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    asking.on("error", reject);
    asking.on("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(new Error("the server wants to switch to another protocol"));
    });
    asking.on("close", () => reject(new Error("the connection ended without a response")));
    asking.end();
  });
}
