import { listSpaces } from "./legacy/spaces.js";
import { readingPlaces } from "./places.js";
import { contextOf, protocolErrorOf } from "./reading.js";
import type { Caller } from "./server.js";
import type { ToolContext } from "./tool.js";

/** The protocol allows no more values in one answer. */
const MOST_VALUES = 100;

/** Possible values of an argument, most recent first. */
export type Suggest = (context: ToolContext) => Promise<string[]>;

export const suggestContainers: Suggest = async (context) =>
  (await listSpaces(context)).map(({ containerTag }) => containerTag);

export const suggestMemories: Suggest = async ({ core, actor, defaultContainer }) => {
  const recent = await core.listMemories(
    { actor },
    { containerTags: [...readingPlaces({ actor, defaultContainer })], limit: MOST_VALUES },
  );
  return recent.entries.map(({ memory }) => memory.id);
};

export const suggestDocuments: Suggest = async ({ core, actor, defaultContainer }) => {
  const recent = await core.listDocuments(
    { actor },
    { containerTags: [...readingPlaces({ actor, defaultContainer })], limit: MOST_VALUES },
  );
  return recent.documents.map(({ id }) => id);
};

/** Completes what a caller has begun to type. */
export function suggestTo(caller: Caller, suggest: Suggest): (begun: string | undefined) => Promise<string[]> {
  return async (begun = "") => {
    try {
      return (await suggest(await contextOf(caller))).filter((value) => value.startsWith(begun));
    } catch (error) {
      throw protocolErrorOf(error, caller, "completion/complete");
    }
  };
}
