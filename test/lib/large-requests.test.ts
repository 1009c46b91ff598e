import { setImmediate as turn, setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLargeRequests } from "../../src/lib/large-requests.js";

const request = (headers: Record<string, string>) => new Request("http://localhost/", { headers });
const large = request({ "content-length": "5000000" });
const ofUnknownLength = (length: number) =>
  new Request("http://localhost/", {
    method: "POST",
    headers: { "transfer-encoding": "chunked" },
    body: new Blob(["a".repeat(length)]).stream(),
    duplex: "half",
  });
const small = request({ "content-length": "4000000" });

/** Work that records when it starts, and ends when it is told to. */
function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

test("large requests of one key run one after the other; those of other keys and small ones run immediately", async () => {
  const inTurn = createLargeRequests();
  const { begun, work, end } = createWork();
  const [mia, tom] = ["mia", "tom"];
  const answers = [
    inTurn(mia, large, work("first")),
    inTurn(mia, ofUnknownLength(5_000_000), work("second")),
    inTurn(tom, large, work("of another")),
    inTurn(mia, small, work("small")),
  ];
  await turn();
  expect(begun.toSorted()).toEqual(["first", "of another", "small"]);
  end("first");
  await turn();
  expect(begun).toContain("second");
  for (const name of begun) end(name);
  expect(await Promise.all(answers)).toEqual(["first", "second", "of another", "small"]);
});

test("a request of unknown length counts as large once it has grown, and is read whole", async () => {
  const inTurn = createLargeRequests();
  const { begun, work, end } = createWork();
  const held = inTurn("mia", large, work("held"));
  const read = async (whole: Request) => (await whole.text()).length;
  const lengths = [0, 1, 4_000_000].map((length) => inTurn("mia", ofUnknownLength(length), read));
  expect(await Promise.all(lengths)).toEqual([0, 1, 4_000_000]);
  const waiting = inTurn("mia", ofUnknownLength(5_000_000), read);
  const first = await Promise.race([waiting, setTimeout(50, "still waits")]);
  expect([first, begun]).toEqual(["still waits", ["held"]]);
  end("held");
  expect([await held, await waiting]).toEqual(["held", 5_000_000]);
});

test("a failing request lets the next one run", async () => {
  const inTurn = createLargeRequests();
  const failing = inTurn("mia", large, () => Promise.reject(new Error("away")));
  const next = inTurn("mia", large, () => Promise.resolve("here"));
  await expect(failing).rejects.toThrow("away");
  expect(await next).toBe("here");
});
