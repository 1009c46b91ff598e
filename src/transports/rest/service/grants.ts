import * as z from "zod";
import type { AppGrant } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { dateTime } from "../schemas.js";

const grantAnswer = z.object({
  id: z.string(),
  clientId: z.string().describe("The client id of the app: a random string, or the address of its document."),
  clientName: z.string().describe("The name that the app gives itself; it is not verified."),
  clientHost: z.string().describe("The host that vouches for the app, or that the browser was sent back to."),
  permission: z.enum(["read", "write"]),
  containerTags: z.array(z.string()).nullable().describe("The only containers of the app; null for all."),
  createdAt: dateTime,
  lastUsedAt: dateTime.nullable(),
  expiresAt: dateTime.nullable().describe("Null if it never expires."),
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
    summary: "List authorised apps",
    description:
      "Only a key of the whole organisation may do this. One entry for each authorisation of an app by OAuth that is still valid, newest first.",
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
    parameters: { clientId: "`clientId` of an app, for all its authorisations, or `id` of one entry." },
    operationId: "revokeGrant",
    summary: "Revoke the authorisation of an app",
    description: "Only a key of the whole organisation may do this. The tokens of the app stop working immediately.",
    tag: "keys",
    status: 200,
    answer: z.object({ success: z.literal(true), revoked: z.int().describe("Number of entries that were revoked.") }),
    async handle({ core, call, parameter }) {
      const { revoked } = await core.revokeGrants(call, { client: parameter("clientId") });
      return { success: true as const, revoked };
    },
  }),
];
