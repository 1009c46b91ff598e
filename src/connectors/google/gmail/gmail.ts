import * as z from "zod";
import type { Connector } from "../../../core/ports.js";
import { createGmailApi, parseGmail } from "./gmail-api.js";
import { gmailChanges } from "./gmail-changes.js";
import { readThread } from "./gmail-thread.js";

export interface GmailOptions {
  readonly baseUrl?: string;
  /** Where people sign in. */
  readonly authorizeUrl?: string;
  readonly tokenUrl?: string;
}

/** The threads of a Gmail mailbox, all of them or those a search finds. */
export function createGmailConnector({
  baseUrl = "https://gmail.googleapis.com",
  authorizeUrl = "https://accounts.google.com/o/oauth2/v2/auth",
  tokenUrl = "https://oauth2.googleapis.com/token",
}: GmailOptions = {}): Connector {
  return {
    provider: "gmail",
    title: "Gmail",
    signIn: {
      kind: "oauth",
      authorizeUrl,
      tokenUrl,
      scopes: ["https://www.googleapis.com/auth/gmail.readonly"],
      parameters: { access_type: "offline", prompt: "consent" },
      clientAuthentication: "body",
      application: "googleDrive",
    },
    fields: z.object({
      query: z.string("must be a string").max(1_000, "must have at most 1000 characters").optional(),
      labels: z.string("must be label names separated by commas").max(1_000).optional(),
    }),
    secretFields: [],
    sync: { everyMinutes: 240, absences: 1, readsAtOnce: 4 },
    async check(access) {
      const answer = await createGmailApi(baseUrl, access).get("profile", []);
      return { account: parseGmail(z.object({ emailAddress: z.string() }), answer).emailAddress };
    },
    changes: (access, checkpoint) => gmailChanges(createGmailApi(baseUrl, access), access, checkpoint),
    read: (access, item) => readThread(createGmailApi(baseUrl, access), item),
  };
}
