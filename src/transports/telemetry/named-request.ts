import type { Context } from "hono";
import { factsOf } from "./request-facts.js";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What a request is called where it is told of: by words of this program, whatever it was sent with. */
export interface NamedRequest {
  readonly method: string;
  /** Pattern of the path. */
  readonly route: string;
}

/** The name of a request that was answered: until then its route is not known. */
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
