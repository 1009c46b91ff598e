import * as z from "zod";
import { fold } from "../../language/words.js";
import { requireAllContainers, reachableContainers } from "../auth.js";
import { noteContainer } from "./containers.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { finishDeletion, markDeleted } from "./delete-container.js";
import { notFound } from "../errors.js";
import { customIdSchema, invalid, noteSchema, parseInput, textSchema } from "../input.js";
import { acceptMerge } from "./merge-containers.js";
import { runOnce } from "../operations.js";
import type { Repositories } from "../ports.js";
import type { ContainerSummary } from "../types.js";

/** Containers with this tag prefix are what apps call projects (contract 5.6). */
export const PROJECT_PREFIX = "sm_project_";
const LONGEST_TAG = 100;
/** Leaves room for the number appended to a name that is taken. */
const LONGEST_SLUG = LONGEST_TAG - PROJECT_PREFIX.length - 6;

/** Projects by name. A project that is being moved into another no longer appears. */
export async function listProjects(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
): Promise<{ projects: ContainerSummary[] }> {
  const leaving = (await store.merges.open(actor.organizationId)).flatMap(({ sourceTags }) => sourceTags);
  const containers = await store.containers.list(actor.organizationId, reachableContainers(actor, undefined));
  const projects = containers.filter(({ tag }) => tag.startsWith(PROJECT_PREFIX) && !leaving.includes(tag));
  return { projects: projects.toSorted((left, right) => left.id - right.id) };
}

export const createProjectSchema = z.object({
  name: textSchema({ maxLength: 100 }),
  emoji: noteSchema(10).nullish(),
});

/** Creates an empty project; its tag is derived from its name. @throws AppError `forbidden` for a restricted caller */
export async function createProject(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ContainerSummary> {
  const { name, emoji } = parseInput(createProjectSchema, raw);
  const { actor } = call;
  requireAllContainers(actor);
  return runOnce(context, call, "createProject", async (repositories) => {
    const tag = await findFreeTag(repositories, actor.organizationId, slugOf(name));
    const change = { name: name.trim(), ...(emoji && { emoji }) };
    const container = await repositories.containers.update(actor.organizationId, tag, change);
    await noteContainer(repositories, actor, container, { action: "container.added", before: null, after: change });
    return { ...container, documentCount: 0, memoryCount: 0, lastActivityAt: null };
  });
}

/** `My Café Notes!` -> `my_cafe_notes`. */
function slugOf(name: string): string {
  const slug = fold(name.trim())
    .replace(/\s+/gu, "_")
    .replace(/[^a-z0-9_:.-]/gu, "")
    .slice(0, LONGEST_SLUG);
  return /[a-z0-9]/.test(slug) ? slug : "project";
}

async function findFreeTag({ containers }: Repositories, organizationId: string, slug: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const tag = `${PROJECT_PREFIX}${slug}${number === 1 ? "" : `_${number}`}`;
    if (!(await containers.get(organizationId, tag))) return tag;
  }
}

export const deleteProjectSchema = z.object({
  /** Id or container tag of the project. */
  id: customIdSchema,
  action: z.enum(["move", "delete"], "must be move or delete"),
  /** Id or container tag of the project that receives the contents. */
  targetProjectId: customIdSchema.nullish(),
});

const CONTRADICTS_DELETE = "contradicts the action delete, which keeps nothing; leave it out, or send the action move";

export interface DeletedProject {
  readonly containerTag: string;
  readonly documents: number;
  readonly memories: number;
  /** Tag of the project that its contents are moved to. */
  readonly movedTo: string | null;
}

/**
 * Deletes a project with its contents, or first moves those to another project, which a job continues after the answer.
 * @throws AppError `not_found` for either project, `invalid` for moving without a target or to itself and for deleting
 * with a target, `forbidden` for a restricted caller, `conflict` while it is being merged
 */
export async function deleteProject(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<DeletedProject> {
  const input = parseInput(deleteProjectSchema, raw);
  requireAllContainers(call.actor);
  const { targetProjectId } = input;
  if (input.action === "delete") {
    if (targetProjectId) throw invalid([{ path: ["targetProjectId"], message: CONTRADICTS_DELETE }]);
    return removeProject(context, call, input.id);
  }
  if (!targetProjectId) throw invalid([{ path: ["targetProjectId"], message: "is required to move its content" }]);
  const moved = await runOnce(context, call, "deleteProject", async (repositories) => {
    const project = await findProject(repositories, call.actor.organizationId, input.id);
    const target = await findProject(repositories, call.actor.organizationId, targetProjectId);
    if (project.id === target.id)
      throw invalid([{ path: ["targetProjectId"], message: "must be a different project from the one to delete" }]);
    await acceptMerge(repositories, call.actor, [project.tag], target.tag);
    const { tag, documentCount, memoryCount } = project;
    return { containerTag: tag, documents: documentCount, memories: memoryCount, movedTo: target.tag };
  });
  context.wakeJobs();
  return moved;
}

async function removeProject(context: CoreContext, call: AuthorizedCall, id: string): Promise<DeletedProject> {
  const { deleted, deletion } = await runOnce(context, call, "deleteProject", async (repositories) => {
    const project = await findProject(repositories, call.actor.organizationId, id);
    return markDeleted(context, repositories, call.actor, project.tag);
  });
  await finishDeletion(context, deleted);
  return {
    containerTag: deletion.containerTag,
    documents: deletion.deletedDocuments,
    memories: deletion.deletedMemories,
    movedTo: null,
  };
}

async function findProject(
  { containers }: Repositories,
  organizationId: string,
  id: string,
): Promise<ContainerSummary> {
  const all = await containers.list(organizationId, "all");
  const project = all.find(({ uid, tag }) => tag.startsWith(PROJECT_PREFIX) && (uid === id || tag === id));
  if (!project) throw notFound("project", id);
  return project;
}
