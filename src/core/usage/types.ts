/** What a request was for, in the words of the wire contract (contract 1.14). */
export const REQUEST_TYPES = [
  "add",
  "search",
  "fast_search",
  "request",
  "update",
  "delete",
  "chat",
  "search_v4",
] as const;

export type RequestType = (typeof REQUEST_TYPES)[number];

/** One request to the API, without any of its content. */
export interface RequestRecord {
  readonly id: string;
  /** Null for a request without a key, or with a wrong one. */
  readonly keyId: string | null;
  readonly client: string | null;
  readonly type: RequestType;
  readonly method: string;
  /** The pattern of the path, such as `/v3/documents/{id}`. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds from the request to its answer. */
  readonly duration: number;
  /** The container, when the request named exactly one. */
  readonly containerTag: string | null;
  /** The error message of a refused request. */
  readonly error: string | null;
  /** Address of the other end of the connection, if known. */
  readonly address?: string | null | undefined;
  /** How many operations it counts as in usage; one by default. */
  readonly operations?: number | undefined;
  readonly createdAt: string;
}
