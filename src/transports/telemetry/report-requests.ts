import type { MiddlewareHandler } from "hono";
import type { LeveledLog } from "../../lib/log.js";
import { logRequest } from "./log-request.js";
import { factsOf } from "./request-facts.js";
import { requestIdOf } from "../request-id.js";
import { type AccessRules, type HttpBindings, visitorOf } from "../visitor.js";

/** What a request was answered with, for whoever counts. */
export interface CountedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

export interface ReportOptions {
  readonly log: LeveledLog;
  readonly access: AccessRules | undefined;
  readonly count: (request: CountedRequest) => void;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Tells the log and whoever counts of each request that was answered; neither learns more words than those of this program. */
export function reportRequests({ log, access, count }: ReportOptions): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (context, next) => {
    const began = performance.now();
    await next();
    const { raw } = context.req;
    const { route = routeOf(context.req), actor, container, isLogged = false } = factsOf(raw);
    const answered = {
      method: METHODS.has(raw.method) ? raw.method : "(other)",
      route,
      status: context.res.status,
      ms: Math.round((performance.now() - began) * 10) / 10,
    };
    count(answered);
    if (isLogged) return;
    const requestId = requestIdOf(raw);
    const address = visitorOf(raw, context.env, access).callerAddress;
    logRequest(log, { ...answered, actor, container, address, requestId });
  };
}

function routeOf({ path, method }: { readonly path: string; readonly method: string }): string {
  if (path.startsWith("/internal/")) return "/internal/*";
  return method === "OPTIONS" ? "(preflight)" : "(unknown path)";
}
