import { expect, test } from "vitest";
import { createSourceClient } from "../../src/adapters/fetch/source-client.js";
import { NO_PLACES } from "../../src/lib/allowed-places.js";

test.each([
  ["ENOTFOUND", { kind: "not_found", message: expect.stringContaining("no host mail.example") as string }],
  ["EAI_AGAIN", { kind: "unavailable", message: expect.stringContaining("mail.example") as string }],
])("an unresolvable name (%s) is reported as such", async (code, refusal) => {
  const client = createSourceClient({
    allowed: NO_PLACES,
    isOffline: false,
    userAgent: "Recollect/test",
    maximumBytes: 1_000,
    resolveName: () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code} mail.example`), { code })),
  });
  await expect(client.resolveHost("mail.example", 993)).rejects.toMatchObject(refusal);
});
