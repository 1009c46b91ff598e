import type * as z from "zod";
import type { Call, Core } from "../../core/index.js";

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
  readonly setHeader: (name: string, value: string) => void;
}

/**
 * One operation of the API. Its schemas are the single source: they check what comes in, describe what goes out, and
 * become the OpenAPI document.
 */
export interface Endpoint<Body = unknown, Query = unknown, Answer = unknown> {
  readonly method: "get" | "post" | "patch" | "delete";
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly body?: z.ZodType<Body> | undefined;
  /** True when a request without any body means `{}`. */
  readonly isBodyOptional?: boolean;
  /** Each value is given as the array of all its occurrences. */
  readonly query?: (z.ZodType<Query> & z.ZodObject) | undefined;
  readonly status: 200 | 201 | 204;
  /** Absent for 204. */
  readonly answer?: z.ZodType<Answer> | undefined;
  handle(call: EndpointCall<Body, Query>): Awaitable<Answer>;
}

/** Keeps the types of an endpoint's schemas and its handler together. */
export function defineEndpoint<Body, Query, Answer>(endpoint: Endpoint<Body, Query, Answer>): Endpoint {
  return endpoint;
}
