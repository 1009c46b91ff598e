/** Descriptions of path parameters, by name, where an endpoint has none. */
export const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: "Id of the document, or its customId.",
  containerTag: "Container tag: 1 to 100 letters, digits, hyphens, underscores, colons and dots.",
  memoryId: "Id of the memory.",
  taskId: "Id of a text that was taken on, from the answer that handed it out.",
  mergeId: "Id of the merge, from the answer that accepted it.",
  memberId: "Id of the member.",
  key: "Key of the file, from the URL of its document.",
};
