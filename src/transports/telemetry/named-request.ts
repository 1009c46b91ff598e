import type { Context } from "hono";
import { factsOf } from "./request-facts.js";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A request as identified in logs, metrics and traces: never by what the caller sent. */
export interface NamedRequest {
  readonly method: string;
  /** Pattern of the path. */
  readonly route: string;
}

/** Call once the request is answered: its route is not known before. */
export function nameRequest({ req }: Pick<Context, "req">): NamedRequest {
  return {
    method: METHODS.has(req.raw.method) ? req.raw.method : "(other)",
    route: factsOf(req.raw).route ?? routeOf(req),
  };
}

function routeOf({ path, method }: { readonly path: string; readonly method: string }): string {
  if (path.startsWith("/internal/")) return "/internal/*";
  return method === "OPTIONS" ? "(preflight)" : "(unknown path)";
}
