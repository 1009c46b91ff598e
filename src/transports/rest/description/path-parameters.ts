/** Descriptions of path parameters, by name, where an endpoint has none. */
export const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: "Id or customId of the document.",
  containerTag: "Container tag: 1 to 100 letters, digits, hyphens, underscores, colons and dots.",
  memoryId: "Id of the memory.",
  taskId: "Id of the extraction task, from the response that handed it out.",
  mergeId: "Id of the merge, from the response that accepted it.",
  memberId: "Id of the member.",
  key: "Key of the file, from the URL of its document.",
};
