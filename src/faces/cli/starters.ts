import type { Actor } from "../../core/types.js";
import type { Core } from "../../core/index.js";

/** The core as a command uses it: in this process or in the owner of the data folder. */
export interface Door {
  readonly core: Core;
  /** The person at this machine. */
  readonly actor: Actor;
  /** Waits until background work of this process is done (nothing due, nothing running); at once when another process owns the store. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface DoorOptions {
  /** Overrides by setting name, e.g. `RECOLLECT_DATA_DIR`, from command line options. */
  readonly settings: Readonly<Record<string, string>>;
  /** `background` starts the local vector engine when this process owns the store; short commands leave it `off`. */
  readonly engine: "background" | "off";
}

/** What the running service tells about itself. */
export interface ServiceInfo {
  readonly url: string;
  readonly dataDirectory: string;
  /** The text of the first key when it was made by this start, else null. */
  readonly firstKey: string | null;
  /** False when another process owns the data folder and this one passes calls on to it. */
  readonly isOwner: boolean;
  /** Resolves when the service has ended, after a signal. */
  readonly ended: Promise<void>;
}

/** Ways to start, handed to the command line by `main.ts`, which alone knows the app. */
export interface Starters {
  readonly version: string;
  openDoor(options: DoorOptions): Promise<Door>;
  serve(settings: Readonly<Record<string, string>>): Promise<ServiceInfo>;
  /** Serves MCP on standard input and output until input ends. */
  serveMcp(settings: Readonly<Record<string, string>>): Promise<void>;
}
