import * as z from "zod";
import { optionalParameter } from "../query-parameters.js";
import { containerTag } from "../schemas.js";

/** For a path that names a document by its id or customId. */
export const documentPlace = z.object({
  containerTag: optionalParameter(containerTag).describe(
    "Container of the document. Required with a `customId` that exists in several of the key's containers; a document elsewhere is not found.",
  ),
});

/** Describes the 409 of such a request. */
export const AMBIGUOUS =
  "The `customId` exists in several of the key's containers, which are listed with the ids; name one of these as `containerTag`, or give the id of the document.";

/** The document that a request names, as the core takes it. */
export function documentNameOf(
  parameter: (name: string) => string,
  { containerTag: within }: z.output<typeof documentPlace>,
): { id: string; within: string | undefined } {
  return { id: parameter("id"), within };
}
