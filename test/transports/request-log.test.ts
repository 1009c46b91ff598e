import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRequestLog } from "../../src/transports/rest/request-log.js";
import { AppError } from "../../src/core/errors.js";
import { coreOver } from "../../src/core/index.js";
import type { RequestRecord } from "../../src/core/types.js";
import { createId } from "../../src/lib/ids.js";
import { captureLog } from "../support/captured-log.js";
import { openCore } from "../support/open-core.js";

function buildRequest(values: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: createId(),
    keyId: null,
    client: null,
    type: "request",
    method: "GET",
    path: "/v3/session",
    status: 200,
    duration: 1,
    containerTag: null,
    error: null,
    createdAt: new Date().toISOString(),
    ...values,
  };
}

/** A request log over the real core, whose access to the store can be cut. */
async function open() {
  const opened = await openCore();
  onTestFinished(() => opened.close());
  const { organizationId } = opened.actor;
  const way = { isCut: false, writes: 0 };
  const core = coreOver((name, call, input) => {
    way.writes++;
    if (way.isCut) return Promise.reject(new AppError("unavailable", "the owner is gone"));
    return opened.core[name](call, input);
  });
  const log = captureLog();
  const requests = createRequestLog({ core, log, organizationId });
  const total = async () => (await opened.core.listRequests({ actor: opened.actor }, {})).total;
  return { requests, way, total, lines: log.lines };
}

describe("recorded requests", () => {
  test("are written together, automatically, about a second later", async () => {
    const { requests, way, total } = await open();
    for (let i = 0; i < 50; i++) requests.note(buildRequest());
    expect(await total()).toBe(0);
    await vi.waitFor(async () => expect(await total()).toBe(50), { timeout: 5_000, interval: 50 });
    expect(way.writes).toBe(1);
    await requests.close();
  });

  test("are written sooner when there are many", async () => {
    const { requests, way } = await open();
    for (let i = 0; i < 200; i++) requests.note(buildRequest());
    await new Promise((resolve) => setImmediate(resolve));
    expect(way.writes).toBe(1);
    await requests.close();
  });

  test("are written on close, and nothing is written after it", async () => {
    const { requests, total } = await open();
    requests.note(buildRequest());
    await requests.close();
    requests.note(buildRequest());
    await requests.close();
    expect(await total()).toBe(1);
  });

  test("wait while the store cannot be written, which is logged once", async () => {
    const { requests, way, total, lines } = await open();
    way.isCut = true;
    requests.note(buildRequest());
    await requests.flush();
    requests.note(buildRequest());
    await requests.flush();
    expect(lines.map(({ level }) => level)).toEqual(["warn"]);
    way.isCut = false;
    await requests.flush();
    expect(await total()).toBe(2);
    await requests.close();
  });

  test("do not exhaust memory meanwhile: the oldest are dropped", async () => {
    const { requests, way, total } = await open();
    way.isCut = true;
    for (let i = 0; i < 1_500; i++) {
      requests.note(buildRequest());
      if (i % 100 === 0) await requests.flush();
    }
    await requests.flush();
    way.isCut = false;
    await requests.flush();
    expect(await total()).toBe(1_000);
    await requests.close();
  });

  test("never make their caller fail, not even on close", async () => {
    const { requests, way, lines } = await open();
    way.isCut = true;
    requests.note(buildRequest());
    await requests.close();
    expect(lines).toEqual([]);
  });
});
