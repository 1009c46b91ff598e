import type { Context } from "hono";
import { traced } from "../../lib/traces.js";
import { requestIdOf } from "../request-id.js";
import { nameRequest } from "./named-request.js";

/** Called by programs every few seconds, or open for as long as another process lives. */
const ROUTINE = /^\/(?:health|metrics|internal\/(?:ping|watch))(?:\/|$)/;

/** Makes a span for each request, within the caller's trace if its headers name one; it holds no content. */
export async function traceRequests(context: Context, next: () => Promise<void>): Promise<void> {
  const { raw, path } = context.req;
  if (ROUTINE.test(path)) return next();
  const traceparent = raw.headers.get("traceparent");
  await traced({ name: "request", kind: "server", traceparent }, async (span) => {
    await next();
    const { method, route } = nameRequest(context);
    const { status } = context.res;
    span.rename(`${method} ${route}`);
    span.note({
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": status,
      "recollect.request.id": requestIdOf(raw),
    });
    if (status >= 500) span.fail(String(status));
  });
}
