import type { UserFolders } from "../../config/user-folders.js";
import type { Actor } from "../../core/types.js";
import type { Core, Status, UploadStore } from "../../core/index.js";

/** A copy of a data folder. */
export interface BackedUp {
  readonly folder: string;
  readonly storeBytes: number;
  readonly files: number;
  /** The key in the data folder, which the copy does not contain, if there is one. */
  readonly keyFile: string | null;
}

/** The core as a command uses it: in this process or in the owner of the data folder. */
export interface Door {
  readonly core: Core;
  /** The person at this machine. */
  readonly actor: Actor;
  /** Holds files until they are sent to the owner. */
  readonly uploads: UploadStore;
  /** The folder of the memory, if this call began it. */
  readonly begun?: string | undefined;
  /**
   * Waits until this process's background work is done (nothing due, nothing running); returns at once when another process owns
   * the store.
   */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface DoorOptions {
  /** Overrides by setting name, e.g. `RECOLLECT_DATA_DIR`, from command line options. */
  readonly settings: Readonly<Record<string, string>>;
  /** `background` starts the local vector engine when this process owns the store; short commands leave it `off`. */
  readonly engine: "background" | "off";
  /** True for a command that runs until it is ended: it takes over when the owner of the store goes. */
  readonly stays?: boolean;
  /** True to begin a memory where there is none; otherwise that is refused. */
  readonly begins: boolean;
}

/** What the running service says about itself. */
export interface ServiceInfo {
  readonly url: string;
  readonly dataDirectory: string;
  /** True when no memory was in the data folder before. */
  readonly isNew: boolean;
  /** The first key, if this start created it; otherwise null. */
  readonly firstKey: string | null;
  /** False when another process owns the data folder and this one forwards calls to it. */
  readonly isOwner: boolean;
  /** Why apps cannot sign in by OAuth, where they cannot. */
  readonly objectionToApps?: string | undefined;
  status(): Promise<Status>;
  /** Resolves when the service has ended after a signal. */
  readonly ended: Promise<void>;
}

/** What clients need to use this installation, and where they keep their configuration. */
export interface Surroundings extends UserFolders {
  /** The folder that the command was started in. */
  readonly workingFolder: string;
  /** Starts this installation from anywhere; the command to run is appended. */
  readonly program: readonly [command: string, ...args: string[]];
  /** The data folder, unless it is the default one. */
  readonly dataDirectory: string | undefined;
  /** True once a memory was begun in the data folder. */
  readonly hasMemory: boolean;
  /** Base URL of the service as configured, without a trailing slash. */
  readonly serviceUrl: string;
  /** The API key from the settings. */
  readonly apiKey: string | undefined;
}

/** The progress of a move. */
export interface MoveProgress {
  readonly step: "copying" | "comparing" | "waiting";
  /** The table, or where the service that is waited for answers. */
  readonly of: string;
  /** Rows written so far. */
  readonly rows: number;
}

export interface MoveRequest {
  /** The address of a PostgreSQL database, or `folder`. */
  readonly to: string;
  /** False to fail where a running service would have to be waited for. */
  readonly waits: boolean;
  readonly signal: AbortSignal;
  readonly tell: (progress: MoveProgress) => void;
}

/** A record that has moved to another place. */
export interface MovedRecord {
  readonly from: string;
  readonly to: string;
  /** Where the original store is still kept; null where the record stays in its database. */
  readonly setAside: string | null;
  /** True where an earlier run had already done it. */
  readonly wasMoved: boolean;
  /** Each with a hash of all its rows, which was equal in both places. */
  readonly tables: readonly {
    readonly name: string;
    readonly rows: number;
    readonly sha256: string;
    /** Rows in which a text had characters that PostgreSQL cannot hold. */
    readonly replaced: number;
  }[];
  /** Units in the text index. */
  readonly indexed: number;
}

/** Ways to start, passed to the command line by `main.ts`, which alone knows the app. */
export interface Starters {
  readonly version: string;
  /** @throws AppError `not_found` where there is no memory and none is to be begun */
  openDoor(options: DoorOptions): Promise<Door>;
  serve(settings: Readonly<Record<string, string>>): Promise<ServiceInfo>;
  surroundings(settings: Readonly<Record<string, string>>): Promise<Surroundings>;
  /** Where browsers reach the service of the data folder, without a trailing slash; null when none runs. */
  runningService(settings: Readonly<Record<string, string>>): Promise<{ readonly url: string } | null>;
  /**
   * Copies the data folder, in use or not, into a new folder that can be served.
   * @throws AppError `not_found` where there is no memory, `conflict` for a folder that is taken, `storage_full`
   */
  backUp(settings: Readonly<Record<string, string>>, folder: string, signal: AbortSignal): Promise<BackedUp>;
  /**
   * Moves the record from the data folder to a database or back, and compares both before switching.
   * @throws AppError `not_found` where there is no memory, `conflict` for a target that holds something else, `unavailable`
   */
  move(settings: Readonly<Record<string, string>>, request: MoveRequest): Promise<MovedRecord>;
  /** Opens an address in a browser on this machine. @returns false when there is none */
  openInBrowser(url: string): Promise<boolean>;
  /** Serves MCP on standard input and output until input ends. */
  serveMcp(settings: Readonly<Record<string, string>>): Promise<void>;
}
