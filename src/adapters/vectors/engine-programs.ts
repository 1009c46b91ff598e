/*
 * Programs of small child processes, as text for `node --eval`: they are the same whether this service runs built or from source,
 * and no file has to be located. Each ends itself when its standard input closes, which the operating system does once the parent
 * is gone, for whatever reason. They use SIGKILL because `process.exit` would wait for a thread blocked in native code.
 */

const END_WITH_PARENT = `
  const end = () => process.kill(process.pid, "SIGKILL");
  process.stdin.on("end", end).on("close", end).on("error", end).resume();
`;

/**
 * Arguments: binding file, data folder, port. Runs the Chroma server in a worker thread, because the native call blocks its
 * thread while the server runs. Exit code 3: the binding does not load; the reason is on standard error.
 */
export const SERVER_PROGRAM = `
  const { Worker } = require("node:worker_threads");
  const [binding, folder, port] = process.argv.slice(1);
  process.title = "recollect-chroma";
  process.umask(0o077);
  ${END_WITH_PARENT}
  const run = 'const { binding, folder, port } = require("node:worker_threads").workerData;' +
    'require(binding).cli(["chroma", "run", "--path", folder, "--host", "127.0.0.1", "--port", port]);';
  new Worker(run, { eval: true, workerData: { binding, folder, port } })
    .on("error", (error) => { process.stderr.write(String(error.message)); process.exit(3); })
    .on("exit", () => process.exit(4));
`;

/** Argument: binding file. Exit code 0 when it loads, otherwise 1 with the reason on standard error. */
export const LOAD_PROGRAM = `
  ${END_WITH_PARENT}
  try {
    if (typeof require(process.argv[1]).cli !== "function") throw new Error("it is not a Chroma binding");
    process.exit(0);
  } catch (error) {
    process.stderr.write(String(error.message));
    process.exit(1);
  }
`;

/** Arguments: npm's entry file, then npm's arguments. */
export const NPM_PROGRAM = `
  const [npm, ...options] = process.argv.slice(1);
  ${END_WITH_PARENT}
  process.stdin.unref();
  process.argv.splice(1, process.argv.length, npm, ...options);
  require(npm);
`;
