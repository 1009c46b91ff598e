import type pg from "pg";

/**
 * Whether a connection goes straight to the server. Through a pooler, whatever is prepared or listened for on it may belong to
 * another client from the next transaction on. A pooler gives itself away by the process number it told this client, which
 * differs from that of the server's process.
 */
export async function isDirect(client: Pick<pg.ClientBase, "query">): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0] !== undefined && rows[0].pid === Reflect.get(client, "processID");
}
