import * as z from "zod";
import { conversationSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { documentContainerFields, documentStatus, tagsOf } from "../schemas.js";

const { conversationId, messages, metadata, endUserId, entityContext, forgetAfter } = conversationSchema.shape;

/** Examples in the contract name the conversation `customId` (contract 2.11). */
const conversationBody = z
  .object({
    conversationId: conversationId.optional(),
    customId: conversationId.optional(),
    messages,
    ...documentContainerFields,
    metadata,
    endUserId,
    entityContext,
    forgetAfter,
  })
  .superRefine((body, context) => {
    if (body.conversationId === undefined && body.customId === undefined)
      context.addIssue({ code: "custom", path: ["conversationId"], message: "must be a string" });
  });

const conversationAnswer = z.object({ id: z.string(), conversationId: z.string(), status: documentStatus });

export const conversationEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v4/conversations",
    operationId: "addConversation",
    summary: "Add a conversation, or its new messages",
    description:
      "A conversation is a separate document under `conversationId`: send it whole each time, and only what is new is processed; an edited message replaces its former text. Tool calls and their results are kept as turns of `tool`: results up to 20,000 characters, arguments up to 4,000. Images in `image_url` and `image` parts are read like files: what they show becomes a turn of `tool` after the message, and any that cannot be kept are named in `warnings`.",
    tag: "conversations",
    carries: "conversation",
    body: conversationBody,
    example: {
      conversationId: "chat-1",
      messages: [
        { role: "user", content: "I prefer trains to planes." },
        { role: "assistant", content: "Noted: trains it is." },
      ],
      containerTags: ["mia"],
    },
    idleBeside: ({ conversationId, customId = conversationId }) =>
      conversationId !== undefined && customId !== conversationId
        ? [`customId: has no effect: the conversation is stored as conversationId ${conversationId}`]
        : [],
    status: 200,
    answer: conversationAnswer,
    async handle({ core, call, body }) {
      const { customId, containerTag: _one, containerTags: _many, ...fields } = body;
      const named = { ...fields, conversationId: fields.conversationId ?? customId, containerTags: tagsOf(body) };
      const { id, conversationId, status, warnings } = await core.addConversation(call, named);
      return { id, conversationId, status, ...(warnings.length > 0 && { warnings }) };
    },
  }),
];
