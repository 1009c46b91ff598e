import { expect } from "vitest";
import * as z from "zod";
import { readConfig } from "../../src/config.js";
import type { Core } from "../../src/core/index.js";
import type { Actor } from "../../src/core/types.js";
import {
  createHttpFace,
  createRequestLog,
  listen,
  type HttpApp,
  type HttpBindings,
  type RunningServer,
} from "../../src/transports/http.js";
import type { McpExtension } from "../../src/transports/mcp/server.js";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import { pathsOf } from "../../src/transports/rest/mount.js";
import { describeApi, type ApiDocument } from "../../src/transports/rest/description/describe-api.js";
import type { Endpoint } from "../../src/transports/rest/endpoint.js";
import { errorSchema } from "../../src/transports/rest/schemas.js";
import { captureLog, type LogLine } from "./captured-log.js";
import { openCore, type OpenCoreOptions, type OpenedCore } from "./open-core.js";

/** A request as sent by a program on this machine. */
export const LOOPBACK: HttpBindings = {
  incoming: { httpVersion: "1.1", socket: { remoteAddress: "127.0.0.1" } },
  isLoopbackOnly: true,
  port: 6767,
};

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or undefined without a body. */
  readonly body: any;
}

export interface RestOptions extends OpenCoreOptions {
  readonly ownerToken?: string;
  readonly isReady?: () => boolean;
  readonly maxTextBytes?: number;
  /** What MCP servers offer in addition to the product. */
  readonly extension?: McpExtension;
  /** True: `send` uses a key of the whole organisation when a call names none; no one administers without a key. */
  readonly asOwner?: boolean;
}

export interface OpenedRest {
  readonly app: HttpApp;
  readonly core: Core;
  readonly actor: Actor;
  readonly dataDirectory: string;
  readonly uploads: OpenedCore["uploads"];
  readonly log: readonly LogLine[];
  /** Calls without a socket; the response is checked against the schema of its endpoint, or of errors. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer>;
  /** Listens on a free port of this machine until the end of the test. */
  listen(): Promise<RunningServer>;
  /** Headers with a key of the whole organisation. */
  ownerKey(): Promise<Record<string, string>>;
  settle(): Promise<void>;
  /** Resolves when the requests answered so far are recorded. */
  recorded(): Promise<void>;
  close(): Promise<void>;
}

/** The REST interface over the whole service, on a temporary store. */
export async function openRest(options: RestOptions = {}): Promise<OpenedRest> {
  const log = captureLog();
  const opened = await openCore({ log, ...options });
  const { core, actor } = opened;
  const { organizationId } = actor;
  const config = readConfig({
    RECOLLECT_MAX_TEXT_BYTES: String(options.maxTextBytes ?? 1_048_576),
    ...options.settings,
  });
  const requests = createRequestLog({ core, log, organizationId });
  const app = createHttpFace({
    core,
    log,
    organizationId,
    limits: config,
    uploads: opened.uploads,
    rate: config.rate,
    requests,
    ownerToken: options.ownerToken,
    allowed: { publicUrl: config.publicUrl, hosts: config.allowedHosts, origins: config.allowedOrigins },
    access: { isKeylessOff: config.isKeylessOff, trustedProxies: config.trustedProxies },
    defaultContainer: config.container,
    mcpTools: config.mcpTools,
    extension: options.extension,
    version: "0.0.0-test",
    hasModel: config.model !== undefined,
    searchMode: config.searchMode,
    isReady: options.isReady ?? (() => true),
  });
  const servers: RunningServer[] = [];
  let key: Promise<{ secret: string }> | undefined;
  const ownerKey = async () => {
    key ??= core.createKey({ actor }, { name: "tests" });
    return { authorization: `Bearer ${(await key).secret}` };
  };
  return {
    app,
    core,
    actor,
    dataDirectory: opened.dataDirectory,
    uploads: opened.uploads,
    log: log.lines,
    ownerKey,
    settle: () => opened.settle(),
    recorded: () => requests.flush(),
    async send(method, path, body, headers = {}) {
      const isKeyed = Object.keys(headers).some((name) => /^(?:authorization|x-api-key)$/i.test(name));
      const shown = options.asOwner && !isKeyed ? { ...(await ownerKey()), ...headers } : headers;
      const answer = await readAnswer(await app.request(path, requestInit(method, body, shown), LOOPBACK));
      checkShape(method, path, answer);
      return answer;
    },
    async listen() {
      const server = await listen(app, { host: "127.0.0.1", port: 0, log });
      servers.push(server);
      return server;
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await requests.close();
      await opened.close();
    },
  };
}

/** A request with a JSON body; texts and bytes are sent unchanged. */
export function requestInit(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  const base = { method, headers: { host: "127.0.0.1:6767", ...headers } };
  if (body === undefined) return base;
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  return {
    ...base,
    headers: { "content-type": "application/json", ...base.headers },
    body: isRaw ? body : JSON.stringify(body),
  };
}

export async function readAnswer(response: Response): Promise<RestAnswer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** Fails if a response is not exactly what its endpoint declares: extra fields are as wrong as missing ones. */
function checkShape(method: string, path: string, { status, headers, body }: RestAnswer): void {
  const endpoint = endpointOf(method, path);
  if (body !== undefined) expect(headers.get("content-type")).toContain("application/json");
  if (status >= 400 && method !== "HEAD" && !path.startsWith("/health")) {
    expect(errorSchema.parse(body)).toEqual(body);
    // A path that rejects a method says so, whatever other path it resembles.
    if (endpoint && status !== 405)
      expect(describedStatuses(endpoint), `${method} ${endpoint.path}`).toContain(String(status));
    return;
  }
  if (!endpoint) return;
  expect(status).toBe(endpoint.status);
  // Any response may have warnings in addition to what its endpoint declares.
  const { warnings, ...declared } = Array.isArray(body) || body === null ? { warnings: undefined } : (body ?? {});
  if (warnings !== undefined) expect(z.array(z.string()).min(1).parse(warnings)).toEqual(warnings);
  const said = warnings === undefined ? body : declared;
  expect(endpoint.answer?.parse(said)).toEqual(said);
}

let described: ApiDocument | undefined;

/** The statuses that the API document lists for an operation. */
function describedStatuses({ method, path }: Endpoint): readonly string[] {
  described ??= describeApi(ENDPOINTS);
  return Object.keys(described.paths?.[path]?.[method]?.responses ?? {});
}

function endpointOf(method: string, path: string): Endpoint | undefined {
  const bare = path.replace(/\?.*/, "");
  const ofMethod = ENDPOINTS.filter((endpoint) => endpoint.method === method.toLowerCase());
  const pattern = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
  return (
    ofMethod.find((endpoint) => pathsOf(endpoint).includes(bare)) ??
    ofMethod.find((endpoint) => pathsOf(endpoint).some((path) => pattern(path).test(bare)))
  );
}
