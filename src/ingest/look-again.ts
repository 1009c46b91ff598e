import type { JobContext } from "../core/ports.js";
import type { IngestContext } from "./context.js";
import { lookAtFileAgain } from "./look.js";
import { lookAtMessagesAgain } from "./look-at-messages.js";
import type { StepPayload } from "./step.js";

/** Retries the description of what a document shows: a picture, or a conversation with pictures in its messages. */
export async function lookAgain(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const { store } = context;
  const document = await store.documents.byId(store.organizationId, payload.documentId);
  await (document?.turns ? lookAtMessagesAgain : lookAtFileAgain)(context, payload, job);
}
