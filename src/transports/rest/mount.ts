import type { Context, Hono } from "hono";
import * as z from "zod";
import { AppError } from "../../core/errors.js";
import { anybodyActor, clientSchema, localActor, type Core, type Upload, type UploadStore } from "../../core/index.js";
import type { Actor } from "../../core/types.js";
import {
  findUnknownFields,
  findUnknownParameters,
  namingIgnored,
  refuseMisspelt,
  type UnknownFields,
  warningsOf,
  withNoneIgnored,
} from "../unknown-fields.js";
import type { RequestMeter } from "../telemetry/request-meter.js";
import { identify, callSource } from "../auth.js";
import { readBodyBytes } from "../../lib/request-body.js";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../lib/concurrency-limit.js";
import type { InTurn } from "../../lib/large-requests.js";
import { type AccessRules, type HttpBindings, visitorOf } from "../visitor.js";
import type { Endpoint, SearchMode } from "./endpoint.js";
import { contextWarnings } from "./context-warnings.js";
import { idleWarnings } from "./idle-warnings.js";
import { refusePinning } from "./refuse-pinning.js";
import type { LimitRequests } from "./rate-limit.js";
import { readForm } from "./read-form.js";
import {
  bodyLimits,
  formLimits,
  checkInput,
  readJsonBody,
  refuseBody,
  refuseTooLarge,
  type RequestLimits,
} from "./read-request.js";
import { onlyContainer, requestTypeOf, type RequestVariables } from "./record-requests.js";
import { fileNameWarnings } from "./file-name-warnings.js";
import { guidanceWarnings } from "./guidance-warnings.js";
import { keptSecretWarnings } from "./secret-warnings.js";
import { timeZoneWarnings } from "./time-zone-warnings.js";
import { truncate } from "../../lib/truncate.js";

interface RestEnvironment {
  Bindings: HttpBindings;
  Variables: RequestVariables;
}
export type RestApp = Hono<RestEnvironment>;
type RestContext = Context<RestEnvironment>;

export interface MountOptions {
  readonly core: Core;
  readonly organizationId: string;
  readonly publicUrl?: string | undefined;
  readonly access?: AccessRules | undefined;
  readonly limits: RequestLimits;
  readonly limitRequests: LimitRequests;
  readonly inTurn: InTurn;
  readonly version: string;
  readonly meter: RequestMeter;
  /** Holds files while they are uploaded. */
  readonly uploads: UploadStore;
  /** Whether a language model reads texts. */
  readonly hasModel: boolean;
  /** What a search finds if the caller does not specify it. */
  readonly searchMode: SearchMode;
}

/** Serves endpoints; a literal path takes precedence over one with parameters, and other methods of a known path are refused. */
export function mountEndpoints(app: RestApp, endpoints: readonly Endpoint[], options: MountOptions): void {
  const routes = endpoints.flatMap((endpoint) => pathsOf(endpoint).map((path) => ({ path, endpoint })));
  const paths = [...new Set(routes.map(({ path }) => path))].sort(byParameters);
  const strangers = createConcurrencyLimit({ most: STRANGERS_AT_ONCE, patienceMs: 300_000 });
  for (const path of paths) {
    const ofPath = routes.filter((route) => route.path === path).map(({ endpoint }) => endpoint);
    for (const endpoint of ofPath)
      app.on(endpoint.method.toUpperCase(), routerPath(path), (context) =>
        endpoint.isOnce && isLookingAhead(context)
          ? refuseMethod(context, path, "GET")
          : answer(context, endpoint, { ...options, strangers }),
      );
    const allowed = ofPath.map((endpoint) => endpoint.method.toUpperCase()).join(", ");
    app.all(routerPath(path), (context) => refuseMethod(context, path, allowed));
  }
}

/** How many source webhooks are read at once, and how long one may take to arrive. */
const STRANGERS_AT_ONCE = 32;
const STRANGERS_MS = 10_000;

const DOCUMENTS = /^\/v3\/documents(?=\/|$)/;

/** All paths of an endpoint. Documents used to be called memories (contract 1.15); never a redirect. */
export function pathsOf({ path, aliases = [] }: Endpoint): string[] {
  const paths = [path, ...aliases];
  return [...paths, ...paths.filter((one) => DOCUMENTS.test(one)).map((one) => one.replace(DOCUMENTS, "/v3/memories"))];
}

function byParameters(left: string, right: string): number {
  return left.split("{").length - right.split("{").length;
}

/** `/v3/documents/{id}` in the router's syntax. */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Link previews, prefetches and proxy probes. */
function isLookingAhead({ req }: RestContext): boolean {
  const purpose = req.header("sec-purpose") ?? req.header("purpose") ?? "";
  return req.raw.method === "HEAD" || purpose.includes("prefetch");
}

interface MountedOptions extends MountOptions {
  /** Limits bodies from senders without a key, which are held in memory before anything is known about them. */
  readonly strangers: ConcurrencyLimit;
}

async function answer(context: RestContext, endpoint: Endpoint, options: MountedOptions): Promise<Response> {
  const { req } = context;
  const facts = context.get("facts");
  facts.path = endpoint.path;
  facts.type = requestTypeOf(endpoint);
  const keyless = actorWithoutKey(context, endpoint, options);
  const actor = keyless ?? (await identifyActor(context, options));
  if (!keyless) {
    facts.actor = actor;
    await options.limitRequests(actor, (name, value) => void (facts.headers[name] = value));
  }
  refusePinning(req.raw.headers);
  const sent = req.queries();
  const found = findUnknownParameters(endpoint, Object.keys(sent));
  const parameters = hasRoomForWarnings(endpoint) ? found : withNoneIgnored(found);
  refuseMisspelt(parameters);
  const query = endpoint.query && checkInput(endpoint.query, sent);
  const checked = { endpoint, options, actor, query, parameters };
  // Its bytes are not held in memory, so it waits for no other.
  if (endpoint.carries === "file")
    return withUploads(options.uploads, (receive) => perform(context, { ...checked, request: req.raw, receive }));
  return options.inTurn(actor.name, req.raw, (request) => perform(context, { ...checked, request, receive: null }));
}

/** Removes what was received once the request has been handled. */
async function withUploads<T>(uploads: UploadStore, work: (receive: UploadStore["receive"]) => Promise<T>): Promise<T> {
  const received: Upload[] = [];
  try {
    return await work(async (pieces) => {
      const upload = await uploads.receive(pieces);
      received.push(upload);
      return upload;
    });
  } finally {
    for (const { key } of received) await uploads.remove(key);
  }
}

/** The actor for an operation that needs no key, or for a signed link that replaces one. */
function actorWithoutKey({ req }: RestContext, endpoint: Endpoint, { organizationId }: MountOptions): Actor | null {
  if (endpoint.needsKey === false) return localActor(organizationId);
  const { opensWith } = endpoint;
  return opensWith !== undefined && Object.hasOwn(req.queries(), opensWith) ? anybodyActor(organizationId) : null;
}

interface CheckedCall {
  readonly request: Request;
  readonly endpoint: Endpoint;
  readonly options: MountedOptions;
  readonly actor: Actor;
  readonly query: unknown;
  readonly parameters: UnknownFields;
  /** Receives the file of a form; null where the body is not one. */
  readonly receive: UploadStore["receive"] | null;
}

/** Reads the body, does the work, and writes the response. */
async function perform(context: RestContext, checked: CheckedCall): Promise<Response> {
  const { endpoint, options, actor, query, parameters } = checked;
  const { req } = context;
  const facts = context.get("facts");
  const { body, fields } = await readFields(checked);
  facts.containerTag = onlyContainer(body, query, req.param());
  const result = await endpoint.handle({
    core: options.core,
    call: { actor, from: callSource(visitorOf(context.req.raw, context.env, options.access)) },
    body,
    query,
    parameter: (name) => req.param(name) ?? "",
    header: (name) => req.header(name),
    headers: () => req.header(),
    origin: options.publicUrl ?? new URL(req.url).origin,
    version: options.version,
    meter: options.meter,
    setHeader: (name, value) => void (facts.headers[name] = value),
    countMore: (operations) => void (facts.operations += operations),
  });
  if (result instanceof Response) return withHeaders(result, facts.headers);
  const { status } = endpoint;
  if (status === 204) return new Response(null, { status, headers: facts.headers });
  // One plain object: passing headers through the context or through `Headers` costs as much as the rest of a small response.
  const headers = { ...facts.headers, "content-type": "application/json" };
  // What needs no key is a document of its own, such as the API description.
  const warnings =
    endpoint.needsKey === false
      ? []
      : [
          ...contextWarnings(actor, body),
          ...guidanceWarnings(endpoint.path, body, options),
          ...keptSecretWarnings(endpoint, body),
          ...timeZoneWarnings(body),
          ...fileNameWarnings(endpoint, body),
          ...idleWarnings(endpoint, body, options),
          ...warningsOf(parameters, fields),
        ];
  return new Response(JSON.stringify(withWarnings(result, warnings)), { status, headers });
}

/** The body as the endpoint takes it, and its unknown fields. @throws AppError `invalid`, also for misspelt fields */
async function readFields({
  request,
  endpoint,
  options: { limits, strangers },
  receive,
}: CheckedCall): Promise<{ body: unknown; fields: UnknownFields }> {
  if (endpoint.carries === "bytes") {
    const limit = bodyLimits(limits).bytes;
    const leave = await strangers.enter();
    try {
      const bytes = await readBodyBytes(request, limit.bytes, AbortSignal.timeout(STRANGERS_MS));
      return { body: bytes, fields: NONE_UNKNOWN };
    } catch (error) {
      return refuseTooLarge(error, limit);
    } finally {
      leave();
    }
  }
  if (!endpoint.body) {
    await refuseBody(request);
    return { body: undefined, fields: NONE_UNKNOWN };
  }
  const sent = receive
    ? await readForm(request, { ...formLimits(limits), fileField: FILE_FIELD, receive })
    : await readBody(request, endpoint, limits);
  const found = findUnknownFields(endpoint.body, sent);
  const isExact = endpoint.isExact === true || endpoint.method === "delete" || !hasRoomForWarnings(endpoint);
  const fields = isExact ? withNoneIgnored(found) : found;
  // Before validation: a missing field may be the misspelt one.
  refuseMisspelt(fields);
  try {
    return { body: checkInput(endpoint.body, sent), fields };
  } catch (error) {
    throw namingIgnored(error, fields);
  }
}

/** The field of a form that carries its file. */
const FILE_FIELD = "file";

const NONE_UNKNOWN: UnknownFields = { misspelt: [], ignored: [] };

/** False for an answer that is a list or empty: unknown fields are then refused, or nobody would learn of them. */
function hasRoomForWarnings({ status, answer }: Endpoint): boolean {
  return status !== 204 && !(answer instanceof z.ZodArray);
}

function withWarnings(answer: unknown, warnings: readonly string[]): unknown {
  if (warnings.length === 0 || typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
  const { warnings: own = [] } = answer as { warnings?: readonly string[] };
  return { ...answer, warnings: [...own, ...warnings] };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** Header in which first-party clients name themselves (contract 1.2). */
const CLIENT_HEADER = "x-sm-source";

async function identifyActor(context: RestContext, options: MountOptions): Promise<Actor> {
  const { core, organizationId, publicUrl, access } = options;
  const { req } = context;
  const actor = await identify(visitorOf(req.raw, context.env, access), {
    core,
    organizationId,
    publicUrl,
    isKeylessOff: access?.isKeylessOff,
  });
  const named = clientSchema.safeParse(req.header(CLIENT_HEADER));
  return actor.client === undefined && named.success ? { ...actor, client: named.data } : actor;
}

async function readBody(request: Request, endpoint: Endpoint, limits: RequestLimits): Promise<unknown> {
  const { carries = "document", isBodyOptional } = endpoint;
  const body = await readJsonBody(request, bodyLimits(limits)[carries]);
  if (body !== undefined) return body;
  if (isBodyOptional) return {};
  throw new AppError("invalid", "The body is empty; send a JSON object.");
}

function refuseMethod(context: RestContext, path: string, allowed: string): Response {
  const { method } = context.req;
  const message = `${truncate(context.req.path, 200)} does not accept ${method}. It accepts ${allowed}.`;
  const facts = context.get("facts");
  facts.path = path;
  facts.error = `${path} does not accept ${method}.`;
  return context.json({ error: message, message }, 405, { ...facts.headers, allow: allowed });
}
