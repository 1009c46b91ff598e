/** Where an index that follows the vectors keeps them, for all processes that search in it. */
export const followerLayouts = `
alter table vector_followers add column layout text;
`;
