import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { AppError } from "../../core/errors.js";
import type { Core, UploadStore } from "../../core/index.js";
import type { LeveledLog } from "../../lib/log.js";
import { errorBody, noteOf, readerOf, refusalOf, retryHeaders, statusOf } from "../errors.js";
import type { InTurn } from "../../lib/large-requests.js";
import type { AccessRules } from "../visitor.js";
import { analyticsEndpoints } from "./service/analytics.js";
import { auditEndpoints } from "./service/audit.js";
import { billingEndpoints } from "./service/billing.js";
import { connectionChoiceEndpoints } from "./service/connection-choice.js";
import { connectionSignInEndpoints } from "./service/connection-sign-in.js";
import { connectionSyncEndpoints } from "./service/connection-sync.js";
import { connectionEndpoints } from "./service/connections.js";
import { containerTagEndpoints } from "./containers/container-tags.js";
import { documentGraphEndpoints } from "./documents/documents-with-memories.js";
import { conversationEndpoints } from "./documents/conversations.js";
import { documentEndpoints } from "./documents/documents.js";
import { embeddingEndpoints } from "./service/embeddings.js";
import { COMMON_HEADERS } from "./common-headers.js";
import type { Endpoint, SearchMode } from "./endpoint.js";
import { extractionEndpoints } from "./memories/extractions.js";
import { fileEndpoints } from "./documents/files.js";
import { forgetMatchingEndpoints } from "./memories/forget-matching.js";
import { mountHealth } from "./service/health.js";
import { grantEndpoints } from "./service/grants.js";
import { keyEndpoints } from "./service/keys.js";
import { inferredEndpoints } from "./memories/inferred.js";
import { journalEndpoints } from "./memories/journal.js";
import { listEndpoints } from "./documents/list-documents.js";
import { memoryListEndpoints } from "./memories/list-memories.js";
import { manyDocumentsEndpoints } from "./documents/many-documents.js";
import { memoryEndpoints } from "./memories/memories.js";
import { adviceOn } from "./path-advice.js";
import { mountEndpoints, type RestApp } from "./mount.js";
import { requestIdOf, withRequestId } from "../request-id.js";
import { createApiDescription, openApiEndpoints } from "./description/openapi.js";
import { purgeEndpoints } from "./service/purge.js";
import { reprocessEndpoints } from "./documents/reprocess.js";
import { profileEndpoints } from "./search/profile.js";
import type { LimitRequests } from "./rate-limit.js";
import type { RequestLimits } from "./read-request.js";
import { recordRequests } from "./record-requests.js";
import type { RequestLog } from "./request-log.js";
import { projectEndpoints } from "./containers/projects.js";
import { referenceEndpoints } from "./description/reference.js";
import { rootEndpoints } from "./service/root.js";
import { metricsEndpoints } from "./service/metrics.js";
import { statusEndpoints } from "./service/status.js";
import type { RequestMeter } from "../telemetry/request-meter.js";
import { searchEndpoints } from "./search/search.js";
import { sessionEndpoints } from "./service/session.js";
import { settingsEndpoints } from "./service/settings.js";
import { teamEndpoints } from "./service/team.js";
import { webAppEndpoints } from "./service/web-app.js";
import { truncate } from "../../lib/truncate.js";

export interface RestFaceOptions {
  readonly core: Core;
  readonly log: LeveledLog;
  readonly organizationId: string;
  /** The server's address from outside, for which apps' tokens are valid. */
  readonly publicUrl?: string | undefined;
  readonly access?: AccessRules | undefined;
  readonly limits: RequestLimits;
  readonly version: string;
  /** Whether a language model reads texts; default false. */
  readonly hasModel?: boolean | undefined;
  /** What a search finds if the caller does not specify it; default `hybrid`. */
  readonly searchMode?: SearchMode | undefined;
  /** False once the data folder is lost. */
  readonly isReady: () => boolean;
  /** When there was last no room to write; absent for never. */
  readonly fullAt?: (() => Date | null) | undefined;
  /** Counts a request, whichever transport it came to. */
  readonly limitRequests: LimitRequests;
  readonly inTurn: InTurn;
  readonly meter: RequestMeter;
  /** Holds files while they are uploaded. */
  readonly uploads: UploadStore;
  /** Records requests; absent for none. */
  readonly requests?: RequestLog | undefined;
}

const description = createApiDescription(() => ENDPOINTS);

/** Every operation of this service's API. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...documentEndpoints,
  ...conversationEndpoints,
  ...manyDocumentsEndpoints,
  ...fileEndpoints,
  ...listEndpoints,
  ...reprocessEndpoints,
  ...searchEndpoints,
  ...memoryEndpoints,
  ...memoryListEndpoints,
  ...documentGraphEndpoints,
  ...forgetMatchingEndpoints,
  ...inferredEndpoints,
  ...extractionEndpoints,
  ...journalEndpoints,
  ...profileEndpoints,
  ...containerTagEndpoints,
  ...settingsEndpoints,
  ...embeddingEndpoints,
  ...purgeEndpoints,
  ...projectEndpoints,
  ...sessionEndpoints,
  ...keyEndpoints,
  ...grantEndpoints,
  ...analyticsEndpoints,
  ...auditEndpoints,
  ...connectionEndpoints,
  ...connectionSignInEndpoints,
  ...connectionChoiceEndpoints,
  ...connectionSyncEndpoints,
  ...teamEndpoints,
  ...billingEndpoints,
  ...webAppEndpoints,
  ...statusEndpoints,
  ...metricsEndpoints,
  ...rootEndpoints,
  ...openApiEndpoints(description),
  ...referenceEndpoints(description),
];

/** The public API (contract 1.1). */
export function createRestFace(options: RestFaceOptions): RestApp {
  const { core, log, organizationId, limits } = options;
  const app: RestApp = new Hono();
  app.use("*", answerPreflights());
  app.use("*", recordRequests(options.requests, options.access));
  mountHealth(app, options);
  const limiting = { limits, limitRequests: options.limitRequests, inTurn: options.inTurn };
  const { publicUrl, access, version, meter, uploads, hasModel = false, searchMode = "hybrid" } = options;
  const mounting = {
    core,
    organizationId,
    publicUrl,
    access,
    version,
    meter,
    uploads,
    hasModel,
    searchMode,
    ...limiting,
  };
  mountEndpoints(app, ENDPOINTS, mounting);
  app.notFound((context) => refusePath(context.req));
  app.all("*", (context) => refusePath(context.req));
  app.onError((error, context) => {
    const facts = context.get("facts");
    const reader = readerOf(facts.actor);
    const { req } = context;
    const told = withRequestId(log, requestIdOf(req.raw));
    const refusal = refusalOf(error, told, `${req.method} ${req.routePath}`, reader);
    const body = errorBody(refusal);
    // The path of a request is the caller's own text until it matches one of ours.
    facts.error = facts.path === undefined ? "This server does not serve this path." : noteOf(refusal);
    return context.json(body, statusOf(refusal.kind), { ...facts.headers, ...retryHeaders(refusal) });
  });
  return app;
}

function refusePath({ method, path }: { method: string; path: string }): never {
  throw new AppError("not_found", `This server does not serve ${method} ${truncate(path, 200)}.${adviceOn(path)}`);
}

/**
 * Answers CORS preflight requests: any page may call, with a key (contract 1.4); `auth.ts` refuses keyless access from a page.
 * All other answers say so in their common headers.
 */
function answerPreflights(): MiddlewareHandler {
  const answer = cors({
    origin: "*",
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    maxAge: 86_400,
  });
  return (context, next) => {
    if (context.req.method !== "OPTIONS") return next();
    for (const [name, value] of Object.entries(COMMON_HEADERS)) context.header(name, value);
    return answer(context, next);
  };
}
