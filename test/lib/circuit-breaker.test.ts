import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type BreakerOptions, createCircuitBreaker } from "../../src/lib/circuit-breaker.js";

class Outage extends Error {
  readonly restMs: number | undefined;

  constructor(message: string, restMs?: number) {
    super(message);
    this.restMs = restMs;
  }
}

const PATIENCE_MS = 1_500;
const REST_MS = 30_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function create(more: Partial<BreakerOptions<Outage>> = {}) {
  let asked = 0;
  let tried = 0;
  let answer: () => Promise<string> = () => Promise.resolve("fine");
  const breaker = createCircuitBreaker<Outage>({
    patienceMs: PATIENCE_MS,
    restMs: REST_MS,
    late: () => new Outage("too late"),
    isFailure: (error): error is Outage => error instanceof Outage,
    restAfter: ({ restMs }) => restMs,
    forOthers: ({ message, restMs }) => new Outage(`${message}, others hear`, restMs),
    trial: () => {
      tried += 1;
      return answer();
    },
    ...more,
  });
  const ask = () =>
    breaker.ask(() => {
      asked += 1;
      return answer();
    });
  return {
    ask,
    breaker,
    asked: () => asked,
    tried: () => tried,
    answers: () => void (answer = () => Promise.resolve("fine")),
    fails: (error: Error) => void (answer = () => Promise.reject(error)),
    hangs: () => void (answer = () => new Promise<string>(() => undefined)),
  };
}

/** Lets calls fail until the breaker opens. */
async function open({ ask, fails }: ReturnType<typeof create>): Promise<void> {
  fails(new Outage("down"));
  for (let call = 0; call < 3; call += 1) await expect(ask()).rejects.toThrow("down");
  await vi.advanceTimersByTimeAsync(0);
}

test("a hanging service is waited for three times and during its trial, and then no longer", async () => {
  const service = create();
  service.hangs();
  for (let call = 1; call <= 3; call += 1) {
    const outcome = expect(service.ask()).rejects.toThrow("too late");
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    await outcome;
    expect(service.asked()).toBe(call);
  }
  const fourth = expect(service.ask()).rejects.toThrow("too late");
  await vi.advanceTimersByTimeAsync(PATIENCE_MS);
  await fourth;
  await expect(service.ask()).rejects.toThrow("too late, others hear");
  expect([service.asked(), service.tried()]).toEqual([4, 1]);
  expect(service.breaker.failure()).toMatchObject({ message: "too late, others hear" });
});

test("stays closed after a success between failures, and after errors that are not outages", async () => {
  const service = create();
  for (let round = 0; round < 3; round += 1) {
    service.fails(new Outage("down"));
    for (let call = 0; call < 2; call += 1) await expect(service.ask()).rejects.toThrow("down");
    service.fails(new Error("refused"));
    for (let call = 0; call < 3; call += 1) await expect(service.ask()).rejects.toThrow("refused");
    service.answers();
    expect(await service.ask()).toBe("fine");
    expect(service.breaker.failure()).toBeNull();
  }
});

test("is tried in the background after a rest, and used again once it answers in time", async () => {
  const service = create();
  await open(service);
  service.answers();
  await vi.advanceTimersByTimeAsync(REST_MS - 1);
  await expect(service.ask()).rejects.toThrow("down");
  expect(service.tried()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(service.tried()).toBe(2);
  expect(service.breaker.failure()).toBeNull();
  expect(await service.ask()).toBe("fine");
});

test("during a trial no caller waits, and a late answer does not end the rest", async () => {
  const service = create();
  await open(service);
  service.hangs();
  await vi.advanceTimersByTimeAsync(REST_MS);
  expect(service.tried()).toBe(2);
  await expect(service.ask()).rejects.toThrow("down");
  await vi.advanceTimersByTimeAsync(PATIENCE_MS);
  await expect(service.ask()).rejects.toThrow("too late");
  expect(service.tried()).toBe(2);
});

test("each rest is twice as long, and without demand the second trial waits for the next caller", async () => {
  const service = create();
  await open(service);
  await vi.advanceTimersByTimeAsync(REST_MS);
  expect(service.tried()).toBe(2);
  await expect(service.ask()).rejects.toThrow("down");
  await vi.advanceTimersByTimeAsync(2 * REST_MS - 1);
  expect(service.tried()).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(service.tried()).toBe(3);
  await vi.advanceTimersByTimeAsync(1_000 * REST_MS);
  expect(service.tried()).toBe(3);
  service.answers();
  await expect(service.ask()).rejects.toThrow("down");
  expect(service.tried()).toBe(4);
  expect(await service.ask()).toBe("fine");
});

test("a service that asks for a pause gets one immediately, for as long as it asks", async () => {
  const service = create();
  service.fails(new Outage("busy", 120_000));
  for (let call = 0; call < 3; call += 1) await expect(service.ask()).rejects.toThrow("busy");
  expect(service.asked()).toBe(1);
  service.answers();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(await service.ask()).toBe("fine");
  expect([service.asked(), service.tried()]).toEqual([2, 1]);
});

test("a service whose trials succeed stays in use even if many calls fail", async () => {
  const service = create({ trial: () => Promise.resolve() });
  for (let round = 0; round < 4; round += 1) {
    await open(service);
    service.answers();
    expect(await service.ask()).toBe("fine");
  }
  service.fails(new Outage("down"));
  for (let call = 0; call < 20; call += 1) await expect(service.ask()).rejects.toThrow("down");
  expect(service.asked()).toBe(4 * 4 + 20);
});

test("a call started before the rest that succeeds in time ends it", async () => {
  const service = create();
  let resolve: (text: string) => void = () => undefined;
  const early = service.breaker.ask(() => new Promise<string>((done) => (resolve = done)));
  await open(service);
  resolve("early");
  expect(await early).toBe("early");
  service.answers();
  expect(await service.ask()).toBe("fine");
});

test("the signal of the work is aborted when no caller waits any more", async () => {
  const { breaker } = create();
  let seen: AbortSignal | undefined;
  const outcome = expect(breaker.ask((signal) => new Promise(() => (seen = signal)))).rejects.toThrow("too late");
  expect(seen?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(PATIENCE_MS);
  await outcome;
  expect(seen?.aborted).toBe(true);
});
