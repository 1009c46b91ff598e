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

/** One request to the API, without anything of what it said. */
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
  /** What a refused request was told. */
  readonly error: string | null;
  /** Of the other end of the connection, where it is known. */
  readonly address?: string | null | undefined;
  /** As how many operations it counts in usage; one where nothing is said. */
  readonly operations?: number | undefined;
  readonly createdAt: string;
}
