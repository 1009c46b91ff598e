import * as z from "zod";
import { documentLimitSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { optionalParameter } from "../query-parameters.js";
import { containerTag } from "../schemas.js";
import { everyMinutes, idParameter, ofContainers, providerParameter } from "./connection-fields.js";
import { showFinishedSignIn } from "./sign-in-page.js";

const metadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .nullable()
  .describe("Settings and credentials of the provider, as listed in docs/connections.md.");
const redirectUrl = z.string().optional().describe("Where to send the browser after the sign-in.");
const isDevice = z.boolean().optional().describe("True to sign in on another device, with a code.");

const createBody = ofContainers.extend({
  containerTag: containerTag.optional(),
  documentLimit: documentLimitSchema.optional(),
  metadata: metadata.optional(),
  redirectUrl,
  endUserId: z.string().max(1_000).optional().describe("The end user that its documents belong to."),
  everyMinutes: everyMinutes.optional(),
  isDevice,
});

const device = z.object({
  userCode: z.string(),
  verificationUrl: z.string(),
  expiresIn: z.int(),
  interval: z.int(),
});

const createdConnection = z.object({
  id: z.string(),
  authLink: z.string().optional(),
  expiresIn: z.string().optional(),
  redirectsTo: z.string().optional(),
  device: device.optional(),
  warnings: z.array(z.string()).optional(),
});

type Created = z.output<typeof createdConnection>;

/** Says which options were for a sign-in that is not needed. */
function withIdleWishes(made: Created, wish: { readonly redirectUrl?: unknown; readonly isDevice?: unknown }): Created {
  const isBrowser = made.authLink !== undefined;
  const warnings = [
    ...(wish.redirectUrl !== undefined && !isBrowser
      ? ["redirectUrl: has no effect: no sign-in in a browser is needed"]
      : []),
    ...(wish.isDevice === true && made.device === undefined
      ? [
          `isDevice: has no effect: ${isBrowser ? "this provider has no sign-in on another device" : "no sign-in is needed"}`,
        ]
      : []),
  ];
  return warnings.length > 0 ? { ...made, warnings } : made;
}

/** Creates a connection or signs in to it again (contract 6.10), with credentials, in a browser or on another device. */
export const connectionSignInEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}",
    parameters: providerParameter,
    operationId: "createConnection",
    summary: "Connect to a provider",
    description:
      "Credentials in `metadata` are tested before the response. If a sign-in is needed, `authLink` is the link to it, which works once, within an hour. The first sync run starts automatically, unless resources must first be chosen with `configure`.",
    tag: "connections",
    body: createBody,
    isBodyOptional: true,
    status: 200,
    answer: createdConnection,
    async handle({ core, call, parameter, body, origin }) {
      const made = await core.createConnection(call, { ...body, provider: parameter("connection"), origin });
      return withIdleWishes(made, body);
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/reconnect",
    parameters: idParameter,
    operationId: "reconnectConnection",
    summary: "Sign in to a connection again",
    description:
      "Immediately, with other credentials in `metadata`; otherwise with the link in the response, or on another device. Its documents stay, and so do its settings and credentials until the new ones have worked.",
    tag: "connections",
    body: z.object({ metadata: metadata.optional(), redirectUrl, isDevice }),
    isBodyOptional: true,
    status: 200,
    answer: createdConnection,
    async handle({ core, call, parameter, body, origin }) {
      const begun = await core.reconnectConnection(call, { ...body, id: parameter("connection"), origin });
      return withIdleWishes(begun, body);
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/device",
    parameters: idParameter,
    operationId: "checkDeviceSignIn",
    summary: "Check whether the sign-in on another device is complete",
    description: "Poll no more often than the `interval` of the code, and less often after `isSlowDown`.",
    tag: "connections",
    body: z.object({}),
    isBodyOptional: true,
    status: 200,
    answer: z.object({ isConnected: z.boolean(), isSlowDown: z.boolean() }),
    handle: ({ core, call, parameter }) => core.pollConnection(call, { id: parameter("connection") }),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/auth/callback/{connection}",
    aliases: ["/v3/connections/{connection}/callback"],
    parameters: providerParameter,
    operationId: "completeSignIn",
    summary: "Complete a sign-in at a provider",
    description:
      "The provider sends the browser here; it is then redirected to `redirectUrl` or shown a page. Works once for each sign-in.",
    tag: "connections",
    needsKey: false,
    isOnce: true,
    query: z.object({
      code: optionalParameter(z.string()).describe("The code that the provider issued for the sign-in."),
      state: optionalParameter(z.string()).describe("The value that was sent when the sign-in began."),
      error: optionalParameter(z.string()).describe("Why the provider refused access."),
    }),
    status: 302,
    otherAnswers: { 200: "A page that reports the result, if no `redirectUrl` was given." },
    async handle({ core, call, parameter, query }) {
      const { code, state, error } = query;
      const finished = await core.finishConnection(call, { provider: parameter("connection"), code, state, error });
      return showFinishedSignIn(finished);
    },
  }),
];
