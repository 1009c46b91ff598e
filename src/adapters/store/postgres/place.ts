/** Names a database in messages, and in the data folder that has its record there: without its user and the password. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return "of DATABASE_URL";
  const { hostname, port, pathname, searchParams } = new URL(url);
  // What stands behind the question mark, such as the folder of a socket, counts for the library as well, and before the rest.
  const host = searchParams.get("host") ?? (hostname || "localhost");
  const door = searchParams.get("port") ?? port;
  return `${pathname.slice(1) || "postgres"} at ${host}${door && `:${door}`}`;
}
