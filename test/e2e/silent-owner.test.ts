import { expect, test } from "vitest";
import {
  expectNothingLeft,
  kill,
  type McpProcess,
  readService,
  runProgram,
  startMcp,
  startProgram,
  startServe,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";
import { useSilentEmbedder } from "../support/slow-embedder.js";

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

/** Fails without an answer within the minute that clients wait. */
async function call(door: McpProcess, name: string, args: Record<string, unknown>): Promise<Answer> {
  const { isError, content } = await door.client.callTool({ name, arguments: args });
  return { isError: isError === true, text: JSON.stringify(content) };
}

// Most of the time of both tests is waiting for a suspended process.
test.concurrent(
  "a suspended owner is not replaced: callers get an answer in time, and continue when it resumes",
  async () => {
    await withDataDirectory(async (data) => {
      const ownerDoor = await startMcp(data);
      const door = await startMcp(data);
      const facts = [{ text: "Olga breeds goats." }];
      await call(ownerDoor, "add-memory", { content: "Olga breeds goats.", facts, wait: 30 });
      await call(door, "search", { query: "goats" });
      const owner = await waitFor(() => readService(data), "an owner");
      expect(owner.pid).toBe(ownerDoor.pid);

      kill(owner.pid, "SIGSTOP");
      // A connected client, a new one, and the command line, which could also become the owner.
      const newcomer = await startMcp(data);
      const waiting = startProgram(data, ["serve", "--port", "0"]);
      const [known, unknown, status, add] = await Promise.all([
        call(door, "search", { query: "goats" }),
        call(newcomer, "search", { query: "goats" }),
        runProgram(data, ["status"]),
        call(door, "add-memory", { content: "Olga sells cheese." }),
      ]);
      for (const answer of [known, unknown, add])
        expect(answer).toEqual({ isError: true, text: expect.stringMatching(/owns the data folder.*does not answer/) });
      expect(status).toMatchObject({ code: 1, stderr: expect.stringMatching(/owns the data folder.*does not answer/) });
      expect((await waiting.ended).code).toBe(1);
      expect(readService(data)).toEqual(owner);

      kill(owner.pid, "SIGCONT");
      for (const one of [door, newcomer, ownerDoor])
        expect(await call(one, "search", { query: "Who breeds goats?" })).toEqual({
          isError: false,
          text: expect.stringContaining("Olga breeds goats."),
        });
      expect(readService(data)).toEqual(owner);

      await Promise.all([door, newcomer, ownerDoor].map((one) => one.close()));
      await expectNothingLeft(data);
    });
  },
  120_000,
);

test.concurrent(
  "a command that waits for the owner exits immediately when interrupted",
  async () => {
    await withDataDirectory(async (data) => {
      const embedder = await useSilentEmbedder(data);
      try {
        const owner = await startServe(data);
        for (const isSuspended of [false, true]) {
          const before = embedder.visits();
          const adding = startProgram(data, ["add", `Quinn paints boats, ${isSuspended}.`]);
          await waitFor(() => embedder.visits() > before, "the request for an embedding");
          if (isSuspended) owner.child.kill("SIGSTOP");
          const { code, stderr } = await adding.signal("SIGINT");
          expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("Interrupted (SIGINT)") });
        }
        owner.child.kill("SIGCONT");
        await owner.stop();
        await expectNothingLeft(data);
      } finally {
        await embedder.close();
      }
    });
  },
  60_000,
);

test("a start that waits for a suspended owner exits immediately when interrupted", async () => {
  await withDataDirectory(async (data) => {
    const ownerDoor = await startMcp(data);
    await call(ownerDoor, "search", { query: "x" });
    kill(ownerDoor.pid, "SIGSTOP");
    const waiting = [["serve", "--port", "0"], ["status"]].map((args) => startProgram(data, args));
    // Long enough for both to wait for the owner; should one be slower, the test is only easier.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [serve, status] = await Promise.all(waiting.map((one) => one.signal("SIGTERM")));
    expect(serve).toMatchObject({ code: 1, stderr: expect.stringContaining("Interrupted (SIGTERM)") });
    expect(status).toMatchObject({ code: 1, stderr: expect.stringContaining("Interrupted (SIGTERM)") });
    kill(ownerDoor.pid, "SIGCONT");
    await ownerDoor.close();
    await expectNothingLeft(data);
  });
}, 60_000);
