// Asks a service for its health all the time, on a thread of its own, and keeps how long the slowest answer took.
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";

const { url, shared, everyMs } = workerData;
const [SLOWEST, ANSWERED, FAILED] = [0, 1, 2];
const figures = new Int32Array(shared);
const agent = new Agent({ keepAlive: true });

function ask() {
  return new Promise((resolve, reject) => {
    get(`${url}/health`, { agent }, (answer) => {
      answer.resume();
      answer.once("end", () => (answer.statusCode === 200 ? resolve() : reject(new Error(String(answer.statusCode)))));
    }).once("error", reject);
  });
}

for (;;) {
  const begun = performance.now();
  try {
    await ask();
  } catch {
    Atomics.add(figures, FAILED, 1);
  }
  const took = Math.ceil(performance.now() - begun);
  if (took > Atomics.load(figures, SLOWEST)) Atomics.store(figures, SLOWEST, took);
  Atomics.add(figures, ANSWERED, 1);
  await sleep(everyMs);
}
