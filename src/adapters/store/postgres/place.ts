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
