import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works, worksWithModel } from "./effect.js";
import type { World } from "./world.js";

const profile = (world: World, more: Record<string, unknown> = {}) =>
  world.ok("POST", "/v4/profile", { containerTag: world.tag, ...more });
const known = (world: World) =>
  world.remember({ content: "Mia was born in Oslo", isStatic: true }, "Mia keeps bees", "Mia prefers tea");
const MUSIC = [{ key: "music", description: "Instruments and who plays them" }];
const own = (world: World, profileBuckets: unknown) =>
  world.send("PATCH", `/v3/container-tags/${world.tag}`, { profileBuckets });

export const profiles: readonly ContractGroup[] = [
  {
    heading: "POST /v4/profile",
    effects: [
      works(
        "Returns `static`, `dynamic` and `buckets` by default, as lists of strings, empty for an unknown container",
        async (world) => {
          expect((await profile(world)).profile).toMatchObject({
            static: [],
            dynamic: [],
            buckets: expect.any(Object),
          });
          await known(world);
          const { static: lasting, dynamic } = (await profile(world)).profile;
          expect(lasting).toEqual(["Mia was born in Oslo"]);
          expect(dynamic).not.toEqual([]);
          for (const text of dynamic) expect(typeof text).toBe("string");
        },
      ),
      works("`include` names the parts to return", async (world) =>
        expect(Object.keys((await profile(world, { include: ["static"] })).profile)).toEqual(["static"]),
      ),
      works(
        "`dynamic` lists the newest memories first, each with `[Recent]` and the date",
        inTest(
          "transports/rest-profile",
          "returns static and dynamic facts as texts, the newest first with their day, and buckets",
        ),
      ),
      works("Bucket entries begin with `[Recent]`", async (world) => {
        await known(world);
        expect((await profile(world)).profile.buckets.preferences).toEqual(["[Recent] Mia prefers tea"]);
      }),
      worksWithModel(
        "Older entries of a bucket are summarised and marked `[Summary]`",
        inTest("core/profile-summaries", "are summarised by the model once, and served without calling it again"),
      ),
      works("`buckets` names the buckets to return; unknown ones are omitted", async (world) =>
        expect((await profile(world, { buckets: ["preferences", "none"] })).profile.buckets).toEqual({
          preferences: [],
        }),
      ),
      works("`q` adds `searchResults` with results, `total` and `timing`", async (world) => {
        await known(world);
        const { searchResults } = await profile(world, { q: "Who keeps bees?", threshold: 0 });
        expect(searchResults).toMatchObject({ total: searchResults.results.length, timing: expect.any(Number) });
        expect(searchResults.results[0].memory).toBe("Mia keeps bees");
        expect(await profile(world)).not.toHaveProperty("searchResults");
      }),
      works("`threshold` applies to the search results", ofField("POST /v4/profile threshold")),
      works(
        "`filters` narrow all parts and the search results",
        inTest("transports/rest-profile", "filters narrow every part and the search results"),
      ),
      works("`containerTag` is required", (world) => world.gives(400, "POST", "/v4/profile", {})),
      works(
        "Forgotten, expired and replaced memories are removed from the profile immediately",
        inTest("core/profile", "new, corrected and forgotten facts appear immediately in every part"),
      ),
      works(
        "Inferred memories that await review are not static facts",
        inTest("core/profile", "an unreviewed guess is not a lasting fact; once approved it is"),
      ),
    ],
  },
  {
    heading: "Profile buckets",
    effects: [
      works("`preferences` is the only bucket until others are defined, which replace it", async (world) => {
        const buckets = async () =>
          (await world.ok("POST", "/v4/profile/buckets", { containerTag: world.tag })).buckets.map(
            ({ key }: { key: string }) => key,
          );
        expect(await buckets()).toEqual(["preferences"]);
        await own(world, MUSIC);
        expect(await buckets()).toEqual(["music"]);
      }),
      works(
        "Buckets of the organisation and the container are combined; for the same key, the organisation's takes precedence",
        inTest(
          "transports/rest-profile",
          "come from the organisation and the container; for the same key the organisation's wins",
        ),
      ),
      works("A profile contains every defined bucket, even if it is empty", async (world) => {
        await own(world, MUSIC);
        expect((await profile(world)).profile.buckets).toEqual({ music: [] });
      }),
      works(
        "Bucket keys must match the pattern, be unique and not be `static` or `dynamic`; at most 50 are allowed",
        async (world) => {
          const many = Array.from({ length: 51 }, (_, at) => ({ key: `k${at}` }));
          for (const wrong of [[{ key: "Music" }], [{ key: "static" }], [...MUSIC, ...MUSIC], many])
            expect((await own(world, wrong)).status).toBe(400);
        },
      ),
      works(
        "Rules assign memories to buckets by the bucket's description",
        inTest("core/buckets", "one word in common with the description is not enough, two are"),
      ),
      worksWithModel(
        "A model decides to which buckets a memory belongs",
        inTest(
          "transports/rest-model-reading",
          "a document shows what a model extracted: title, summary, and entities, dates and buckets of its memories",
        ),
      ),
      works("Any key can read the buckets; only a key with full access can define them", async (world) => {
        const key = await world.scopedKey();
        await world.ok("POST", "/v4/profile/buckets", { containerTag: world.tag }, key);
        await world.gives(403, "PATCH", `/v3/container-tags/${world.tag}`, { profileBuckets: MUSIC }, key);
      }),
    ],
  },
  {
    heading: "GET /v3/container-tags/{containerTag}/profile",
    effects: [
      works(
        "Returns the static and the dynamic facts",
        inTest("transports/rest-profile", "returns static and dynamic facts"),
      ),
    ],
  },
];
