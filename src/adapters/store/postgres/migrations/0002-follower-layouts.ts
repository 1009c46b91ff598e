export const followerLayouts = `alter table vector_followers add column layout text collate "C";`;
