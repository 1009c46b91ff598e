import { createHmac } from "node:crypto";
import { AppError } from "../../core/errors.js";
import { equalSecrets } from "../../lib/crypto.js";
import { readBodyText } from "../../lib/request-body.js";
import { type Html, html } from "./html.js";

const MOST_BYTES = 64 * 1024;
const CSRF_FIELD = "form_token";

/** A submitted form. */
export interface FormFields {
  /** The field's value, or an empty text. */
  text(name: string): string;
  /** All values of that name. */
  all(name: string): string[];
}

/**
 * Reads a form as browsers send it, up to 64 KB.
 * @throws AppError `unsupported_type`; BodyError
 */
export async function readPageForm(request: Request): Promise<FormFields> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type.trim()))
    throw new AppError("unsupported_type", "This address accepts only the form of its own page.");
  const fields = new URLSearchParams(await readBodyText(request, MOST_BYTES));
  return { text: (name) => fields.get(name) ?? "", all: (name) => fields.getAll(name) };
}

/** The form token of one browser: nobody can make it without knowing the browser's cookie. */
export function formToken(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(`form:${purpose}`).digest("base64url");
}

/** The hidden field that proves that a form comes from a page of this server. */
export function csrfField(token: string): Html {
  return hiddenField(CSRF_FIELD, token);
}

export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** @throws AppError `forbidden` unless the form carries the token */
export function requireCsrf(fields: FormFields, { csrf }: { readonly csrf: string }): void {
  if (!equalSecrets(fields.text(CSRF_FIELD), csrf))
    throw new AppError(
      "forbidden",
      "This form does not come from a page that was opened in this browser, or you have signed in again since. Open the page again.",
    );
}
