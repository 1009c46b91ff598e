import * as z from "zod";
import { createProjectSchema, deleteProjectSchema, type DeletedProject } from "../../../core/index.js";
import type { ContainerSummary } from "../../../core/types.js";
import { defineEndpoint } from "../endpoint.js";
import { containerTag, dateTime } from "../schemas.js";

const count = z.int().min(0);

/** A project is a container whose tag begins with `sm_project_` (contract 5.6). */
const project = z.object({
  id: z.string(),
  name: z.string(),
  containerTag,
  createdAt: dateTime,
  updatedAt: dateTime,
  isExperimental: z.boolean(),
  documentCount: count,
  emoji: z.string().optional(),
});

function presentProject(container: ContainerSummary): z.infer<typeof project> {
  const { uid, tag, name, createdAt, updatedAt, isExperimental, documentCount, emoji } = container;
  return {
    id: uid,
    name: name ?? nameOf(tag),
    containerTag: tag,
    createdAt,
    updatedAt,
    isExperimental,
    documentCount,
    ...(emoji !== null && { emoji }),
  };
}

/** What clients call a project without a name. */
function nameOf(tag: string): string {
  return tag === "sm_project_default" ? "Default Project" : tag.replace(/^sm_project_/, "");
}

const deleteAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  documentsAffected: count,
  memoriesAffected: count,
});

export const projectEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/projects",
    operationId: "listProjects",
    summary: "List projects",
    description: "Containers whose tag begins with `sm_project_`.",
    tag: "projects",
    status: 200,
    answer: z.object({ projects: z.array(project) }),
    async handle({ core, call }) {
      const { projects } = await core.listProjects(call);
      return { projects: projects.map(presentProject) };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/projects",
    operationId: "createProject",
    summary: "Create a project",
    description: "Creates a container whose tag is derived from the name.",
    tag: "projects",
    example: { name: "Travel", emoji: "🚆" },
    body: createProjectSchema,
    status: 200,
    answer: project,
    handle: async ({ core, call, body }) => presentProject(await core.createProject(call, body)),
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/projects/{id}",
    operationId: "deleteProject",
    summary: "Delete a project, or move its content to another one",
    description: "`move` keeps its content, in another project; `delete` does not.",
    tag: "projects",
    parameters: { id: "Id or container tag of the project" },
    example: { action: "delete" },
    body: deleteProjectSchema.omit({ id: true }),
    status: 200,
    answer: deleteAnswer,
    async handle({ core, call, body, parameter }) {
      const deleted = await core.deleteProject(call, { ...body, id: parameter("id") });
      return {
        success: true as const,
        message: messageOf(deleted),
        documentsAffected: deleted.documents,
        memoriesAffected: deleted.memories,
      };
    },
  }),
];

function messageOf({ containerTag, movedTo }: DeletedProject): string {
  return movedTo === null
    ? `The project ${containerTag} was deleted with everything in it.`
    : `The content of the project ${containerTag} moves to ${movedTo}; then the project is deleted.`;
}
