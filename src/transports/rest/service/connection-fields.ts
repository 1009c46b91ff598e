import * as z from "zod";
import { everyMinutesSchema, PROVIDERS } from "../../../core/index.js";
import { containerTag } from "../schemas.js";

/** What stands for `{connection}` in a path (contract 6.10); names of providers take precedence over ids. */
export const providerParameter = { connection: `Name of the provider: ${PROVIDERS.join(", ")}.` };
export const idParameter = { connection: "Id of the connection." };

export const NOTHING_TO_CHOOSE =
  "Connections of this provider import everything that they have access to: there is nothing to choose.";

export const containerTags = z.array(containerTag).max(100);
export const ofContainers = z.object({ containerTags: containerTags.optional() });
export const everyMinutes = everyMinutesSchema.describe(
  "Minutes between two sync runs; null to sync only on request. The default depends on the provider.",
);
