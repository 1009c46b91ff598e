import { z } from "zod";
import { setting } from "./setting.js";

const ADDRESS = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/;
const isAddress = (text: string): boolean => ADDRESS.test(text) && text.length <= 254;
// A line break in an address would begin another header.
// eslint-disable-next-line no-control-regex
const NAMED = /^[^<>"\u0000-\u001f\u007f]{0,200}<([^<>]+)>$/;

const RULE = "must be an address such as ada@example.org";

const smtpUrl = z
  .string()
  .refine(
    isSmtpUrl,
    "must be smtp://host:port or smtps://host:port, with user:password@ before the host if the server requires it; percent-encode special characters in them",
  );

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  if (!/^smtps?:$/.test(protocol) || hostname === "" || search + hash !== "" || !/^\/?$/.test(pathname)) return false;
  return (username !== "" || password === "") && [username, password].every(isDecodable);
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/** The settings for mail to the owner. */
export const MAIL_SETTINGS = {
  RECOLLECT_SMTP_URL: setting({
    schema: smtpUrl,
    isSecret: true,
    description:
      "Mail server for warnings to the owner, such as `smtp://user:password@mail.example:587`, or `smtps://` for one that is encrypted from the start. If unset, warnings appear only in the log, in `status` and in `doctor`.",
  }),
  RECOLLECT_MAIL_FROM: setting({
    schema: z
      .string()
      .refine(
        (text) => isAddress(text) || isAddress(NAMED.exec(text)?.[1] ?? ""),
        `${RULE} or Recollect <ada@example.org>`,
      ),
    description: "Sender of these warnings. Defaults to the owner's address.",
  }),
  RECOLLECT_OWNER_EMAIL: setting({
    schema: z.string().refine(isAddress, RULE),
    description: "Address of the owner, for warnings by mail.",
  }),
} as const;

/** Where mail to the owner is sent. */
export interface MailConfig {
  readonly url: string;
  readonly from: string;
  readonly to: string;
}

interface MailValues {
  readonly RECOLLECT_SMTP_URL?: string | undefined;
  readonly RECOLLECT_MAIL_FROM?: string | undefined;
  readonly RECOLLECT_OWNER_EMAIL?: string | undefined;
}

/** Undefined without a mail server. */
export function chooseMail(values: MailValues): MailConfig | undefined {
  const { RECOLLECT_SMTP_URL: url, RECOLLECT_MAIL_FROM: from, RECOLLECT_OWNER_EMAIL: to } = values;
  return url === undefined || to === undefined ? undefined : { url, from: from ?? to, to };
}

/** Incomplete settings; `set` contains the settings that have a value. */
export function findMailProblems(set: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  if (set.has("RECOLLECT_SMTP_URL") && !set.has("RECOLLECT_OWNER_EMAIL"))
    problems.push("RECOLLECT_OWNER_EMAIL is missing: RECOLLECT_SMTP_URL is for mail to the owner. Set both.");
  if (set.has("RECOLLECT_MAIL_FROM") && !set.has("RECOLLECT_SMTP_URL"))
    problems.push(
      "RECOLLECT_MAIL_FROM is set, but RECOLLECT_SMTP_URL is not. Set RECOLLECT_SMTP_URL, or remove RECOLLECT_MAIL_FROM.",
    );
  return problems;
}
