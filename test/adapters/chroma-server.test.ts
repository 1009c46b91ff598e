import { createServer } from "node:net";
import { expect, test } from "vitest";
import { ChromaServer } from "../../src/adapters/vectors/chroma-server.js";

test("a server that is away is reported as such, without advice for web pages", async () => {
  const door = createServer();
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const address = door.address();
  if (address === null || typeof address === "string") throw new Error("It has no port.");
  await new Promise((resolve) => door.close(resolve));
  const server = new ChromaServer({ url: `http://127.0.0.1:${address.port}` }, { search: 5_000, write: 5_000 });
  await expect(server.connect()).rejects.toThrow(/^Chroma at 127\.0\.0\.1:\d+: the server cannot be reached$/);
  server.close();
});
