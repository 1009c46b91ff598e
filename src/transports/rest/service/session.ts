import { defineEndpoint } from "../endpoint.js";
import { presentSession, sessionAnswer } from "./present-session.js";

export const sessionEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/session",
    operationId: "getSession",
    summary: "Get the owner and the permissions of the key",
    description: "Works with every key. This server has one user, its owner, and a plan without limits.",
    tag: "session",
    status: 200,
    answer: sessionAnswer,
    handle: async ({ core, call }) => presentSession(await core.session(call)),
  }),
];
