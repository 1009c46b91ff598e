import type { RequestRecord, RequestType } from "../types.js";

/** From one moment (inclusive) to another (exclusive), as ISO text. */
export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

export interface RequestQuery extends TimeRange {
  readonly id?: string | undefined;
  readonly type?: RequestType | undefined;
  readonly keyId?: string | undefined;
  readonly statusCode?: number | undefined;
  /** `error` is any status of 400 or more. */
  readonly outcome?: "success" | "error" | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** What requests are grouped by. `hour` is the start of the hour as ISO text. */
export type RequestPart = "type" | "keyId" | "status" | "hour";

/** Requests that have these parts in common; a part not grouped by is null. */
export interface RequestTally {
  readonly type: RequestType | null;
  readonly keyId: string | null;
  readonly status: number | null;
  readonly hour: string | null;
  readonly count: number;
  /** How many operations they count as in usage. */
  readonly operations: number;
  /** How many of them were answered with 400 or more. */
  readonly errors: number;
  /** Mean duration in milliseconds. */
  readonly averageMs: number;
  readonly lastAt: string;
}

/** The service's own record of requests. */
export interface RequestStore {
  /** Existing records, by id, are left as they are. */
  insert(organizationId: string, records: readonly RequestRecord[]): Promise<void>;
  /** One page, newest first. */
  list(organizationId: string, query: RequestQuery): Promise<{ requests: RequestRecord[]; total: number }>;
  /** Counts by parts, in the order of the parts. */
  tally(
    organizationId: string,
    range: TimeRange,
    parts: readonly RequestPart[],
    options?: { readonly errorsOnly?: boolean },
  ): Promise<RequestTally[]>;
  /** Removes what is older. @returns how many */
  dropBefore(organizationId: string, moment: Date): Promise<number>;
  /** Removes all but about the newest `count`. @returns how many */
  dropBeyond(organizationId: string, count: number): Promise<number>;
}

/** What was created in some period and still exists. */
export interface Volume {
  readonly documents: number;
  /** Newest versions that are not forgotten. */
  readonly memories: number;
  readonly containers: number;
  /** Tokens of the documents, estimated at four bytes each. */
  readonly tokens: number;
}

export interface VolumeStore {
  within(organizationId: string, range: TimeRange): Promise<Volume>;
}
