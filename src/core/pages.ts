import * as z from "zod";

/** The most items per page (contract 1.12). */
export const MAX_PAGE_SIZE = 1_100;

/** Which page of a list, in which order (contract 1.12); a page beyond the end is empty. */
export const pageShape = {
  sort: z.enum(["createdAt", "updatedAt"], "must be createdAt or updatedAt").default("createdAt"),
  order: z.enum(["asc", "desc"], "must be asc or desc").default("desc"),
  page: z.number("must be a number").int().positive().max(1_000_000_000, "must be at most 1000000000").default(1),
  limit: z
    .number("must be a number")
    .int()
    .positive()
    .max(MAX_PAGE_SIZE, `must be at most ${MAX_PAGE_SIZE}`)
    .default(10),
};
