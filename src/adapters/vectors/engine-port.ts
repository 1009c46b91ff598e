import { readdir, readFile, readlink } from "node:fs/promises";

/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = "0A";
const LOOPBACK = "0100007F";

/**
 * Whether this process is the one listening at a port of 127.0.0.1: the engine has no password, so a process that took the port
 * first would be sent every vector. Null where the system does not tell; only Linux does.
 */
export async function listensAt(pid: number, port: number): Promise<boolean | null> {
  if (process.platform !== "linux") return null;
  try {
    const inode = listenerOf(await readFile("/proc/net/tcp", "latin1"), port);
    if (inode === null) return false;
    const folder = `/proc/${pid}/fd`;
    const links = await Promise.all(
      (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => "")),
    );
    return links.includes(`socket:[${inode}]`);
  } catch {
    // A hardened system may hide these; the engine must run there as well.
    return null;
  }
}

/** Columns: number, local address, remote address, state, …, inode (the tenth). */
function listenerOf(table: string, port: number): string | null {
  const local = `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const columns = table.split("\n").map((line) => line.trim().split(/\s+/));
  return columns.find((column) => column[1] === local && column[3] === LISTENING)?.[9] ?? null;
}
