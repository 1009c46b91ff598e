import * as z from "zod";
import { ORGANIZATION_NAME, resetSchema, settingsSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { profileBuckets } from "../containers/present-container.js";
import { presentSettings, settingsAnswer } from "./present-settings.js";

const updateAnswer = z.object({ orgId: z.string(), orgSlug: z.string(), updated: settingsAnswer });

const count = z.int().min(0);
const resetAnswer = z.object({
  success: z.literal(true),
  deletedConnections: count,
  deletedDocumentBatches: count,
  deletedDocumentsApprox: count,
  deletedMemoryRows: count,
  deletedExtraSpaces: count,
  clearedDefaultSpaceContext: z.boolean(),
  clearedBrainMemoryRegistry: z.boolean(),
  settingsReset: z.boolean(),
});

/** Fields of provider apps that have no effect, each with the reason. */
const IDLE_APP_FIELDS = Object.fromEntries(
  ["notion", "github", "googleDrive", "onedrive"].map((provider) => [
    `${provider}CustomKeyEnabled`,
    "an app whose id is set is always used; the value was stored",
  ]),
);

export const settingsEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/settings",
    operationId: "getSettings",
    summary: "Get the settings",
    description:
      "For a client that identifies itself, by its key or by the header `x-sm-source`, its own settings override the common ones.",
    tag: "settings",
    status: 200,
    answer: settingsAnswer,
    handle: async ({ core, call }) => presentSettings((await core.getSettings(call)).settings),
  }),
  defineEndpoint({
    method: "patch",
    path: "/v3/settings",
    isExact: true,
    operationId: "updateSettings",
    summary: "Update settings",
    description:
      "Absent fields stay unchanged, null clears a field, and unknown fields are refused. Settings written by a client that identifies itself, by its key or by the header `x-sm-source`, apply only to that client. Changes apply to what is added afterwards; `POST /v3/reprocess` applies them to existing documents. `warnings` says what has no effect without a language model.",
    tag: "settings",
    example: { shouldLLMFilter: true, filterPrompt: "Keep decisions and preferences." },
    body: settingsSchema,
    idle: IDLE_APP_FIELDS,
    status: 200,
    answer: updateAnswer,
    async handle({ core, call, body }) {
      const { settings } = await core.updateSettings(call, body);
      const { organizationId } = call.actor;
      return { orgId: organizationId, orgSlug: organizationId, updated: presentSettings(settings) };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/settings/reset",
    isExact: true,
    operationId: "resetOrganization",
    summary: "Delete all documents, memories, containers and settings",
    description: `The confirmation is the name of the organisation, \`${ORGANIZATION_NAME}\`, or its slug. Keys stay.`,
    tag: "settings",
    body: resetSchema,
    status: 200,
    answer: resetAnswer,
    async handle({ core, call, body }) {
      const removed = await core.resetOrganization(call, body);
      return {
        success: true as const,
        deletedConnections: 0,
        deletedDocumentBatches: removed.documentBatches,
        deletedDocumentsApprox: removed.documents,
        deletedMemoryRows: removed.memories,
        deletedExtraSpaces: removed.containers,
        clearedDefaultSpaceContext: removed.clearedDefaultContext,
        clearedBrainMemoryRegistry: false,
        settingsReset: true,
      };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/settings/suggest-buckets",
    operationId: "suggestBuckets",
    summary: "Suggest profile buckets that suit filterPrompt; nothing is stored",
    description: "Requires `filterPrompt` to be set in the settings.",
    tag: "settings",
    status: 200,
    answer: z.object({ suggestions: profileBuckets }),
    async handle({ core, call }) {
      const { suggestions } = await core.suggestBuckets(call);
      return { suggestions: suggestions.map(({ key, description }) => ({ key, description })) };
    },
  }),
];
