import * as z from "zod";
import { updateContainerSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import {
  acceptedMerge,
  containerAnswer,
  listedContainer,
  mergeAnswer,
  presentAcceptedMerge,
  presentContainer,
  presentListedContainer,
  presentMerge,
  presentUpdatedContainer,
  updatedContainer,
} from "./present-container.js";
import { containerTag } from "../schemas.js";

const updateBody = updateContainerSchema.omit({ containerTag: true });

const TWO = "must name two different containers";

/** The two names used in one example of the specification mean the same (contract 5.5). */
const mergeBody = z
  .object({
    containerTags: z.array(containerTag).min(2, TWO).max(2, TWO).optional(),
    targetContainerTag: containerTag.optional(),
    from: containerTag.optional(),
    to: containerTag.optional(),
  })
  .superRefine(({ containerTags, targetContainerTag, from, to }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (to !== undefined && targetContainerTag !== undefined && to !== targetContainerTag)
      refuse("to", "contradicts targetContainerTag; send one of them");
    const sources = containerTags?.filter((tag) => tag !== (targetContainerTag ?? to));
    if (from !== undefined && sources && !isOnly(sources, from))
      refuse("from", "contradicts containerTags and their target; send only these");
  });

function isOnly(tags: readonly string[], tag: string): boolean {
  return tags.length === 1 && tags[0] === tag;
}

const deleteAnswer = z.object({
  success: z.literal(true),
  containerTag,
  deletedDocumentsCount: z.int().min(0),
  deletedMemoriesCount: z.int().min(0),
});

export const containerTagEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/container-tags/list",
    operationId: "listContainerTags",
    summary: "List container tags with their counts",
    description: "The containers that the key may see, with the numbers of documents and memories.",
    tag: "container tags",
    status: 200,
    answer: z.array(listedContainer),
    async handle({ core, call }) {
      const { containers } = await core.listContainers(call);
      return containers.map(presentListedContainer);
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/container-tags/merge",
    isExact: true,
    operationId: "mergeContainerTags",
    summary: "Merge containers: move all content into one and delete the others",
    description:
      "Runs in the background; `GET /v3/container-tags/merge/{mergeId}` reports its progress. The merged containers are deleted afterwards. If a document has the same customId as one in the target, the customId still means the one in the target; the other is then found only by its id, and its `document.moved` entry in the journal says what its customId was.",
    refusals: { 404: "One of the containers does not exist." },
    tag: "container tags",
    example: { containerTags: ["mia-old", "mia"], targetContainerTag: "mia" },
    body: mergeBody,
    status: 202,
    answer: acceptedMerge,
    async handle({ core, call, body: { containerTags, targetContainerTag, from, to } }) {
      const named = from !== undefined && to !== undefined ? [from, to] : undefined;
      const input = { containerTags: containerTags ?? named, targetContainerTag: targetContainerTag ?? to };
      return presentAcceptedMerge(await core.mergeContainers(call, input));
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/container-tags/merge/{mergeId}",
    operationId: "getMerge",
    summary: "Get the progress of a merge",
    description:
      "`status` ends as `completed` or `failed`; `lastError` says why it failed. `progress.withoutCustomId` counts documents that lost their customId because another document in the target has it.",
    tag: "container tags",
    parameters: { mergeId: "Id of the merge, from the response that accepted it." },
    status: 200,
    answer: mergeAnswer,
    handle: async ({ core, call, parameter }) => presentMerge(await core.getMerge(call, { id: parameter("mergeId") })),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/container-tags/{containerTag}",
    operationId: "getContainerTag",
    summary: "Get a container tag",
    description: "The name, guidance and counts of one container.",
    tag: "container tags",
    status: 200,
    answer: containerAnswer,
    handle: async ({ core, call, parameter }) =>
      presentContainer(await core.getContainer(call, { containerTag: parameter("containerTag") })),
  }),
  defineEndpoint({
    method: "patch",
    path: "/v3/container-tags/{containerTag}",
    operationId: "updateContainerTag",
    summary: "Update a container tag, or create it",
    description:
      "A tag that does not exist is created. Absent fields stay unchanged; null removes any field but `name` and `profileBuckets`.",
    tag: "container tags",
    example: { name: "Mia", entityContext: "Notes about Mia, a customer." },
    body: updateBody,
    status: 200,
    answer: updatedContainer,
    handle: async ({ core, call, body, parameter }) =>
      presentUpdatedContainer(await core.updateContainer(call, { ...body, containerTag: parameter("containerTag") })),
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/container-tags/{containerTag}",
    operationId: "deleteContainerTag",
    summary: "Delete a container tag and everything in it",
    description: "Deletes its documents and forgets its memories.",
    tag: "container tags",
    status: 200,
    answer: deleteAnswer,
    async handle({ core, call, parameter }) {
      const deleted = await core.deleteContainer(call, { containerTag: parameter("containerTag") });
      return {
        success: true as const,
        containerTag: deleted.containerTag,
        deletedDocumentsCount: deleted.deletedDocuments,
        deletedMemoriesCount: deleted.deletedMemories,
      };
    },
  }),
];
