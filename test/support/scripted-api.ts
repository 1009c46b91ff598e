import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type * as z from "zod";

/** A fault of one request. */
export type ApiFault = { readonly path?: RegExp } & (
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Announces the whole response and closes in the middle of it. */
  | { readonly kind: "cut" }
  | { readonly kind: "slow"; readonly ms: number }
  /** Succeeds, but with a body that is not JSON. */
  | { readonly kind: "garbage" }
  /** No fault: a later request fails. */
  | { readonly kind: "pass" }
);

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything other than bytes or text is sent as JSON. */
  readonly body?: unknown;
}

export interface ApiRoute {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: RegExp;
  /** Names of the query parameters known to the provider. */
  readonly query: readonly string[];
  readonly required?: readonly string[];
  /** True: no token may be sent here. */
  readonly isOpen?: boolean;
  /** Whether the provider accepts a body; without it, none may be sent. */
  readonly takes?: (body: string) => boolean;
  readonly answer: (call: ApiCall, parts: readonly string[]) => ApiAnswer | Promise<ApiAnswer>;
}

export interface ScriptedApi {
  readonly url: string;
  readonly calls: readonly ApiCall[];
  requests(): number;
  fail(fault: ApiFault, times?: number): void;
  heal(): void;
  /** @throws Error if a request was sent that the provider does not know */
  close(): Promise<void>;
}

/**
 * A provider on a loopback socket that knows certain requests, requires a token, and replies as the test says. If
 * tokens are requested, each response has a new one, and the previous one expires; these requests are not counted.
 */
export async function startScriptedApi(firstToken: string, routes: readonly ApiRoute[]): Promise<ScriptedApi> {
  let token = firstToken;
  let tokens = 0;
  const calls: ApiCall[] = [];
  const wrong: string[] = [];
  const faults: ApiFault[] = [];

  function answerTo(call: ApiCall): ApiAnswer | Promise<ApiAnswer> {
    for (const route of routes) {
      const parts = route.path.exec(call.path);
      if (parts === null || route.method !== call.method) continue;
      const unknown = [...call.query.keys()].filter((name) => !route.query.includes(name));
      const missing = (route.required ?? []).filter((name) => !call.query.has(name));
      const isTaken = route.takes ? route.takes(call.body) : call.body === "";
      if (unknown.length + missing.length > 0 || !isTaken) {
        const body = isTaken ? "" : `, body ${call.body}`;
        wrong.push(`${call.method} ${call.path}: unknown ${unknown.join()}, missing ${missing.join()}${body}`);
        return { status: 400, body: { error: { message: wrong.at(-1) } } };
      }
      const sent = call.headers.authorization;
      if (route.isOpen === true && sent !== undefined) {
        wrong.push(`${call.path} was sent the token`);
        return { status: 400 };
      }
      if (route.isOpen !== true && sent !== `Bearer ${token}`) return { status: 401, body: { error: { code: 401 } } };
      return route.answer(call, parts.slice(1).map(decodeURIComponent));
    }
    wrong.push(`${call.method} ${call.path} does not exist`);
    return { status: 404, body: { error: { message: wrong.at(-1) } } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const url = new URL(request.url ?? "/", "http://scripted");
    const call: ApiCall = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(pieces).toString("utf8"),
    };
    if (TOKEN_PATH.test(call.path)) {
      const form = new URLSearchParams(call.body);
      const isGood = form.get("code") === "good" || form.get("refresh_token") === "lasting";
      if (!isGood) return send(response, { status: 400, body: { error: "invalid_grant" } });
      token = `${firstToken}-${(tokens += 1)}`;
      return send(response, { body: { access_token: token, token_type: "Bearer", refresh_token: "lasting" } });
    }
    calls.push(call);
    const at = faults.findIndex(({ path }) => path === undefined || path.test(call.path));
    const [fault] = at === -1 ? [] : faults.splice(at, 1);
    if (fault?.kind === "status") return send(response, fault);
    const answer = await answerTo(call);
    if (fault?.kind === "slow") await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault?.kind === "garbage") return send(response, { body: "{oops" });
    send(response, answer, fault?.kind === "cut");
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    requests: () => calls.length,
    fail: (fault, times = 1) => void faults.push(...Array.from({ length: times }, () => fault)),
    heal: () => void faults.splice(0),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      if (wrong.length > 0) throw new Error(`The provider does not know these requests:\n${wrong.join("\n")}`);
    },
  };
}

const TOKEN_PATH = /\/token$/;

/** Accepts exactly this JSON body. */
export function inJson(schema: z.ZodType): (body: string) => boolean {
  return (body) => schema.safeParse(JSON.parse(body)).success;
}

function send(response: ServerResponse, { status = 200, headers = {}, body = "" }: ApiAnswer, isCut = false): void {
  const isPlain = typeof body === "string" || body instanceof Uint8Array;
  const bytes = Buffer.from(isPlain ? body : JSON.stringify(body));
  response.writeHead(status, {
    "content-type": isPlain ? "application/octet-stream" : "application/json",
    "content-length": String(bytes.length),
    ...headers,
  });
  if (isCut) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  else response.end(bytes);
}
