import * as z from "zod";
import { profileSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { presentProfile, profileAnswer } from "./present-profile.js";
import { endUser, filters, threshold } from "../schemas.js";

const profileBody = z.object({
  containerTag: profileSchema.shape.containerTag.describe(
    "May be left out by a key for some containers: then all of them are meant.",
  ),
  /** An empty query counts as none: some clients always send the field. */
  q: z.preprocess((q) => (typeof q === "string" && q.trim() === "" ? undefined : q), profileSchema.shape.q),
  threshold,
  filters: filters.optional(),
  endUserId: endUser.optional(),
  include: profileSchema.shape.include,
  buckets: profileSchema.shape.buckets.describe("Keys of the buckets to show; all by default."),
});

const bucketsAnswer = z.object({
  buckets: z.array(z.object({ key: z.string(), description: z.string() })),
});

export const profileEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/profile",
    operationId: "getProfile",
    summary: "Get what is known about the subject of a container",
    description:
      "Lasting facts are `static`, those first that say who somebody is, what harms them and how to answer; recent ones are " +
      "`dynamic`, newest first and dated (`[Recent] [2026-05-02] …`), marked where they wait for review (`[Unreviewed] …`). All " +
      "parts together have about 1,500 tokens (`RECOLLECT_PROFILE_TOKENS`), and none holds a secret. A bucket shows its " +
      "newest facts as `[Recent] …` and what older ones say in one line, `[Summary] …`, made ready before by a language model " +
      "where one is configured. With `q` the best memories for it come " +
      "along as `searchResults`.",
    tag: "profile",
    example: { containerTag: "mia", q: "travel" },
    body: profileBody,
    idle: { threshold: { without: "q" } },
    status: 200,
    answer: profileAnswer,
    async handle({ core, call, body }) {
      return presentProfile(await core.profile(call, body));
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v4/profile/buckets",
    operationId: "listProfileBuckets",
    summary: "List the buckets of a container's profile",
    description: "The named parts that a profile of the container has: those of the organisation and its own.",
    tag: "profile",
    example: { containerTag: "mia" },
    body: profileBody.pick({ containerTag: true }),
    status: 200,
    answer: bucketsAnswer,
    async handle({ core, call, body }) {
      const { buckets } = await core.listProfileBuckets(call, body);
      return { buckets: buckets.map(({ key, description }) => ({ key, description })) };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/container-tags/{containerTag}/profile",
    operationId: "getContainerProfile",
    summary: "Get lasting and recent facts about the subject of a container",
    description: "The same profile as `POST /v4/profile`, without a query.",
    tag: "container tags",
    status: 200,
    answer: profileAnswer.pick({ profile: true }),
    async handle({ core, call, parameter }) {
      const input = { containerTag: parameter("containerTag"), include: ["static", "dynamic"] };
      return presentProfile(await core.containerProfile(call, input));
    },
  }),
];
