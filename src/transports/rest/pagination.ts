import * as z from "zod";

/** The position of a page (contract 1.12). */
export const paginationAnswer = z.object({
  currentPage: z.int(),
  limit: z.int(),
  totalItems: z.int(),
  totalPages: z.int(),
});
