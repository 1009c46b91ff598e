import * as z from "zod";
import { defineEndpoint } from "./endpoint.js";
import { presentSession } from "./present-session.js";

const answer = z.object({
  user: z.object({ id: z.string(), name: z.string().optional() }),
  org: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  plan: z.enum(["free", "pro", "scale", "enterprise"]),
  role: z.enum(["owner", "admin", "member"]),
  accessType: z.enum(["full", "restricted"]),
  containerTags: z.array(z.object({ containerTag: z.string(), permission: z.enum(["read", "write"]) })).nullable(),
  scope: z.object({
    type: z.enum(["full", "scoped"]),
    permission: z.enum(["read", "write"]).optional(),
    tags: z.array(z.string()).optional(),
  }),
});
export type SessionAnswer = z.infer<typeof answer>;

export const sessionEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/session",
    summary: "Who the key belongs to and what it may do",
    tag: "session",
    status: 200,
    answer,
    handle: async ({ core, call }) => presentSession(await core.session(call)),
  }),
];
