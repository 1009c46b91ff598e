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
        "`static`, `dynamic` and `buckets` by default; lists of texts, empty for an unknown container",
        async (world) => {
          expect((await profile(world)).profile).toMatchObject({
            static: [],
            dynamic: [],
            buckets: expect.any(Object),
          });
          await known(world);
          const { static: lasting, dynamic } = (await profile(world)).profile;
          expect(lasting).toEqual(["Mia was born in Oslo"]);
          for (const text of dynamic) expect(typeof text).toBe("string");
        },
      ),
      works("`include` names the parts that are given", async (world) =>
        expect(Object.keys((await profile(world, { include: ["static"] })).profile)).toEqual(["static"]),
      ),
      works(
        "`dynamic` has the newest first, with `[Recent]` and the day",
        inTest(
          "transports/rest-profile",
          "returns static and dynamic facts as texts, the newest first with their day, and buckets",
        ),
      ),
      works("Entries of buckets begin with `[Recent]`", async (world) => {
        await known(world);
        expect((await profile(world)).profile.buckets.preferences).toEqual(["[Recent] Mia prefers tea"]);
      }),
      worksWithModel(
        "Older entries of a bucket are summed up, marked `[Summary]`",
        inTest("core/profile-summaries", "are summarised by the model once, and served without calling it again"),
      ),
      works("`buckets` names the buckets that are given; unknown ones are left out", async (world) =>
        expect((await profile(world, { buckets: ["preferences", "none"] })).profile.buckets).toEqual({
          preferences: [],
        }),
      ),
      works("`q` adds `searchResults` with results, `total`, `timing`", async (world) => {
        await known(world);
        const { searchResults } = await profile(world, { q: "Who keeps bees?", threshold: 0 });
        expect(searchResults).toMatchObject({ total: searchResults.results.length, timing: expect.any(Number) });
        expect(searchResults.results[0].memory).toBe("Mia keeps bees");
        expect(await profile(world)).not.toHaveProperty("searchResults");
      }),
      works("`threshold` bounds the search results", ofField("POST /v4/profile threshold")),
      works(
        "`filters` narrow all parts and the search results",
        inTest("transports/rest-profile", "filters narrow every part and the search results"),
      ),
      works("`containerTag` is required", (world) => world.gives(400, "POST", "/v4/profile", {})),
      works(
        "What is forgotten, over or replaced is not in it, at once",
        inTest("core/profile", "new, corrected and forgotten facts appear immediately in every part"),
      ),
      works(
        "Guesses that nobody reviewed are no lasting facts",
        inTest("core/profile", "an unreviewed guess is not a lasting fact; once approved it is"),
      ),
    ],
  },
  {
    heading: "Buckets of profiles",
    effects: [
      works("`preferences` is there until somebody defines some; own ones replace it", async (world) => {
        const buckets = async () =>
          (await world.ok("POST", "/v4/profile/buckets", { containerTag: world.tag })).buckets.map(
            ({ key }: { key: string }) => key,
          );
        expect(await buckets()).toEqual(["preferences"]);
        await own(world, MUSIC);
        expect(await buckets()).toEqual(["music"]);
      }),
      works(
        "Those of organisation and container are united; on one key the organisation's counts",
        inTest(
          "transports/rest-profile",
          "come from the organisation and the container; for the same key the organisation's wins",
        ),
      ),
      works("Every bucket that is defined is in a profile, empty or not", async (world) => {
        await own(world, MUSIC);
        expect((await profile(world)).profile.buckets).toEqual({ music: [] });
      }),
      works("Keys follow the pattern, are not `static` or `dynamic`, come once, at most 50", async (world) => {
        const many = Array.from({ length: 51 }, (_, at) => ({ key: `k${at}` }));
        for (const wrong of [[{ key: "Music" }], [{ key: "static" }], [...MUSIC, ...MUSIC], many])
          expect((await own(world, wrong)).status).toBe(400);
      }),
      works(
        "Rules sort memories into buckets by their description",
        inTest("core/buckets", "one word in common with the description is not enough, two are"),
      ),
      worksWithModel(
        "A model says which buckets a memory belongs to",
        inTest(
          "transports/rest-model-reading",
          "a document shows what a model extracted: title, summary, and entities, dates and buckets of its memories",
        ),
      ),
      works("Every key may read them; only a full key may define them", async (world) => {
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
        "Has the lasting and the recent facts",
        inTest("transports/rest-profile", "returns static and dynamic facts"),
      ),
    ],
  },
];
