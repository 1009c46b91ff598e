import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works, worksWithModel } from "./effect.js";
import type { World } from "./world.js";

const path = (world: World) => `/v3/container-tags/${world.tag}`;
const listed = async (world: World, headers?: Record<string, string>) =>
  (await world.ok("GET", "/v3/container-tags/list", undefined, headers)).filter(
    ({ containerTag }: { containerTag: string }) => containerTag.startsWith(world.tag),
  );

export const containers: readonly ContractGroup[] = [
  {
    heading: "Container tags",
    effects: [
      works(
        "The list is a bare array with counts of documents and of current memories that are not forgotten",
        async (world) => {
          const made = await world.remember("Mia keeps bees", "Tom grows figs");
          await world.add("x y z", { taskType: "superrag" });
          await world.ok("DELETE", "/v4/memories", { id: made[0].id, containerTag: world.tag });
          const [one] = await listed(world);
          expect(one).toMatchObject({
            memoryCount: 1,
            name: expect.any(String),
            isNova: false,
            isExperimental: false,
            lastActivityAt: expect.any(String),
          });
          expect(one.documentCount).toBeGreaterThan(0);
        },
      ),
      works(
        "The list starts with the most recently active containers",
        inTest(
          "core/containers",
          "starts with the most recently active ones, then sorts by name, and ends with empty ones",
        ),
      ),
      works("A restricted key sees only its own containers", async (world) => {
        await world.remember("Mia keeps bees");
        const { key } = await world.ok("POST", "/v3/auth/agent-key", {
          name: "x",
          permission: "read",
          containerTags: [`${world.tag}-b`],
        });
        const answer = await world.send("GET", "/v3/container-tags/list", undefined, {
          authorization: `Bearer ${key}`,
        });
        expect(JSON.stringify(answer.body)).not.toContain(`"${world.tag}"`);
      }),
      works(
        "`GET` returns name, prompt, paths, buckets and counts; a container that never existed returns 404",
        async (world) => {
          await world.gives(404, "GET", path(world));
          await world.remember("Mia keeps bees");
          expect(await world.ok("GET", path(world))).toMatchObject({
            containerTag: world.tag,
            name: null,
            entityContext: null,
            memoryFilesystemPaths: null,
            memoryCount: 1,
          });
        },
      ),
      works("`PATCH` creates an unknown container", async (world) => {
        expect(await world.ok("PATCH", path(world), { name: "Mia" })).toMatchObject({ name: "Mia" });
        await world.gives(200, "GET", path(world));
      }),
      works(
        "`entityContext` and `memoryFilesystemPaths` can be cleared with null",
        inTest("transports/rest-container-tags", "accepts every field, and null clears the two that are nullable"),
      ),
      worksWithModel(
        "`entityContext` guides what is extracted from texts",
        inTest(
          "ingest/guidance",
          "the guidance reaches the prompts for facts, for document descriptions and for profile summaries",
        ),
      ),
      works(
        "`profileBuckets` replaces the container's own buckets",
        ofField("PATCH /v3/container-tags/{containerTag} profileBuckets"),
      ),
      works("A `name` has 1 to 100 characters", async (world) => {
        for (const name of ["", "x".repeat(101)]) await world.gives(400, "PATCH", path(world), { name });
      }),
      works("`GET /v4/containertag` returns 404, which makes plugins use their fallback", (world) =>
        world.gives(404, "GET", "/v4/containertag"),
      ),
      works("A container tag that does not match the pattern returns 400", (world) =>
        world.gives(400, "GET", "/v3/container-tags/a%20b"),
      ),
      works(
        "`DELETE` removes documents, forgets memories and counts both; the container then returns 404",
        async (world) => {
          await world.add("Mia keeps bees.");
          expect(await world.ok("DELETE", path(world))).toEqual({
            success: true,
            containerTag: world.tag,
            deletedDocumentsCount: 1,
            deletedMemoriesCount: 1,
          });
          expect(await world.find("bees")).toEqual([]);
          await world.gives(404, "GET", path(world));
          await world.gives(404, "DELETE", path(world));
        },
      ),
      works(
        "A document that is also in another container is only removed from this one",
        inTest("core/containers", "only removes documents from it that are also in another container"),
      ),
      works("A restricted key cannot delete containers", async (world) => {
        await world.remember("Mia keeps bees");
        await world.gives(403, "DELETE", path(world), undefined, await world.scopedKey());
      }),
    ],
  },
  {
    heading: "Merging containers",
    effects: [
      works("Returns 202 with a `mergeId`; documents and memories move, and the source is removed", async (world) => {
        await world.add("Mia keeps bees.");
        const target = `${world.tag}-b`;
        await world.remember({ content: "Mia plays chess" });
        await world.ok("POST", "/v4/memories", { containerTag: target, memories: [{ content: "Tom grows figs" }] });
        const body = await world.gives(202, "POST", "/v3/container-tags/merge", {
          containerTags: [world.tag, target],
          targetContainerTag: target,
        });
        expect(body).toMatchObject({ success: true, status: "queued", targetTag: target, sourceTags: [world.tag] });
        await world.rest.settle();
        expect(await world.ok("GET", `/v3/container-tags/merge/${body.mergeId}`)).toMatchObject({
          status: "completed",
          lastError: null,
        });
        expect((await world.entries({ containerTags: [target] })).length).toBe(3);
        await world.gives(404, "GET", path(world));
      }),
      works("The containers can also be sent as `from` and `to`", ofField("POST /v3/container-tags/merge from")),
      works("A merge requires exactly two existing container tags", async (world) => {
        await world.gives(400, "POST", "/v3/container-tags/merge", {
          containerTags: [world.tag],
          targetContainerTag: world.tag,
        });
        await world.gives(404, "POST", "/v3/container-tags/merge", {
          containerTags: [world.tag, `${world.tag}-b`],
          targetContainerTag: world.tag,
        });
      }),
      works(
        "During a merge, the list shows it and writes to the source return 409",
        inTest(
          "transports/rest-container-tags",
          "the list shows it, and writes to the source are refused with a retry after one second",
        ),
      ),
      works(
        "A merge waits for documents that are being processed",
        inTest("core/merge", "are waited for, and their memories are moved too"),
      ),
      works(
        "A merge has the same result after a crash",
        inTest("core/merge", "completes after a restart with the same result, wherever it was interrupted"),
      ),
      works(
        "Memories that state the same fact are merged",
        inTest("core/merge", "joins memories that say the same, including sources, strength and times"),
      ),
    ],
  },
  {
    heading: "Reviewing inferred memories",
    effects: [
      works(
        "The queue has at most 50 memories: first those derived from the most memories, then the newest",
        inTest("core/review", "shows at most 50"),
      ),
      works(
        "The queue omits forgotten, expired and reviewed memories",
        inTest("core/review", "leaves out stated, forgotten, expired and reviewed memories, and other containers"),
      ),
      works("The queue of an unknown container is empty", async (world) =>
        expect(await world.ok("GET", `${path(world)}/inferred`)).toEqual({ memories: [], total: 0 }),
      ),
      works("`approve` makes the memory a stated fact", inTest("core/review", "by approval makes it a stated fact")),
      works(
        "`decline` removes the memory from search and from the queue",
        inTest("core/review", "by declining removes it from search"),
      ),
      works(
        "`undo` returns the memory to the queue",
        inTest("transports/rest-inferred", "records the outcome in the metadata"),
      ),
      works("An unknown memory returns 404, one that is not inferred 409, and an unknown action 400", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        const review = `${path(world)}/inferred`;
        await world.gives(404, "POST", `${review}/none/review`, { action: "approve" });
        await world.gives(409, "POST", `${review}/${id}/review`, { action: "approve" });
        await world.gives(400, "POST", `${review}/${id}/review`, { action: "reject" });
      }),
    ],
  },
];
