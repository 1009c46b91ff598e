/**
 * Program of a worker thread, as text, so that it is the same whether this service runs built or from source. It writes a
 * store anew and moves that out of the log, tells the outcome, and ends: `null`, or what SQLite said. Locks of others are
 * waited for.
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
