import { expect, test, vi } from "vitest";
import { type ServeProcess, startServe, withDataDirectory } from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 60_000 });

const KEY = "sm_tests_0123456789abcdefghijklmn";

async function ask(
  { url }: ServeProcess,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${url}${path}`, { headers });
  return { status: answer.status, body: await answer.json() };
}

test("requests to every process of a data folder are recorded, even those in its last moment", () =>
  withDataDirectory(async (data) => {
    const owner = await startServe(data, { RECOLLECT_API_KEY: KEY });
    const other = await startServe(data);
    for (let i = 0; i < 5; i++) await ask(owner, "/v3/session");
    for (let i = 0; i < 3; i++) await ask(other, "/v3/nowhere");
    // Within the second for which they are held in memory.
    await other.stop();
    await owner.stop();
    const next = await startServe(data);
    const { body } = await ask(next, "/v3/analytics/usage", { "x-api-key": KEY });
    await next.stop();
    expect(body.usage).toMatchObject([{ type: "request", count: 8 }]);
  }));

test("the settings limit the request rate of a served process", () =>
  withDataDirectory(async (data) => {
    const service = await startServe(data, {
      RECOLLECT_RATE_LIMIT: "2",
      RECOLLECT_RATE_WINDOW_SECONDS: "3600",
    });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask(service, "/v3/session")).status);
    await service.stop();
    expect(statuses).toEqual([200, 200, 429]);
  }));
