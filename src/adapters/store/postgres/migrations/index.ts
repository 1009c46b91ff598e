import { FUNCTIONS } from "./0001-functions.js";
import { INITIAL_SERVICE_TABLES } from "./0001-service-tables.js";
import { INITIAL_TABLES } from "./0001-tables.js";
import { INITIAL_TRIGGERS } from "./0001-triggers.js";
import { followerLayouts } from "./0002-follower-layouts.js";
import { pendingList } from "./0003-pending-list.js";
import { INLINED_FUNCTIONS } from "./0004-inlined-functions.js";
import { NUMBERS_IN_TEXTS } from "./0005-numbers-in-texts.js";

/** Forward only, in order; a record's version is the number of migrations applied to it. */
export const MIGRATIONS: readonly string[] = [
  `${comparedByCodePoints(INITIAL_TABLES + INITIAL_SERVICE_TABLES)}${FUNCTIONS}${INITIAL_TRIGGERS}`,
  followerLayouts,
  pendingList,
  INLINED_FUNCTIONS,
  NUMBERS_IN_TEXTS,
];

/** Whatever collation the database has, the record sorts and compares text as SQLite does. */
function comparedByCodePoints(tables: string): string {
  return tables.replaceAll(/(\w) text(?=[ ,\n)])/g, '$1 text collate "C"');
}
