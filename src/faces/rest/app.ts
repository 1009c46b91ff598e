import { Hono } from "hono";
import { cors } from "hono/cors";
import { AppError } from "../../core/errors.js";
import type { Core } from "../../core/index.js";
import type { LeveledLog } from "../../lib/log.js";
import type { Rate } from "../../lib/rate-limit.js";
import { errorBody, refusalOf, retryHeaders, statusOf } from "../errors.js";
import { analyticsEndpoints } from "./analytics.js";
import { billingEndpoints } from "./billing.js";
import { connectionEndpoints } from "./connections.js";
import { containerTagEndpoints } from "./container-tags.js";
import { documentGraphEndpoints } from "./documents-with-memories.js";
import { conversationEndpoints } from "./conversations.js";
import { documentEndpoints } from "./documents.js";
import type { Endpoint } from "./endpoint.js";
import { fileEndpoints } from "./files.js";
import { forgetMatchingEndpoints } from "./forget-matching.js";
import { mountHealth } from "./health.js";
import { inferredEndpoints } from "./inferred.js";
import { listEndpoints } from "./list-documents.js";
import { memoryListEndpoints } from "./list-memories.js";
import { manyDocumentsEndpoints } from "./many-documents.js";
import { memoryEndpoints } from "./memories.js";
import { mountEndpoints, type RestApp } from "./mount.js";
import { createApiDescription, openApiEndpoints } from "./openapi.js";
import { profileEndpoints } from "./profile.js";
import { limitRequests } from "./rate-limit.js";
import type { RequestLimits } from "./read-request.js";
import { recordRequests } from "./record-requests.js";
import type { RequestLog } from "./request-log.js";
import { projectEndpoints } from "./projects.js";
import { referenceEndpoints } from "./reference.js";
import { rootEndpoints } from "./root.js";
import { searchEndpoints } from "./search.js";
import { sessionEndpoints } from "./session.js";
import { settingsEndpoints } from "./settings.js";
import { teamEndpoints } from "./team.js";
import { webAppEndpoints } from "./web-app.js";

export interface RestFaceOptions {
  readonly core: Core;
  readonly log: LeveledLog;
  readonly organizationId: string;
  readonly limits: RequestLimits;
  readonly version: string;
  /** False while the store is opening. */
  readonly isReady: () => boolean;
  /** How often each key may call; everybody may at any time without it. */
  readonly rate?: Rate | undefined;
  /** Where requests are noted; nowhere without it. */
  readonly requests?: RequestLog | undefined;
}

const description = createApiDescription(() => ENDPOINTS);

/** Every operation of the API that this service has. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...documentEndpoints,
  ...conversationEndpoints,
  ...manyDocumentsEndpoints,
  ...fileEndpoints,
  ...listEndpoints,
  ...searchEndpoints,
  ...memoryEndpoints,
  ...memoryListEndpoints,
  ...documentGraphEndpoints,
  ...forgetMatchingEndpoints,
  ...inferredEndpoints,
  ...profileEndpoints,
  ...containerTagEndpoints,
  ...settingsEndpoints,
  ...projectEndpoints,
  ...sessionEndpoints,
  ...analyticsEndpoints,
  ...connectionEndpoints,
  ...teamEndpoints,
  ...billingEndpoints,
  ...webAppEndpoints,
  ...rootEndpoints,
  ...openApiEndpoints(description),
  ...referenceEndpoints(description),
];

/** The public API (contract.md). */
export function createRestFace(options: RestFaceOptions): RestApp {
  const { core, log, organizationId, limits } = options;
  const app: RestApp = new Hono();
  app.use("*", allowAllOrigins());
  app.use("*", async (context, next) => {
    await next();
    context.header("x-content-type-options", "nosniff");
    context.header("cache-control", "no-store");
  });
  app.use("*", recordRequests(options.requests));
  mountHealth(app, options);
  const limiting = { limits, limitRequests: limitRequests(options.rate) };
  mountEndpoints(app, ENDPOINTS, { core, organizationId, version: options.version, ...limiting });
  app.notFound((context) => refusePath(context.req));
  app.all("*", (context) => refusePath(context.req));
  app.onError((error, context) => {
    const refusal = refusalOf(error, log, `${context.req.method} ${context.req.routePath}`);
    const body = errorBody(refusal);
    const facts = context.get("facts");
    // The path of a request is the caller's own words until it matches one of ours.
    facts.error = facts.path === undefined ? "This server does not serve the path." : body.error;
    return context.json(body, statusOf(refusal.kind), retryHeaders(refusal));
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
      "x-recollect-removed",
      "Content-Disposition",
      "Content-Range",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
    ],
    maxAge: 86_400,
  });
}
