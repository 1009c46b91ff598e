/**
 * Program of a worker thread, as text, so that it is the same whether this service runs built or from source. It is told of
 * memories by a number, and to score in them; after each score it says which one it was.
 */
export const SCAN_PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  const kernels = new Map();
  parentPort.on("message", ({ place, memory, score }) => {
    if (memory) kernels.set(place, new WebAssembly.Instance(workerData.module, { host: { memory } }).exports.score);
    else if (memory === null) kernels.delete(place);
    else {
      kernels.get(place)(...score.parameters);
      parentPort.postMessage(score.number);
    }
  });
  parentPort.postMessage("ready");
`;
