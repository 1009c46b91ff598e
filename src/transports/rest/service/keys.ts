import * as z from "zod";
import {
  clientSchema,
  type CreatedKey,
  expiresInDaysSchema,
  keyNameSchema,
  permissionSchema,
  rateSchema,
} from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { containerFields, dateTime, tagsOf } from "../schemas.js";
import { keyAnswer, permissionOf, presentKey, keyTagsOf } from "./present-key.js";

const permission = z.enum(["read", "write"]);

/** What a scoped key may call, as paths (contract 1.2). */
const ALLOWED_ENDPOINTS = [
  "/v3/documents",
  "/v3/memories",
  "/v4/memories",
  "/v3/search",
  "/v4/search",
  "/v4/profile",
] as const;
/** Requests per minute that a scoped key may make by default (contract 6.6). */
const USUAL_RATE = { requests: 500, windowMs: 60_000 };

const made = z.object({
  key: z.string().describe("The key itself. It is shown only once."),
  id: z.string(),
  name: z.string(),
  permission,
  containerTag: z.string().nullable(),
  containerTags: z.array(z.string()).nullable(),
  expiresAt: dateTime.nullable(),
});

function presentMade({ key, secret }: CreatedKey): z.infer<typeof made> {
  const { id, name, expiresAt } = key;
  return { key: secret, id, name, permission: permissionOf(key), ...keyTagsOf(key), expiresAt };
}

const ONLY_OWNER = "Only a key of the whole organisation may do this.";
const keyId = { id: "Id of the key." };

/** contract 6.6. */
export const keyEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/auth/scoped-key",
    isExact: true,
    operationId: "createScopedKey",
    summary: "Create a key for one or several containers",
    description: `${ONLY_OWNER} The key reaches only the documents, memories, search and profiles of its containers.`,
    tag: "keys",
    example: { containerTag: "mia", name: "phone of Mia", expiresInDays: 90 },
    body: z.object({
      ...containerFields,
      name: keyNameSchema.optional(),
      permission: permissionSchema.optional(),
      expiresInDays: expiresInDaysSchema.optional(),
      rateLimitMax: rateSchema.shape.requests.optional(),
      rateLimitTimeWindow: rateSchema.shape.windowMs.optional(),
    }),
    status: 200,
    answer: made.extend({ allowedEndpoints: z.array(z.string()) }),
    async handle({ core, call, body }) {
      // The core refuses an empty list, in its own words.
      const tags = tagsOf(body) ?? [];
      const { rateLimitMax, rateLimitTimeWindow, expiresInDays } = body;
      const created = await core.createKey(call, {
        kind: "scoped",
        name: body.name ?? `scoped_${tags.join("_")}`.slice(0, 200),
        permission: body.permission,
        grants: tags.map((containerTag) => ({ containerTag })),
        expiresInDays,
        rate: {
          requests: rateLimitMax ?? USUAL_RATE.requests,
          windowMs: rateLimitTimeWindow ?? USUAL_RATE.windowMs,
        },
      });
      return { ...presentMade(created), allowedEndpoints: [...ALLOWED_ENDPOINTS] };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/auth/agent-key",
    isExact: true,
    operationId: "createAgentKey",
    summary: "Create a key for an agent or a plugin",
    description: `${ONLY_OWNER} Without containers the key reaches all of them; with \`pluginId\` it is listed as the key of that plugin.`,
    tag: "keys",
    example: { name: "research agent", permission: "read", containerTags: ["mia"], expiresInDays: 30 },
    body: z.object({
      ...containerFields,
      name: keyNameSchema.default("agent"),
      permission: permissionSchema.default("write"),
      expiresInDays: expiresInDaysSchema.nullish(),
      pluginId: clientSchema.nullish(),
      deviceInfo: z
        .record(z.string(), z.unknown())
        .nullish()
        .describe("What clients report about their machine; not stored."),
    }),
    idle: { deviceInfo: "what a client reports about its machine is not stored" },
    status: 200,
    answer: made.extend({ pluginId: z.string().nullable() }),
    async handle({ core, call, body }) {
      const { name, permission: allowed, expiresInDays, pluginId } = body;
      const created = await core.createKey(call, {
        kind: pluginId ? "plugin" : "agent",
        client: pluginId ?? undefined,
        name,
        permission: allowed,
        grants: tagsOf(body)?.map((containerTag) => ({ containerTag })),
        expiresInDays: expiresInDays ?? undefined,
      });
      return { ...presentMade(created), pluginId: created.key.client };
    },
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/auth/scoped-key/{id}",
    parameters: keyId,
    operationId: "deleteKey",
    summary: "Revoke a key permanently",
    description: `${ONLY_OWNER} Everything that was written with the key stays.`,
    tag: "keys",
    status: 200,
    answer: z.object({ success: z.literal(true) }),
    async handle({ core, call, parameter }) {
      await core.revokeKey(call, { id: parameter("id") });
      return { success: true as const };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/auth/keys",
    operationId: "listKeys",
    summary: "List the keys",
    description: `${ONLY_OWNER} Deleted keys are left out. \`key\` shows the beginning and the last characters; a key cannot be read again.`,
    tag: "keys",
    status: 200,
    answer: z.object({ keys: z.array(keyAnswer) }),
    async handle({ core, call }) {
      const { keys } = await core.listKeys(call);
      return { keys: keys.filter(({ revokedAt }) => revokedAt === null).map(presentKey) };
    },
  }),
  defineEndpoint({
    method: "put",
    path: "/v3/auth/keys/{id}/toggle",
    parameters: keyId,
    operationId: "toggleKey",
    summary: "Disable a key, or enable it again",
    description: `${ONLY_OWNER} A key cannot disable itself.`,
    refusals: { 409: "The key would disable itself." },
    tag: "keys",
    status: 200,
    answer: z.object({ enabled: z.boolean() }),
    async handle({ core, call, parameter }) {
      const { enabled } = await core.toggleKey(call, { id: parameter("id") });
      return { enabled };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/auth/plugins",
    operationId: "listPlugins",
    summary: "List connected plugins",
    description: `${ONLY_OWNER} One entry for each plugin that has a valid key.`,
    tag: "keys",
    status: 200,
    answer: z.object({ plugins: z.array(z.string()) }),
    async handle({ core, call }) {
      const { keys } = await core.listKeys(call);
      const open = keys.filter(({ kind, isOpen }) => kind === "plugin" && isOpen);
      return { plugins: [...new Set(open.flatMap(({ client }) => client ?? []))].sort() };
    },
  }),
];
