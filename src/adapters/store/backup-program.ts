/**
 * Program of a worker thread, as text, so that it is the same whether this service runs built or from source. It writes what
 * a store holds at one moment into another file, reads all of that file again, tells the outcome, and ends: `null`, or what
 * SQLite said. Whoever reads or writes the store meanwhile is not held up.
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
