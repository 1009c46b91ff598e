import * as z from "zod";
import type { Page } from "../../core/index.js";

/** The position of a page (contract 1.12). */
export const paginationAnswer = z.object({
  currentPage: z.int(),
  limit: z.int(),
  totalItems: z.int(),
  totalPages: z.int(),
});

/** The page as clients see it; an empty list has no pages. */
export function presentPagination({ page, limit, total }: Pick<Page<unknown>, "page" | "limit" | "total">) {
  return { currentPage: page, limit, totalItems: total, totalPages: Math.ceil(total / limit) };
}
