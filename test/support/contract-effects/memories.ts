import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works, worksWithModel } from "./effect.js";
import type { World } from "./world.js";

const change = (world: World, body: Record<string, unknown>) =>
  world.ok("PATCH", "/v4/memories", { containerTag: world.tag, ...body });
const forget = (world: World, body: Record<string, unknown>) =>
  world.ok("DELETE", "/v4/memories", { containerTag: world.tag, ...body });
const matching = (world: World, body: Record<string, unknown>) =>
  world.ok("POST", "/v4/memories/forget-matching", { containerTag: world.tag, ...body });
const PAST = "2001-01-01T00:00:00Z";

export const memories: readonly ContractGroup[] = [
  {
    heading: "POST /v4/memories",
    effects: [
      works(
        "Returns 201 and the memories in the order sent, searchable at once, with a document that states them",
        async (world) => {
          const memories = ["Mia keeps bees", "Tom grows figs"].map((content) => ({ content }));
          const body = await world.gives(201, "POST", "/v4/memories", { containerTag: world.tag, memories });
          expect(body.memories.map(({ memory }: { memory: string }) => memory)).toEqual([
            "Mia keeps bees",
            "Tom grows figs",
          ]);
          expect((await world.find("bees")).length).toBeGreaterThan(0);
          expect(await world.document(body.documentId)).toMatchObject({ id: body.documentId });
        },
      ),
      works("The text is stored as sent, and nothing is extracted from it", async (world) => {
        await world.remember("Mia keeps bees, and she sells honey; she was born in Oslo.");
        expect((await world.entries()).map(({ memory }) => memory)).toEqual([
          "Mia keeps bees, and she sells honey; she was born in Oslo.",
        ]);
      }),
      works("A new container tag creates its container and never returns 404", async (world) => {
        await world.remember("Mia keeps bees");
        await world.gives(200, "GET", `/v3/container-tags/${world.tag}`);
      }),
      works("`containerTag` is required", (world) =>
        world.gives(400, "POST", "/v4/memories", { memories: [{ content: "x" }] }),
      ),
      works("`isStatic` places the memory in the static part of the profile", async (world) => {
        await world.remember({ content: "Mia was born in Oslo", isStatic: true }, "Mia keeps bees");
        const { profile } = await world.ok("POST", "/v4/profile", { containerTag: world.tag });
        expect(profile.static).toEqual(["Mia was born in Oslo"]);
      }),
      works(
        "A memory expires at `forgetAfter`, to the millisecond, evaluated at each request",
        inTest("core/expiry", "lasting facts and unreviewed guesses also expire to the second"),
      ),
      works("A `forgetAfter` in the past is rejected", (world) =>
        world.gives(400, "POST", "/v4/memories", {
          containerTag: world.tag,
          memories: [{ content: "x", forgetAfter: PAST }],
        }),
      ),
      works(
        "A known fact returns the existing memory",
        inTest("transports/rest-memories", "returns the existing memory for a known fact"),
      ),
      works("`entityContext` is stored on the container", ofField("POST /v4/memories entityContext")),
      works("Created memories are assigned to profile buckets like all others", async (world) => {
        await world.remember("Mia prefers tea to coffee");
        const { profile } = await world.ok("POST", "/v4/profile", { containerTag: world.tag });
        expect(JSON.stringify(profile.buckets)).toContain("tea");
      }),
    ],
  },
  {
    heading: "PATCH /v4/memories",
    effects: [
      works("Creates a new version: version + 1, the old one as parent, the first as root", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        const second = await change(world, { id, newContent: "Mia keeps wasps" });
        const third = await change(world, { id: second.id, newContent: "Mia keeps ants" });
        expect([second.version, second.parentMemoryId, second.rootMemoryId]).toEqual([2, id, id]);
        expect([third.version, third.parentMemoryId, third.rootMemoryId]).toEqual([3, second.id, id]);
      }),
      works("Selects a memory by id or by exact text; a request with neither returns 400", async (world) => {
        await world.remember("Mia keeps bees");
        expect(await change(world, { content: "Mia keeps bees", newContent: "Mia keeps wasps" })).toMatchObject({
          version: 2,
        });
        await world.gives(400, "PATCH", "/v4/memories", { containerTag: world.tag, newContent: "x" });
        await world.gives(404, "PATCH", "/v4/memories", {
          containerTag: world.tag,
          content: "Mia keeps",
          newContent: "x",
        });
      }),
      works(
        "An id takes precedence over a text",
        inTest("core/update-memory", "is created by id if id and text are both given"),
      ),
      works("The id of an old version changes the newest version", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        await change(world, { id, newContent: "Mia keeps wasps" });
        expect(await change(world, { id, newContent: "Mia keeps ants" })).toMatchObject({ version: 3 });
      }),
      works("Metadata and `forgetAfter` are inherited if omitted", async (world) => {
        const [{ id }] = await world.remember({
          content: "Mia keeps bees",
          metadata: { a: "1" },
          forgetAfter: "2031-05-05T00:00:00Z",
          forgetReason: "The lease ends",
        });
        expect(await change(world, { id, newContent: "Mia keeps wasps" })).toMatchObject({
          metadata: { a: "1" },
          forgetAfter: "2031-05-05T00:00:00.000Z",
          forgetReason: "The lease ends",
        });
      }),
      works("New metadata replaces the old; `temporalContext` stays", async (world) => {
        const temporalContext = { eventDate: ["2031-05-05"] };
        const [{ id }] = await world.remember({ content: "Mia keeps bees", metadata: { a: "1" }, temporalContext });
        const { metadata } = await change(world, { id, newContent: "Mia keeps wasps", metadata: { b: "2" } });
        expect(metadata).toMatchObject({ b: "2", temporalContext });
        expect(metadata).not.toHaveProperty("a");
      }),
      works("`forgetAfter: null` removes the expiry and its reason", async (world) => {
        const [{ id }] = await world.remember({
          content: "Mia keeps bees",
          forgetAfter: "2031-05-05T00:00:00Z",
          forgetReason: "x",
        });
        expect(await change(world, { id, newContent: "Mia keeps wasps", forgetAfter: null })).toMatchObject({
          forgetAfter: null,
          forgetReason: null,
        });
      }),
      works("A forgotten memory, or one in another container, returns 404", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        await world.gives(404, "PATCH", "/v4/memories", { id, containerTag: `${world.tag}-b`, newContent: "x" });
        await forget(world, { id });
        await world.gives(404, "PATCH", "/v4/memories", { id, containerTag: world.tag, newContent: "x" });
      }),
      works(
        "A key for one container need not name it",
        inTest(
          "core/update-memory",
          "need not name its only container, must name one of several, and cannot change others",
        ),
      ),
    ],
  },
  {
    heading: "DELETE /v4/memories",
    effects: [
      works("Forgets by id or exact text, and removes the memory from search, list and profile", async (world) => {
        const [{ id }] = await world.remember({ content: "Mia keeps bees", isStatic: true });
        expect(await forget(world, { content: "Mia keeps bees" })).toMatchObject({ id, forgotten: true });
        const { profile } = await world.ok("POST", "/v4/profile", { containerTag: world.tag });
        expect([await world.find("bees", { searchMode: "memories" }), await world.entries(), profile.static]).toEqual([
          [],
          [],
          [],
        ]);
      }),
      works(
        "A request with neither id nor text returns 400, an unknown memory 404, an already forgotten one 409",
        async (world) => {
          const [{ id }] = await world.remember("Mia keeps bees");
          await world.gives(400, "DELETE", "/v4/memories", { containerTag: world.tag });
          await world.gives(404, "DELETE", "/v4/memories", { containerTag: world.tag, content: "Mia" });
          await forget(world, { id });
          await world.gives(409, "DELETE", "/v4/memories", { containerTag: world.tag, id });
        },
      ),
      works("Forgetting any version forgets all versions", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        await change(world, { id, newContent: "Mia keeps wasps" });
        await forget(world, { id });
        expect(await world.entries()).toEqual([]);
      }),
      works("`reason` is stored with the memory", ofField("DELETE /v4/memories reason")),
      works(
        "A forgotten memory stays forgotten when its document is processed again",
        inTest("core/forgotten-stays", "restores no forgotten or replaced fact of a text"),
      ),
      works(
        "Forgetting can be undone",
        inTest("transports/rest-journal", "undoes what forget-matching forgot, and can itself be undone"),
      ),
    ],
  },
  {
    heading: "POST /v4/memories/forget-matching",
    effects: [
      works("Requires exactly one of `query` and `ids`", async (world) => {
        await world.gives(400, "POST", "/v4/memories/forget-matching", { containerTag: world.tag });
        await world.gives(400, "POST", "/v4/memories/forget-matching", {
          containerTag: world.tag,
          query: "x",
          ids: ["y"],
        });
      }),
      works("`dryRun` returns `candidates` with scores and changes nothing; `forgetBatchId` is null", async (world) => {
        await world.remember("Mia keeps bees");
        const body = await matching(world, { query: "bees", threshold: 0, dryRun: true });
        expect(body).toMatchObject({
          dryRun: true,
          count: 1,
          forgetBatchId: null,
          summary: expect.any(String),
          candidates: [{ memory: "Mia keeps bees", score: expect.any(Number) }],
        });
        expect(await world.entries()).toHaveLength(1);
      }),
      works(
        "Without `dryRun`, the matching memories are forgotten under a batch id; `count` is their number",
        async (world) => {
          await world.remember("Mia keeps bees");
          expect(await matching(world, { query: "bees", threshold: 0 })).toMatchObject({
            dryRun: false,
            count: 1,
            forgetBatchId: expect.any(String),
            forgotten: [{ memory: "Mia keeps bees" }],
          });
          expect(await world.entries()).toEqual([]);
        },
      ),
      works(
        "`threshold` and `maxForget` limit what is forgotten, most similar first",
        inTest("core/forget-matching", "without maxForget forgets up to 100, the most similar ones first"),
      ),
      worksWithModel("A model decides which of the matching memories are meant", async (world) => {
        await world.remember("Mia keeps bees", "Mia keeps hens");
        world.model.always(() => JSON.stringify({ about: [] }));
        expect(await matching(world, { query: "bees", threshold: 0 })).toMatchObject({ count: 0 });
        expect(await world.entries()).toHaveLength(2);
      }),
      works(
        "By ids: the score is 1; unknown ids and those of other containers are omitted; `maxForget` has no effect",
        async (world) => {
          const made = await world.remember("Mia keeps bees", "Tom grows figs");
          const body = await matching(world, { ids: [...made.map(({ id }) => id), "none"], maxForget: 1 });
          expect([body.count, body.forgotten.map(({ score }: { score: number }) => score)]).toEqual([2, [1, 1]]);
        },
      ),
      works("`q` is another name for `query`", ofField("POST /v4/memories/forget-matching q")),
    ],
  },
  {
    heading: "POST /v4/memories/list",
    effects: [
      works("Returns only the newest versions; older ones are in `history`, newest first", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        const second = await change(world, { id, newContent: "Mia keeps wasps" });
        await change(world, { id, newContent: "Mia keeps ants" });
        const [entry, ...others] = await world.entries();
        expect([others, entry.memory, entry.history.map(({ id: old }: { id: string }) => old)]).toEqual([
          [],
          "Mia keeps ants",
          [second.id, id],
        ]);
      }),
      works("Forgotten memories are omitted", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees", "Tom grows figs");
        await forget(world, { id });
        expect((await world.entries()).map(({ memory }) => memory)).toEqual(["Tom grows figs"]);
      }),
      works("`containerTags` is required; `containerTag` is another name for it", async (world) => {
        await world.remember("Mia keeps bees");
        await world.gives(400, "POST", "/v4/memories/list", {});
        await world.gives(400, "POST", "/v4/memories/list", { containerTags: [] });
        expect((await world.ok("POST", "/v4/memories/list", { containerTag: world.tag })).memoryEntries).toHaveLength(
          1,
        );
      }),
      works(
        "Entries have their documents, relations and `temporalContext`; `isInference` is true or false",
        async (world) => {
          const id = await world.add("Mia keeps bees.");
          const [entry] = await world.entries();
          expect(entry).toMatchObject({ documentIds: [id], isInference: false });
          for (const name of ["memoryRelations", "temporalContext", "orgId", "spaceId"])
            expect(entry).toHaveProperty(name);
        },
      ),
      works(
        "Relations are `updates`, `extends` or `derives`, by id",
        inTest("transports/rest-memories", "returns each memory with its history, documents and relations"),
      ),
      works("`filters` narrow the list", ofField("POST /v4/memories/list filters")),
    ],
  },
];
