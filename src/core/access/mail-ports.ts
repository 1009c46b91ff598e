/** A plain-text mail to the owner. */
export interface OwnerMail {
  /** One line; line breaks are removed. */
  readonly subject: string;
  readonly text: string;
  /** The same for the same news, so that a mail sent twice by accident can be recognised as one. Letters and digits. */
  readonly id: string;
}

/** Sends mails to the owner. */
export interface Mailer {
  /** The server and the address, for people; never a secret. */
  readonly name: string;
  /**
   * Resolves when the server has accepted the mail.
   * @throws AppError `unavailable` when a retry may succeed, `invalid` when the server refuses permanently
   */
  send(mail: OwnerMail, signal?: AbortSignal): Promise<void>;
  /** Connects and signs in without sending anything. @throws AppError as `send` does */
  check(): Promise<void>;
}
