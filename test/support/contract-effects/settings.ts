import { expect } from "vitest";
import { type ContractGroup, doesNot, inTest, works, worksWithModel } from "./effect.js";
import type { World } from "./world.js";

const change = (world: World, body: Record<string, unknown>) => world.ok("PATCH", "/v3/settings", body);
/** Sets something and undoes it, whatever happens in between. */
async function set(world: World, body: Record<string, unknown>, see: () => Promise<unknown>): Promise<void> {
  await change(world, body);
  try {
    await see();
  } finally {
    await change(
      world,
      Object.fromEntries(Object.keys(body).map((name) => [name, name === "profileBuckets" ? [] : null])),
    );
  }
}

export const settings: readonly ContractGroup[] = [
  {
    heading: "GET and PATCH /v3/settings",
    effects: [
      works(
        "A change affects only the settings that it names; the response has the organisation and all settings",
        async (world) => {
          await set(world, { chunkSize: 700, shouldLLMFilter: true }, async () => {
            const body = await change(world, { workspacePrompt: "About bees" });
            expect(body).toMatchObject({
              orgId: expect.any(String),
              orgSlug: expect.any(String),
              updated: { chunkSize: 700, workspacePrompt: "About bees" },
            });
            await change(world, { workspacePrompt: null });
            expect(await world.ok("GET", "/v3/settings")).toMatchObject({ chunkSize: 700 });
          });
        },
      ),
      works("`workspacePrompt` and other settings can be sent together", (world) =>
        set(world, { workspacePrompt: "x", chunkSize: 700 }, async () => undefined),
      ),
      works("Unknown settings are rejected", (world) => world.gives(400, "PATCH", "/v3/settings", { nonsense: 1 })),
      works(
        "Secrets are stored, and returned masked",
        inTest("core/settings", "are stored, and only their last four characters are returned"),
      ),
      works("Prompts and items without `shouldLLMFilter` return 400, unless it is already set", async (world) => {
        await world.gives(400, "PATCH", "/v3/settings", { filterPrompt: "Only bees" });
        await set(world, { shouldLLMFilter: true, filterPrompt: "Only remember facts about bees" }, () =>
          change(world, { filterPrompt: "Only remember facts about food" }),
        );
      }),
      works("`includeItems` and `excludeItems` accept any JSON", (world) =>
        set(
          world,
          { shouldLLMFilter: true, includeItems: { patterns: ["x"] }, excludeItems: ["salaries"] },
          async () => undefined,
        ),
      ),
      works(
        "Without a model, `excludeItems` keeps the items that it names out of memories",
        inTest("ingest/guidance", "excluded items, also from a text to be remembered as it is, and from its summary"),
      ),
      works(
        "Without a model, `includeItems` also remembers statements that name an item but yield no fact",
        inTest("ingest/guidance", "included items, where no rule finds a fact, and nothing else"),
      ),
      worksWithModel(
        "`filterPrompt`, `workspacePrompt` and items guide a model",
        inTest(
          "ingest/guidance",
          "the guidance reaches the prompts for facts, for document descriptions and for profile summaries",
        ),
      ),
      works(
        "Without a model, the response names settings that have no effect",
        inTest(
          "transports/guidance-warnings",
          "without a model, responses and the status name the guidance that has no effect",
        ),
      ),
      doesNot(
        "`categories` classifies documents",
        "documents are not classified by topic; the response says that `categories` has no effect",
        async (world) =>
          set(world, { shouldLLMFilter: true, categories: ["bees"] }, async () =>
            expect((await change(world, { categories: ["bees"] })).warnings).toBeDefined(),
          ),
      ),
      works("`chunkSize` applies to documents processed later; null and −1 mean the default", async (world) => {
        const text = "Mia keeps bees on her roof in Rome. ".repeat(60);
        const chunks = async () =>
          (await world.ok("GET", `/v3/documents/${await world.add(text, { taskType: "superrag" })}/chunks`)).total;
        const usual = await chunks();
        await set(world, { chunkSize: 1500 }, async () => expect(await chunks()).toBeLessThan(usual));
        await change(world, { chunkSize: -1 });
        expect(await chunks()).toBe(usual);
      }),
      works("Chunk sizes outside the allowed range return 400", async (world) => {
        for (const chunkSize of [0, 10, 1e9]) await world.gives(400, "PATCH", "/v3/settings", { chunkSize });
      }),
      works("`profileBuckets` replaces the organisation's list", async (world) => {
        await set(world, { profileBuckets: [{ key: "bees", description: "Bees" }] }, async () =>
          expect((await world.ok("POST", "/v4/profile/buckets", { containerTag: world.tag })).buckets).toMatchObject([
            { key: "bees" },
          ]),
        );
      }),
      works("A scoped key can neither read nor change the settings", async (world) => {
        const key = await world.scopedKey();
        await world.gives(403, "GET", "/v3/settings", undefined, key);
        await world.gives(403, "PATCH", "/v3/settings", { chunkSize: 700 }, key);
      }),
      works("Client ids of Google, Notion, Microsoft and GitHub are used for connections", async (world) => {
        for (const [provider, field] of [
          ["google-drive", "googleDriveClientId"],
          ["gmail", "googleDriveClientId"],
          ["notion", "notionClientId"],
          ["onedrive", "onedriveClientId"],
          ["github", "githubClientId"],
        ] as const)
          await set(world, { [field]: "an-app" }, async () => {
            const { id, authLink } = await world.ok("POST", `/v3/connections/${provider}`, {});
            expect(new URL(authLink).searchParams.get("client_id")).toBe("an-app");
            await world.ok("DELETE", `/v3/connections/${id}`);
          });
      }),
      doesNot(
        "`githubCustomKeyEnabled` and similar settings enable an app",
        "an app whose client id is set is always used",
        async (world) => {
          const { warnings } = await world.ok("PATCH", "/v3/settings", { githubCustomKeyEnabled: false });
          expect(warnings).toEqual([expect.stringContaining("always used")]);
          await change(world, { githubCustomKeyEnabled: null });
        },
      ),
    ],
  },
  {
    heading: "POST /v3/settings/reset and /suggest-buckets",
    effects: [
      works("A reset requires the organisation's name; any other word returns 400", (world) =>
        world.gives(400, "POST", "/v3/settings/reset", { confirmation: "yes" }),
      ),
      works(
        "A reset removes documents, memories, containers and settings and counts them; keys stay",
        inTest(
          "core/settings",
          "removes everything except the keys and the default container without a trace, and counts it",
        ),
      ),
      works("A scoped key cannot perform a reset", async (world) =>
        world.gives(403, "POST", "/v3/settings/reset", { confirmation: "x" }, await world.scopedKey()),
      ),
      works(
        "Suggestions require a `filterPrompt`, or return 400; 3 to 6 are returned, and nothing is stored",
        async (world) => {
          await world.gives(400, "POST", "/v3/settings/suggest-buckets");
          await set(
            world,
            { shouldLLMFilter: true, filterPrompt: "Remember the health and the work of our clients" },
            async () => {
              const { suggestions } = await world.ok("POST", "/v3/settings/suggest-buckets");
              expect(suggestions.length).toBeGreaterThanOrEqual(3);
              expect(suggestions.length).toBeLessThanOrEqual(6);
              expect((await world.ok("GET", "/v3/settings")).profileBuckets).toEqual([]);
            },
          );
        },
      ),
    ],
  },
  {
    heading: "Connections",
    effects: [
      works(
        "GitHub, Notion, S3 and websites can be connected: credentials are checked, or a link is returned",
        async (world) => {
          const { body } = await world.send("POST", "/v3/connections/s3", { metadata: { bucket: "b" } });
          expect(body.message).toContain("metadata.accessKeyId");
          await set(world, { githubClientId: "an-app" }, async () => {
            const { id, authLink, expiresIn } = await world.ok("POST", "/v3/connections/github", {});
            expect([new URL(authLink).host, expiresIn]).toEqual(["github.com", "1 hour"]);
            expect(await world.ok("POST", "/v3/connections/list", {})).toEqual([]);
            await world.ok("DELETE", `/v3/connections/${id}`);
          });
        },
      ),
      works(
        "Google Drive connections open a file picker",
        inTest(
          "transports/connection-picker",
          "the picker opens with a key, shows earlier choices, and closes once a choice is saved",
        ),
      ),
      works("Without connections, the lists are empty arrays", async (world) => {
        expect(await world.ok("POST", "/v3/connections/list", {})).toEqual([]);
        expect(await world.ok("GET", "/v3/connections")).toEqual([]);
      }),
      works("An unknown connection returns 404", (world) =>
        world.gives(404, "GET", "/v3/connections/1234567890123456789012"),
      ),
    ],
  },
];
