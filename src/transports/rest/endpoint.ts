import type * as z from "zod";
import type { Call, Core, SearchInput } from "../../core/index.js";
import type { RequestMeter } from "../telemetry/request-meter.js";

/** What a search finds. */
export type SearchMode = NonNullable<SearchInput["searchMode"]>;

type Awaitable<T> = T | Promise<T>;

/** What an endpoint's handler receives: parsed and checked inputs, and the caller. */
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
  /** Base URL under which the client reached this server, without a trailing slash. */
  readonly origin: string;
  /** Version of this server. */
  readonly version: string;
  readonly setHeader: (name: string, value: string) => void;
  /** Counts the requests of this process. */
  readonly meter: Pick<RequestMeter, "families">;
  /** Counts the request as this many more operations than one in usage. */
  readonly countMore: (operations: number) => void;
}

/**
 * One operation of the API. Its schemas are the single source: they check requests, describe answers, and become the OpenAPI
 * document.
 */
export interface Endpoint<Body = unknown, Query = unknown, Answer = unknown> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  /** Older or other paths of the same operation; not in the OpenAPI document. */
  readonly aliases?: readonly string[];
  /** Its name in SDKs generated from the OpenAPI document: a verb and its object, unique to it. */
  readonly operationId: string;
  readonly summary: string;
  /** What a caller needs to know beyond the schemas, in sentences; Markdown code marks are allowed. */
  readonly description?: string;
  /** Descriptions of the path parameters, by name; the others are described in `path-parameters.ts`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly tag: string;
  readonly body?: z.ZodType<Body> | undefined;
  /** A body that shows how to use the operation; absent, one is made from what the schema requires. */
  readonly example?: unknown;
  /**
   * What the body is, which decides how it is read and its length limit: `file` is a form, `bytes` are passed on as they came,
   * without a schema, and the others are JSON.
   */
  readonly carries?: "document" | "conversation" | "batch" | "file" | "bytes";
  /** True when a request without a body means `{}`. */
  readonly isBodyOptional?: boolean;
  /** Each value is given as the array of all its occurrences. */
  readonly query?: (z.ZodType<Query> & z.ZodObject) | undefined;
  /** True for a GET that can be done only once: HEAD and prefetch requests are refused. */
  readonly isOnce?: boolean;
  /** False for what anyone may read without a key. Default true. */
  readonly needsKey?: boolean;
  /**
   * True for what cannot be undone, or grants access: every unknown field is refused, because the sender may have meant less.
   * Always so for `delete`, and where the answer has no field for warnings.
   */
  readonly isExact?: boolean;
  /**
   * Fields of the body that are accepted but have no effect, each with the reason or the field without which it has none:
   * callers who send one are warned.
   */
  readonly idle?: Readonly<Record<string, string | { readonly without: string }>>;
  /** Warnings about fields that have no effect because of others. */
  idleBeside?(body: Body, usual: { readonly searchMode: SearchMode }): readonly string[];
  /** Name of a query field that replaces a key: a request with it needs none, and the use case checks it. */
  readonly opensWith?: string;
  readonly status: 200 | 201 | 202 | 204 | 302;
  /** Absent for 204 and for what is not JSON. */
  readonly answer?: z.ZodType<Answer> | undefined;
  /** Reasons for errors that not every operation has, in sentences, by status. */
  readonly refusals?: Readonly<Partial<Record<404 | 409 | 413 | 429 | 501, string>>>;
  /** Statuses other than its usual one and errors in JSON, in sentences, by status. */
  readonly otherAnswers?: Readonly<Partial<Record<200 | 206 | 416, string>>>;
  /** Type of a response that is not JSON; the handler then returns a `Response`. */
  readonly produces?: string;
  handle(call: EndpointCall<Body, Query>): Awaitable<Answer | Response>;
}

/** Ties the types of an endpoint's schemas and its handler together. */
export function defineEndpoint<Body, Query, Answer>(endpoint: Endpoint<Body, Query, Answer>): Endpoint {
  return endpoint;
}
