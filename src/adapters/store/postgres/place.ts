/** Names a database in messages: without its user and the password. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return "of DATABASE_URL";
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1) || "postgres"} at ${host}`;
}
