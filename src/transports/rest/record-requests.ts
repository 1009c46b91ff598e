import type { MiddlewareHandler } from "hono";
import { type Actor, keyIdOf, type RequestType } from "../../core/types.js";
import { createId } from "../../lib/ids.js";
import { COMMON_HEADERS } from "./common-headers.js";
import type { Endpoint } from "./endpoint.js";
import type { RequestLog } from "./request-log.js";
import { type AccessRules, type HttpBindings, visitorOf } from "../visitor.js";
import { learnOf } from "../telemetry/request-facts.js";
import { truncate } from "../../lib/truncate.js";

/** What is learnt about a request while it is answered. */
export interface RecordedRequest {
  /** Headers of the response, whatever it will be. */
  readonly headers: Record<string, string>;
  /** Pattern of the path, once one has matched. */
  path?: string;
  type?: RequestType;
  actor?: Actor;
  containerTag?: string | undefined;
  /** How many operations it counts as in usage. */
  operations: number;
  /** Why a request was refused, without any of the sender's own words. */
  error?: string;
}

/** Variables of a request's context. */
export interface RequestVariables {
  facts: RecordedRequest;
}

/** Longer ones are cut: an error may list many fields. */
const MAX_ERROR = 300;
const MAX_METHOD = 20;
const UNKNOWN_PATH = "(unknown path)";
const RECORDED = /^\/v[34](\/|$)/;

/** Records each request and its outcome, without any of their content. */
export function recordRequests(
  log: RequestLog | undefined,
  access: AccessRules | undefined,
): MiddlewareHandler<{ Bindings: HttpBindings; Variables: RequestVariables }> {
  return async (context, next) => {
    const facts: RecordedRequest = { headers: { ...COMMON_HEADERS }, operations: 1 };
    context.set("facts", facts);
    const createdAt = new Date().toISOString();
    const began = performance.now();
    await next();
    learnOf(context.req.raw, { route: facts.path, actor: facts.actor, container: facts.containerTag });
    if (!RECORDED.test(context.req.path)) return;
    const { status } = context.res;
    log?.note({
      id: createId(),
      keyId: facts.actor ? keyIdOf(facts.actor) : null,
      client: facts.actor?.client ?? null,
      type: facts.type ?? "request",
      method: context.req.method.slice(0, MAX_METHOD),
      path: facts.path ?? UNKNOWN_PATH,
      status,
      duration: Math.round((performance.now() - began) * 10) / 10,
      containerTag: facts.containerTag ?? null,
      error: status >= 400 ? (facts.error === undefined ? null : truncate(facts.error, MAX_ERROR)) : null,
      address: visitorOf(context.req.raw, context.env, access).callerAddress ?? null,
      operations: facts.operations,
      createdAt,
    });
  };
}

/** The type of a request to an endpoint (contract 1.14). */
export function requestTypeOf({ method, path }: Pick<Endpoint, "method" | "path">): RequestType {
  if (path === "/v3/search") return "search";
  if (path === "/v4/search") return "search_v4";
  if (method === "delete" || path === "/v4/memories/forget-matching" || path === "/v3/purge") return "delete";
  if (method === "patch" || method === "put") return "update";
  return method === "post" && ADDING.has(path) ? "add" : "request";
}

const ADDING: ReadonlySet<string> = new Set([
  "/v3/documents",
  "/v3/documents/batch",
  "/v3/documents/file",
  "/v4/memories",
  "/v4/conversations",
]);

/** The container, when these parts of a request name exactly one. */
export function onlyContainer(...parts: readonly unknown[]): string | undefined {
  const tags = new Set(parts.flatMap(tagsIn));
  const [first] = tags;
  return tags.size === 1 ? first : undefined;
}

function tagsIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const { containerTag, containerTags } = part as { containerTag?: unknown; containerTags?: unknown };
  return [containerTag, containerTags].flat().filter((tag) => typeof tag === "string");
}
