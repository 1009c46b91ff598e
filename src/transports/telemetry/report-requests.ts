import type { MiddlewareHandler } from "hono";
import type { LeveledLog } from "../../lib/log.js";
import { logRequest } from "./log-request.js";
import { nameRequest, type NamedRequest } from "./named-request.js";
import { factsOf } from "./request-facts.js";
import { requestIdOf } from "../request-id.js";
import { type AccessRules, type HttpBindings, visitorOf } from "../visitor.js";

/** What the metrics count about a request. */
export interface CountedRequest extends NamedRequest {
  readonly status: number;
  readonly ms: number;
}

export interface ReportOptions {
  readonly log: LeveledLog;
  readonly access: AccessRules | undefined;
  readonly count: (request: CountedRequest) => void;
}

/** Logs and counts each request once it is answered, without anything the caller sent. */
export function reportRequests({ log, access, count }: ReportOptions): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (context, next) => {
    const began = performance.now();
    await next();
    const { raw } = context.req;
    const { actor, container, isLogged = false } = factsOf(raw);
    const answered = {
      ...nameRequest(context),
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
