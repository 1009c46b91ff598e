import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import { rangeSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { optionalNumber } from "../query-parameters.js";
import { dateTime } from "../schemas.js";

const digestStatus = z.enum(["pending", "processing", "completed", "failed"]);
const digest = z.object({
  id: z.string(),
  isoWeek: z.string(),
  emailSubject: z.string().nullable(),
  title: z.string().nullable(),
  status: digestStatus,
  sentAt: dateTime.nullable(),
  generatedAt: dateTime,
  highlightCount: z.int(),
  memoryCount: z.int(),
});
const digestPreferences = z.object({ digestOptOut: z.boolean("must be true or false") });
const NO_DIGESTS = "This server writes no weekly digests, so there are none.";
const NO_MAIL = "this server sends no such email";
const NOTHING_TO_MOVE = "there is nothing to import here";
const NO_DIGESTS_WANTED = { digestOptOut: true };

/** What only the vendor's web app requests (contract 6.9), answered as applies here. */
export const webAppEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/documents/migrate-mcp",
    operationId: "migrateMcpDocuments",
    summary: "Import documents from an older MCP server",
    description: "There are none to import: this server never had an older MCP server.",
    tag: "web app",
    body: z.object({
      userId: z.string().max(255),
      projectId: z.string().max(255).optional(),
    }),
    idle: { userId: NOTHING_TO_MOVE, projectId: NOTHING_TO_MOVE },
    status: 200,
    answer: z.object({ success: z.boolean(), migratedCount: z.int(), message: z.string() }),
    handle: () => ({ success: true, migratedCount: 0, message: "There is nothing to migrate." }),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/mcp/has-login",
    operationId: "hasMcpLogin",
    summary: "Check whether an MCP client has signed in before",
    description: "Always false: MCP clients of this server use a key or sign in by OAuth.",
    tag: "web app",
    status: 200,
    answer: z.object({ previousLogin: z.boolean() }),
    handle: () => ({ previousLogin: false }),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/waitlist/status",
    operationId: "getWaitlistStatus",
    summary: "Check whether the caller is on the waitlist",
    description: "The caller never is: this server has no waitlist.",
    tag: "web app",
    status: 200,
    answer: z.object({ inWaitlist: z.boolean(), accessGranted: z.boolean(), createdAt: dateTime }),
    async handle({ core, call }) {
      const { owner } = await core.getTeam(call);
      return { inWaitlist: false, accessGranted: true, createdAt: owner.joinedAt };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/digests",
    operationId: "listDigests",
    summary: "List weekly digests",
    description: NO_DIGESTS,
    tag: "web app",
    query: z.object({
      page: optionalNumber(rangeSchema.shape.page.unwrap()).describe("Page number, starting at 1. Default 1."),
      limit: optionalNumber(rangeSchema.shape.limit.unwrap()).describe("Digests per page, 1 to 100. Default 20."),
    }),
    status: 200,
    answer: z.object({ digests: z.array(digest), page: z.int(), limit: z.int() }),
    handle: ({ query }) => ({ digests: [], page: query.page ?? 1, limit: query.limit ?? 20 }),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/digests/preferences",
    operationId: "getDigestPreferences",
    summary: "Get the preference for weekly digests",
    description: "Always opted out: this server writes no digests.",
    tag: "web app",
    status: 200,
    answer: digestPreferences,
    handle: () => NO_DIGESTS_WANTED,
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/digests/preferences",
    operationId: "updateDigestPreferences",
    summary: "Change the preference for weekly digests",
    description: "This server writes no digests either way, and the response says so.",
    tag: "web app",
    body: digestPreferences,
    idle: { digestOptOut: "this server writes no digests" },
    status: 200,
    answer: digestPreferences,
    handle: () => NO_DIGESTS_WANTED,
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/digests/{id}",
    parameters: { id: "Id of the digest." },
    operationId: "getDigest",
    summary: "Get a weekly digest",
    description: NO_DIGESTS,
    tag: "web app",
    status: 200,
    answer: digest.omit({ title: true, highlightCount: true, memoryCount: true }).extend({
      digestData: z.record(z.string(), z.unknown()),
    }),
    handle({ parameter }) {
      throw new AppError("not_found", `Digest not found: ${parameter("id")}`);
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/emails/welcome/pro",
    operationId: "sendWelcomeEmail",
    summary: "Send a welcome email",
    description: "This server sends no email, and the response says so.",
    tag: "web app",
    body: z.object({ email: z.string("must be a string"), firstName: z.string("must be a string") }),
    idle: { email: NO_MAIL, firstName: NO_MAIL },
    status: 200,
    answer: z.object({ message: z.string() }),
    handle: () => ({ message: "This server sends no email." }),
  }),
];
