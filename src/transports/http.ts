import { createServer, IncomingMessage, STATUS_CODES, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { AppError } from "../core/errors.js";
import type { Core } from "../core/index.js";
import type { LeveledLog } from "../lib/log.js";
import type { AttemptCounter, Rate } from "../lib/rate-limit.js";
import { type AllowedHosts, objectionToHost } from "./allowed-hosts.js";
import { type AccessRules, type HttpBindings, visitorOf } from "./visitor.js";
import { isLoopbackAddress, issuerOf } from "./auth.js";
import { errorBody, refusalOf, retryHeaders, statusOf } from "./errors.js";
import type { McpHttp, McpHttpOptions } from "./mcp/http.js";
import type { ConsoleFace } from "./console/face.js";
import type { OAuthFace, OAuthFaceOptions } from "./oauth/face.js";
import { answerCard, CARD_PATHS } from "./mcp/server-card.js";
import { createOwnerDoor } from "./internal-rpc/app.js";
import { createLargeRequests } from "../lib/large-requests.js";
import { reportRequests } from "./telemetry/report-requests.js";
import { createRequestMeter } from "./telemetry/request-meter.js";
import { factsOf, learnOf } from "./telemetry/request-facts.js";
import { traceRequests } from "./telemetry/trace-requests.js";
import { answerWithRequestId, REQUEST_ID_HEADER, requestIdOf, withRequestId } from "./request-id.js";
import { takeRestOfBody } from "./take-rest-of-body.js";
import { limitRequests } from "./rest/rate-limit.js";
import { createRestFace, type RestFaceOptions } from "./rest/app.js";
import { createId } from "../lib/ids.js";
import { loadOnce } from "../lib/load-once.js";

/** Other processes of the data folder may send at least this much. */
const MIN_INTERNAL_BYTES = 16 * 1024 * 1024;
/** The size of an MCP call apart from its text. */
const MIN_MCP_BYTES = 4 * 1024 * 1024;
/** How long open connections have to finish when the server closes. */
const CLOSE_GRACE_MS = 400;
const CLOSE_POLL_MS = 20;
/** Longer than clients and proxies keep an idle connection, so that they close it rather than we. */
const KEEP_ALIVE_MS = 75_000;

export type HttpApp = Hono<{ Bindings: HttpBindings }>;

export interface HttpFaceOptions {
  readonly core: Core;
  readonly log: LeveledLog;
  readonly organizationId: string;
  readonly limits: RestFaceOptions["limits"];
  /** Enables the interface for other processes of the data folder under `/internal`; absent, there is none. */
  readonly ownerToken?: string | undefined;
  /** What this process tells holders of that token about the data folder it owns. */
  readonly proveOwnership?: (() => object | null) | undefined;
  readonly version: string;
  /** Whether a language model reads texts; otherwise callers are warned about input that only works with one. */
  readonly hasModel?: boolean;
  /** What a search finds if the caller does not specify it; default `hybrid`. */
  readonly searchMode?: RestFaceOptions["searchMode"];
  /** False once the data folder is lost. */
  readonly isReady: () => boolean;
  /** When there was last no room to write; absent for never. */
  readonly fullAt?: (() => Date | null) | undefined;
  /** Holds files while they are uploaded; the process that owns the data folder knows them. */
  readonly uploads: RestFaceOptions["uploads"];
  /** How often each key may call the API; absent for no limit. */
  readonly rate?: Rate | undefined;
  /** Counts attempts across services; where it is absent or null, this process counts its own. */
  readonly attempts?: (() => AttemptCounter | null) | undefined;
  /** Records API requests; absent for none. */
  readonly requests?: RestFaceOptions["requests"];
  /** Names by which browsers and MCP clients may call, besides those of this machine. */
  readonly allowed?: AllowedHosts | undefined;
  /** Who needs no key, and which proxies are trusted. */
  readonly access?: AccessRules | undefined;
  /** The container for MCP calls that name none. */
  readonly defaultContainer: string;
  /** Which tools MCP lists where the address does not say. */
  readonly mcpTools?: McpHttpOptions["mcpTools"];
  /** How to fetch the documents that apps publish about themselves; for tests. */
  readonly documents?: OAuthFaceOptions["documents"];
  /** What MCP servers offer besides the product. */
  readonly extension?: McpHttpOptions["extension"];
}

export type { AccessRules, HttpBindings } from "./visitor.js";
export { createRequestLog } from "./rest/request-log.js";

/** Everything that this service answers over HTTP, as one application. */
export function createHttpFace(options: HttpFaceOptions): HttpApp {
  const app: HttpApp = new Hono();
  const meter = createRequestMeter();
  app.use("*", traceRequests);
  app.use("*", reportRequests({ log: options.log, access: options.access, count: (request) => meter.count(request) }));
  app.use("*", answerWithRequestId);
  app.use("*", refuseOddAddress);
  const { core, log, version, limits, ownerToken, proveOwnership: prove } = options;
  if (ownerToken !== undefined) {
    const maxBodyBytes = maxInternalBytes(limits);
    app.route("/internal", createOwnerDoor({ core, log, ownerToken, version, maxBodyBytes, prove }));
  }
  // A key has a single rate, whichever interface it uses.
  const limiting = { limitRequests: limitRequests(options.rate, options.attempts), inTurn: createLargeRequests() };
  app.onError((error, { req }) => {
    const { route = "(unknown path)" } = factsOf(req.raw);
    const refusal = refusalOf(error, withRequestId(log, requestIdOf(req.raw)), `${req.method} ${route}`);
    return Response.json(errorBody(refusal), { status: statusOf(refusal.kind), headers: retryHeaders(refusal) });
  });
  mountMcp(app, options, limiting);
  mountOAuth(app, options);
  mountConsole(app, options);
  app.route("/", createRestFace({ ...options, ...limiting, meter, publicUrl: options.allowed?.publicUrl }));
  return app;
}

/** MCP under the paths that clients know (contract 7.4); its library is loaded at the first request. */
function mountMcp(
  app: HttpApp,
  { allowed = {}, limits, ...options }: HttpFaceOptions,
  limiting: Pick<RestFaceOptions, "limitRequests" | "inTurn">,
): void {
  const load = loadOnce(async (closing: AbortSignal | undefined): Promise<McpHttp> => {
    const { createMcpHttp } = await import("./mcp/http.js");
    // JSON may escape each character of a text with six bytes.
    const maxBodyBytes = MIN_MCP_BYTES + 6 * limits.maxTextBytes;
    const resourceMetadataUrl = (request: Request, { isLoopbackOnly }: { readonly isLoopbackOnly: boolean }) => {
      const found = issuerOf({ headers: request.headers, publicUrl: allowed.publicUrl, isLoopbackOnly });
      return "issuer" in found ? `${found.issuer}/.well-known/oauth-protected-resource/mcp` : undefined;
    };
    const limited = { maxBodyBytes, ...limiting };
    const mcp = createMcpHttp({ ...options, allowed, resourceMetadataUrl, ...limited });
    closing?.addEventListener("abort", () => void mcp.close(), { once: true });
    return mcp;
  });
  const answer = async ({ req, env }: Context<{ Bindings: HttpBindings }>): Promise<Response> => {
    learnOf(req.raw, { route: req.routePath });
    return (await load(env?.closing)).answer(req.raw, visitorOf(req.raw, env, options.access));
  };
  for (const path of ["/mcp", "/mcp/"]) app.all(path, answer);
  app.post("/", answer);
  for (const path of CARD_PATHS)
    app.all(path, ({ req }) => {
      learnOf(req.raw, { route: path });
      return answerCard(req.raw, { version: options.version, allowed });
    });
}

/** The Host header may be anything: if it makes no valid URL, the request is refused. */
async function refuseOddAddress({ req }: Context, next: () => Promise<void>): Promise<Response | void> {
  if (URL.canParse(req.url)) return next();
  const error = "The Host header is not a valid server name or address.";
  return Response.json({ error, message: error }, { status: 400 });
}

/** The owner's pages, loaded at the first request. Outside `/auth` they have only one address that the API knows. */
function mountConsole(app: HttpApp, { allowed = {}, ...options }: HttpFaceOptions): void {
  const load = loadOnce(async (): Promise<ConsoleFace> => {
    const { createConsole } = await import("./console/face.js");
    return createConsole({ ...options, allowed });
  });
  const answer = async ({ req, env }: Context<{ Bindings: HttpBindings }>): Promise<Response> => {
    learnOf(req.raw, { route: req.routePath });
    return (await load()).answer(req.raw, visitorOf(req.raw, env, options.access).callerAddress);
  };
  // Programs that look for a server are told what it is, and so are people who use a host name unknown to it.
  app.get("/", async (context, next) => {
    const { headers } = context.req.raw;
    const isForPeople =
      /\btext\/html\b/.test(headers.get("accept") ?? "") && objectionToHost(headers, allowed) === null;
    if (isForPeople) context.res = await answer(context);
    else await next();
    context.res.headers.append("vary", "accept");
  });
  for (const path of ["/auth", "/auth/*"]) app.all(path, answer);
  app.all("/v3/auth/key", answer);
}

/** What apps need to sign in; the library is loaded when the first one does. */
const OAUTH_PATHS = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/oauth/*",
  "/auth/consent/*",
  "/api/auth/oauth2/*",
  "/api/auth/jwks",
];

function mountOAuth(app: HttpApp, { allowed = {}, documents, ...options }: HttpFaceOptions): void {
  const load = loadOnce(async (): Promise<OAuthFace> => {
    const { createOAuthFace } = await import("./oauth/face.js");
    return createOAuthFace({ ...options, allowed, documents });
  });
  const answer = async ({ req, env }: Context<{ Bindings: HttpBindings }>): Promise<Response> => {
    learnOf(req.raw, { route: req.routePath });
    return (await load()).answer(req.raw, visitorOf(req.raw, env, options.access));
  };
  for (const path of OAUTH_PATHS) app.all(path, answer);
}

/** Files travel as base64, which is a third longer. */
function maxInternalBytes({ maxTextBytes, maxBatchBytes, maxFileBytes }: HttpFaceOptions["limits"]): number {
  return MIN_INTERNAL_BYTES + Math.max(4 * maxTextBytes, 2 * maxBatchBytes, Math.ceil((4 * maxFileBytes) / 3));
}

/** A running server. */
export interface RunningServer {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting connections, gives running responses a moment to finish, then closes all. May be called again. */
  close(): Promise<void>;
}

/**
 * Serves an application.
 * @param host address or name to listen on
 * @param port 0 picks a free one
 * @throws AppError `unavailable` when the port is taken or not allowed, or the address is not of this machine
 */
export async function listen(
  app: { fetch: HttpApp["fetch"] },
  { host, port, log }: { host: string; port: number; log: LeveledLog },
): Promise<RunningServer> {
  const closing = new AbortController();
  let place: Pick<HttpBindings, "isLoopbackOnly" | "port"> = {};
  const listener = getRequestListener(
    async (request, bindings) => {
      const answer = await app.fetch(request, { ...bindings, ...place, closing: closing.signal });
      if (bindings.incoming instanceof IncomingMessage) await takeRestOfBody(bindings.incoming);
      return answer;
    },
    { overrideGlobalObjects: false, errorHandler: (error) => answerToBrokenRequest(error, log) },
  );
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => void listener(incoming, outgoing);
  // What Node would refuse by itself is refused or answered here like everything else.
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false }, serve);
  server.on("checkExpectation", serve);
  server.on("clientError", refuseBrokenConnection);
  const address = await bind(server, host, port);
  server.on("error", (error) => log.error("http server failed", { error }));
  place = { isLoopbackOnly: isLoopbackAddress(address.address), port: address.port };
  let closed: Promise<void> | undefined;
  return {
    url: urlOf(host, address),
    port: address.port,
    close: () => (closed ??= shut(server, closing)),
  };
}

async function bind(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(bindError(error, host, port));
    server.once("error", refuse);
    server.listen(port, host, () => {
      server.off("error", refuse);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no address");
  return address;
}

function bindError(error: NodeJS.ErrnoException, host: string, port: number): AppError {
  const reason = BIND_ERRORS[error.code ?? ""] ?? `cannot be used (${error.message}).`;
  return new AppError("unavailable", `Port ${port} on ${host} ${reason}`, { cause: error });
}

const BIND_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another program. Stop it, or choose another port with --port; 0 picks a free one.",
  EACCES: "may not be used by this user. Choose one from 1024 up with --port; 0 picks a free one.",
  EADDRNOTAVAIL:
    "cannot be used: the host is not an address of this machine. Choose another with --host; 127.0.0.1 is for this machine only.",
  ENOTFOUND:
    "cannot be used: the host has no known address. Choose another with --host; 127.0.0.1 is for this machine only.",
};

function urlOf(host: string, { address, port, family }: AddressInfo): string {
  const isAny = address === "0.0.0.0" || address === "::";
  if (isAny) return `http://127.0.0.1:${port}`;
  if (host === "localhost") return `http://localhost:${port}`;
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** Closes idle connections at once, busy ones when their response is out, and all of them after a moment. */
async function shut(server: Server, closing: AbortController): Promise<void> {
  closing.abort();
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_POLL_MS);
  const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  server.closeIdleConnections();
  await isClosed;
  clearInterval(idle);
  clearTimeout(grace);
}

/** Answers a request line or Host header that makes no valid URL. */
function answerToBrokenRequest(error: unknown, log: LeveledLog): Response {
  const id = createId();
  const refusal =
    error instanceof RequestError
      ? ({ kind: "invalid", message: `The request cannot be read: ${error.message}.`, issues: [] } as const)
      : refusalOf(error, withRequestId(log, id), "http");
  return Response.json(errorBody(refusal), { status: statusOf(refusal.kind), headers: { [REQUEST_ID_HEADER]: id } });
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers of the request are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time."],
  HPE_INVALID_METHOD: [405, "The request uses a method that does not exist in HTTP."],
};

/** Answers what is not HTTP at all, and so never reaches the application. */
function refuseBrokenConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, message] = CLIENT_ERRORS[error.code ?? ""] ?? [400, "The request is not valid HTTP, or ended early."];
  const body = JSON.stringify(errorBody({ kind: "invalid", message, issues: [] }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${createId()}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
