import type * as z from "zod";
import type { Call, Core } from "../../core/index.js";
import type { RequestMeter } from "../telemetry/request-meter.js";

type Awaitable<T> = T | Promise<T>;

/** What the handler of an endpoint is given: inputs that were read and checked, and who is asking. */
interface EndpointCall<Body, Query> {
  readonly core: Core;
  readonly call: Call;
  readonly body: Body;
  readonly query: Query;
  /** A path parameter, percent-decoded once. */
  readonly parameter: (name: string) => string;
  /** A request header, or undefined. */
  readonly header: (name: string) => string | undefined;
  /** All of them, with names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Base URL under which the client reached this server, without a slash at its end. */
  readonly origin: string;
  /** Version of this server. */
  readonly version: string;
  readonly setHeader: (name: string, value: string) => void;
  /** Counts the requests of this process. */
  readonly meter: Pick<RequestMeter, "families">;
  /** Says that the request counts as so many operations more than one in usage. */
  readonly countMore: (operations: number) => void;
}

/**
 * One operation of the API. Its schemas are the single source: they check what comes in, describe what goes out, and
 * become the OpenAPI document.
 */
export interface Endpoint<Body = unknown, Query = unknown, Answer = unknown> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  /** Older or other paths of the same operation; the OpenAPI document leaves them out. */
  readonly aliases?: readonly string[];
  /** What SDKs that are generated from the OpenAPI document call it: a verb and its object. The same for no other one. */
  readonly operationId: string;
  readonly summary: string;
  /** What a caller needs to know beyond the schemas, as sentences; Markdown code marks are allowed. */
  readonly description?: string;
  /** What the path parameters are, by name; those that are not named here have the words of `path-parameters.ts`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly tag: string;
  readonly body?: z.ZodType<Body> | undefined;
  /** A body that shows how the operation is used; without it one is made from what the schema requires. */
  readonly example?: unknown;
  /**
   * What the body is, which decides how it is read and how long it may be: `file` is a form, `bytes` are given as
   * they came without a schema, and the others are JSON.
   */
  readonly carries?: "document" | "conversation" | "batch" | "file" | "bytes";
  /** True when a request without any body means `{}`. */
  readonly isBodyOptional?: boolean;
  /** Each value is given as the array of all its occurrences. */
  readonly query?: (z.ZodType<Query> & z.ZodObject) | undefined;
  /** True for a GET that can be done once: whoever only looks ahead, by HEAD or a prefetch, is refused. */
  readonly isOnce?: boolean;
  /** False for what anybody may read without a key. Default true. */
  readonly needsKey?: boolean;
  /**
   * True for what cannot be taken back, or lets somebody in: every field that it does not read is refused, because whoever
   * sent it may have meant less. Always so for `delete`, and where the answer has no room for warnings.
   */
  readonly isExact?: boolean;
  /**
   * Fields of the body that are taken and change nothing, each with the reason or the field without which it has no effect:
   * whoever sends one is told.
   */
  readonly idle?: Readonly<Record<string, string | { readonly without: string }>>;
  /** Name of a field of the query that stands for a key: whoever sends it needs none, and the use case checks it. */
  readonly opensWith?: string;
  readonly status: 200 | 201 | 202 | 204 | 302;
  /** Absent for 204 and for what is not JSON. */
  readonly answer?: z.ZodType<Answer> | undefined;
  /** When it is refused for reasons that not every operation has, as sentences, by status. */
  readonly refusals?: Readonly<Partial<Record<404 | 409 | 413 | 429 | 501, string>>>;
  /** When it answers with a status that is neither its usual one nor a refusal in JSON, as sentences, by status. */
  readonly otherAnswers?: Readonly<Partial<Record<200 | 206 | 416, string>>>;
  /** Type of an answer that is not JSON; the handler then gives a `Response`. */
  readonly produces?: string;
  handle(call: EndpointCall<Body, Query>): Awaitable<Answer | Response>;
}

/** Keeps the types of an endpoint's schemas and its handler together. */
export function defineEndpoint<Body, Query, Answer>(endpoint: Endpoint<Body, Query, Answer>): Endpoint {
  return endpoint;
}
