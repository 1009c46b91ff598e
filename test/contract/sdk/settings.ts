import { describe, expect } from "vitest";
import type { ClientTrial } from "../../support/client-table.js";
import * as shapes from "./shapes.js";
import type { SdkUnderTest } from "./under-test.js";

/** Tries settings and connections. Without any connections, each method says so in its way. */
export function tryOrganization({ tries }: ClientTrial, sdk: () => SdkUnderTest): void {
  const client = () => sdk().client;

  describe("settings", () => {
    tries(["settings.update", "settings.get"], "returns the settings as they were written", async () => {
      const updated = shapes.updatedSettings.parse(
        await client().settings.update({
          shouldLLMFilter: true,
          filterPrompt: "Keep decisions.",
          includeItems: ["decisions"],
          excludeItems: { patterns: ["*.tmp"] },
          chunkSize: 512,
        }),
      );
      const expected = {
        shouldLLMFilter: true,
        filterPrompt: "Keep decisions.",
        includeItems: ["decisions"],
        excludeItems: { patterns: ["*.tmp"] },
        chunkSize: 512,
      };
      expect(updated.updated).toMatchObject(expected);
      expect(await client().settings.get()).toMatchObject(expected);
      await client().settings.update({ chunkSize: null, filterPrompt: null });
      const read = await client().settings.get();
      expect({ chunkSize: null, filterPrompt: null, ...read }).toMatchObject({
        chunkSize: null,
        filterPrompt: null,
        shouldLLMFilter: true,
      });
    });

    tries("settings.update", "refuses invalid settings", async () => {
      const refusal = await sdk().expectRefusal(
        () => client().settings.update({ shouldLLMFilter: true, filterPrompt: "x".repeat(751) }),
        "BadRequestError",
      );
      expect(refusal.message).toContain("filterPrompt");
    });
  });

  describe("connections", () => {
    tries(
      ["connections.list", "connections.listDocuments"],
      "returns empty lists without any connections",
      async () => {
        expect(await client().connections.list({})).toEqual([]);
        expect(await client().connections.list({ containerTags: ["a"] })).toEqual([]);
        expect(await client().connections.listDocuments("notion", {})).toEqual([]);
      },
    );

    tries(
      ["connections.getByID", "connections.getByTag", "connections.deleteByID", "connections.deleteByProvider"],
      "reports unknown connections as not found",
      async () => {
        const of = { containerTags: ["a"] };
        for (const call of [
          () => client().connections.getByID("nobody"),
          () => client().connections.getByTag("notion", of),
          () => client().connections.deleteByID("nobody"),
          () => client().connections.deleteByProvider("notion", of),
        ])
          await sdk().expectRefusal(call, "NotFoundError");
      },
    );

    tries(["connections.resources", "connections.configure"], "are not found for an unknown connection", async () => {
      for (const call of [
        () => client().connections.resources("nobody"),
        () => client().connections.configure("nobody", { resources: [{ id: 1 }] }),
      ])
        await sdk().expectRefusal(call, "NotFoundError");
    });

    tries(
      ["connections.create", "connections.import"],
      "refuses without an app of the organisation, saying what to do",
      async () => {
        const created = await sdk().expectRefusal(() => client().connections.create("notion", {}), "BadRequestError");
        expect(created).toMatchObject({ status: 400, message: expect.stringMatching(/notionClientId/) });
        await sdk().expectRefusal(() => client().connections.import("notion", {}), "BadRequestError");
      },
    );
  });
}
