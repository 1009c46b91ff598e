import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { AppError } from "../../core/errors.js";
import type { Core } from "../../core/index.js";
import type { LeveledLog } from "../../lib/log.js";
import { errorBody, refusalOf, retryHeaders, statusOf } from "../errors.js";
import { documentEndpoints } from "./documents.js";
import type { Endpoint } from "./endpoint.js";
import { mountHealth } from "./health.js";
import { listEndpoints } from "./list-documents.js";
import { memoryEndpoints } from "./memories.js";
import { mountEndpoints, type RestApp } from "./mount.js";
import { profileEndpoints } from "./profile.js";
import { maxBodyBytes } from "./read-request.js";
import { searchEndpoints } from "./search.js";
import { sessionEndpoints } from "./session.js";

export interface RestFaceOptions {
  readonly core: Core;
  readonly log: LeveledLog;
  readonly organizationId: string;
  readonly limits: { readonly maxTextBytes: number; readonly maxMetadataBytes: number };
  readonly version: string;
  /** False while the store is opening. */
  readonly isReady: () => boolean;
}

/** Every operation of the API that this service has. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...documentEndpoints,
  ...listEndpoints,
  ...searchEndpoints,
  ...memoryEndpoints,
  ...profileEndpoints,
  ...sessionEndpoints,
];

/** Paths of the contract that are not served yet and that a path with a parameter would take for a document's id. */
const RESERVED_PATHS = ["/v3/documents/batch", "/v3/documents/bulk", "/v3/documents/file", "/v3/documents/documents"];

/** The public API (contract.md). */
export function createRestFace(options: RestFaceOptions): RestApp {
  const { core, log, organizationId, limits } = options;
  const app: RestApp = new OpenAPIHono();
  app.use("*", allowAllOrigins());
  app.use("*", async (context, next) => {
    await next();
    context.header("x-content-type-options", "nosniff");
    context.header("cache-control", "no-store");
  });
  mountHealth(app, options);
  for (const path of RESERVED_PATHS) app.all(path, (context) => refusePath(context.req));
  mountEndpoints(app, ENDPOINTS, { core, organizationId, maxBodyBytes: maxBodyBytes(limits) });
  app.notFound((context) => refusePath(context.req));
  app.all("*", (context) => refusePath(context.req));
  app.onError((error, context) => {
    const refusal = refusalOf(error, log, `${context.req.method} ${context.req.routePath}`);
    return context.json(errorBody(refusal), statusOf(refusal.kind), retryHeaders(refusal));
  });
  return app;
}

function refusePath({ method, path }: { method: string; path: string }): never {
  throw new AppError("not_found", `This server does not serve ${method} ${path.slice(0, 200)}.`);
}

/** Any web page may call, with a key (contract.md §1.4); keyless access from a page is refused in `auth.ts`. */
function allowAllOrigins() {
  return cors({
    origin: "*",
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    exposeHeaders: [
      "Retry-After",
      "x-should-retry",
      "Preference-Applied",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
    ],
    maxAge: 86_400,
  });
}
