import type * as z from "zod";
import type { Metadata } from "../types.js";

/** A remote source of documents: one file of data and verbs. Scheduling, retries, deletions and credentials are the engine's. */
export interface Connector {
  /** Name on the wire, such as `google-drive`. */
  readonly provider: string;
  /** Name for people, such as `Google Drive`. */
  readonly title: string;
  readonly signIn: SignInMethod;
  /**
   * What the metadata of a new connection may contain; flat, since the wire format has only texts, numbers and booleans there.
   */
  readonly fields: z.ZodObject;
  /** The fields that are credentials: stored encrypted, and never returned. */
  readonly secretFields: readonly string[];
  /**
   * The fields that determine where the secrets are sent, and how securely: changing one requires the secrets to be given
   * again, and makes it a different place.
   */
  readonly placeFields?: readonly string[];
  /** True if different things may have the same id in the same place, such as files by path; but not the same address. */
  readonly isKnownByAddress?: boolean;
  /** True if nothing is imported before somebody has chosen from `listResources`; may depend on the settings. */
  needsSelection?(settings: ConnectorSettings): boolean;
  /** True: the user is asked what to choose right after signing in, if nothing has been chosen yet. */
  readonly asksAfterSignIn?: boolean;
  readonly sync: {
    /** Default minutes between two runs; null: only on request. */
    readonly everyMinutes: number | null;
    /** In how many consecutive complete listings an item must be missing to count as removed. */
    readonly absences: 1 | 2;
    /** The most concurrent reads. */
    readonly readsAtOnce: number;
    /** True: several unreadable items in a row say nothing about the source, since strangers may have named them. */
    readonly failsAlone?: boolean;
  };
  /**
   * Tests the sign-in when a connection is created or signed in again.
   * @returns whose account it is, such as a mail address, if the source tells
   * @throws SignInRefused, or AppError `invalid` for settings that do not work, with a sentence for whoever entered them
   */
  check(access: SourceAccess): Promise<{ readonly account: string | null }>;
  /** What can be chosen. Absent if everything is imported. */
  listResources?(access: SourceAccess, page: ResourcePage): Promise<FoundResources>;
  /** Validates a chosen resource given to `configure`. @throws AppError `invalid` */
  readonly resourceSchema?: z.ZodType<Resource>;
  /**
   * Changes since a checkpoint, page by page; everything if there is none. A checkpoint is JSON that only this connector reads.
   * Each page is imported and its checkpoint stored before the next one is requested; a run that was killed continues after the
   * last stored page.
   * @throws CheckpointExpired if the source no longer knows it; SignInRefused; AppError
   */
  changes(access: SourceAccess, checkpoint: unknown): AsyncIterable<ChangePage>;
  /**
   * The content of an item; called only if its version differs from the known one.
   * @throws ItemGone if it no longer exists or is no longer accessible to the account; ItemSkipped for what is not imported;
   * SignInRefused; AppError
   */
  read(access: SourceAccess, item: SourceItem): Promise<SourceContent>;
  /** Absent if the source sends no change notifications. */
  readonly webhooks?: ConnectorWebhooks;
}

/**
 * How a source sends change notifications. A message is only a hint to check, and nothing in it is trusted: connections are
 * also synced without them, only later.
 */
export interface ConnectorWebhooks {
  /**
   * Registers with the source for messages about what is chosen now, replacing those of `former`: the last registration at the
   * same address with the same secret, or null.
   * @throws as `SendSourceRequest`, if the source accepts none
   */
  register(access: SourceAccess, target: WebhookTarget, former: unknown): Promise<RegisteredWebhooks>;
  /** Ends the registration. */
  remove(access: SourceAccess, detail: unknown): Promise<void>;
  /** Whether a message contains the proof that only the source can produce. Compares in constant time. */
  verify(message: WebhookMessage, secret: string): boolean;
  /** The answer to a source that first asks whether somebody is listening; null for any other message. */
  challenge?(message: WebhookMessage): string | null;
}

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
}

export interface RegisteredWebhooks {
  readonly count: number;
  /** JSON, for `remove` and for the next `register`. */
  readonly detail: unknown;
  /** ISO date-time; null: they do not expire. */
  readonly expiresAt: string | null;
}

export interface WebhookMessage {
  /** Headers that begin with `x-`, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the address had none. */
  readonly validationToken: string | null;
  readonly bytes: Uint8Array;
}

/** How a user signs in. */
export type SignInMethod =
  | { readonly kind: "none" }
  /** The fields contain everything needed. */
  | { readonly kind: "credentials" }
  | OAuthSignIn;

export interface OAuthSignIn {
  readonly kind: "oauth";
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Set if the provider supports the device flow (RFC 8628). */
  readonly deviceUrl?: string;
  readonly scopes: readonly string[];
  /** Further parameters of the sign-in address, such as `access_type`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** How the app authenticates when it requests tokens. */
  readonly clientAuthentication: "body" | "basic";
  /** True for a provider that expects JSON where the standard specifies a form. */
  readonly asksInJson?: boolean;
  /** Prefix of the organisation's settings for the app: `github` for `githubClientId`. */
  readonly application: "googleDrive" | "notion" | "onedrive" | "github";
  /** A secret field that itself is a token and replaces signing in, such as a personal token. */
  readonly tokenField?: string;
  /** A secret field with the JSON key of a Google service account, which replaces signing in (RFC 7523). */
  readonly serviceAccountField?: string;
}

export type ConnectorSettings = Readonly<Record<string, string | number | boolean>>;

/** Something at the source that can be chosen, such as a repository. May contain anything else the source says about it. */
export type Resource = Readonly<Record<string, unknown>> & { readonly id: string | number; readonly name: string };

export interface ResourcePage {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  readonly parentId: string | null;
}

export interface FoundResources {
  readonly resources: readonly Resource[];
  readonly total?: number;
}

/** A connection as its connector sees it. */
export interface SourceAccess {
  readonly settings: ConnectorSettings;
  /** Values of the secret fields. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What was chosen; empty if nothing was. */
  readonly resources: readonly Resource[];
  /** Sends the source a request over HTTP: guarded, limited, and authorised if the connection uses OAuth. */
  readonly request: SendSourceRequest;
  /** An address of a host that may be connected to, for protocols other than HTTP. @throws AppError `forbidden`, `not_found` */
  readonly resolveHost: (host: string, port: number) => Promise<string>;
  /** What is known about an item from earlier runs; null for nothing. */
  readonly known: (id: string) => Promise<Pick<SourceItem, "version" | "detail"> | null>;
  /** Ids of all known items that begin with this prefix, so that a checkpoint need not contain them. */
  readonly knownIds: (prefix: string) => Promise<readonly string[]>;
  readonly now: () => Date;
  /** Limit for one file. */
  readonly maximumBytes: number;
  readonly signal: AbortSignal;
}

export interface SourceRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "PROPFIND";
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything but bytes or text is sent as JSON. */
  readonly body?: unknown;
  /** Largest answer in bytes; by default the file size limit. */
  readonly maximumBytes?: number;
  /** Statuses besides 2xx that the connector handles itself. Others throw, see `SendSourceRequest`. */
  readonly accepts?: readonly number[];
  /** False: sent without the connection's token, such as to a pre-signed address. */
  readonly isSigned?: boolean;
}

export interface SourceAnswer {
  readonly status: number;
  /** The address that answered, after all redirects. */
  readonly url: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/**
 * Follows redirects, dropping the credentials if they lead to another host. A status that is neither 2xx nor accepted throws:
 * 401 SignInRefused (if there is a token to refresh, after one more try); 429, and 503 with `Retry-After`, AppError
 * `rate_limited` with `retryAfter`; other 5xx and broken connections AppError `unavailable`; 403 `forbidden`; 404 and 410
 * `not_found`; anything else `invalid`. None of the errors contains what was sent.
 */
export type SendSourceRequest = (request: SourceRequest) => Promise<SourceAnswer>;

/** Something at the source that becomes a document. */
export interface SourceItem {
  /** The source's own permanent id for it, such as a file id; a path only if a source has nothing else. */
  readonly id: string;
  /** Changes when, and only when, what would be read changes. */
  readonly version: string;
  readonly title: string | null;
  /** Its address for people. */
  readonly address: string | null;
  /** Its path at the source, with `/` between folders; null if there are none. */
  readonly path: string | null;
  /** The container it belongs to, if not that of the connection. */
  readonly containerTag?: string;
  /** Bytes that reading it takes, if the source tells, so that not too many are read at once. */
  readonly size?: number;
  /** What else `read` needs, as JSON; stored with the item. At most 64 KB. */
  readonly detail?: unknown;
}

export type SourceChange =
  | {
      readonly kind: "upsert";
      readonly item: SourceItem;
      /** Set if it has already been read, so that it need not be requested again. */
      readonly content?: SourceContent;
    }
  /** It is gone, in the bin, or inaccessible to the account; unknown ids are ignored. */
  | { readonly kind: "remove"; readonly id: string };

export interface ChangePage {
  /**
   * The pages of a `listing` together name everything that exists: whatever none of them names is gone once the last page has
   * been imported. Pages of `changes` name what is new, changed or removed.
   */
  readonly kind: "listing" | "changes";
  /** True for the first page of a listing; never for one that continues after a checkpoint. */
  readonly isFirst: boolean;
  /** True: there is nothing more for now, and the listing is complete. */
  readonly isLast: boolean;
  /** In the order they happened. If an item occurs twice, the last one applies. */
  readonly items: readonly SourceChange[];
  readonly checkpoint: unknown;
  /** A limit that ended the listing early, as a sentence: then nothing counts as gone, and the run is incomplete. */
  readonly cutShort?: string;
  /** What is never imported and the owner should know about, as sentences: the run is incomplete. Such items count as gone. */
  readonly leftOut?: readonly string[];
  /**
   * Names of chosen resources that do not exist at the source, or are inaccessible to the account: the owner is told in each
   * run.
   */
  readonly missing?: readonly string[];
}

export interface SourceContent {
  /** Text, as Markdown if it has structure, or the bytes of a file. */
  readonly content: string | Uint8Array;
  /** For a file: together with its bytes it decides how the file is read. */
  readonly mimeType: string | null;
  readonly fileName: string | null;
  /** Document type (contract 1.14), such as `notion_doc`; null: determined by the file. */
  readonly type: string | null;
  readonly title: string | null;
  /** When it was last changed at the source (ISO date-time). */
  readonly changedAt: string | null;
  /** What the source says about it, for filters. */
  readonly metadata: Metadata;
  /** Replaces the version of the item, if reading gives a more exact one. */
  readonly version?: string;
  /** Likewise replaces the detail of the item. */
  readonly detail?: unknown;
}

/** How all connections reach their sources. */
export interface SourceClient {
  /** As `SendSourceRequest`, with the authorization of the request. */
  send(
    request: SourceRequest,
    as: { readonly authorization: string | null; readonly signal: AbortSignal },
  ): Promise<SourceAnswer>;
  /** As `SourceAccess.resolveHost`. */
  resolveHost(host: string, port: number): Promise<string>;
}
