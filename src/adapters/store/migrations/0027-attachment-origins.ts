/** What lies in a mail is of whoever sent the mail, not of whoever added it. */
export const attachmentOrigins = `
update documents set origin = 'mail'
where origin in ('user', 'agent') and id in (select document_id from document_attachments);
`;
