import type * as z from "zod";
import type { Metadata } from "../types.js";

/** A remote source of documents: one file of data and verbs. Scheduling, retries, deletions and credentials are the engine's. */
export interface Connector {
  /** Name on the wire, such as `google-drive`. */
  readonly provider: string;
  /** Name for people, such as `Google Drive`. */
  readonly title: string;
  readonly signIn: SignIn;
  /** What the metadata of a new connection may hold; flat, since the wire has only texts, numbers and booleans there. */
  readonly fields: z.ZodObject;
  /** Those of the fields that are credentials: kept encrypted, and never given back. */
  readonly secretFields: readonly string[];
  /**
   * Those that say where the secrets are sent, and how safely: whoever changes one has to give the secrets anew, and what
   * they lead to counts as another place.
   */
  readonly placeFields?: readonly string[];
  /** True where different things may have one id in the same place, such as files by their paths; not one address. */
  readonly isKnownByAddress?: boolean;
  /** True where nothing is brought in before somebody chose from `listResources`; may depend on the settings. */
  needsSelection?(settings: ConnectorSettings): boolean;
  /** True: whoever has signed in is asked what to choose at once, where nothing is chosen yet. */
  readonly asksAfterSignIn?: boolean;
  readonly sync: {
    /** Minutes between two runs unless the connection says otherwise; null: only when asked. */
    readonly everyMinutes: number | null;
    /** In how many complete listings in a row an item has to be missing before it counts as removed. */
    readonly absences: 1 | 2;
    /** Reads at once, at most. */
    readonly readsAtOnce: number;
    /** True: that several in a row cannot be read says nothing of the source, since strangers may have named them. */
    readonly failsAlone?: boolean;
  };
  /**
   * Tries the sign-in, when a connection is made or signed in again. @returns whose account it is, such as an address of
   * mail, where the source tells
   * @throws SignInRefused, or AppError `invalid` for settings that lead nowhere, with a sentence for whoever set them
   */
  check(access: SourceAccess): Promise<{ readonly account: string | null }>;
  /** What can be chosen. Absent where everything is brought in. */
  listResources?(access: SourceAccess, page: ResourcePage): Promise<FoundResources>;
  /** Keeps what `configure` was given of a chosen resource, and refuses what is none. @throws AppError `invalid` */
  readonly resourceSchema?: z.ZodType<Resource>;
  /**
   * What has changed since a checkpoint, page by page; all there is without one. A checkpoint is JSON that only this
   * connector reads. Each page is brought in before the next one is asked for, and its checkpoint kept; a run that was
   * killed goes on after the last page that was kept.
   * @throws CheckpointExpired where the source no longer knows it; SignInRefused; AppError
   */
  changes(access: SourceAccess, checkpoint: unknown): AsyncIterable<ChangePage>;
  /**
   * What an item holds; called only where its version is another one than is known.
   * @throws ItemGone where it is no longer there or no longer open to the account; ItemSkipped for what is not brought in;
   *   SignInRefused; AppError
   */
  read(access: SourceAccess, item: SourceItem): Promise<SourceContent>;
  /** Absent where the source sends no word of changes. */
  readonly webhooks?: ConnectorWebhooks;
}

/**
 * How a source sends word of changes. A message is a hint to look, and nothing in it is believed: connections are synced
 * without them, too, only later.
 */
export interface ConnectorWebhooks {
  /**
   * Has the source send its messages, for what is chosen now, in place of those of `former`: what was registered last at
   * the same address with the same secret, or null.
   * @throws as `SendSourceRequest`, where the source takes none
   */
  register(access: SourceAccess, target: WebhookTarget, former: unknown): Promise<RegisteredWebhooks>;
  /** Has it send no more. */
  remove(access: SourceAccess, detail: unknown): Promise<void>;
  /** Whether a message has the proof that only the source can have. Compares in constant time. */
  verify(message: WebhookMessage, secret: string): boolean;
  /** What is answered to a source that first asks whether somebody listens; null for any other message. */
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
  /** ISO date-time; null: they last. */
  readonly expiresAt: string | null;
}

export interface WebhookMessage {
  /** Those that begin with `x-`, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null where the address had none. */
  readonly validationToken: string | null;
  readonly bytes: Uint8Array;
}

/** How one signs in. */
export type SignIn =
  | { readonly kind: "none" }
  /** What is needed is among the fields. */
  | { readonly kind: "credentials" }
  | OAuthSignIn;

export interface OAuthSignIn {
  readonly kind: "oauth";
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Where the provider has the device flow (RFC 8628). */
  readonly deviceUrl?: string;
  readonly scopes: readonly string[];
  /** Further parameters of the address for signing in, such as `access_type`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** How the app proves itself where it asks for tokens. */
  readonly clientAuthentication: "body" | "basic";
  /** True for a provider that wants JSON where the standard has a form. */
  readonly asksInJson?: boolean;
  /** Prefix of the organisation's settings that hold the app: `github` for `githubClientId`. */
  readonly application: "googleDrive" | "notion" | "onedrive" | "github";
  /** A secret field that is a token as it is, and takes the place of signing in; such as a personal token. */
  readonly tokenField?: string;
  /** A secret field with the JSON key of a service account of Google, which takes the place of signing in (RFC 7523). */
  readonly serviceAccountField?: string;
}

export type ConnectorSettings = Readonly<Record<string, string | number | boolean>>;

/** Something at the source that can be chosen, such as a repository. Whatever else the source says of it may stand beside. */
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
  /** What was chosen; empty where nothing was. */
  readonly resources: readonly Resource[];
  /** Asks the source over HTTP: guarded, limited, and signed in where one signs in by OAuth. */
  readonly request: SendSourceRequest;
  /** An address of a host that may be connected to, for what does not speak HTTP. @throws AppError `forbidden`, `not_found` */
  readonly resolveHost: (host: string, port: number) => Promise<string>;
  /** What is known of an item from earlier runs; null for nothing. */
  readonly known: (id: string) => Promise<Pick<SourceItem, "version" | "detail"> | null>;
  /** Ids of all items that are known whose ids begin with this; so that a checkpoint need not hold them. */
  readonly knownIds: (prefix: string) => Promise<readonly string[]>;
  readonly now: () => Date;
  /** Of one file. */
  readonly maximumBytes: number;
  readonly signal: AbortSignal;
}

export interface SourceRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "PROPFIND";
  readonly headers?: Readonly<Record<string, string>>;
  /** What is not bytes or text is sent as JSON. */
  readonly body?: unknown;
  /** Largest answer in bytes; by default as large as a file may be. */
  readonly maximumBytes?: number;
  /** Statuses besides 2xx that the connector reads itself. Others are thrown, see `SendSourceRequest`. */
  readonly accepts?: readonly number[];
  /** False: without the token of the connection, such as for an address that is signed already. */
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
 * Follows redirects, without the credentials where they lead to another host. What is not 2xx and not accepted throws:
 * 401 SignInRefused (where there is a token to refresh, after one more try); 429, and 503 with `Retry-After`, AppError
 * `rate_limited` with `retryAfter`; other 5xx and broken connections AppError `unavailable`; 403 `forbidden`; 404 and 410
 * `not_found`; all else `invalid`. None of them holds what was sent.
 */
export type SendSourceRequest = (request: SourceRequest) => Promise<SourceAnswer>;

/** Something at the source that becomes a document. */
export interface SourceItem {
  /** The source's own and lasting name of it, such as the id of a file; a path only where a source has nothing else. */
  readonly id: string;
  /** Changes when, and only when, what would be read changes. */
  readonly version: string;
  readonly title: string | null;
  /** Where a person finds it. */
  readonly address: string | null;
  /** Where it lies at the source, with `/` between folders; null where there are none. */
  readonly path: string | null;
  /** The container that it belongs to, where it is not that of the connection. */
  readonly containerTag?: string;
  /** Bytes that reading it takes, where the source tells: so that not too many are read at once. */
  readonly size?: number;
  /** What `read` needs besides, as JSON; kept with the item. At most 64 KB. */
  readonly detail?: unknown;
}

export type SourceChange =
  | {
      readonly kind: "upsert";
      readonly item: SourceItem;
      /** Where it was read already, so that nobody has to ask again. */
      readonly content?: SourceContent;
    }
  /** It is gone, in the bin, or closed to the account; unknown ids are ignored. */
  | { readonly kind: "remove"; readonly id: string };

export interface ChangePage {
  /**
   * Pages of a `listing` together name everything that is there: what none of them names is gone once the last page is
   * brought in. Pages of `changes` name what is new, changed or removed.
   */
  readonly kind: "listing" | "changes";
  /** True for the page that a listing begins with; never for one that goes on after a checkpoint. */
  readonly isFirst: boolean;
  /** True: there is nothing more now, and the listing is complete. */
  readonly isLast: boolean;
  /** In the order in which they happened. An item may come twice: the last one wins. */
  readonly items: readonly SourceChange[];
  readonly checkpoint: unknown;
  /** A limit that ended the listing early, as a sentence: then nothing counts as gone, and the run is no complete one. */
  readonly cutShort?: string;
  /** What is never brought in and should be known to the owner, as sentences: the run is no complete one. It counts as gone. */
  readonly leftOut?: readonly string[];
  /** Names of what was chosen and is not at the source, or not open to the account: the owner is told, run by run. */
  readonly missing?: readonly string[];
}

export interface SourceContent {
  /** Text, as Markdown where it has a structure, or the bytes of a file. */
  readonly content: string | Uint8Array;
  /** Of a file; decides with its bytes how it is read. */
  readonly mimeType: string | null;
  readonly fileName: string | null;
  /** Kind of the document (contract 1.14), such as `notion_doc`; null: by what the file is. */
  readonly type: string | null;
  readonly title: string | null;
  /** ISO date-time: when it was last changed at the source. */
  readonly changedAt: string | null;
  /** What the source says of it, for filters. */
  readonly metadata: Metadata;
  /** Replaces the version of the item, where reading tells a more exact one. */
  readonly version?: string;
  /** Replaces the detail of the item, in the same way. */
  readonly detail?: unknown;
}

/** How all connections reach their sources. */
export interface SourceClient {
  /** As `SendSourceRequest`, with what the request is signed in by. */
  send(
    request: SourceRequest,
    as: { readonly authorization: string | null; readonly signal: AbortSignal },
  ): Promise<SourceAnswer>;
  /** As `SourceAccess.resolveHost`. */
  resolveHost(host: string, port: number): Promise<string>;
}
