import * as z from "zod";
import { type Actor, isReader, OWNER, permissionOn } from "../../../core/types.js";
import { defineTool, type Tool } from "../tool.js";
import { READ_ONLY } from "../tools/arguments.js";
import { bothNamesSchema, presentBothNames } from "./arguments.js";

const permission = z.enum(["read", "write"]);

const output = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(["owner", "member"]),
  accessType: z.enum(["full", "restricted"]),
  activeSpace: z.string(),
  assignedSpaces: z.array(z.object({ ...bothNamesSchema, permission })).nullable(),
  scope: z.object({
    type: z.enum(["full", "scoped"]),
    permission: permission.optional(),
    tags: z.array(z.string()).optional(),
    rateLimit: z.number().optional(),
    expires: z.string().optional(),
  }),
  client: z.object({ name: z.string() }).optional(),
});

const whoTool = (name: string): Tool =>
  defineTool({
    name,
    title: "Who am I",
    description: "Whom this connection acts for, and which containers it may use.",
    input: z.object({}),
    output,
    annotations: READ_ONLY,
    async run({ core, actor, defaultContainer }) {
      const { containers, readOnly, rate, expiresAt, client } = await core.session({ actor });
      const isFull = containers === "all" && readOnly !== "all";
      const spaces = containers === "all" ? null : containers;
      const mayWrite = !isReader({ containers, readOnly });
      const structured = {
        userId: OWNER.id,
        email: OWNER.email,
        name: OWNER.name,
        role: isFull ? ("owner" as const) : ("member" as const),
        accessType: isFull ? ("full" as const) : ("restricted" as const),
        activeSpace: activeSpaceOf({ containers, readOnly }, defaultContainer),
        assignedSpaces:
          spaces?.map((tag) => ({ ...presentBothNames(tag), permission: permissionOn({ readOnly }, tag) })) ?? null,
        scope: {
          type: isFull ? ("full" as const) : ("scoped" as const),
          ...(!isFull && { permission: mayWrite ? ("write" as const) : ("read" as const) }),
          ...(spaces && { tags: [...spaces] }),
          ...(rate && { rateLimit: rate.requests }),
          ...(expiresAt !== null && { expires: expiresAt }),
        },
        ...(client !== null && { client: { name: client } }),
      };
      // The third generation answered in JSON, which programs parse.
      return { text: JSON.stringify(structured), structured };
    },
  });

/** The container in which a call that names none acts, if any. */
function activeSpaceOf(asker: Pick<Actor, "containers" | "readOnly">, defaultContainer: string): string {
  const { containers } = asker;
  if (containers === "all" || containers.includes(defaultContainer)) return defaultContainer;
  return containers.find((tag) => permissionOn(asker, tag) === "write") ?? containers[0] ?? defaultContainer;
}

/** The caller under the names of three generations. */
export const identityTools: readonly Tool[] = [whoTool("who_am_i"), whoTool("whoAmI")];
