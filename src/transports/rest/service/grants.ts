import * as z from "zod";
import type { AppGrant } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { dateTime } from "../schemas.js";

const grantAnswer = z.object({
  id: z.string(),
  clientId: z.string().describe("What the app calls itself: a random text, or the address of its document."),
  clientName: z.string().describe("The name that the app gives itself; not checked by anybody."),
  clientHost: z.string().describe("The host that vouches for the app, or that it was sent back to."),
  permission: z.enum(["read", "write"]),
  containerTags: z.array(z.string()).nullable().describe("The only containers of the app; null for all."),
  createdAt: dateTime,
  lastUsedAt: dateTime.nullable(),
  expiresAt: dateTime.nullable().describe("Null for never."),
});

function presentGrant(grant: AppGrant): z.infer<typeof grantAnswer> {
  return {
    id: grant.id,
    clientId: grant.clientId,
    clientName: grant.clientName,
    clientHost: grant.clientHost,
    permission: grant.permission,
    containerTags: grant.containerTags && [...grant.containerTags],
    createdAt: grant.createdAt,
    lastUsedAt: grant.lastUsedAt,
    expiresAt: grant.expiresAt,
  };
}

/** contract 7.3. */
export const grantEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/oauth/grants",
    operationId: "listGrants",
    summary: "List authorized apps",
    description:
      "Only a key of the whole organisation may do this. One entry for each time that an app was let in by OAuth and may still come in; the newest first.",
    tag: "keys",
    status: 200,
    answer: z.object({ grants: z.array(grantAnswer) }),
    async handle({ core, call }) {
      const { grants } = await core.listGrants(call);
      return { grants: grants.map(presentGrant) };
    },
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/oauth/grants/{clientId}",
    parameters: { clientId: "`clientId` of an app, for everything that it may do, or `id` of one entry." },
    operationId: "revokeGrant",
    summary: "Revoke the authorization of an app",
    description: "Only a key of the whole organisation may do this. The tokens of the app open nothing from now on.",
    tag: "keys",
    status: 200,
    answer: z.object({ success: z.literal(true), revoked: z.int().describe("How many entries ended.") }),
    async handle({ core, call, parameter }) {
      const { revoked } = await core.revokeGrants(call, { client: parameter("clientId") });
      return { success: true as const, revoked };
    },
  }),
];
