// Asks a service one thing all the time, on a thread of its own, and keeps how long the slowest answer took.
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";

const { url, question, shared } = workerData;
const { method, path, headers, body, everyMs } = question;
const [SLOWEST, ANSWERED, FAILED] = [0, 1, 2];
const figures = new Int32Array(shared);
const agent = new Agent({ keepAlive: true });

function ask() {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { agent, method, headers }, (answer) => {
      answer.resume();
      answer.once("end", () => (answer.statusCode === 200 ? resolve() : reject(new Error(String(answer.statusCode)))));
    });
    asked.once("error", reject).end(body);
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
