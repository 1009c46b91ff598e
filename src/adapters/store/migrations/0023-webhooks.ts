/** Where sources send webhooks, and until when. */
export const webhooks = `
alter table connections add column webhooks text;
`;
