/** Names a database in messages, and in the data folder that keeps its record there, without user or password. */
export function placeOf(url: string): string {
  // A password that contains a slash and is not encoded ends up in the path.
  if (!URL.canParse(url) || new URL(url).pathname.includes("@")) return "of DATABASE_URL";
  const { hostname, port, pathname, searchParams } = new URL(url);
  // The library also reads parameters, such as the folder of a socket, and they take precedence.
  const host = searchParams.get("host") ?? (hostname || "localhost");
  const door = searchParams.get("port") ?? port;
  return `${pathname.slice(1) || "postgres"} at ${host}${door && `:${door}`}`;
}

const LOOPBACK = ["127.0.0.1", "[::1]", "::1"];
const DEFAULT_PORT = ":5432";

/** Whether two places, as `placeOf` names them, are the same database: by another name of this machine, or with the default port. */
export function isSameDatabase(one: string, other: string): boolean {
  return usualName(one) === usualName(other);
}

function usualName(place: string): string {
  const start = place.lastIndexOf(" at ") + " at ".length;
  const address = place.slice(start);
  const host = address.endsWith(DEFAULT_PORT) ? address.slice(0, -DEFAULT_PORT.length) : address;
  const loopback = LOOPBACK.find((name) => host === name || host.startsWith(`${name}:`));
  return place.slice(0, start) + (loopback === undefined ? host : `localhost${host.slice(loopback.length)}`);
}
