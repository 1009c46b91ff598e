import * as z from "zod";
import { MAX_PAGE_SIZE } from "../../core/index.js";

const MAX_PAGE = 1_000_000_000;

/** A JSON number, or the same in digits: older clients send text (contract 1.12). */
function wholeNumber(max: number) {
  const message = `must be a whole number from 1 to ${max}`;
  return z
    .union([z.int(message).min(1, message).max(max, message), z.string().regex(/^\d{1,15}$/, message)], message)
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= 1 && value <= max, message);
}

/** Which page of a list, and in which order (contract 1.12). */
export const pageFields = {
  limit: wholeNumber(MAX_PAGE_SIZE).optional(),
  page: wholeNumber(MAX_PAGE).optional(),
  order: z.enum(["asc", "desc"], "must be asc or desc").optional(),
  sort: z.enum(["createdAt", "updatedAt"], "must be createdAt or updatedAt").optional(),
};
