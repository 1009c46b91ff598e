import {
  type AuthInfo,
  createMcpHandler,
  type McpHttpHandler,
  type McpRequestContext,
} from "@modelcontextprotocol/server";
import { AppError } from "../../core/errors.js";
import { containerTagSchema, type Core, coreFor } from "../../core/index.js";
import { type Actor, type CallSource, isReader, type RequestRecord } from "../../core/types.js";
import type { LeveledLog } from "../../lib/log.js";
import { type AllowedHosts, objectionToHost } from "../allowed-hosts.js";
import { identify, MEMORY_SCOPES, callSource, type Visitor } from "../auth.js";
import { readerOf, refusalOf, retryHeaders, statusOf } from "../errors.js";
import { findPinning, PINNING_HEADER } from "../pinning-header.js";
import { learnOf } from "../telemetry/request-facts.js";
import { requestIdOf, withRequestId } from "../request-id.js";
import type { InTurn } from "../../lib/large-requests.js";
import { likelyField } from "../unknown-fields.js";
import type { AccessRules } from "../visitor.js";
import { readPostedMessages } from "./read-messages.js";
import { beginRecord, logCall } from "./record-calls.js";
import { createMcpFactory, type McpExtension, type Principal } from "./server.js";
import { TOOL_SETS, type ToolSet } from "./tool-list.js";

export interface McpHttpOptions {
  readonly core: Core;
  readonly organizationId: string;
  readonly log: LeveledLog;
  readonly version: string;
  /** The container for calls that name none, for callers who may use several. */
  readonly defaultContainer: string;
  readonly maxBodyBytes: number;
  readonly allowed: AllowedHosts;
  readonly access?: AccessRules | undefined;
  /** Counts a request, and the further messages in it. @throws AppError `rate_limited` or `invalid` */
  readonly limitRequests: (
    actor: Actor,
    setHeader: (name: string, value: string) => void,
    further?: number,
  ) => Promise<void>;
  readonly inTurn: InTurn;
  /** Records tool calls and refused requests; absent for none. */
  readonly requests?: { readonly note: (record: RequestRecord) => void } | undefined;
  /** Which tools are listed where the address does not say. */
  readonly mcpTools?: ToolSet | undefined;
  /** Where clients learn how to sign in (RFC 9728); undefined where they need a key. */
  readonly resourceMetadataUrl?: ((request: Request, visitor: Visitor) => string | undefined) | undefined;
  readonly extension?: McpExtension | undefined;
}

/** MCP over Streamable HTTP: every request is answered independently, in both protocol eras. */
export interface McpHttp {
  answer(request: Request, visitor: Visitor): Promise<Response>;
  /** Ends open streams. */
  close(): Promise<void>;
}

const EXPOSED_HEADERS = "WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, x-request-id";

/** What is known of the caller while a request is answered. */
interface CallerFacts {
  readonly actor: Actor;
  readonly from: CallSource;
  readonly request: Request;
}

/** Serves MCP to anyone with a key, or at this machine, who uses one of this server's names. */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  return new StreamableHttp(options);
}

class StreamableHttp implements McpHttp {
  readonly #options: McpHttpOptions;
  readonly #handler: McpHttpHandler;
  readonly #callers = new WeakMap<AuthInfo, CallerFacts>();

  constructor(options: McpHttpOptions) {
    const { log, version, extension, maxBodyBytes } = options;
    const principal = (context: McpRequestContext): Principal => this.#principalOf(context);
    this.#options = options;
    this.#handler = createMcpHandler(createMcpFactory({ principal, log, version, extension }), {
      maxRequestBodySize: maxBodyBytes,
      ...(extension?.bus && { bus: extension.bus }),
      onerror: (error) => log.debug("protocol error", { error }),
    });
  }

  async answer(request: Request, visitor: Visitor): Promise<Response> {
    const { log, requests, resourceMetadataUrl } = this.#options;
    const metadata = () => resourceMetadataUrl?.(request, visitor);
    const done = beginRecord({ from: callSource({ ...visitor, face: "mcp" }) });
    const answer = await this.#serve(request, { ...visitor, face: "mcp" }).catch((error: unknown) => {
      requests?.note(done({ error }));
      return refuse(request, error, { log, metadata });
    });
    const origin = request.headers.get("origin");
    return origin === null || answer.status === 403
      ? answer
      : withHeaders(answer, new Headers({ ...allowing(origin), "access-control-expose-headers": EXPOSED_HEADERS }));
  }

  close(): Promise<void> {
    return this.#handler.close();
  }

  async #serve(request: Request, from: Visitor): Promise<Response> {
    const { core, organizationId, allowed, access, inTurn } = this.#options;
    const objection = objectionToHost(request.headers, allowed);
    if (objection !== null) throw new AppError("forbidden", objection);
    if (request.method === "OPTIONS") return preflight(request);
    requirePinning(request);
    const { publicUrl } = allowed;
    const actor = await identify(from, { core, organizationId, publicUrl, isKeylessOff: access?.isKeylessOff });
    learnOf(request, { actor });
    const headers = new Headers();
    const limit = (further?: number) =>
      this.#options.limitRequests(actor, (name, value) => headers.set(name, value), further);
    await limit();
    const answer = await inTurn(actor.name, request, (whole) =>
      this.#handle(whole, { actor, from: callSource(from), request }, limit),
    );
    return withHeaders(answer, headers);
  }

  async #handle(whole: Request, caller: CallerFacts, limit: (further: number) => Promise<void>): Promise<Response> {
    const { actor } = caller;
    const read = await readPostedMessages(whole, this.#options.maxBodyBytes);
    if (read.count > 1) await limit(read.count - 1);
    const authInfo = { token: "", clientId: actor.client ?? actor.name, scopes: [] };
    this.#callers.set(authInfo, caller);
    return this.#handler.fetch(read.request, { authInfo, parsedBody: read.body });
  }

  #principalOf({ authInfo, requestInfo }: McpRequestContext): Principal {
    const { core, log, defaultContainer, mcpTools = "small" } = this.#options;
    const caller = authInfo && this.#callers.get(authInfo);
    if (!caller) throw new Error("A request bypassed its check");
    const { from, request } = caller;
    const pinned = requestInfo?.headers.get(PINNING_HEADER) || null;
    const actor = pinned === null ? caller.actor : pinTo(pinned, caller.actor);
    return {
      session: () => Promise.resolve({ core: coreFor(core, from), actor }),
      defaultContainer: pinned ?? usualContainer(actor, defaultContainer),
      isPinned: pinned !== null,
      mayWrite: !isReader(actor),
      reader: readerOf(actor),
      log: withRequestId(log, requestIdOf(request)),
      onToolCall: (tool, args) => this.#beginToolCall({ from, request, actor }, tool, args),
      tools: toolsOf(requestInfo) ?? mcpTools,
    };
  }

  /** @returns a function that notes the end of the call */
  #beginToolCall({ actor, from, request }: CallerFacts, tool: string, args: unknown): (error: unknown) => void {
    const { log, requests } = this.#options;
    const done = beginRecord({ actor, from });
    learnOf(request, { isLogged: true });
    return (error) => {
      const record = done({ tool, args, error });
      requests?.note(record);
      logCall(log, { record, tool, actor, requestId: requestIdOf(request) });
    };
  }
}

/** @throws AppError `invalid` for an attempt at pinning that has no effect: without it every call would reach more */
function requirePinning({ headers, url }: Request): void {
  const header = findPinning(headers);
  if (header !== undefined && header !== PINNING_HEADER)
    throw new AppError("invalid", `The header ${header} is not known; write ${PINNING_HEADER}.`);
  const pinned = headers.get(PINNING_HEADER);
  if (pinned !== null) {
    const { error } = containerTagSchema.safeParse(pinned);
    if (error)
      throw new AppError(
        "invalid",
        `The header ${PINNING_HEADER} ${error.issues[0]?.message}. It names one container.`,
      );
  }
  const parameters = [...new URL(url).searchParams.keys()];
  const parameter = parameters.find((name) => likelyField(name, ["containerTag"]) !== undefined);
  if (parameter === undefined) return;
  const message = `The parameter ${parameter} is not read; name the container in the header ${PINNING_HEADER}.`;
  throw new AppError("invalid", message);
}

function allowing(origin: string): Record<string, string> {
  return { "access-control-allow-origin": origin, vary: "Origin" };
}

function preflight({ headers }: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers": headers.get("access-control-request-headers") ?? "authorization, content-type",
      "access-control-max-age": "86400",
    },
  });
}

function withHeaders(answer: Response, more: Headers): Response {
  const headers = new Headers(answer.headers);
  for (const [name, value] of more) headers.set(name, value);
  const { status, statusText } = answer;
  return new Response(answer.body, { status, statusText, headers });
}

/** An error in the protocol's form. A store that is unavailable says nothing about a key, and must not make clients drop it. */
function refuse(
  request: Request,
  error: unknown,
  { log, metadata }: { log: LeveledLog; metadata: () => string | undefined },
): Response {
  const refusal = refusalOf(error, withRequestId(log, requestIdOf(request)), `${request.method} /mcp`);
  const body = { jsonrpc: "2.0", error: { code: -32_000, message: refusal.message }, id: null };
  const headers = new Headers(retryHeaders(refusal));
  if (refusal.kind === "unauthorized") headers.set("www-authenticate", challengeOf(request, metadata()));
  return Response.json(body, { status: statusOf(refusal.kind), headers });
}

/** RFC 6750 §3, RFC 9728 §5.1: a request without credentials gets no error code. */
function challengeOf({ headers }: Request, resourceMetadata: string | undefined): string {
  const isShown = headers.get("authorization") !== null || headers.get("x-api-key") !== null;
  const parts = [
    isShown && 'error="invalid_token", error_description="The key or token is invalid, expired or revoked"',
    resourceMetadata !== undefined && `resource_metadata="${resourceMetadata}", scope="${MEMORY_SCOPES.join(" ")}"`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `Bearer ${parts.join(", ")}` : "Bearer";
}

/** The caller's only container, if they have just one. */
function usualContainer({ containers }: Actor, otherwise: string): string {
  const [only, ...more] = containers === "all" ? [] : containers;
  return only !== undefined && more.length === 0 ? only : otherwise;
}

/** The same actor for a single container; for none where they may not use it. */
function pinTo(tag: string, actor: Actor): Actor {
  const isReachable = actor.containers === "all" || actor.containers.includes(tag);
  return { ...actor, containers: isReachable ? [tag] : [] };
}

/** What `?tools=` asks for, if it is a known set. */
function toolsOf(request: Request | undefined): ToolSet | undefined {
  const asked = request && new URL(request.url).searchParams.get("tools");
  return TOOL_SETS.find((set) => set === asked);
}
