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
        "A change names what it changes; the rest stays; the answer has the organisation and all settings",
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
      works("`workspacePrompt` and other settings may come together", (world) =>
        set(world, { workspacePrompt: "x", chunkSize: 700 }, async () => undefined),
      ),
      works("Unknown settings are refused", (world) => world.gives(400, "PATCH", "/v3/settings", { nonsense: 1 })),
      works(
        "Secrets are kept, and told masked",
        inTest("core/settings", "are stored, and only their last four characters are returned"),
      ),
      works("Prompts and items without `shouldLLMFilter` are 400, unless it is set already", async (world) => {
        await world.gives(400, "PATCH", "/v3/settings", { filterPrompt: "Only bees" });
        await set(world, { shouldLLMFilter: true, filterPrompt: "Only remember facts about bees" }, () =>
          change(world, { filterPrompt: "Only remember facts about food" }),
        );
      }),
      works("`includeItems` and `excludeItems` are any JSON", (world) =>
        set(
          world,
          { shouldLLMFilter: true, includeItems: { patterns: ["x"] }, excludeItems: ["salaries"] },
          async () => undefined,
        ),
      ),
      works(
        "`excludeItems` keeps what it names out of memories, without a model",
        inTest("ingest/guidance", "excluded items, also from a text to be remembered as it is, and from its summary"),
      ),
      works(
        "`includeItems` remembers what it names above all, without a model",
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
        "Who sets what has no effect without a model is told so",
        inTest(
          "transports/guidance-warnings",
          "without a model, responses and the status name the guidance that has no effect",
        ),
      ),
      doesNot(
        "`categories` sort documents",
        "nothing is sorted by topics; the answer says that it has no effect",
        async (world) =>
          set(world, { shouldLLMFilter: true, categories: ["bees"] }, async () =>
            expect((await change(world, { categories: ["bees"] })).warnings).toBeDefined(),
          ),
      ),
      works("`chunkSize` cuts what comes after; null and −1 are the default", async (world) => {
        const text = "Mia keeps bees on her roof in Rome. ".repeat(60);
        const chunks = async () =>
          (await world.ok("GET", `/v3/documents/${await world.add(text, { taskType: "superrag" })}/chunks`)).total;
        const usual = await chunks();
        await set(world, { chunkSize: 1500 }, async () => expect(await chunks()).toBeLessThan(usual));
        await change(world, { chunkSize: -1 });
        expect(await chunks()).toBe(usual);
      }),
      works("Sizes that make no sense are 400", async (world) => {
        for (const chunkSize of [0, 10, 1e9]) await world.gives(400, "PATCH", "/v3/settings", { chunkSize });
      }),
      works("`profileBuckets` replaces the organisation's list", async (world) => {
        await set(world, { profileBuckets: [{ key: "bees", description: "Bees" }] }, async () =>
          expect((await world.ok("POST", "/v4/profile/buckets", { containerTag: world.tag })).buckets).toMatchObject([
            { key: "bees" },
          ]),
        );
      }),
      works("A scoped key may neither read nor change them", async (world) => {
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
        "`githubCustomKeyEnabled` and its like switch an app on",
        "an app whose id is set is always used",
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
      works("A reset wants the organisation's name; another word is 400", (world) =>
        world.gives(400, "POST", "/v3/settings/reset", { confirmation: "yes" }),
      ),
      works(
        "It removes documents, memories, containers and settings, and counts them; keys stay",
        inTest(
          "core/settings",
          "removes everything except the keys and the default container without a trace, and counts it",
        ),
      ),
      works("A scoped key may not", async (world) =>
        world.gives(403, "POST", "/v3/settings/reset", { confirmation: "x" }, await world.scopedKey()),
      ),
      works("Suggestions want a `filterPrompt`, else 400; 3 to 6, nothing stored", async (world) => {
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
      }),
    ],
  },
  {
    heading: "Connections",
    effects: [
      works(
        "GitHub, Notion, S3 and web sites are connected: credentials are tried, or there is a link",
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
        "A picker is opened for Google Drive",
        inTest(
          "transports/connection-picker",
          "the picker opens with a key, shows earlier choices, and closes once a choice is saved",
        ),
      ),
      works("Lists of connections are empty arrays", async (world) => {
        expect(await world.ok("POST", "/v3/connections/list", {})).toEqual([]);
        expect(await world.ok("GET", "/v3/connections")).toEqual([]);
      }),
      works("An unknown connection is 404", (world) =>
        world.gives(404, "GET", "/v3/connections/1234567890123456789012"),
      ),
    ],
  },
];
