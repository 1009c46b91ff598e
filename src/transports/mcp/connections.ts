import { AppError } from "../../core/errors.js";
import { fence } from "./recalled.js";
import { count } from "../../lib/count.js";
import { oneLine } from "../../lib/one-line.js";
import type { CallerSession } from "./tool.js";

/** The connections that bring in documents, and their state; a single sentence for a key that may not see them. */
export async function describeConnections({ core, actor }: CallerSession): Promise<string> {
  const found = await core.listConnections({ actor }, {}).catch((error: unknown) => {
    if (error instanceof AppError && error.kind === "forbidden") return null;
    throw error;
  });
  if (found === null) return "This key may not see connections.";
  const { connections } = found;
  if (connections.length === 0) return "There are no connections.";
  const lines = connections.map(({ id, provider, account, containerTags, documentCount, state, problem }) => {
    const what = [provider, account, `in ${containerTags.join(", ")}`].filter((part) => part !== null).join(" ");
    const why = problem === null ? "" : `: ${problem}`;
    return oneLine(`${id}  ${what}, ${count(documentCount, "document")}, ${state}${why}`);
  });
  return `${count(connections.length, "connection")}.\n${fence(lines.join("\n"))}`;
}
