import type { Page } from "../core/index.js";

/** The position of a page as clients see it (contract 1.12); an empty list has no pages. */
export function presentPagination({ page, limit, total }: Pick<Page<unknown>, "page" | "limit" | "total">) {
  return { currentPage: page, limit, totalItems: total, totalPages: Math.ceil(total / limit) };
}
