import { describe, expect, test } from "vitest";
import { answerOf, toNode } from "../../src/transports/oauth/bridge.js";

const asked = () => toNode(new Request("http://127.0.0.1/oauth/token", { method: "POST" }), "grant_type=none");

describe("a handler that does not answer", () => {
  test("fails the request when it throws", async () => {
    const failing = () => Promise.reject(new Error("no store"));
    await expect(answerOf(failing, asked())).rejects.toThrow("no store");
    await expect(
      answerOf(() => {
        throw new Error("at once");
      }, asked()),
    ).rejects.toThrow("at once");
  });

  test("is not waited for when it hangs up or never ends", async () => {
    const hangsUp = (_incoming: unknown, outgoing: { destroy(): unknown }) => outgoing.destroy();
    await expect(answerOf(hangsUp, asked())).rejects.toMatchObject({ kind: "unavailable" });
    await expect(answerOf(() => undefined, asked(), 10)).rejects.toMatchObject({ kind: "unavailable" });
  });
});

test("a response in several pieces arrives whole", async () => {
  const answer = await answerOf((_incoming, outgoing) => {
    outgoing.statusCode = 400;
    outgoing.setHeader("content-type", "text/plain");
    outgoing.write("in ");
    outgoing.end("pieces");
  }, asked());
  expect([answer.status, await answer.text()]).toEqual([400, "in pieces"]);
});
