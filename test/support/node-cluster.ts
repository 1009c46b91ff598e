import { BUCKET_KEYS, startBucketServer } from "./bucket-server.js";
import { type FaultyLine, startFaultyLine } from "./faulty-line.js";
import { type PostgresServer, startPostgres } from "./postgres.js";
import { type ServeProcess, startServe, withDataDirectory } from "./recollect-process.js";
import { startRoundRobin } from "./round-robin.js";

export const CLUSTER_KEY = "sm_tests_0123456789abcdefghijklmn";

/** Nodes on a PostgreSQL database and a bucket, behind a proxy that distributes requests in turn. */
export interface NodeCluster {
  readonly postgres: PostgresServer;
  /** The connection between the nodes and the database server. */
  readonly line: FaultyLine;
  /** Base URL of the proxy. */
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Running processes, including the proxy. */
  readonly nodes: readonly ServeProcess[];
  /** Starts another node with its own data folder. */
  add(): Promise<ServeProcess>;
  /** Kills a node immediately, like a crash. */
  kill(node: ServeProcess): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param programs the folder of PostgreSQL's programs
 * @param extra settings of all nodes in addition to the common ones
 */
export async function startNodeCluster(
  programs: string,
  size: number,
  extra: Readonly<Record<string, string>> = {},
): Promise<NodeCluster> {
  const [postgres, bucket, front] = [
    await startPostgres(programs),
    await startBucketServer(),
    await startRoundRobin(),
  ] as const;
  const database = new URL(await postgres.createDatabase());
  const line = await startFaultyLine(Number(database.port));
  database.port = String(line.port);
  const settings = {
    DATABASE_URL: database.href,
    RECOLLECT_NODES: "several",
    RECOLLECT_API_KEY: CLUSTER_KEY,
    RECOLLECT_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    RECOLLECT_BLOBS: "s3://files",
    RECOLLECT_RATE_LIMIT: "0",
    RECOLLECT_PUBLIC_URL: front.url,
    AWS_ENDPOINT_URL_S3: bucket.url,
    AWS_REGION: BUCKET_KEYS.region,
    AWS_ACCESS_KEY_ID: BUCKET_KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: BUCKET_KEYS.secretAccessKey,
    ...extra,
  };
  let nodes: ServeProcess[] = [];
  const leaves: (() => void)[] = [];
  const setNodes = (running: ServeProcess[]): void => {
    nodes = running;
    front.servers = running.map(({ url }) => url);
  };
  const cluster: NodeCluster = {
    postgres,
    line,
    url: front.url,
    settings,
    get nodes() {
      return nodes;
    },
    async add() {
      const node = await new Promise<ServeProcess>((resolve, reject) => {
        void withDataDirectory(async (folder) => {
          resolve(await startServe(folder, settings));
          await new Promise<void>((leave) => leaves.push(leave));
        }).catch(reject);
      });
      setNodes([...nodes, node]);
      return node;
    },
    async kill(node) {
      setNodes(nodes.filter((one) => one !== node));
      await node.stop("SIGKILL");
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      for (const leave of leaves) leave();
      await line.close();
      await Promise.all([postgres.stop(), bucket.close(), front.close()]);
    },
  };
  await Promise.all(Array.from({ length: size }, () => cluster.add()));
  return cluster;
}
