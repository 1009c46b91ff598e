import { z } from "zod";
import { setting } from "./setting.js";

const RULE =
  "must be the address of a PostgreSQL database, such as postgres://user:password@host:5432/recollect; unset it where it is meant for another program";

/** The setting of where the record is kept. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: setting({
    schema: z.string().refine(isPostgresUrl, RULE),
    isSecret: true,
    description:
      "Keeps the record in a PostgreSQL database, 15 or later, instead of the data folder: `postgres://user:password@host:5432/name`. The database is empty or Recollect's own, and one service uses it at a time.",
  }),
};

/** Whether a text is the address of a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol);
}
