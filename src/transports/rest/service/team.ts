import * as z from "zod";
import { OWNER } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { dateTime } from "../schemas.js";

const role = z.enum(["owner", "admin", "member"]);
const member = z.object({ id: z.string(), name: z.string(), email: z.string(), role, joinedAt: dateTime });
const invitation = z.object({ id: z.string(), email: z.string(), role, status: z.string(), invitedAt: dateTime });

const ONE_OWNER = "This server has one owner and no team, so this is always refused with 403.";
const anything = z.record(z.string(), z.unknown());
const nothing = z.object({ success: z.boolean() });

/** contract 6.7. */
export const teamEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/auth/team/members",
    operationId: "listTeamMembers",
    summary: "List members of the organisation",
    description: "Only the owner of this server.",
    tag: "team",
    status: 200,
    answer: z.object({ members: z.array(member) }),
    async handle({ core, call }) {
      const { owner } = await core.getTeam(call);
      return { members: [{ ...OWNER, role: "owner" as const, joinedAt: owner.joinedAt }] };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/auth/team/invitations",
    operationId: "listInvitations",
    summary: "List open invitations",
    description: "Always empty: nobody can be invited.",
    tag: "team",
    status: 200,
    answer: z.object({ invitations: z.array(invitation) }),
    async handle({ core, call }) {
      await core.getTeam(call);
      return { invitations: [] };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/auth/team/invite",
    isExact: true,
    operationId: "inviteMember",
    summary: "Invite a member",
    description: ONE_OWNER,
    tag: "team",
    body: anything,
    isBodyOptional: true,
    status: 200,
    answer: nothing,
    handle: ({ core, call }) => core.changeTeam(call),
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/auth/team/members/{memberId}",
    operationId: "removeMember",
    summary: "Remove a member",
    description: ONE_OWNER,
    tag: "team",
    status: 200,
    answer: nothing,
    handle: ({ core, call }) => core.changeTeam(call),
  }),
  defineEndpoint({
    method: "put",
    path: "/v3/auth/team/members/{memberId}/role",
    operationId: "changeMemberRole",
    summary: "Change a member's role",
    description: ONE_OWNER,
    tag: "team",
    body: anything,
    isBodyOptional: true,
    status: 200,
    answer: nothing,
    handle: ({ core, call }) => core.changeTeam(call),
  }),
];
