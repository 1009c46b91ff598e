import type * as z from "zod";
import { parseAnswer } from "../../../core/connections/json-answer.js";
import type { SourceAccess, SourceAnswer } from "../../../core/ports.js";
import { googleRefusal } from "../google-refusal.js";

/** Messages with one of these labels are not part of a thread's document. */
const UNCOUNTED: ReadonlySet<string> = new Set(["TRASH", "SPAM", "DRAFT", "CHAT"]);

export function isCounted({ labelIds }: { readonly labelIds: readonly string[] }): boolean {
  return !labelIds.some((label) => UNCOUNTED.has(label));
}

/** Whether any of these labels decides if a message counts. */
export function decides(labelIds: readonly string[]): boolean {
  return labelIds.some((label) => UNCOUNTED.has(label));
}

export type GmailQuery = readonly (readonly [name: string, value: string])[];

export interface GmailApi {
  /** @throws as `SendSourceRequest`; a 403 from Google is told apart by its reason */
  get(path: string, query: GmailQuery, accepts?: readonly number[]): Promise<SourceAnswer>;
}

export function createGmailApi(baseUrl: string, access: SourceAccess): GmailApi {
  return {
    async get(path, query, accepts = []) {
      const url = new URL(`${baseUrl}/gmail/v1/users/me/${path}`);
      for (const [name, value] of query) url.searchParams.append(name, value);
      const answer = await access.request({ url: url.href, accepts: [403, ...accepts] });
      if (answer.status === 403) throw refusal(answer);
      return answer;
    },
  };
}

/** @throws AppError `unavailable` */
export function parseGmail<T>(schema: z.ZodType<T>, answer: SourceAnswer): T {
  return parseAnswer(answer, schema, "Gmail");
}

function refusal(answer: SourceAnswer): Error {
  return googleRefusal(answer, { name: "Gmail", read: "mail", see: "mail" });
}
