import { describe, expect, test } from "vitest";
import { createFairTurns } from "../../src/lib/fair-turns.js";
import { yieldTurn } from "../../src/lib/time.js";

/** Takes turns for work that records when it starts. */
function setUp() {
  const turns = createFairTurns();
  const begun: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    begun.push(name);
    await yieldTurn();
    return name;
  };
  const take = (queue: string, name: string) => turns.take(queue, work(name));
  return { turns, begun, take };
}

describe("fair turns", () => {
  test("rotate between waiting callers, and are in order of arrival within each", async () => {
    const { turns, begun, take } = setUp();
    const all = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => take(name.charAt(0), name));
    expect(await Promise.all(all)).toEqual(["a1", "a2", "a3", "b1", "b2", "c1"]);
    expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
    await turns.ended();
  });

  test("do not favour a caller who returns immediately", async () => {
    const { begun, take } = setUp();
    const patient = [take("a", "a1"), take("a", "a2"), take("a", "a3")];
    for (const name of ["b1", "b2"]) await take("b", name);
    await Promise.all(patient);
    expect(begun).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  test("continue after work that fails", async () => {
    const { turns, take } = setUp();
    const failing = turns.take("a", () => Promise.reject(new Error("no")));
    const next = take("a", "a2");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("a2");
  });

  test("continue after work that throws synchronously", async () => {
    const { turns, take } = setUp();
    const failing = turns.take("a", () => {
      throw new Error("no");
    });
    const next = [take("a", "a2"), take("b", "b1")];
    await expect(failing).rejects.toThrow("no");
    expect(await Promise.all(next)).toEqual(["a2", "b1"]);
    await turns.ended();
  });

  test("run one piece of work at a time, and can be awaited", async () => {
    const { turns } = setUp();
    let running = 0;
    let most = 0;
    const busy = async (): Promise<void> => {
      most = Math.max(most, (running += 1));
      await yieldTurn();
      running -= 1;
    };
    await turns.ended();
    void turns.take("a", busy);
    void turns.take("b", busy);
    await turns.ended();
    expect([running, most]).toEqual([0, 1]);
    await turns.take("a", busy);
  });
});
