import * as z from "zod";
import { profileSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { presentProfile, profileAnswer } from "./present-profile.js";
import { endUser, filters, threshold } from "../schemas.js";

const profileBody = z.object({
  containerTag: profileSchema.shape.containerTag.describe(
    "May be left out with a key for some containers: then it means all of them.",
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
      "Lasting facts are `static`, beginning with those that say who a person is, what harms them and how to respond to them; " +
      "recent ones are `dynamic`, newest first and dated (`[Recent] [2026-05-02] …`), and marked if they wait for review " +
      "(`[Unreviewed] …`). All parts together have about 1,500 tokens (`RECOLLECT_PROFILE_TOKENS`), and none contains a " +
      "secret. A bucket shows its newest facts as `[Recent] …` and sums up older ones in one line, `[Summary] …`, prepared " +
      "in advance by a language model if one is configured. With `q`, the best memories for it are included as `searchResults`.",
    tag: "profile",
    example: { containerTag: "mia", q: "travel" },
    body: profileBody,
    idle: { threshold: { without: "q" } },
    idleBeside: ({ buckets, include }) =>
      buckets && include && !include.includes("buckets")
        ? ["buckets: has no effect: include does not name buckets"]
        : [],
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
    description: "The named parts of the container's profile: those of the organisation and its own.",
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
