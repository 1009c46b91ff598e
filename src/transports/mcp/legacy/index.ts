import type { Tool } from "../tool.js";
import { documentTools } from "./documents.js";
import { graphTools } from "./graph.js";
import { identityTools } from "./identity.js";
import { memoryTools } from "./memories.js";
import { saveTools } from "./save.js";
import { searchTools } from "./search.js";
import { spaceTools } from "./spaces.js";

/**
 * The tools of all earlier generations under their own names (contract 7.4), in the order in which clients see them. `search`
 * and `fetch` of the second generation are today's. Left out are those that open one of the vendor's own views (`select-space`,
 * `guided-save`, `upload-file`) or keep a choice between calls (`set-active-tag`).
 */
export const LEGACY_TOOLS: readonly Tool[] = [
  ...searchTools,
  ...saveTools,
  ...documentTools,
  ...memoryTools,
  ...spaceTools,
  ...identityTools,
  ...graphTools,
];
