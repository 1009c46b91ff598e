/**
 * A worker thread's program, as text so that it is the same whether the service runs built or from source. At every `checkpoint`
 * it moves a store's log into its file: most of it while others write, and the rest while writers wait. An attempt that is
 * blocked is repeated at the next one. `close` ends it.
 */
export const CHECKPOINT_PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  process.emitWarning = () => undefined;
  const builtIn = workerData.module === null ? process.getBuiltinModule("node:sqlite") : require(workerData.module);
  const connection = new builtIn.DatabaseSync(workerData.file, { timeout: 0 });
  connection.exec("pragma synchronous = normal; pragma cache_size = -500");
  parentPort.on("message", (message) => {
    if (message === "close") {
      connection.close();
      return parentPort.close();
    }
    try {
      connection.exec("pragma wal_checkpoint(passive)");
      connection.exec("pragma wal_checkpoint(truncate)");
    } catch (error) {
      if (error.code !== "ERR_SQLITE_ERROR") throw error;
    }
    parentPort.postMessage("done");
  });
`;
