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
        "The list is a bare array with counts of documents and of newest memories that are not forgotten",
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
        "The newest activity first",
        inTest(
          "core/containers",
          "starts with the most recently active ones, then sorts by name, and ends with empty ones",
        ),
      ),
      works("A restricted key sees its own containers alone", async (world) => {
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
      works("`GET` tells name, prompt, paths, buckets and counts; 404 for one that never was", async (world) => {
        await world.gives(404, "GET", path(world));
        await world.remember("Mia keeps bees");
        expect(await world.ok("GET", path(world))).toMatchObject({
          containerTag: world.tag,
          name: null,
          entityContext: null,
          memoryFilesystemPaths: null,
          memoryCount: 1,
        });
      }),
      works("`PATCH` makes an unknown one", async (world) => {
        expect(await world.ok("PATCH", path(world), { name: "Mia" })).toMatchObject({ name: "Mia" });
        await world.gives(200, "GET", path(world));
      }),
      works(
        "`entityContext` and `memoryFilesystemPaths` are cleared by null",
        inTest("transports/rest-container-tags", "accepts every field, and null clears the two that are nullable"),
      ),
      worksWithModel(
        "`entityContext` guides what is read out of texts",
        inTest(
          "ingest/guidance",
          "the guidance reaches the prompts for facts, for document descriptions and for profile summaries",
        ),
      ),
      works(
        "`profileBuckets` replaces the container's own",
        ofField("PATCH /v3/container-tags/{containerTag} profileBuckets"),
      ),
      works("A `name` has 1 to 100 characters", async (world) => {
        for (const name of ["", "x".repeat(101)]) await world.gives(400, "PATCH", path(world), { name });
      }),
      works("`GET /v4/containertag` is 404, on which plugins fall back", (world) =>
        world.gives(404, "GET", "/v4/containertag"),
      ),
      works("A tag beyond the pattern is 400", (world) => world.gives(400, "GET", "/v3/container-tags/a%20b")),
      works("`DELETE` removes documents, forgets memories, and counts both; then 404", async (world) => {
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
      }),
      works(
        "A document that lies elsewhere too only leaves it",
        inTest("core/containers", "only removes documents from it that are also in another container"),
      ),
      works("A restricted key deletes none", async (world) => {
        await world.remember("Mia keeps bees");
        await world.gives(403, "DELETE", path(world), undefined, await world.scopedKey());
      }),
    ],
  },
  {
    heading: "Merging of containers",
    effects: [
      works("202 with a `mergeId`; documents and memories move, the source is gone", async (world) => {
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
      works("`from` and `to` say the same", ofField("POST /v3/container-tags/merge from")),
      works("Exactly two tags, that are there", async (world) => {
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
        "While it runs, the list tells it and writes to the source are 409",
        inTest(
          "transports/rest-container-tags",
          "the list shows it, and writes to the source are refused with a retry after one second",
        ),
      ),
      works(
        "Documents that are being read are waited for",
        inTest("core/merge", "are waited for, and their memories are moved too"),
      ),
      works(
        "It ends the same after a crash",
        inTest("core/merge", "completes after a restart with the same result, wherever it was interrupted"),
      ),
      works(
        "Memories that say the same are joined",
        inTest("core/merge", "joins memories that say the same, including sources, strength and times"),
      ),
    ],
  },
  {
    heading: "Review of guesses",
    effects: [
      works(
        "The queue has at most 50, those with most grounds first, then the newest",
        inTest("core/review", "shows at most 50"),
      ),
      works(
        "It leaves out what is forgotten, over or reviewed",
        inTest("core/review", "leaves out stated, forgotten, expired and reviewed memories, and other containers"),
      ),
      works("It is empty for an unknown container", async (world) =>
        expect(await world.ok("GET", `${path(world)}/inferred`)).toEqual({ memories: [], total: 0 }),
      ),
      works("`approve` makes it a stated fact", inTest("core/review", "by approval makes it a stated fact")),
      works("`decline` takes it out of search and queue", inTest("core/review", "by declining removes it from search")),
      works("`undo` puts it back", inTest("transports/rest-inferred", "records the outcome in the metadata")),
      works("404 for an unknown one, 409 for one that is no guess, 400 for another action", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        const review = `${path(world)}/inferred`;
        await world.gives(404, "POST", `${review}/none/review`, { action: "approve" });
        await world.gives(409, "POST", `${review}/${id}/review`, { action: "approve" });
        await world.gives(400, "POST", `${review}/${id}/review`, { action: "reject" });
      }),
    ],
  },
];
