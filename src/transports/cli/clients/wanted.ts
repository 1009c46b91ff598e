import type { Surroundings } from "../starters.js";
import type { WantedConnection } from "./client.js";

/** What counts as connected: by either way, to this installation. */
export function expectedIn(around: Surroundings): readonly WantedConnection[] {
  return [launching(around, undefined), calling(around.serviceUrl, {})];
}

/** Starts this installation; includes its data folder and a container unless they are the default ones. */
export function launching({ program, dataDirectory }: Surroundings, container: string | undefined): WantedConnection {
  const [command, ...args] = program;
  const env = {
    ...(dataDirectory !== undefined && { RECOLLECT_DATA_DIR: dataDirectory }),
    ...(container !== undefined && { RECOLLECT_CONTAINER: container }),
  };
  return { by: "stdio", launch: { command, args: [...args, "mcp"], env } };
}

/** What accompanies a call: a key, or the variable that holds it. */
export interface Calling {
  readonly key?: string | undefined;
  readonly keyVariable?: string | undefined;
  readonly container?: string | undefined;
}

/** Calls the service at a base URL. */
export function calling(url: string, { key, keyVariable, container }: Calling): WantedConnection {
  return { by: "http", endpoint: { url, key, keyVariable, container } };
}

export function keyIn(wanted: WantedConnection): string | undefined {
  return wanted.by === "http" ? wanted.endpoint.key : undefined;
}

/** The same with another key. */
export function withKey(wanted: WantedConnection, key: string): WantedConnection {
  return wanted.by === "http" ? { by: "http", endpoint: { ...wanted.endpoint, key } } : wanted;
}
