/**
 * A worker thread's program, as text so that it is the same whether the service runs built or from source. It rewrites a store,
 * moves the result from the log into the file, posts the outcome (`null`, or SQLite's message) and ends. It waits for the locks
 * of others.
 */
export const VACUUM_PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  process.emitWarning = () => undefined;
  const { file, module, temporaryStore, cacheKiB, patienceMs } = workerData;
  const sqlite = module === null ? process.getBuiltinModule("node:sqlite") : require(module);
  try {
    const connection = new sqlite.DatabaseSync(file, { timeout: patienceMs });
    try {
      connection.exec("pragma temp_store = " + temporaryStore + "; pragma cache_size = -" + cacheKiB);
      connection.exec("vacuum");
      connection.exec("pragma wal_checkpoint(truncate)");
    } finally {
      connection.close();
    }
    parentPort.postMessage(null);
  } catch (error) {
    const { message, code, errcode, errstr } = error;
    parentPort.postMessage({ message, code, errcode, errstr });
  }
`;
