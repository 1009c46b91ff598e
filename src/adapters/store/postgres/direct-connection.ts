import type pg from "pg";

/**
 * Whether nothing lends this connection's place at the server to others: a pooler tells its clients process numbers of its own,
 * so that what is prepared or listened for on one is somebody else's with the next transaction.
 */
export async function isDirect(client: Pick<pg.ClientBase, "query">): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0] !== undefined && rows[0].pid === Reflect.get(client, "processID");
}
