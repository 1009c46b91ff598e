import { AppError } from "../../core/errors.js";
import { csrfField, hiddenField, readPageForm, requireCsrf } from "../pages/forms.js";
import { type Html, html } from "../pages/html.js";
import { pageAnswer, redirectAnswer } from "../pages/layout.js";
import { safePath } from "../pages/next-path.js";
import { refusalOf, retryHeaders, statusOf } from "../errors.js";
import { requestIdOf, withRequestId } from "../request-id.js";
import { type Handler, type ConsoleContext, type Visit } from "./visit.js";

const HOME = "/auth";

/**
 * Asks for the owner's sign-in; with a link's code, one press of a button is enough, and viewing the page does not use up the
 * code.
 */
export const showSignIn: Handler = async (visit, surroundings) => {
  const { searchParams } = visit.url;
  const next = safePath(searchParams.get("next"), HOME);
  const code = searchParams.get("code");
  const owner = code === null ? await surroundings.sessions.owner(visit.request) : null;
  if (owner) return redirectAnswer(next);
  return signInPage(visit, surroundings, { next, code });
};

interface Asked {
  readonly next: string;
  readonly code: string | null;
  readonly refusal?: { readonly message: string; readonly status: number; readonly headers: Record<string, string> };
}

async function signInPage(
  { request }: Visit,
  { core, anyone, sessions }: ConsoleContext,
  { next, code, refusal }: Asked,
): Promise<Response> {
  const { csrf, headers } = sessions.stranger(request);
  const fields =
    code === null ? await secretFields(async () => (await core.hasPassword(anyone)).isSet) : codeFields(code);
  const answer = pageAnswer({
    title: "Sign in",
    status: refusal?.status ?? 200,
    headers: refusal?.headers ?? {},
    body: html`${refusal && html`<p class="warning" role="alert">${refusal.message}</p>`}
      <form method="post" action="/auth/sign-in">
        ${csrfField(csrf)}${hiddenField("next", next)} ${fields}
        <div class="actions"><button class="main">Sign in</button></div>
      </form>`,
  });
  for (const [name, value] of headers) answer.headers.append(name, value);
  return answer;
}

function codeFields(code: string): Html {
  return html`<p>This link signs you in as the owner of this memory, in this browser.</p>
    ${hiddenField("code", code)}`;
}

async function secretFields(isPasswordSet: () => Promise<boolean>): Promise<Html> {
  const label = (await isPasswordSet()) ? "Password, or a full-access key" : "A full-access key";
  return html`<p>
      This page is for the owner of this memory. <code>recollect login</code>, on the machine where it runs, creates a
      link that signs you in without typing.
    </p>
    <label class="field"
      >${label}
      <input
        type="password"
        name="secret"
        required
        maxlength="1000"
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        autofocus
        aria-describedby="about-secret"
    /></label>
    <p class="soft" id="about-secret">
      A key begins with <code>sm_</code>. A key that is read-only or limited to some containers cannot sign in.
    </p>`;
}

/** Signs in, and redirects the browser to where it was going. */
export const doSignIn: Handler = async (visit, surroundings) => {
  const { request, callerAddress } = visit;
  const { core, anyone, sessions, log } = surroundings;
  const fields = await readPageForm(request);
  requireCsrf(fields, sessions.stranger(request));
  const next = safePath(fields.text("next"), HOME);
  const code = fields.text("code");
  const secret = fields.text("secret");
  const way = code !== "" ? { code } : secret.trim().startsWith("sm_") ? { key: secret } : { password: secret };
  try {
    const { token } = await core.signIn(anyone, {
      ...way,
      from: callerAddress,
      client: request.headers.get("user-agent") ?? undefined,
      previous: sessions.tokenOf(request)?.slice(0, 200),
    });
    const answer = redirectAnswer(next);
    for (const [name, value] of sessions.keep(request, token)) answer.headers.append(name, value);
    return answer;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const refusal = refusalOf(error, withRequestId(log, requestIdOf(request)), "POST /auth/sign-in");
    const { message, kind } = refusal;
    return signInPage(visit, surroundings, {
      next,
      code: null,
      refusal: { message, status: statusOf(kind), headers: retryHeaders(refusal) },
    });
  }
};

export const doSignOut: Handler = async ({ request }, { core, anyone, sessions }) => {
  const owner = await sessions.owner(request);
  const fields = await readPageForm(request);
  if (owner) {
    requireCsrf(fields, owner);
    await core.signOut(anyone, { token: owner.token });
  }
  const answer = redirectAnswer("/auth/sign-in");
  for (const [name, value] of sessions.keep(request, null)) answer.headers.append(name, value);
  return answer;
};
