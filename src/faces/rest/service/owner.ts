/** The one person of a server, as clients show people. The address is nobody's: that name leads nowhere. */
export const OWNER = { id: "owner", name: "Owner", email: "owner@localhost" } as const;
