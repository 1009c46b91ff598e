import { containers } from "./containers.js";
import { conventions } from "./conventions.js";
import { conversations } from "./conversations.js";
import { documents } from "./documents.js";
import type { ContractGroup } from "./effect.js";
import { files } from "./files.js";
import { filters } from "./filters.js";
import { keys } from "./keys.js";
import { memories } from "./memories.js";
import { names } from "./names.js";
import { otherDoors } from "./other-doors.js";
import { profiles } from "./profile.js";
import { documentSearch } from "./search-documents.js";
import { search } from "./search.js";
import { settings } from "./settings.js";
import { storedDocuments } from "./stored-documents.js";

/** All promises of the API, in the order of its description. */
export const CONTRACT: readonly ContractGroup[] = [
  ...conventions,
  ...names,
  ...filters,
  ...documents,
  ...files,
  ...storedDocuments,
  ...search,
  ...documentSearch,
  ...memories,
  ...profiles,
  ...containers,
  ...settings,
  ...conversations,
  ...keys,
  ...otherDoors,
];
