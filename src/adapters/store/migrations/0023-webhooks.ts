/** Where sources send word of changes, and until when. */
export const webhooks = `
alter table connections add column webhooks text;
`;
