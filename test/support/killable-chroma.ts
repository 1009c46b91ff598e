import { ChromaServer } from "../../src/adapters/vectors/chroma-server.js";
import { startEngine, temporaryDirectory } from "./chroma.js";
import { startFaultyProxy } from "./faulty-proxy.js";

/** A real Chroma server that keeps its address across restarts. */
export interface KillableChroma {
  readonly url: string;
  /** How many requests of searches it has had. */
  readonly queries: number;
  /** Ends it at once, as a crash would; it is started again. */
  kill(): void;
  /** Takes all collections from it. @returns false while it is not there */
  empty(): Promise<boolean>;
  close(): Promise<void>;
}

export async function startKillableChroma(): Promise<KillableChroma> {
  const folder = await temporaryDirectory();
  const engine = await startEngine(folder.path);
  const front = await startFaultyProxy(() => engine.address()?.url ?? null);
  return {
    url: front.url,
    get queries() {
      return front.requests.filter(({ path }) => path.endsWith("/query")).length;
    },
    kill() {
      if (engine.pid !== null) process.kill(engine.pid, "SIGKILL");
    },
    async empty() {
      const server = new ChromaServer({ url: front.url }, { search: 5_000, write: 5_000 });
      try {
        await server.connect();
        for (const name of await server.names("recollect-")) await server.drop(name);
        return true;
      } catch {
        return false;
      } finally {
        server.close();
      }
    },
    async close() {
      await front.close();
      await engine.close();
      await folder.remove();
    },
  };
}
