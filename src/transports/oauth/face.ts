import type Provider from "oidc-provider";
import * as z from "zod";
import { AppError } from "../../core/errors.js";
import { type Core, coreFor, localActor } from "../../core/index.js";
import type { CallSource } from "../../core/types.js";
import { networkOf } from "../../lib/ip-address.js";
import type { LeveledLog } from "../../lib/log.js";
import { type AttemptCounter, createRateLimiter } from "../../lib/rate-limit.js";
import { readBodyText } from "../../lib/request-body.js";
import { type AllowedHosts, objectionToHost } from "../allowed-hosts.js";
import { issuerOf } from "../auth.js";
import { type Refusal, refusalOf, retryHeaders, statusOf } from "../errors.js";
import { html } from "../pages/html.js";
import { REQUEST_ID_HEADER, requestIdOf, withRequestId } from "../request-id.js";
import { pageAnswer } from "../pages/layout.js";
import { createSessions, refuseForeignOrigin, type Sessions } from "../pages/session.js";
import { answerOf, toNode } from "./bridge.js";
import type { DocumentOptions } from "./client-documents.js";
import { readClient } from "./clients.js";
import { ALIASES, AUTHORIZE_PATH, CONSENT_PATH, REGISTER_PATH, RESOURCE_METADATA_PATH } from "./paths.js";
import { knownScopes, resourceOf, SCOPES } from "./scopes.js";
import { parseLimitedJson } from "../../lib/limited-json.js";

export interface OAuthFaceOptions {
  readonly core: Core;
  readonly organizationId: string;
  readonly log: LeveledLog;
  readonly allowed: AllowedHosts;
  readonly documents?: DocumentOptions | undefined;
  /** Counts attempts across services; where it is absent or null, this process counts its own. */
  readonly attempts?: (() => AttemptCounter | null) | undefined;
}

/** What is known from a request's connection. */
export interface OAuthVisitor {
  /** The caller's. */
  readonly callerAddress: string | undefined;
  /** True when the server listens on a loopback address only. */
  readonly isLoopbackOnly: boolean;
}

/** Authorises apps by OAuth 2.1, as MCP requires. */
export interface OAuthFace {
  answer(request: Request, visitor: OAuthVisitor): Promise<Response>;
}

const MOST_BYTES = 56 * 1024;
/** The server may have several names on this machine: `localhost`, `127.0.0.1`, a tunnel's. */
const MOST_PROVIDERS = 4;
/** Registrations need no approval, so they are rate-limited. */
const REGISTRATIONS = { requests: 20, windowMs: 600_000 };
const ALL_REGISTRATIONS = { requests: 200, windowMs: 600_000 };
const LONGEST_CLIENT = 100;
/** Parameters that only concern who the owner is; some apps send them without asking for that. */
const OPENID_PARAMETERS = ["nonce", "max_age", "acr_values", "claims", "claims_locales", "id_token_hint"];
const PROMPTS: ReadonlySet<string> = new Set(["login", "consent", "none"]);

/** For the audit. */
function callSource({ headers }: Request, { callerAddress }: OAuthVisitor): CallSource {
  const client = headers.get("user-agent")?.slice(0, LONGEST_CLIENT);
  return { face: "oauth", ...(callerAddress !== undefined && { address: callerAddress }), ...(client && { client }) };
}

/** The authorization server and its resource metadata; the library is loaded when first needed. */
export function createOAuthFace(options: OAuthFaceOptions): OAuthFace {
  return new AuthorizationFace(options);
}

class AuthorizationFace implements OAuthFace {
  readonly #options: OAuthFaceOptions;
  readonly #sessions: Sessions;
  readonly #registrations = createRateLimiter();
  /** By issuer. */
  readonly #providers = new Map<string, Promise<Provider>>();

  constructor(options: OAuthFaceOptions) {
    const { core, organizationId, allowed } = options;
    this.#options = options;
    this.#sessions = createSessions({ core, organizationId, allowed });
  }

  async answer(request: Request, visitor: OAuthVisitor): Promise<Response> {
    if (!METHODS.includes(request.method)) return refuseMethod(request);
    try {
      return await this.#serve(request, visitor);
    } catch (error) {
      const { pathname } = new URL(request.url);
      const told = withRequestId(this.#options.log, requestIdOf(request));
      const refusal = refusalOf(error, told, `${request.method} ${pathname}`);
      return isForPeople(request, pathname) ? refusalPage(refusal) : refusalAnswer(refusal);
    }
  }

  async #serve(request: Request, visitor: OAuthVisitor): Promise<Response> {
    const { allowed } = this.#options;
    const objection = objectionToHost(request.headers, { ...allowed, origins: [request.headers.get("origin") ?? ""] });
    if (objection !== null) throw new AppError("forbidden", objection);
    const { publicUrl } = allowed;
    const found = issuerOf({ headers: request.headers, publicUrl, isLoopbackOnly: visitor.isLoopbackOnly });
    const { pathname } = new URL(request.url);
    if ("objection" in found)
      throw new AppError(pathname.startsWith("/.well-known/") ? "not_found" : "invalid", found.objection);
    const { issuer } = found;
    if (pathname.startsWith(RESOURCE_METADATA_PATH)) return describeResource(request, issuer);
    if (pathname.startsWith(`${CONSENT_PATH}/`)) return this.#consent(request, visitor, issuer);
    const path = ALIASES[pathname] ?? pathname;
    if (request.method === "OPTIONS") return preflight(request);
    if (path === REGISTER_PATH) await this.#countRegistration(visitor);
    return askProvider(request, path, await this.#providerOf(issuer));
  }

  async #consent(request: Request, visitor: OAuthVisitor, issuer: string): Promise<Response> {
    const { core, allowed } = this.#options;
    refuseForeignOrigin(request, allowed);
    const owner = await this.#sessions.requireOwner(request);
    if (owner instanceof Response) return owner;
    const provider = await this.#providerOf(issuer);
    const { answerConsent } = await import("./consent.js");
    return answerConsent(request, { provider, core: coreFor(core, callSource(request, visitor)), owner });
  }

  async #countRegistration({ callerAddress = "unknown" }: OAuthVisitor): Promise<void> {
    const counter = this.#options.attempts?.() ?? this.#registrations;
    const own = await counter.take(`apps from ${networkOf(callerAddress)}`, REGISTRATIONS);
    // An attempt refused to one address does not count towards the limit for all.
    const { waitMs } = own.waitMs > 0 ? own : await counter.take("apps of all", ALL_REGISTRATIONS);
    if (waitMs === 0) return;
    const retryAfter = Math.ceil(waitMs / 1_000);
    throw new AppError("rate_limited", `Too many apps have registered. Try again in ${retryAfter} s.`, { retryAfter });
  }

  #providerOf(issuer: string): Promise<Provider> {
    const known = this.#providers.get(issuer);
    if (known) return known;
    const [oldest] = this.#providers.keys();
    if (oldest !== undefined && this.#providers.size >= MOST_PROVIDERS) this.#providers.delete(oldest);
    const made = this.#createProvider(issuer);
    this.#providers.set(issuer, made);
    // After a store outage, it is tried again next time.
    made.catch(() => this.#providers.delete(issuer));
    return made;
  }

  async #createProvider(issuer: string): Promise<Provider> {
    const { core, organizationId, log, documents } = this.#options;
    const { createProvider } = await import("./provider.js");
    return createProvider({ core, call: { actor: localActor(organizationId) }, log, issuer, documents });
  }
}

/** The methods that the OAuth endpoints accept between them; each refuses the rest itself. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

function refuseMethod({ method }: Request): Response {
  const message = `Signing in does not accept ${method}. It accepts ${METHODS.join(", ")}.`;
  return Response.json({ error: message, message }, { status: 405, headers: { allow: METHODS.join(", ") } });
}

function isForPeople(request: Request, pathname: string): boolean {
  const isPage = pathname.startsWith(CONSENT_PATH) || (ALIASES[pathname] ?? pathname).startsWith(AUTHORIZE_PATH);
  return isPage && (request.headers.get("accept") ?? "").includes("text/html");
}

function refusalPage(refusal: Refusal): Response {
  return pageAnswer({
    title: "This app cannot be given access",
    status: statusOf(refusal.kind),
    headers: retryHeaders(refusal),
    body: html`<p>${refusal.message}</p>`,
  });
}

const OAUTH_ERRORS: Partial<Record<Refusal["kind"], string>> = {
  unavailable: "temporarily_unavailable",
  storage_full: "temporarily_unavailable",
  rate_limited: "temporarily_unavailable",
  internal: "server_error",
  corrupt: "server_error",
};

function refusalAnswer(refusal: Refusal): Response {
  const body = { error: OAUTH_ERRORS[refusal.kind] ?? "invalid_request", error_description: refusal.message };
  return Response.json(body, {
    status: statusOf(refusal.kind),
    headers: { ...OPEN, "cache-control": "no-store", ...retryHeaders(refusal) },
  });
}

/** Pages of any origin may call: only pages depend on a cookie here, and other origins cannot read those. */
const OPEN = { "access-control-allow-origin": "*" };

function preflight({ headers }: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...OPEN,
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers": headers.get("access-control-request-headers") ?? "content-type",
      "access-control-max-age": "86400",
    },
  });
}

/** RFC 9728: what tokens are for, and who issues them. */
function describeResource(request: Request, issuer: string): Response {
  if (request.method === "OPTIONS") return preflight(request);
  const body = {
    resource: resourceOf(issuer),
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Recollect",
  };
  return Response.json(body, { headers: { ...OPEN, "cache-control": "max-age=3600" } });
}

async function askProvider(request: Request, path: string, provider: Provider): Promise<Response> {
  const { asked, body } = await prepare(request, path, provider.issuer);
  const exchange = toNode(asked, body);
  const { incoming } = exchange;
  const { host, protocol } = new URL(provider.issuer);
  incoming.headers[REQUEST_ID_HEADER] = requestIdOf(request);
  incoming.headers["host"] = host;
  incoming.headers["x-forwarded-host"] = host;
  incoming.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  const answer = await answerOf(provider.callback(), exchange);
  if (path.startsWith(AUTHORIZE_PATH)) return answer.status < 400 ? answer : explain(request, answer);
  answer.headers.set("access-control-allow-origin", "*");
  answer.headers.delete("access-control-allow-credentials");
  return answer;
}

/** Rewrites what an app asks for in this server's terms, where it says the same in others. */
async function prepare(request: Request, path: string, issuer: string): Promise<{ asked: Request; body: string }> {
  const url = new URL(request.url);
  url.pathname = path;
  if (path === AUTHORIZE_PATH) translate(url.searchParams, issuer);
  const asked = new Request(url, { method: request.method, headers: request.headers });
  if (request.method !== "POST") return { asked, body: "" };
  const body = await readBodyText(request, MOST_BYTES);
  return { asked, body: path === REGISTER_PATH ? registrationOf(body) : body };
}

function translate(query: URLSearchParams, issuer: string): void {
  const scope = query.getAll("scope");
  // A repeated parameter is an error, which the library reports.
  if (scope.length > 1) return;
  const scopes = knownScopes(scope[0] ?? "");
  query.set("scope", scopes.join(" "));
  if (!scopes.includes("openid")) for (const name of OPENID_PARAMETERS) query.delete(name);
  if (query.getAll("resource").length === 0) query.set("resource", resourceOf(issuer));
  const prompts = (query.get("prompt") ?? "").split(" ").filter((prompt) => PROMPTS.has(prompt));
  if (query.getAll("prompt").length > 1 || prompts.includes("none")) return;
  // The owner is asked in any case; the library drops `offline_access` where the app did not request consent.
  query.set("prompt", [...new Set([...prompts, "consent"])].join(" "));
}

function registrationOf(body: string): string {
  let said: unknown;
  try {
    said = parseLimitedJson(body);
  } catch {
    throw new AppError("invalid", "The registration must be a JSON object.");
  }
  const reading = readClient(said);
  if ("objection" in reading) throw new AppError("invalid", `This app cannot register: ${reading.objection}.`);
  return JSON.stringify(reading.metadata);
}

const errorSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/** An error that cannot be returned to the app, because its address is unknown, is shown to the person. */
async function explain(request: Request, answer: Response): Promise<Response> {
  if (!isForPeople(request, new URL(request.url).pathname)) return answer;
  const said = errorSchema.parse(await answer.json());
  const unknownClient = said.error === "invalid_client";
  return pageAnswer({
    title: "This app cannot be given access",
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => name === "retry-after")),
    body: html`<p>${said.error_description ?? said.error}</p>
      ${
        unknownClient &&
        html`<p>
          This server does not know the app, or has forgotten it. Remove this server in the app, or sign out there, and
          add it again.
        </p>`
      }`,
  });
}
