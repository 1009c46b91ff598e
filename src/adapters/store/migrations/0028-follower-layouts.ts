/** Where an index that follows the vectors keeps them, for every process that searches it. */
export const followerLayouts = `
alter table vector_followers add column layout text;
`;
