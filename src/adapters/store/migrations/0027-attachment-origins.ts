/** A mail's attachments count as from the sender of the mail, not from whoever added it. */
export const attachmentOrigins = `
update documents set origin = 'mail'
where origin in ('user', 'agent') and id in (select document_id from document_attachments);
`;
