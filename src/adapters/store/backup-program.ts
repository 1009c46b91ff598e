/**
 * A worker thread's program, as text so that it is the same whether the service runs built or from source. It writes a snapshot
 * of the store to another file, reads that file back in full, posts the outcome (`null`, or SQLite's message) and ends. It holds
 * up nobody who reads or writes the store meanwhile.
 */
export const BACKUP_PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  process.emitWarning = () => undefined;
  const { file, copy, module, patienceMs } = workerData;
  const sqlite = module === null ? process.getBuiltinModule("node:sqlite") : require(module);
  const using = (path, work) => {
    const connection = new sqlite.DatabaseSync(path, { timeout: patienceMs, readOnly: true });
    try {
      return work(connection);
    } finally {
      connection.close();
    }
  };
  try {
    using(file, (connection) => connection.prepare("vacuum into ?").run(copy));
    const [found] = using(copy, (connection) => connection.prepare("pragma quick_check(1)").all());
    if (found.quick_check !== "ok") throw Object.assign(new Error(found.quick_check), { errcode: 11, code: "ERR_SQLITE_ERROR" });
    parentPort.postMessage(null);
  } catch (error) {
    const { message, code, errcode, errstr } = error;
    parentPort.postMessage({ message, code, errcode, errstr });
  }
`;
