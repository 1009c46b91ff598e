import * as z from "zod";
import { profileSchema } from "../../core/index.js";
import { defineEndpoint } from "./endpoint.js";
import { presentProfile, profileAnswer } from "./present-profile.js";
import { containerTag, filters, threshold } from "./schemas.js";

const profileBody = z.object({
  containerTag,
  /** An empty question is none: some clients always send the field. */
  q: z.preprocess((q) => (typeof q === "string" && q.trim() === "" ? undefined : q), profileSchema.shape.q),
  threshold,
  filters: filters.optional(),
  include: profileSchema.shape.include,
  buckets: z.array(z.string()).optional(),
});

export const profileEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/profile",
    summary: "What is known about the subject of a container",
    tag: "profile",
    body: profileBody,
    status: 200,
    answer: profileAnswer,
    async handle({ core, call, body: { buckets: _buckets, ...input } }) {
      const profile = await core.profile(call, input);
      return presentProfile(profile, { withBuckets: input.include?.includes("buckets") ?? true });
    },
  }),
];
