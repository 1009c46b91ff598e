import type pg from "pg";

const FIRST_AFTER_MS = 3_000;
const AGAIN_AFTER_MS = 60_000;

interface Holder {
  readonly pid: number;
  readonly program: string;
  readonly address: string | null;
  readonly since: Date | null;
}

const HOLDERS = `select pid, application_name as program, client_addr::text as address, xact_start as since
  from pg_stat_activity where pid = any(pg_blocking_pids($1))`;

/**
 * Says whom a connection waits for, after a few seconds and then every minute, until the returned function is called.
 * @param pid the connection's process on the server
 * @param tell receives a sentence, with what to do
 */
export function reportWaiting(pool: pg.Pool, pid: number, tell: (reason: string) => void): () => void {
  let isOver = false;
  const look = async (): Promise<void> => {
    const { rows } = await pool.query<Holder>(HOLDERS, [pid]);
    if (!isOver && rows.length > 0) tell(describe(rows));
  };
  let next: NodeJS.Timeout;
  const lookIn = (ms: number): void => {
    // A server that does not answer is reported by the connection that waits.
    next = setTimeout(
      () =>
        void look()
          .catch(() => undefined)
          .then(() => !isOver && lookIn(AGAIN_AFTER_MS)),
      ms,
    );
    next.unref();
  };
  lookIn(FIRST_AFTER_MS);
  return () => {
    isOver = true;
    clearTimeout(next);
  };
}

function describe(holders: readonly Holder[]): string {
  const named = holders.map(({ pid, program, address, since }) => {
    const from = address === null ? "" : ` from ${address}`;
    const when = since === null ? "" : `, since ${since.toISOString()}`;
    return `process ${pid} of the server (${program || "unnamed"}${from}${when})`;
  });
  const [first] = holders;
  return `The tables cannot be brought up to date while another connection has them locked: ${named.join(", ")}. If it belongs to a node that has frozen, end that node, or the connection with \`select pg_terminate_backend(${first?.pid})\`.`;
}
