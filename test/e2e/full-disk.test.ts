import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { kill, processesOf, runProgram, startServe } from "../support/recollect-process.js";
import { mountSmallDisk } from "../support/small-disk.js";

const mounted = mountSmallDisk("60m");

describe.skipIf(mounted === null)("a service on a full disk", () => {
  const data = join(mounted?.path ?? "", "data");
  afterAll(() => {
    for (const pid of processesOf(data)) kill(pid, "SIGKILL");
    mounted?.remove();
  });

  async function call(url: string, path: string, body: object): Promise<{ status: number; body: string }> {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: await response.text() };
  }

  const healthOf = async (url: string): Promise<unknown> => (await fetch(`${url}/health`)).json();
  const add = (url: string, content: string) => call(url, "/v3/documents", { content, containerTag: "full" });
  const search = (url: string) => call(url, "/v4/search", { q: "lamp", containerTag: "full", searchMode: "documents" });

  test("reports it, starts after a kill, and still answers reads", async () => {
    await mkdir(data, { mode: 0o700 });
    const first = await startServe(data);
    expect((await add(first.url, "The lamp in the hall is blue.")).status).toBe(200);
    expect((await runProgram(data, ["add", "The lamp in the kitchen is red."])).code).toBe(0);
    expect(await healthOf(first.url)).not.toHaveProperty("storageFull");
    mounted?.fill();
    expect(await add(first.url, "long ".repeat(20_000))).toMatchObject({ status: 507 });
    expect(await healthOf(first.url)).toMatchObject({
      ready: true,
      storageFull: {
        lastAt: expect.stringContaining("T") as string,
        fix: expect.stringContaining("Free some space") as string,
      },
    });
    const { stdout } = await runProgram(data, ["status"]);
    expect(stdout).toMatch(/no room +for a write at .* UTC: free some space/);
    await first.stop("SIGKILL");
    mounted?.fill();

    const second = await startServe(data);
    expect(await search(second.url)).toMatchObject({ status: 200, body: expect.stringContaining("lamp") as string });
    expect(await add(second.url, "long ".repeat(20_000))).toMatchObject({ status: 507 });
    await second.stop();
  }, 60_000);
});
