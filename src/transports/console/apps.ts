import type { AppGrant } from "../../core/types.js";
import { csrfField, hiddenField, readPageForm, requireCsrf } from "../pages/forms.js";
import { type Html, html, shown } from "../pages/html.js";
import { pageAnswer, redirectAnswer } from "../pages/layout.js";
import type { Owner } from "../pages/session.js";
import { type Handler, ownerFooter } from "./visit.js";

/** The apps that the owner has authorised by OAuth, each with a button to revoke it. */
export const showApps: Handler = async ({ request }, { core, sessions }) => {
  const owner = await sessions.requireOwner(request);
  if (owner instanceof Response) return owner;
  const { grants } = await core.listGrants({ actor: owner.actor });
  return pageAnswer({
    title: "Authorised apps",
    footer: ownerFooter(owner),
    body: html`${grants.length === 0 && html`<p>There are none.</p>`} ${grants.map((grant) => describe(grant, owner))}
      <p><a href="/auth">Back to start</a></p>`,
  });
};

function describe(grant: AppGrant, { csrf }: Owner): Html {
  const { clientName, clientHost, containerTags, permission, createdAt, lastUsedAt, expiresAt } = grant;
  const facts = [
    containerTags === null ? "all containers" : `only ${containerTags.map((tag) => shown(tag)).join(", ")}`,
    permission === "read" ? "reads" : "reads and writes",
    `authorised ${createdAt.slice(0, 10)}`,
    lastUsedAt === null ? "never used" : `last used ${lastUsedAt.slice(0, 10)}`,
    expiresAt === null ? "never expires" : `expires ${expiresAt.slice(0, 10)}`,
  ];
  return html`<form method="post">
    ${csrfField(csrf)}${hiddenField("grant", grant.id)}
    <p>
      <strong>${shown(clientName)}</strong> (${shown(clientHost)})<br />
      <span class="soft">${facts.join("; ")}</span>
    </p>
    <div class="actions"><button>Revoke access</button></div>
  </form>`;
}

/** Revokes one of them. */
export const endApp: Handler = async ({ request }, { core, sessions }) => {
  const owner = await sessions.requireOwner(request);
  if (owner instanceof Response) return owner;
  const fields = await readPageForm(request);
  requireCsrf(fields, owner);
  await core.revokeGrants({ actor: owner.actor }, { client: fields.text("grant") });
  return redirectAnswer("/auth/apps");
};
